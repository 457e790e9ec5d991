import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Of /proc/PID/stat, as Linux has it on all machines. */
const TICK_MS = 10;

/** Processor time of a process, ms (Linux), with that of its children that have ended. */
export function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
  } catch {
    return 0; // it has ended
  }
}

/** Processor time of PostgreSQL, ms: its first process and its children. @param folder its `folder` */
export function databaseMs(folder: string): number {
  const first = Number(readFileSync(path.join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  const isOurs = (pid: number) => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]) === first;
    } catch {
      return false;
    }
  };
  const all = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isOurs(pid));
  return [first, ...all].reduce((sum, pid) => sum + processorMs(pid), 0);
}

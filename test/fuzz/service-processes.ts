import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Entry files of the service's processes, as in a command line. */
const ENTRIES = ['src/main.ts', 'workers/main.ts'];

/**
 * The API and worker processes that belong to a checkout (Linux): those of this folder, or of another named folder.
 * @returns an empty list on systems without `/proc`
 */
export function findServiceProcesses(folder: string): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => !Number.isNaN(pid) && isOfService(pid, folder));
  } catch {
    return [];
  }
}

/** Whether a process of the service is a worker. */
export function isWorker(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(ENTRIES[1]);
}

function isOfService(pid: number, folder: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const isEntry = command.some((word) => ENTRIES.some((entry) => word.endsWith(entry)));
    return isEntry && readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}

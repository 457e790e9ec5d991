import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** The other processes that have a folder in their arguments or environment (Linux). */
export async function processesUsing(folder: string): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = [];
  for (const pid of (await readdir('/proc')).map(Number)) {
    if (Number.isNaN(pid) || pid === process.pid) continue;
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    const command = await read('cmdline');
    if (`${command}${await read('environ')}`.includes(folder)) {
      found.push({ pid, command: command.replaceAll('\0', ' ').trim() });
    }
  }
  return found;
}

/** PostgreSQL reports its stop a moment before its process ends: only what stays takes longer than this. */
const GONE_MS = 60_000;
const LOOK_MS = 100;

/** The processes of `processesUsing` that do not end on their own. */
export async function processesLeft(
  folder: string,
  isOwn: (pid: number) => boolean = () => false,
): Promise<{ pid: number; command: string }[]> {
  const until = performance.now() + GONE_MS;
  for (;;) {
    const left = (await processesUsing(folder)).filter(({ pid }) => !isOwn(pid));
    if (left.length === 0 || performance.now() > until) return left;
    await setTimeout(LOOK_MS);
  }
}

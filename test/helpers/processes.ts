import { readdir, readFile } from 'node:fs/promises';

/** The other processes that name a folder in their arguments or their environment (Linux). */
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

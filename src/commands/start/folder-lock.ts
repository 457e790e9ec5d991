import { readFile, rm, writeFile } from 'node:fs/promises';

/**
 * Locks the data folder for this process, so that two processes never start the same database. The lock of a process
 * that no longer exists is taken over.
 * @returns a function that releases it
 * @throws Error naming the process that holds the lock
 */
export async function lockFolder(file: string): Promise<() => Promise<void>> {
  for (let tries = 0; ; tries++) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries > 3) throw error;
      const pid = Number(await readFile(file, 'utf8').catch(() => '0'));
      if (pid > 0 && pid !== process.pid && isAlive(pid)) {
        throw new Error(
          `the service is already running (process ${pid}) on this data folder; stop it or set another DATA_DIR`,
        );
      }
      await rm(file, { force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

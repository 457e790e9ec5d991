import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '../helpers/folders.ts';
import { processesUsing } from '../helpers/processes.ts';

/**
 * A separate process that outlives the runner briefly. When the runner ends for any reason (Ctrl-C, a time limit,
 * SIGKILL from a CI system), it kills every process that works in the runner's folder, and removes the folder.
 */
export type Reaper = {
  readonly pid: number | undefined;
  /** Ends it after everything was closed in order. @param keepFolder for reading the logs */
  close(keepFolder: boolean): Promise<void>;
};

export function openReaper(folder: string): Reaper {
  const child = fork(fileURLToPath(import.meta.url), [folder], { detached: true, stdio: 'ignore' });
  return {
    pid: child.pid,
    async close(keepFolder) {
      const gone = once(child, 'exit');
      if (keepFolder) child.send('keep');
      child.disconnect();
      await gone;
    },
  };
}

if (import.meta.main) {
  const folder = process.argv[2];
  let keep = false;
  process.on('message', () => {
    keep = true;
  });
  process.once('disconnect', async () => {
    for (const { pid } of await processesUsing(folder)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it is already gone
      }
    }
    if (!keep) await removeFolder(folder);
  });
}

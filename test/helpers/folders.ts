import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A new temporary folder that other users can enter: if root runs the tests, PostgreSQL runs as another user. The
 * caller removes it.
 */
export async function newTemporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), `fleet-${name}-`));
  await chmod(folder, 0o755);
  return folder;
}

/** Removes a folder. First ends a PostgreSQL that a failed test has left running in it. */
export async function removeFolder(folder: string): Promise<void> {
  for (const file of globSync('**/postmaster.pid', { cwd: folder })) {
    const pid = Number(readFileSync(path.join(folder, file), 'utf8').split('\n')[0]);
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // it is already gone
    }
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
}

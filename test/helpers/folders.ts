import { globSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
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

const ROOT = path.join(import.meta.dirname, '../..');
const NOT_COPIED = /\/(dist|node_modules|\.build-[^/]*)$/;

/**
 * Makes a folder a checkout without builds: copies what the test writes into or what has to find its files there, and
 * links the rest.
 */
export async function copyCheckout(folder: string, copied: string[]): Promise<void> {
  for (const name of await readdir(ROOT)) {
    const [from, to] = [path.join(ROOT, name), path.join(folder, name)];
    if (copied.includes(name)) {
      await cp(from, to, { recursive: true, filter: (file) => !NOT_COPIED.test(file) });
    } else if (!['.git', '.data', 'coverage'].includes(name)) await symlink(from, to);
  }
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

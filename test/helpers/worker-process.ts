import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { Config } from '../../src/config.ts';

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/**
 * A worker in a separate process that a test can kill or freeze. It is ready when this resolves, and ends with the file
 * at the latest.
 */
export async function spawnWorkerProcess(config: Config): Promise<ChildProcess> {
  const env: Record<string, string> = { PATH: process.env.PATH ?? '' };
  for (const [name, value] of Object.entries(config)) if (value !== undefined) env[name] = String(value);
  const script = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  children.add(child);
  await once(child, 'message');
  return child;
}

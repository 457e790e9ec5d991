import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import type { Config } from '../../src/config.ts';
import { atEnd } from './at-end.ts';

/**
 * A worker in a separate process that a test can kill or freeze. It is ready when this resolves, and ends with the file
 * at the latest.
 */
export async function spawnWorkerProcess(config: Config): Promise<ChildProcess> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, TEST_CONFIG: JSON.stringify(config) };
  const script = fileURLToPath(new URL('worker-entry.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  atEnd(() => child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

/** Kills a worker and waits for its end. */
export async function killWorker(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/**
 * Lets an hour pass since the last sign of a killed worker, so that others take over from it now. A short
 * `JOB_LOCK_SECONDS` would do the same, and on a busy machine take jobs from workers that live.
 */
export async function passAnHourSince({ pid }: ChildProcess, pool: Pool): Promise<void> {
  for (const table of ['jobs', 'workers']) {
    await pool.query(
      `update ${table} set heartbeat_at = heartbeat_at - interval '1 hour' where worker_id like $1`,
      [`${pid}:%`],
    );
  }
}

/** Processes of the service, and of the baseline, as an operator runs them: one each, on free ports, ended with the bench. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/start/embedded-postgres.ts';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** A process of the service that tells in its log when it is ready. */
async function startService(path: string, env: Record<string, string>, ready: RegExp): Promise<ChildProcess> {
  const child = spawn(process.execPath, [file(path)], {
    env: { ...process.env, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      if (ready.test(String(chunk))) resolve();
    });
    child.once('exit', (code) => reject(new Error(`${path} ended with ${code}`)));
  });
  return child;
}

export async function startApi(env: Record<string, string>): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const child = await startService('src/main.ts', { ...env, PORT: String(port) }, /listening/i);
  return { url: `http://127.0.0.1:${port}`, child };
}

export const startWorker = (env: Record<string, string>) =>
  startService('workers/main.ts', env, /worker ready/);

export async function startBareWorker(url: string): Promise<ChildProcess> {
  const child = fork(file('bench/load/bare.ts'), [url]);
  await once(child, 'message');
  return child;
}

/** A Redis server without persistence. */
export async function startRedis(): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      if (/Ready to accept/.test(String(chunk))) resolve();
    });
    child.once('error', reject);
  });
  return { url: `redis://127.0.0.1:${port}`, child };
}

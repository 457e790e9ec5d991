/**
 * Processes of the service and of the baseline, as an operator runs them: one each, on free ports, ended with the
 * bench.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { MEMORY_ENVIRONMENT } from '../../src/commands/start/processes.ts';

/** The folder of this version. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const READY_LOOK_MS = 50;

const ending: (() => Promise<unknown>)[] = [];
let isEnding: Promise<void> | undefined;

/** Registers `end` for `endAll`, which calls the latest first. */
export function endLater(end: () => Promise<unknown>): void {
  ending.push(end);
}

/**
 * Ends everything that was started, the latest first. A second call waits for the first. Errors are printed and do not
 * stop the rest.
 */
export function endAll(): Promise<void> {
  isEnding ??= endEach().finally(() => {
    isEnding = undefined;
  });
  return isEnding;
}

async function endEach(): Promise<void> {
  for (let end = ending.pop(); end; end = ending.pop()) await end().catch(console.error);
}

let isDying = false;

/** Also ends the children if the bench fails or is stopped, so it leaves none behind. */
export function endAllOnFault(): void {
  const die = async (error: unknown) => {
    if (isDying) return;
    isDying = true;
    console.error(error);
    await endAll();
    process.exit(1);
  };
  process.on('uncaughtException', die);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, die);
}

/**
 * Registers a process with `endAll`, which ends it and waits for its exit. Call this before the process is ready: the
 * bench may fail by then.
 */
export function endChildLater(child: ChildProcess): void {
  endLater(async () => {
    // Without a process id the start failed, and there will be no exit event.
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
}

/**
 * Starts a process of the service and waits until its log says that it is ready. The log is a file: a pipe that nobody
 * reads in time would hold up whoever writes.
 * @returns its process id
 */
async function startService(path: string, env: Record<string, string>, ready: RegExp): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'fleet-log-'));
  const log = join(folder, 'log');
  const output = await open(log, 'a');
  endLater(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [path], {
    env: { ...MEMORY_ENVIRONMENT, ...process.env, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', output.fd, 'inherit'],
  });
  endChildLater(child);
  child.once('error', () => {}); // it has no process id then
  await output.close();
  while (!ready.test(await readFile(log, 'utf8'))) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${path} ended with ${child.exitCode ?? child.signalCode}`);
    await delay(READY_LOOK_MS);
  }
  return child.pid ?? 0;
}

/**
 * @param root folder of the version
 * @returns the address it listens on, and its process id
 */
export async function spawnApi(
  env: Record<string, string>,
  root = ROOT,
): Promise<{ api: string; apiPid: number }> {
  const port = await freePort();
  const apiPid = await startService(join(root, 'src/main.ts'), { ...env, PORT: String(port) }, /listening/i);
  return { api: `http://127.0.0.1:${port}`, apiPid };
}

/**
 * @param root folder of the version
 * @returns its process id
 */
export const spawnWorker = (env: Record<string, string>, root = ROOT) =>
  // All calls come from one address, which may use all workers.
  startService(join(root, 'workers/main.ts'), { ...env, JOBS_RUNNING_PER_CALLER: '64' }, /worker ready/);

export async function startBareWorker(url: string): Promise<void> {
  const child = fork(join(ROOT, 'bench/load/bare.ts'), [url]);
  endChildLater(child);
  await once(child, 'message');
}

/** A Redis server without persistence. @returns its address, and its process id */
export async function startRedis(): Promise<{ redis: string; redisPid: number | undefined }> {
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endChildLater(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      if (/Ready to accept/.test(String(chunk))) resolve();
    });
    child.once('error', reject);
  });
  return { redis: `redis://127.0.0.1:${port}`, redisPid: child.pid };
}

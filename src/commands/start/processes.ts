import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type LogFile, openLogFile } from './log-file.ts';

export type Supervised = { readonly name: string; readonly pid: number | undefined; stop(): Promise<void> };

type Options = {
  name: string;
  script: string;
  env: Record<string, string | undefined>;
  logFolder: string;
  /** for compiled modules: the second start takes two thirds of the processor time */
  cacheFolder: string;
  /** time that it may take to stop before it is killed */
  stopTimeoutMs: number;
  onNote: (note: string) => void;
};

const MAX_BACKOFF_MS = 10_000;

/**
 * Starts a process of the service and keeps it running: if it dies it is started again, with increasing delays. Its
 * output goes to a log file; standard error also goes to ours. It has a process group of its own, so Ctrl-C reaches
 * only the supervisor, which stops everything in order. If the supervisor dies, the process notices by its IPC channel
 * and stops by itself.
 * @throws Error with the output of the process if it does not start the first time
 */
export async function supervise(options: Options): Promise<Supervised> {
  const { name, onNote } = options;
  const log = await openLogFile(options.logFolder, `${name}.log`);
  let stopping = false;
  let failures = 0;
  let child = await launch(options, log);

  const watch = (current: ChildProcess) => {
    const upSince = Date.now();
    current.once('exit', async (code, signal) => {
      if (stopping) return;
      failures = Date.now() - upSince > MAX_BACKOFF_MS ? 1 : failures + 1;
      onNote(`${name} ended (${signal ?? `exit code ${code}`}); starting it again`);
      while (!stopping) {
        await delay(Math.min(100 * 2 ** failures, MAX_BACKOFF_MS));
        if (stopping) return;
        try {
          child = await launch(options, log);
          return watch(child);
        } catch {
          failures++;
        }
      }
    });
  };
  watch(child);

  return {
    name,
    get pid() {
      return child.pid;
    },
    async stop() {
      stopping = true;
      if (child.exitCode === null && child.signalCode === null) {
        const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
        child.kill('SIGTERM');
        const killer = setTimeout(() => child.kill('SIGKILL'), options.stopTimeoutMs);
        await gone;
        clearTimeout(killer);
      }
      await log.close();
    },
  };
}

/** glibc keeps a pool of memory per thread otherwise, and gives little of it back after peaks. */
export const MEMORY_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };

/** Starts the process once. Resolves when the process reports that it is ready. */
function launch({ name, script, env, cacheFolder }: Options, log: LogFile): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script], {
    env: { NODE_COMPILE_CACHE: cacheFolder, ...MEMORY_ENVIRONMENT, ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  let errors = '';
  log.follow(child.stdout!);
  log.follow(child.stderr!);
  child.stderr!.on('data', (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => {
      resolve(child);
    });
    child.once('exit', () => reject(new Error(errors.trim() || `${name} ended before it was ready`)));
    child.once('error', reject);
  });
}

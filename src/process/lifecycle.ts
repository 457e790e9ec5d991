import { setTimeout as delay } from 'node:timers/promises';
import { type Config, ConfigError } from '../config.ts';

/** Something that runs until it is closed. */
export type Running = { close(): Promise<void> };

/**
 * Runs a process: starts it, and closes it in order on SIGINT, SIGTERM, or when the process that supervises it (over an
 * IPC channel) is gone. Faults at start go to standard error, one clear line each, and the exit code is 1.
 * @param start its `signal` aborts if the process has to end before it has started
 */
export async function runProcess(start: (signal: AbortSignal) => Promise<Running>): Promise<void> {
  const stopping = new AbortController();
  // Not `once`: on Ctrl-C npm repeats the signal that the terminal has sent already. The second one would end the
  // process without an orderly close.
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(event, () => stopping.abort());
  let running: Running;
  try {
    running = await start(stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) process.exit(0);
    for (const line of describeStartError(error)) console.error(line);
    // Connections that reconnect, or a consumer of jobs, would keep a process alive that failed to start.
    process.exit(1);
  }
  const stop = () => {
    running.close().then(disconnect, (error) => {
      console.error(error);
      process.exitCode = 1;
      disconnect();
    });
  };
  if (stopping.signal.aborted) return stop();
  stopping.signal.addEventListener('abort', stop);
  process.send?.('ready');
}

/** Runs a step of a start as soon as its server can be reached. */
export type StartStep = <T>(step: () => Promise<T>) => Promise<T>;

const RETRY_MS = 500;
/** A start that waits says so at once, and then at this interval. */
const REPORT_EVERY_MS = 10_000;

/**
 * Lets a start wait for a server, so machines and containers may come up in any order. All steps together wait for
 * `START_WAIT_SECONDS`, counted from the first step. A step may run several times.
 * @param name of the server, for people
 * @param isAway whether an error means that the server cannot be reached at the moment; any other error ends the start
 * @param signal ends the wait
 * @throws Error with one line when the time is up
 */
export function openStartWait(
  name: string,
  isAway: (error: unknown) => boolean,
  { START_WAIT_SECONDS: waitSeconds }: Pick<Config, 'START_WAIT_SECONDS'>,
  say: (line: string) => void,
  signal: AbortSignal,
): StartStep {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {}); // where nobody waits
  const startedAt = performance.now();
  let saidAt = Number.NEGATIVE_INFINITY;
  return async (step) => {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await Promise.race([step(), aborted]);
      } catch (error) {
        if (signal.aborted || !isAway(error) || waitSeconds === 0) throw error;
        const [reason] = describeStartError(error);
        const waitedMs = performance.now() - startedAt;
        if (waitedMs >= waitSeconds * 1000) {
          throw new Error(`${name} was unreachable for ${waitSeconds} s (START_WAIT_SECONDS): ${reason}`);
        }
        if (performance.now() - saidAt >= REPORT_EVERY_MS) {
          saidAt = performance.now();
          say(`waiting for ${name}, for ${Math.round(waitSeconds - waitedMs / 1000)} s at most: ${reason}`);
        }
        await delay(RETRY_MS, undefined, { signal });
      }
    }
  };
}

/** Closes the channel to the process that supervises this one, if there is one: it would keep this one alive. */
export function disconnect(): void {
  if (process.connected) process.disconnect?.();
}

/** One line per fault, for the person who starts the service. */
export function describeStartError(error: unknown): string[] {
  if (error instanceof ConfigError) return error.problems;
  const { code, message, address, port } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (code === 'EADDRINUSE')
    return [
      `port ${port} on ${address} is in use; stop what uses it or set PORT (of a worker: WORKER_PORT) to another one`,
    ];
  if (code === 'EACCES' && port)
    return [`port ${port} may not be opened by this user; set PORT to 1024 or above`];
  if (code === 'EADDRNOTAVAIL') return [`HOST ${address} is not an address of this machine`];
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ETIMEDOUT') {
    return [
      `cannot connect to ${address ?? 'the host'}${port ? `:${port}` : ''} (${code}); check DATABASE_URL and REDIS_URL`,
    ];
  }
  // node-postgres reports every address it tried in one AggregateError.
  if (error instanceof AggregateError && error.errors.length > 0) return describeStartError(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return describeStartError(error.cause);
  return [error instanceof Error ? message : String(error)];
}

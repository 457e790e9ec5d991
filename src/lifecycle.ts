import { ConfigError } from './config.ts';

/** Something that runs until it is closed. */
export type Running = { close(): Promise<void> };

/**
 * Runs a process: starts it, and closes it in order on SIGINT, SIGTERM, or when the process that supervises it
 * (over an IPC channel) is gone. What is wrong at start is one clear line per fault on standard error and exit code 1.
 */
export async function runProcess(start: () => Promise<Running>): Promise<void> {
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    for (const line of describeStartError(error)) console.error(line);
    // What it has opened so far (connections that come again, a consumer of jobs) would keep it half alive.
    process.exit(1);
  }
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    running.close().then(disconnect, (error) => {
      console.error(error);
      process.exitCode = 1;
      disconnect();
    });
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  process.send?.('ready');
}

function disconnect(): void {
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
    return [`port ${port} on ${address} is in use; stop what uses it or set PORT to another one`];
  if (code === 'EACCES' && port)
    return [`port ${port} may not be opened by this user; set PORT to 1024 or above`];
  if (code === 'EADDRNOTAVAIL') return [`HOST ${address} is no address of this machine`];
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

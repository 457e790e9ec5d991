import { format } from 'node:util';
import { type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

/** The process's logger: JSON lines on standard output, one per event. */
export function createLogger(process: 'api' | 'worker', config: Pick<Config, 'LOG_LEVEL'>): Logger {
  return pino({ level: config.LOG_LEVEL, base: { process, pid: globalThis.process.pid } });
}

/** Makes records of what libraries warn of on the console, as BullMQ does of an eviction policy that loses jobs. */
export function logWarnings(logger: Logger): void {
  console.warn = (...words: unknown[]) => logger.warn(format(...words));
}

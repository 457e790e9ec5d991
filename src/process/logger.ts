import { type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

/** The process's logger: JSON lines on standard output, one per event. */
export function createLogger(process: 'api' | 'worker', config: Pick<Config, 'LOG_LEVEL'>): Logger {
  return pino({ level: config.LOG_LEVEL, base: { process, pid: globalThis.process.pid } });
}

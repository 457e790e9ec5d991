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

/** An error that repeats is logged at most this often. */
const REPEATED_MS = 10_000;
/** Different errors that are told apart. */
const MAX_ERRORS = 100;

/**
 * Logs errors that a loop may repeat without end: each at once, and what repeats it once in ten seconds, with how often
 * it came meanwhile.
 * @param now in ms, as of any start
 */
export function logRepeated(
  logger: Pick<Logger, 'warn'>,
  message: string,
  now = () => performance.now(),
): (err: unknown) => void {
  const seen = new Map<string, { until: number; count: number }>();
  return (err) => {
    const key = String(err);
    const known = seen.get(key);
    if (known && now() < known.until) {
      known.count++;
      return;
    }
    logger.warn({ err, ...(known && known.count > 0 && { repeated: known.count }) }, message);
    if (seen.size >= MAX_ERRORS) seen.clear();
    seen.set(key, { until: now() + REPEATED_MS, count: 0 });
  };
}

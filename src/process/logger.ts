import { format } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

/** Patterns of secrets, wherever they were sent. The text before a secret is kept. */
const SECRETS = [
  // API keys, of which the id may be shown; secrets of webhooks; tokens.
  /(fds_[a-z0-9]{12}_)[\w-]+/g,
  /(whsec_)[A-Za-z0-9+/]+=*/g,
  /(\beyJ[\w-]*\.)[\w-]+\.[\w-]*/g,
  // The user and the password of a URL.
  /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"']*@/gi,
];

/** The process's logger: JSON lines on standard output, one per event. No secret and no stored value gets into one. */
export function createLogger(
  process: 'api' | 'worker',
  config: Pick<Config, 'LOG_LEVEL'>,
  stream?: DestinationStream,
): Logger {
  const options = {
    level: config.LOG_LEVEL,
    base: { process, pid: globalThis.process.pid },
    serializers: { err: describeError },
    hooks: { streamWrite: withoutSecrets },
  };
  return stream ? pino(options, stream) : pino(options);
}

function withoutSecrets(line: string): string {
  return SECRETS.reduce((text, secret) => text.replace(secret, '$1…'), line);
}

/** Fields of database errors that repeat values of rows and of parameters. */
const VALUES = new Set(['params', 'query', 'detail', 'where', 'internalQuery', 'cause']);

/** An error for the log, with its causes, and without the values that PostgreSQL was sent. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { query, severity } = error as { query?: unknown; severity?: unknown };
  const isQuery = typeof query === 'string';
  const isOfPostgres = severity !== undefined;
  // PostgreSQL quotes the value that it cannot read at the end: `invalid input syntax for type json: "…"`.
  const message = isQuery
    ? `Failed query: ${query}`
    : isOfPostgres
      ? error.message.replace(/: ".*/s, ': …')
      : error.message;
  const stack = error.stack ?? '';
  const frames = stack.slice(Math.max(0, stack.indexOf('\n    at ')));
  return {
    type: error.constructor.name,
    message,
    stack: isQuery || isOfPostgres ? `${error.name}: ${message}${frames}` : stack,
    ...Object.fromEntries(Object.entries(error).filter(([name]) => !VALUES.has(name))),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
  };
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

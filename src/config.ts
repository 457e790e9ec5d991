import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type Static, type TSchema, Type } from 'typebox';
import { Errors } from 'typebox/value';
import { findMalformed } from './addresses.ts';
import {
  MAX_CAPACITY,
  MAX_COST,
  MAX_DISTANCE_KM,
  MAX_TRIPS_PER_VEHICLE_HOUR,
  MIN_CAPACITY,
  MIN_TRIPS_PER_VEHICLE_HOUR,
} from './contracts/bounds.ts';
import { readDecimalNumber, readWholeNumber } from './contracts/number-text.ts';
import { isTimeZone } from './contracts/time-zone.ts';

/**
 * The only reader of the environment. One schema names every setting with its default and meaning;
 * the table of docs/operator/settings.md is made from it (a test compares them).
 */
const text = (fallback: string, description: string, options = {}) =>
  Type.String({ default: fallback, description, ...options });
const optionalText = (description: string, options = {}) =>
  Type.Optional(Type.String({ description, ...options }));
const number = (fallback: number, minimum: number, maximum: number, description: string) =>
  Type.Number({ default: fallback, minimum, maximum, description });
const integer = (fallback: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: fallback, minimum, maximum, description });
const flag = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description });

/** A plain path of at most eight parts, without an end: nothing that a page or a browser could take for more. */
export const PATH_PREFIX = '^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,63}){1,8}$';
const TIME_ZONE_PATTERN = '^[A-Za-z]+([_+/A-Za-z0-9-]*)$';

export const SettingsSchema = Type.Object({
  HOST: text('127.0.0.1', 'address the API listens on', { minLength: 1 }),
  PORT: integer(8000, 0, 65535, 'port the API listens on; 0 takes a free one'),
  DATABASE_URL: optionalText('PostgreSQL; unset: `npm start` runs an embedded one under `DATA_DIR`', {
    pattern: '^postgres(ql)?://',
  }),
  DATABASE_PASSWORD_FILE: optionalText(
    'file with the password of `DATABASE_URL`, which must then contain none',
  ),
  REDIS_URL: optionalText(
    "Redis for queue and events; unset: BullMQ's PostgreSQL backend and LISTEN/NOTIFY",
    {
      pattern: '^rediss?://',
    },
  ),
  REDIS_PASSWORD_FILE: optionalText('file with the password of `REDIS_URL`, which must then contain none'),
  DATA_DIR: text('.data', 'folder of the embedded PostgreSQL and of the logs of `npm start`', {
    minLength: 1,
  }),
  SAMPLE_DATA: flag(true, '`npm start` loads the New York sample into an empty database'),
  WORKERS: integer(cpus().length, 1, 256, 'worker processes that `npm start` runs; default: one per core'),
  LOG_LEVEL: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    description: 'lowest level that is logged',
  }),
  DATABASE_POOL_SIZE: integer(
    10,
    1,
    1000,
    'PostgreSQL connections per process, in addition to two that monitor the server and, without ' +
      'REDIS_URL, those of queue and events',
  ),
  QUEUE_PREFIX: text(
    'fleet',
    'namespace of the queue and the event channel (several services on one Redis)',
    {
      pattern: '^[a-z][a-z0-9_]{0,40}$',
    },
  ),
  QUEUE_MAX_WAITING: integer(10_000, 1, 10_000_000, 'maximum number of waiting jobs; further ones get 503'),
  HTTP_BODY_LIMIT_BYTES: integer(64 * 1024 * 1024, 1024, 1024 ** 3, 'largest request body, decompressed'),
  HTTP_TRAVEL_LIMIT_BYTES: integer(
    1024 ** 3,
    1024,
    8 * 1024 ** 3,
    'largest CSV body of travel, decompressed: 25 million pairs',
  ),
  HTTP_JSON_LIMIT_BYTES: integer(
    48 * 1024 * 1024,
    1024,
    256 * 1024 ** 2,
    'largest JSON body, decompressed; room for 2.5 of them, all callers together; then 503',
  ),
  HTTP_BODY_THREADS: integer(1, 1, 64, 'threads per API process that read JSON bodies above 256 KiB'),
  HTTP_ALLOWED_HOSTS: optionalText(
    'host names, comma-separated, that requests may address in addition to loopback names; unset: any ' +
      'name, but only loopback names if HOST is a loopback address',
    { pattern: '^[A-Za-z0-9._-]+(\\s*,\\s*[A-Za-z0-9._-]+)*$' },
  ),
  HTTP_REQUEST_TIMEOUT_SECONDS: number(
    120,
    0.1,
    86_400,
    'maximum time for a request to arrive, headers (30 s at most) and body; then 408',
  ),
  HTTP_TRUSTED_PROXIES: optionalText(
    'addresses and networks (`10.0.0.0/8`) of reverse proxies, separated by commas, whose ' +
      '`X-Forwarded-For` names the caller, and `X-Forwarded-Prefix` the path that they took off; unset: ' +
      'neither is read',
  ),
  HTTP_PATH_PREFIX: optionalText(
    'path (`/fleet`) that a reverse proxy takes off, where it cannot say so by `X-Forwarded-Prefix`; ' +
      'callers find everything below it',
    { pattern: PATH_PREFIX },
  ),
  HTTP_WAIT_LIMIT_SECONDS: number(300, 0, 86_400, 'longest wait of a synchronous call; then 202'),
  START_WAIT_SECONDS: number(
    60,
    0,
    86_400,
    'how long a start (also `npm run migrate`) waits for PostgreSQL to become reachable, and `npm start` ' +
      'for Redis; 0: it fails at once',
  ),
  SHUTDOWN_TIMEOUT_SECONDS: number(20, 0, 3600, 'time that running requests and solves get at shutdown'),
  WORKER_CONCURRENCY: integer(1, 1, 64, 'jobs a worker process solves at once, each in a thread of its own'),
  WORKER_HEALTH_FILE: optionalText('file that a healthy worker touches, for health checks of containers'),
  WORKER_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        "port of a worker's `/livez`, `/readyz` and, with METRICS, `/metrics`, on `HOST`; each further worker of " +
        '`npm start` takes the next one; 0 takes a free one; unset: none',
    }),
  ),
  METRICS: flag(false, 'serve `/metrics` for Prometheus: on the API, and on the `WORKER_PORT` of workers'),
  QUEUE_BOARD: flag(
    false,
    "serve BullMQ's board of the queue at `/queues`, only to look at; it needs REDIS_URL",
  ),
  TRACING: Type.Enum(['off', 'otlp'], {
    default: 'off',
    description: 'send traces to an OpenTelemetry collector: `off`, or `otlp` (OTLP over HTTP)',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText(
    'the collector, without `/v1/traces`; unset: `http://localhost:4318`',
    { pattern: '^https?://' },
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optionalText(
    'where traces go, the whole address; it goes before OTEL_EXPORTER_OTLP_ENDPOINT',
    { pattern: '^https?://' },
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer(
    3000,
    1,
    60_000,
    'milliseconds that sending spans may take, with retries; at the end of a process, too',
  ),
  OTEL_SERVICE_NAME: optionalText('`service.name` of the spans; unset: `fleet-api` and `fleet-worker`'),
  OTEL_TRACES_SAMPLER: Type.Enum(
    [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    {
      default: 'parentbased_always_on',
      description: 'which traces are sent; `parentbased_…`: the caller decides, if it sends `traceparent`',
    },
  ),
  OTEL_TRACES_SAMPLER_ARG: number(1, 0, 1, 'share of the traces that `…traceidratio` sends'),
  OTEL_BSP_SCHEDULE_DELAY: integer(5000, 1, 60_000, 'milliseconds between two batches of spans'),
  OTEL_BSP_MAX_QUEUE_SIZE: integer(
    2048,
    1,
    1_000_000,
    'spans per process that wait to be sent; further ones are dropped',
  ),
  JOBS_RUNNING_PER_CALLER: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 16_384,
      description:
        'maximum number of running jobs per caller (address; with `AUTH` key or subject); unset: one fewer than the ' +
        'workers can run',
    }),
  ),
  JOBS_WAITING_PER_CALLER: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      description: 'maximum number of waiting jobs per caller; further ones get 429; unset: no limit',
    }),
  ),
  JOBS_BYTES_PER_CALLER: integer(
    10 * 1024 ** 3,
    1024,
    1024 ** 5,
    'bytes of request bodies, decompressed, that a caller may store as jobs in a day (UTC); further ones get 429',
  ),
  PRIORITY_HIGH_FOR: text(
    'everybody',
    '`everybody`, `nobody`, or the addresses and networks, separated by commas, that may use ' +
      '`options.priority` `high`; others get 403',
  ),
  AUTH: Type.Enum(['off', 'keys', 'jwt', 'keys,jwt'], {
    default: 'off',
    description:
      'how callers prove who they are: `off` (everybody may do everything), `keys` (API keys of `npm run keys`), `jwt` ' +
      '(tokens), or `keys,jwt`',
  }),
  AUDIT: Type.Enum(['auto', 'on', 'off'], {
    default: 'auto',
    description: 'note in `audit_log` who changes what; `auto`: `on` unless `AUTH` is `off`',
  }),
  JWT_JWKS_URL: optionalText('where the public keys of tokens are', { pattern: '^https?://' }),
  JWT_SECRET: optionalText('secret that signs tokens, instead of JWT_JWKS_URL; at least 32 characters', {
    minLength: 32,
  }),
  JWT_ISSUER: optionalText('`iss` of every token; `AUTH` with `jwt` needs it'),
  JWT_AUDIENCE: optionalText('`aud` of every token; `AUTH` with `jwt` needs it'),
  JWT_ALGORITHMS: optionalText(
    'algorithms of tokens that are accepted, comma-separated; unset: `HS256` with JWT_SECRET, else ' +
      '`RS256,PS256,ES256,EdDSA`',
    { pattern: '^[A-Za-z0-9]+(\\s*,\\s*[A-Za-z0-9]+)*$' },
  ),
  JWT_SUBJECT_CLAIM: text('sub', 'claim that names whom jobs belong to', { minLength: 1 }),
  JWT_ROLE_CLAIM: text(
    'role',
    'claim with the role, or with a list that contains it; dots lead into objects: `realm_access.roles`',
    { minLength: 1 },
  ),
  JWT_TIER_CLAIM: text('tier', 'claim with the tier; without one: `default`', { minLength: 1 }),
  RATE_LIMITS: flag(
    false,
    'limit the requests of each caller (key or subject; without `AUTH` address) by its tier; further ones get 429',
  ),
  RATE_LIMIT_DEFAULT: integer(60, 1, 1_000_000, 'requests per minute of the tier `default`'),
  RATE_LIMIT_PREMIUM: integer(300, 1, 1_000_000, 'requests per minute of the tier `premium`'),
  RATE_LIMIT_ENTERPRISE: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'requests per minute of the tier `enterprise`; unset: no limit',
    }),
  ),
  CORS_ALLOWED_ORIGINS: optionalText(
    'origins, comma-separated, whose pages may call the service from a browser, e.g. `https://console.example`',
    { pattern: '^https?://[^\\s,/]+(\\s*,\\s*https?://[^\\s,/]+)*$' },
  ),
  JOB_MAX_ATTEMPTS: integer(3, 1, 100, 'crashes (of worker or solver) after which a job ends as failed'),
  JOB_RETRY_DELAY_SECONDS: number(
    2,
    0,
    3600,
    'delay before a crashed job is retried; doubles with each crash, up to an hour',
  ),
  JOB_OVERRUN_SECONDS: number(
    10,
    0.1,
    3600,
    'processor time beyond its time limit that a job gets to build, verify and explain before it is ' +
      'stopped and ends as failed',
  ),
  JOB_LOCK_SECONDS: number(
    30,
    1,
    3600,
    'silence after which a worker is considered dead and its job is taken over',
  ),
  IDEMPOTENCY_KEY_HOURS: number(24, 0.001, 8784, 'how long an `Idempotency-Key` returns its job'),
  SWEEP_INTERVAL_SECONDS: number(
    10,
    0.1,
    3600,
    'how often workers look for jobs that the queue lost and for data past their retention',
  ),
  SCHEDULES_MAX: integer(100, 0, 100_000, 'maximum number of stored schedules'),
  SCHEDULE_MIN_INTERVAL_MINUTES: integer(
    5,
    1,
    1440,
    'least time between two occurrences of a schedule; more frequent ones are refused',
  ),
  SCHEDULE_GRACE_SECONDS: number(
    60,
    1,
    86_400,
    'lateness from which an occurrence counts as missed: no worker was running',
  ),
  WEBHOOK_TIMEOUT_SECONDS: number(10, 0.1, 300, 'time that the receiver of a webhook gets for its answer'),
  WEBHOOK_ALLOWED_NETWORKS: optionalText(
    'addresses and networks (`10.1.0.0/16`) inside your own network, separated by commas, that webhooks may be sent ' +
      'to, also by `http`; unset: only public addresses, only by `https`',
  ),
  RETENTION_WEBHOOK_DAYS: number(
    30,
    1,
    36_500,
    'how long deliveries of webhooks are kept, whatever became of them',
  ),
  RETENTION_AUDIT_DAYS: number(365, 0, 36_500, 'how long `audit_log` is kept; 0: forever'),
  RETENTION_INPUT_DAYS: number(30, 0, 36_500, 'how long inputs of ended jobs are kept; 0: forever'),
  RETENTION_PLAN_DAYS: number(90, 0, 36_500, 'how long plans and replays are kept; 0: forever'),
  RETENTION_JOB_DAYS: number(30, 0, 36_500, 'how long ended jobs and their answers are kept; 0: forever'),
  OPTIMIZATION_MAX_DISTANCE: number(100, 0, MAX_DISTANCE_KM, '`constraints.max_distance`, km'),
  OPTIMIZATION_CAPACITY_PER_VEHICLE: number(
    1,
    MIN_CAPACITY,
    MAX_CAPACITY,
    '`constraints.capacity_per_vehicle`',
  ),
  OPTIMIZATION_TRIPS_PER_VEHICLE_HOUR: Type.Optional(
    Type.Number({
      minimum: MIN_TRIPS_PER_VEHICLE_HOUR,
      maximum: MAX_TRIPS_PER_VEHICLE_HOUR,
      description: '`options.trips_per_vehicle_hour`; unset: a vehicle serves its capacity in a step',
    }),
  ),
  OPTIMIZATION_MIN_SERVICE_LEVEL: number(0.95, 0, 1, '`constraints.min_service_level`'),
  OPTIMIZATION_MAX_REBALANCING_COST: number(10_000, 0, MAX_COST, '`constraints.max_rebalancing_cost`'),
  OPTIMIZATION_TIME_LIMIT_SECONDS: number(60, 0.01, 86_400, "`time_limit_seconds`, the solver's own limit"),
  OPTIMIZATION_MAX_TIME_LIMIT_SECONDS: number(600, 0.01, 86_400, 'cap of `options.time_limit_seconds`'),
  OPTIMIZATION_OPTIMALITY_GAP: number(0.01, 0, 1, '`optimality_gap`, relative'),
  OPTIMIZATION_COST_PER_KM: number(1, 0, 1e6, 'cost of moving a vehicle one km (great circle)'),
  FORECASTING_HORIZON_DAYS: integer(7, 1, 366, 'default horizon of forecasts, shown by `/api/v1/config`'),
  FORECASTING_TIME_ZONE: text('UTC', 'IANA time zone of locations that do not state one', {
    pattern: TIME_ZONE_PATTERN,
  }),
  FORECASTING_HOLIDAYS: optionalText('region whose public holidays forecasts use, e.g. `US`, `DE-BY`', {
    pattern: '^[A-Z]{2}(-[A-Za-z0-9]{1,8}){0,2}$',
  }),
  FORECASTING_HISTORY_WEEKS: integer(
    13,
    1,
    13,
    'weeks of observations a forecast reads, in backtests too; more around holidays and events',
  ),
  FORECASTING_THREADS: integer(1, 1, 64, 'forecast threads per API process'),
  FEATURES_ENABLE_CACHING: flag(true, 'keep forecasts until new observations arrive'),
  FEATURES_ENABLE_RISK_SCORING: flag(true, 'serve `/api/v1/risk/score`'),
  RISK_WEIGHT_AGE: number(0.3, 0, 1, 'weight of the age factor'),
  RISK_WEIGHT_UTILIZATION: number(0.4, 0, 1, 'weight of the utilization factor'),
  RISK_WEIGHT_MAINTENANCE: number(0.3, 0, 1, 'weight of the maintenance factor'),
  RISK_AGE_SCALE_DAYS: number(730, 1, 1e6, 'age at which the age factor reaches 1'),
  RISK_UTILIZATION_FLOOR: number(0.5, 0, 1, 'utilization below which the factor is 0'),
  RISK_UTILIZATION_RANGE: number(0.5, 1e-6, 1, 'utilization above the floor at which the factor is 1'),
  RISK_MAINTENANCE_SCALE_DAYS: number(42, 1, 1e6, 'days without maintenance at which the factor reaches 1'),
  RISK_MEDIUM_THRESHOLD: number(0.4, 0, 1, 'score from which the category is `medium`'),
  RISK_HIGH_THRESHOLD: number(0.7, 0, 1, 'score from which the category is `high`'),
  CONSOLE_MAP_URL: optionalText(
    "ground of the console's map: a style, or tiles with `{z}`, `{x}` and `{y}`; browsers load it, with all that it " +
      'names, from this one host; unset: a plain ground, nothing from elsewhere',
    { pattern: '^https?://[^\\s/]+/[^\\s]*$' },
  ),
  WEBSOCKET_ALLOWED_ORIGINS: optionalText(
    "origins, comma-separated, that may open a WebSocket in addition to the service's own, e.g. " +
      '`https://console.example`',
    { pattern: '^https?://[^\\s,/]+(\\s*,\\s*https?://[^\\s,/]+)*$' },
  ),
  WEBSOCKET_MAX_PER_CALLER: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'maximum number of open sockets per caller (address; with `AUTH` key or subject) in each API process; the ' +
        'handshake of a further one gets 429; unset: no limit',
    }),
  ),
  WEBSOCKET_MAX_SUBSCRIPTIONS: integer(1000, 1, 1_000_000, 'subscriptions per socket'),
  WEBSOCKET_MAX_MESSAGE_BYTES: integer(4096, 64, 1024 ** 2, 'longest message a client may send'),
  WEBSOCKET_MAX_BUFFERED_BYTES: integer(
    128 * 1024 * 1024,
    1024,
    1024 ** 3,
    'bytes that wait for the readers of all sockets of an API process; beyond it the slowest are closed (1013)',
  ),
  WEBSOCKET_HEARTBEAT_SECONDS: number(30, 0.05, 3600, 'ping interval; a socket that misses one is closed'),
});

export type Config = Readonly<Static<typeof SettingsSchema>>;

/** The faults of the environment, one line per setting. */
export class ConfigError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Reads and validates the settings.
 * @param env the environment; an empty string counts as unset
 * @throws ConfigError naming every invalid setting, its value and what is allowed
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, schema] of Object.entries<TSchema & { type?: string; default?: unknown }>(
    SettingsSchema.properties,
  )) {
    const raw = env[name];
    if (raw === undefined || raw === '') {
      if (schema.default !== undefined) values[name] = schema.default;
      continue;
    }
    const value = parse(raw, schema.type);
    // A URL may carry a password: never repeat it.
    const shown = /_(URL|SECRET|ENDPOINT)$/.test(name) ? 'its value' : `"${raw}"`;
    for (const error of Errors(schema, value)) problems.push(`${name}: ${shown} ${error.message}`);
    values[name] = value;
  }
  for (const name of ['DATABASE_URL', 'REDIS_URL']) {
    const text = values[name];
    if (typeof text !== 'string' || problems.some((problem) => problem.startsWith(name))) continue;
    if (!isReadableUrl(text)) {
      problems.push(
        `${name}: its value is not a URL; percent-encode the special characters of user and password ` +
          '("/" as %2F, "#" as %23, "?" as %3F, "@" as %40, "%" as %25), and check host and port',
      );
    }
  }
  if (problems.length === 0) {
    for (const server of ['DATABASE', 'REDIS']) problems.push(...addPassword(values, server));
  }
  const zone = values.FORECASTING_TIME_ZONE;
  if (typeof zone === 'string' && !isTimeZone(zone)) {
    problems.push(`FORECASTING_TIME_ZONE: "${zone}" is not an IANA time zone, for example Europe/Berlin`);
  }
  for (const name of ['HTTP_TRUSTED_PROXIES', 'PRIORITY_HIGH_FOR', 'WEBHOOK_ALLOWED_NETWORKS']) {
    const list = values[name];
    if (typeof list !== 'string' || (name === 'PRIORITY_HIGH_FOR' && /^(everybody|nobody)$/.test(list)))
      continue;
    for (const entry of findMalformed(list)) {
      problems.push(
        `${name}: "${entry}" is neither an address nor a network, for example 10.0.0.7 or 10.0.0.0/8`,
      );
    }
  }
  if (problems.length === 0)
    problems.push(...riskProblems(values as Config), ...tokenProblems(values as Config));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values) as Config;
}

/** Whether all readers of a URL can read it: it is one, and each part of it can be decoded. */
function isReadableUrl(text: string): boolean {
  // A user without a host (`user@/fleet?host=/var/run/postgresql`) is one of a socket.
  const url = URL.parse(text.replace('@/', '@localhost/'));
  // A "#" in a password would cut off host and database.
  if (url?.hash !== '') return false;
  try {
    for (const part of [url.username, url.password, url.pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/**
 * Puts the password from its file into the URL of a server.
 * @param server `DATABASE`, or `REDIS`, which needs no user
 * @returns the faults that prevent it
 */
function addPassword(values: Record<string, unknown>, server: string): string[] {
  const [name, urlName] = [`${server}_PASSWORD_FILE`, `${server}_URL`];
  const [file, text] = [values[name], values[urlName]] as (string | undefined)[];
  if (file === undefined) return [];
  if (text === undefined) return [`${name}: ${urlName} is not set; set it, without a password`];
  const url = URL.parse(text);
  if (!url || (!url.username && server === 'DATABASE'))
    return [`${name}: ${urlName} has no user; write postgresql://user@host/database`];
  if (url.password) return [`${name}: ${urlName} contains a password, too; remove one of them`];
  try {
    const password = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (password === '') return [`${name}: "${file}" is empty; write the password into it`];
    url.password = encodeURIComponent(password);
    values[urlName] = url.href;
    return [];
  } catch (error) {
    return [`${name}: "${file}" cannot be read (${(error as NodeJS.ErrnoException).code})`];
  }
}

/** Whether it is noted who changes what. */
export function isAudited({ AUDIT, AUTH }: Pick<Config, 'AUDIT' | 'AUTH'>): boolean {
  return AUDIT === 'on' || (AUDIT === 'auto' && AUTH !== 'off');
}

/** The algorithms of tokens that are accepted. */
export function tokenAlgorithms(config: Pick<Config, 'JWT_ALGORITHMS' | 'JWT_SECRET'>): string[] {
  const { JWT_ALGORITHMS: list, JWT_SECRET: secret } = config;
  return (list ?? (secret ? 'HS256' : 'RS256,PS256,ES256,EdDSA')).split(',').map((name) => name.trim());
}

/** Rules of the settings of tokens: one source of keys, and algorithms of its kind. */
function tokenProblems(config: Config): string[] {
  if (!config.AUTH.includes('jwt')) return [];
  const problems: string[] = [];
  const { JWT_SECRET: secret, JWT_JWKS_URL: url } = config;
  if ((secret === undefined) === (url === undefined)) {
    const state = secret === undefined ? 'none is' : 'both are';
    problems.push(`JWT_JWKS_URL, JWT_SECRET: ${state} set; AUTH="${config.AUTH}" needs exactly one of them`);
  }
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE'] as const) {
    if (config[name] === undefined)
      problems.push(
        `${name}: not set; AUTH="${config.AUTH}" needs it, or tokens of other services would count`,
      );
  }
  // A public key must never serve as a secret.
  const allowed = secret === undefined ? /^((RS|PS|ES)(256|384|512)|EdDSA)$/ : /^HS(256|384|512)$/;
  for (const name of tokenAlgorithms(config)) {
    if (allowed.test(name)) continue;
    const use = secret === undefined ? 'RS256, PS256, ES256 or EdDSA' : 'HS256, HS384 or HS512';
    problems.push(
      `JWT_ALGORITHMS: "${name}" does not fit ${secret ? 'JWT_SECRET' : 'JWT_JWKS_URL'}; use ${use}`,
    );
  }
  return problems;
}

/** Rules that concern several settings: scores stay within 0 … 1, and every category can be reached. */
function riskProblems(config: Config): string[] {
  const {
    RISK_WEIGHT_AGE: age,
    RISK_WEIGHT_UTILIZATION: utilization,
    RISK_WEIGHT_MAINTENANCE: maintenance,
  } = config;
  const { RISK_MEDIUM_THRESHOLD: medium, RISK_HIGH_THRESHOLD: high } = config;
  const problems: string[] = [];
  if (age + utilization + maintenance > 1 + 1e-9) {
    problems.push(
      `RISK_WEIGHT_AGE, RISK_WEIGHT_UTILIZATION and RISK_WEIGHT_MAINTENANCE: ${age} + ${utilization} + ` +
        `${maintenance} is above the maximum 1; lower them`,
    );
  }
  if (medium > high) {
    problems.push(
      `RISK_MEDIUM_THRESHOLD: ${medium} is above RISK_HIGH_THRESHOLD, ${high}; lower it or raise RISK_HIGH_THRESHOLD`,
    );
  }
  return problems;
}

function parse(raw: string, type: string | undefined): unknown {
  if (type === 'integer') return readWholeNumber(raw) ?? raw;
  if (type === 'number') return readDecimalNumber(raw) ?? raw;
  if (type === 'boolean')
    return raw === 'true' || raw === '1' ? true : raw === 'false' || raw === '0' ? false : raw;
  return raw;
}

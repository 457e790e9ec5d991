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
  HTTP_BODY_LIMIT_BYTES: integer(
    64 * 1024 * 1024,
    1024,
    1024 ** 3,
    'largest request body, decompressed; JSON: 48 MiB at most; CSV of travel: 256 MiB at least',
  ),
  HTTP_ALLOWED_HOSTS: optionalText(
    'host names, comma-separated, that requests may address in addition to loopback names; unset: any ' +
      'name, but only loopback names if HOST is a loopback address',
    { pattern: '^[A-Za-z0-9._-]+(\\s*,\\s*[A-Za-z0-9._-]+)*$' },
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
  LARGE_ANSWERS_AT_ONCE: integer(
    64,
    1,
    10_000,
    'large answers that an API process sends at once, about 3 MB of memory each; further ones wait for their turn, ' +
      'and while they do, connections that have read nothing for two seconds are cut off',
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
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText(
    'OpenTelemetry collector to which traces are sent (OTLP over HTTP), without `/v1/traces`, e.g. ' +
      '`http://localhost:4318`; unset: none are',
    { pattern: '^https?://' },
  ),
  OTEL_TRACES_SAMPLER_ARG: number(
    1,
    0,
    1,
    'share of the traces that are sent, of requests without `traceparent`; with it, the caller decides',
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
  PRIORITY_HIGH_FOR: text(
    'everybody',
    '`everybody`, `nobody`, or the addresses and networks, separated by commas, that may use ' +
      '`options.priority` `high`; others get 403',
  ),
  AUTH: Type.Enum(['off', 'keys', 'jwt', 'keys,jwt'], {
    default: 'off',
    description:
      'how callers prove who they are: `off` (everybody may do everything), `keys` (API keys of `npm run keys`), ' +
      '`jwt` (tokens), or `keys,jwt`',
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
  JWT_ROLE_CLAIM: text(
    'role',
    'claim with the role, or with a list that contains it; dots lead into objects: `realm_access.roles`',
    { minLength: 1 },
  ),
  JWT_TIER_CLAIM: text('tier', 'claim with the tier; without one: `default`', { minLength: 1 }),
  RATE_LIMITS: text(
    'off',
    '`off`, or the requests per minute of a caller (key or subject; without `AUTH` address) of the tiers `default` ' +
      'and `premium`, e.g. `60,300`; further ones get 429; `enterprise` has no limit',
    { pattern: '^(off|[1-9][0-9]{0,5},[1-9][0-9]{0,5})$' },
  ),
  CORS_ALLOWED_ORIGINS: optionalText(
    'origins, comma-separated, whose pages may call the service from a browser, WebSockets included, e.g. ' +
      '`https://console.example`',
    { pattern: '^https?://[^\\s,/]+(\\s*,\\s*https?://[^\\s,/]+)*$' },
  ),
  JOB_MAX_ATTEMPTS: integer(3, 1, 100, 'crashes (of worker or solver) after which a job ends as failed'),
  JOB_LOCK_SECONDS: number(
    30,
    1,
    3600,
    'silence after which a worker is considered dead and its job is taken over; in a third of it workers look for ' +
      'lost jobs, and after a fifteenth of it, doubled with each crash, a crashed job is tried again',
  ),
  IDEMPOTENCY_KEY_HOURS: number(24, 0.001, 8784, 'how long an `Idempotency-Key` returns its job'),
  WEBHOOK_ALLOWED_NETWORKS: optionalText(
    'addresses and networks (`10.1.0.0/16`) inside your own network, separated by commas, that webhooks may be sent ' +
      'to, also by `http`; unset: only public addresses, only by `https`',
  ),
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
  FEATURES_ENABLE_CACHING: flag(true, 'keep forecasts until new observations arrive'),
  FEATURES_ENABLE_RISK_SCORING: flag(true, 'serve `/api/v1/risk/score`'),
  RISK_SCORING: text(
    'age=0.3/730 utilization=0.4/0.5..1 maintenance=0.3/42 medium=0.4 high=0.7',
    'weights, each with the days (or the utilization rates from … to) at which its factor reaches 1, and the lowest ' +
      'scores of the categories',
  ),
  CONSOLE_MAP_URL: optionalText(
    "ground of the console's map: a style, or tiles with `{z}`, `{x}` and `{y}`; browsers load it, with all that it " +
      'names, from this one host; unset: a plain ground, nothing from elsewhere',
    { pattern: '^https?://[^\\s/]+/[^\\s]*$' },
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
});

/** Values that no operator has had a reason to set. Tests replace some of them. */
function fixed(lockSeconds: number) {
  return {
    /** Room for 100,000 vehicles six times over; the rest of a large body is data, which comes as CSV. */
    HTTP_JSON_LIMIT_BYTES: 48 * 1024 ** 2,
    /** Four million pairs, the largest table that is promised, with up to 64 bytes each. */
    HTTP_TRAVEL_LIMIT_BYTES: 256 * 1024 ** 2,
    /** Time for a request to arrive, headers and body: 48 MiB at 0.4 MiB a second. */
    HTTP_REQUEST_TIMEOUT_SECONDS: 120,
    /** Processor time beyond its time limit that a job gets to build, verify and explain. */
    JOB_OVERRUN_SECONDS: 10,
    JOB_RETRY_DELAY_SECONDS: lockSeconds / 15,
    /** Bodies of a caller that are stored as jobs in a day: a thousand of 100,000 vehicles. */
    JOBS_BYTES_PER_CALLER: 10 * 1024 ** 3,
    SWEEP_INTERVAL_SECONDS: lockSeconds / 3,
    /** Defaults of the specification of OpenTelemetry, but for the time-out: an end of a process waits for it. */
    OTEL_BSP_SCHEDULE_DELAY: 5000,
    OTEL_BSP_MAX_QUEUE_SIZE: 2048,
    OTEL_EXPORTER_OTLP_TIMEOUT: 3000,
    RETENTION_AUDIT_DAYS: 365,
    RETENTION_WEBHOOK_DAYS: 30,
    SCHEDULES_MAX: 100,
    WEBHOOK_TIMEOUT_SECONDS: 10,
    WEBSOCKET_HEARTBEAT_SECONDS: 30,
    /** A page of the console subscribes to its jobs, at most a thousand. */
    WEBSOCKET_MAX_SUBSCRIPTIONS: 1000,
    /** A message names a job: some hundred bytes. */
    WEBSOCKET_MAX_MESSAGE_BYTES: 4096,
    /** Bytes that wait for the readers of all sockets of a process; beyond it the slowest are closed (1013). */
    WEBSOCKET_MAX_BUFFERED_BYTES: 128 * 1024 ** 2,
  };
}

export type Config = Readonly<Static<typeof SettingsSchema> & ReturnType<typeof fixed>>;

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
  const risk = readRisk(values.RISK_SCORING as string);
  if (typeof risk === 'string') problems.push(`RISK_SCORING: "${values.RISK_SCORING}" ${risk}`);
  if (problems.length === 0) problems.push(...tokenProblems(values as Config));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({ ...values, ...fixed(values.JOB_LOCK_SECONDS as number) }) as Config;
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

/** The algorithms of tokens that are accepted: a public key must never serve as a secret. */
export function tokenAlgorithms({ JWT_SECRET: secret }: Pick<Config, 'JWT_SECRET'>): string[] {
  return secret === undefined ? ['RS256', 'PS256', 'ES256', 'EdDSA'] : ['HS256'];
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
  return problems;
}

const RISK_FORM =
  /^age=(N)\/(N) utilization=(N)\/(N)\.\.(N) maintenance=(N)\/(N) medium=(N) high=(N)$/.source.replaceAll(
    'N',
    '[0-9]+(?:\\.[0-9]+)?',
  );

/**
 * Weights, scales and thresholds of risk (`RISK_SCORING`).
 * @returns a text, what is wrong with them: scores must stay within 0 … 1, and every category be reachable
 */
export function readRisk(text: string) {
  const found = new RegExp(RISK_FORM).exec(text.trim().replace(/\s+/g, ' '));
  if (!found)
    return 'is not of the form of the default, which docs/operator/settings.md shows; write all numbers';
  const [ageWeight, ageDays, useWeight, useFrom, useTo, careWeight, careDays, medium, high] = found
    .slice(1)
    .map(Number);
  const weight = ageWeight + useWeight + careWeight;
  // 0.1 + 0.2 + 0.7 is a little more than 1 in binary.
  if (weight > 1 + 1e-9)
    return `has weights ${ageWeight} + ${useWeight} + ${careWeight} above the maximum 1; lower them`;
  if (ageDays < 1 || careDays < 1) return 'has days below the minimum 1; raise them';
  if (useTo <= useFrom || useTo > 1)
    return `has utilization ${useFrom}..${useTo}; it must rise, to 1 at most`;
  if (medium > high || high > 1) return `has medium=${medium} high=${high}; medium <= high <= 1 must hold`;
  return {
    weights: { age: ageWeight, utilization: useWeight, maintenance: careWeight },
    ageScaleDays: ageDays,
    utilizationFloor: useFrom,
    utilizationRange: useTo - useFrom,
    maintenanceScaleDays: careDays,
    mediumThreshold: medium,
    highThreshold: high,
  };
}

function parse(raw: string, type: string | undefined): unknown {
  if (type === 'integer') return readWholeNumber(raw) ?? raw;
  if (type === 'number') return readDecimalNumber(raw) ?? raw;
  if (type === 'boolean')
    return raw === 'true' || raw === '1' ? true : raw === 'false' || raw === '0' ? false : raw;
  return raw;
}

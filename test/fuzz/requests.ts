import { gzipSync } from 'node:zlib';
import type { Random } from '../core/optimize/instances.ts';
import type { BodyKind, Document, DocumentedOperation, Parameter } from './operations.ts';
import type { WireRequest } from './send.ts';
import { HOSTILE_VALUES, makeValue, mutate } from './values.ts';

/** Identifiers found in answers: requests with known ones reach deeper. */
const NAMED = ['job', 'plan', 'decision', 'replay', 'schedule'] as const;
export type Known = Record<(typeof NAMED)[number], string[]>;

/** None yet. */
export const noneKnown = (): Known => ({ job: [], plan: [], decision: [], replay: [], schedule: [] });

/** A fuzzed request. Its origin decides how its answer is judged. */
export type FuzzedRequest = WireRequest & {
  operation: DocumentedOperation;
  /** the method differs from the operation's, so 405 is allowed, too */
  isOtherMethod: boolean;
};

const OTHER_METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Parameters that would empty the service under test and leave nothing for the rest of the run. */
const DESTRUCTIVE = new Set(['cascade', 'replace']);

/** The next request of a run, from its random numbers (and earlier answers) alone. */
export function fuzzRequest(
  document: Document,
  operations: readonly DocumentedOperation[],
  random: Random,
  known: Known,
): FuzzedRequest {
  const operation = random.pick(operations);
  const isOtherMethod = random.chance(0.02);
  const headers = fuzzHeaders(operation, random);
  const body = operation.bodies.length > 0 ? fuzzBody(document, operation, random, headers) : undefined;
  return {
    operation,
    isOtherMethod,
    method: isOtherMethod ? random.pick(OTHER_METHODS) : operation.method,
    path: fuzzPath(document, operation, random, known),
    headers,
    body,
  };
}

function fuzzPath(document: Document, operation: DocumentedOperation, random: Random, known: Known): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // Others of a kind are `other_id`, plans, or `other_replay_id`.
    const kind = NAMED.find((one) => name.includes(one)) ?? 'plan';
    const ids = known[kind];
    const parameter = operation.parameters.find((p) => p.place === 'path' && p.name === name);
    const isId = /job|plan|other|decision|replay|schedule/.test(name);
    if (isId && ids.length > 0 && random.chance(0.6)) return encodeURIComponent(random.pick(ids));
    return encodeURIComponent(textOf(parameterValue(document, parameter, random)));
  });
  const query = operation.parameters
    .filter(({ place }) => place === 'query')
    .filter(() => random.chance(0.4))
    .map((parameter) => [parameter.name, textOf(parameterValue(document, parameter, random))])
    .filter(([name, text]) => !(DESTRUCTIVE.has(name) && text === 'true'))
    .map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
  if (random.chance(0.02)) query.push('unknown=1');
  if (query.length > 0 && random.chance(0.02)) query.push(query[0]);
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

function parameterValue(document: Document, parameter: Parameter | undefined, random: Random): unknown {
  if (!parameter || random.chance(0.35)) return random.pick(HOSTILE_VALUES);
  if (parameter.example !== undefined && random.chance(0.5)) return parameter.example;
  return makeValue(document, parameter.schema, random);
}

/** Half of a surrogate pair cannot be percent-encoded, and the HTTP parser itself would refuse long values. */
function textOf(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.slice(0, 2000).toWellFormed() || '-';
}

const HOSTILE_HEADERS: readonly [string, string][] = [
  ['x-request-id', 'a'.repeat(200)],
  ['x-request-id', 'with space'],
  ['x-client-id', 'b'.repeat(500)],
  ['idempotency-key', 'k'.repeat(300)],
  ['prefer', 'wait=-1'],
  ['prefer', 'wait=99999999999'],
  ['prefer', 'respond-async, wait=abc'],
  ['accept', 'text/csv'],
  ['accept', 'application/xml'],
  ['accept', 'text/csv;q=0.1, application/json;q=0'],
  ['accept', '*/*;q=0'],
  ['accept', ';;;'],
  ['accept-encoding', 'br'],
  ['accept-encoding', 'gzip, identity;q=0'],
  ['accept-encoding', 'zstd;q=x'],
  ['content-encoding', 'br'],
  ['content-encoding', 'gzip'],
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', 'multipart/form-data'],
  ['content-type', ''],
  ['authorization', 'Bearer x'],
  ['range', 'bytes=0-1'],
  ['if-none-match', '*'],
  ['origin', 'https://elsewhere.example'],
  ['upgrade-insecure-requests', '1'],
];

function fuzzHeaders(operation: DocumentedOperation, random: Random): Record<string, string> {
  const headers: Record<string, string> = {};
  if (operation.isJob) {
    headers.prefer = random.chance(0.7) ? 'respond-async' : 'wait=2';
    if (random.chance(0.2)) headers['idempotency-key'] = `key-${random.integer(0, 49)}`;
    if (random.chance(0.3)) headers['x-client-id'] = `client-${random.integer(0, 4)}`;
  }
  if (random.chance(0.15)) {
    const [name, value] = random.pick(HOSTILE_HEADERS);
    headers[name] = value;
  }
  return headers;
}

const LOOKING_AHEAD = {
  ...{ mode: 'horizon', start_date: '2017-05-04', horizon_hours: 4, location_ids: [48, 79, 161] },
  ...{ demand_scale: 0.01, constraints: { min_service_level: 0, unmet_demand_cost: 6 } },
  options: { travel: 'stored', horizon: { trip_flows: 'stored', speed_kmh: 20 } },
};

/** Texts that are not JSON, or JSON that parsers disagree about. */
const HOSTILE_TEXTS: readonly string[] = [
  ...['', ' ', '{', '}', '[', '"', '{"a":}', "{'a':1}", '{"a":1,}', '[1,]', 'NaN', '{"a":NaN}', 'nul', '1 2'],
  ...['\ufeff{}', '{}garbage', '{"a":1e999}', '{"a":01}', '{"a":"\u0001"}', '{"a":"\\ud800"}', '//c\n{}'],
  '{"demand_forecast":{"161":[1]},"demand_forecast":{"48":[1]},"fleet_state":{"vehicles":[]}}',
  '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}',
  `${'['.repeat(100_000)}`,
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
  `[${'0,'.repeat(50_000)}0]`,
];

function fuzzBody(
  document: Document,
  operation: DocumentedOperation,
  random: Random,
  headers: Record<string, string>,
): Buffer | undefined {
  const kind = random.pick(operation.bodies);
  headers['content-type'] ??= kind.type;
  const choice = random.next();
  if (choice < 0.02) return undefined;
  if (choice < 0.1) return pack(Buffer.from(random.pick(HOSTILE_TEXTS)), random, headers);
  if (choice < 0.12) return Buffer.from(Array.from({ length: 300 }, () => random.integer(0, 255)));
  const bytes = Buffer.from(textOfBody(document, operation, kind, random));
  return pack(choice < 0.15 ? bytes.subarray(0, random.next() * bytes.length) : bytes, random, headers);
}

/** Bodies beside the examples of the document. */
const FURTHER_EXAMPLES: Record<string, unknown[]> = {
  'POST /api/v1/decisions': [LOOKING_AHEAD, { ...LOOKING_AHEAD, demand: 'spread' }],
  'POST /api/v1/schedules': [
    { name: 'each hour', cron: '5 * * * *', time_zone: 'Europe/Berlin', decision: LOOKING_AHEAD },
  ],
};

/** A valid job costs seconds of a worker, a refused one nothing. So few are valid. */
const VALID_JOB_SHARE = 0.03;

function textOfBody(
  document: Document,
  operation: DocumentedOperation,
  kind: BodyKind,
  random: Random,
): string {
  const examples = [...kind.examples, ...(FURTHER_EXAMPLES[operation.name] ?? [])];
  const example = examples.length > 0 ? random.pick(examples) : undefined;
  if (typeof example === 'string') return random.chance(0.3) ? example : mutateText(example, random);
  if (example === undefined || random.chance(0.25)) {
    return JSON.stringify(makeValue(document, kind.schema, random)) ?? '';
  }
  if (random.chance(operation.isJob ? VALID_JOB_SHARE : 0.2)) return JSON.stringify(example);
  let value: unknown = example;
  for (let n = 1 + random.integer(0, 2); n > 0; n--) value = mutate(value, random);
  return JSON.stringify(value) ?? '';
}

/** CSV: exchanges cells, cuts lines, opens quotes. */
function mutateText(text: string, random: Random): string {
  const at = Math.floor(random.next() * text.length);
  const choice = random.next();
  if (choice < 0.2) return text.slice(0, at);
  if (choice < 0.4) return `${text.slice(0, at)}"${text.slice(at)}`;
  if (choice < 0.5) return text.replaceAll(',', ';');
  const lines = text.split('\n');
  const line = Math.floor(random.next() * lines.length);
  const cells = (lines[line] ?? '').split(',');
  cells[Math.floor(random.next() * cells.length)] = textOf(random.pick(HOSTILE_VALUES)).slice(0, 300);
  lines[line] = cells.join(',');
  return lines.join('\n');
}

function pack(bytes: Buffer, random: Random, headers: Record<string, string>): Buffer {
  if (headers['content-encoding'] !== undefined || !random.chance(0.05)) return bytes;
  headers['content-encoding'] = 'gzip';
  const packed = gzipSync(bytes);
  return random.chance(0.3) ? packed.subarray(0, packed.length - 5) : packed;
}

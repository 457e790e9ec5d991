import type { TSchema } from 'typebox';
import { STORABLE_TEXT, VEHICLE_YEARS } from '../contracts/vehicles.ts';
import type { Fault } from '../errors.ts';

/** What TypeBox says of one failed keyword (the shape of its `Errors`). */
export type SchemaError = {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: object;
  message: string;
};

type SchemaNode = TSchema & Record<string, unknown>;

/** Constraints that other services know and this one cannot honour: say why, instead of "unknown key". */
const UNSUPPORTED_KEYS = new Map([
  ['max_daily_trips_per_vehicle', 'needs trip durations, which the request does not carry; leave it out'],
  ['max_wait_time_minutes', 'needs trip durations, which the request does not carry; leave it out'],
]);

const LONGEST_SHOWN_VALUE = 80;

/**
 * Turns schema errors into faults that name the field, the value, the limit and what to do.
 * @param schema the schema that was checked
 * @param errors its errors for `value`
 */
export function describeFaults(schema: TSchema, errors: readonly SchemaError[], value: unknown): Fault[] {
  const faults: Fault[] = [];
  for (const error of errors) {
    // Reported by `additionalProperties` (names) and by `anyOf` (branches).
    if (error.keyword === 'boolean' || isBranch(error.schemaPath)) continue;
    const { path, found } = locate(value, error.instancePath);
    const node = resolve(schema, error.schemaPath);
    if (error.keyword === 'additionalProperties') {
      for (const key of (error.params as { additionalProperties: string[] }).additionalProperties) {
        faults.push({ field: join(path, key), message: unknownKey(key, node) });
      }
    } else if (error.keyword === 'required') {
      for (const key of (error.params as { requiredProperties: string[] }).requiredProperties) {
        faults.push({ field: join(path, key), message: `${key} is missing and has to be given` });
      }
    } else if (error.keyword === 'anyOf') {
      faults.push({ field: path || null, message: anyOf(error, errors, node, found) });
    } else {
      faults.push({ field: path || null, message: describe(error, node, found) });
    }
  }
  return faults;
}

function describe(error: SchemaError, node: SchemaNode, found: unknown): string {
  const params = error.params as Record<string, unknown>;
  const value = show(found);
  switch (error.keyword) {
    case 'type':
      return `${value} is not ${typeName(node)}`;
    case 'minimum':
      return `${value} is below the least allowed value ${params.limit}`;
    case 'maximum':
      return `${value} is above the largest allowed value ${params.limit}`;
    case 'exclusiveMinimum':
      return `${value} has to be above ${params.limit}`;
    case 'exclusiveMaximum':
      return `${value} has to be below ${params.limit}`;
    case 'minItems':
      return `has ${(found as unknown[]).length} items; at least ${params.limit} are needed`;
    case 'maxItems':
      return `has ${(found as unknown[]).length} items; at most ${params.limit} are allowed`;
    case 'minLength':
      return `${value} is too short; at least ${params.limit} characters are needed`;
    case 'maxLength':
      return `${value} has ${(found as string).length} characters; at most ${params.limit} are allowed`;
    case 'minProperties':
      if (node.properties)
        return `says nothing to change; give at least one of ${Object.keys(node.properties as object).join(', ')}`;
      return `has ${Object.keys(found as object).length} entries; at least ${params.limit} is needed`;
    case 'enum':
      return `${value} is not one of ${(params.allowedValues as unknown[]).map(show).join(', ')}`;
    case 'const':
      return `${value} has to be ${show(params.allowedValue)}`;
    case 'pattern':
      if (params.pattern === VEHICLE_YEARS) return `${value} lies outside the years 1900 to 2199`;
      return params.pattern === STORABLE_TEXT
        ? `${value} holds a character that is no text (NUL or half of a surrogate pair); remove it`
        : `${value} does not match ${params.pattern}`;
    case 'format':
      return `${value} is not ${FORMATS[String(params.format)] ?? `in the format ${params.format}`}`;
    default:
      return `${value} ${error.message}`;
  }
}

const FORMATS: Record<string, string> = {
  date: 'a date, for example 2026-03-01',
  'date-time': 'a time with its offset, for example 2026-03-01T05:00:00Z',
  'time-zone': 'an IANA time zone, for example America/New_York',
};

/** The branch that fits the value's type says what is wrong with it; otherwise all allowed types are named. */
function anyOf(error: SchemaError, errors: readonly SchemaError[], node: SchemaNode, found: unknown): string {
  const branches = (node.anyOf ?? []) as SchemaNode[];
  for (const [index, branch] of branches.entries()) {
    const prefix = `${error.schemaPath}/anyOf/${index}`;
    const own = errors.filter(
      (e) =>
        e.instancePath === error.instancePath &&
        (e.schemaPath === prefix || e.schemaPath.startsWith(`${prefix}/`)),
    );
    if (own.length > 0 && own.every((e) => e.keyword !== 'type')) return describe(own[0], branch, found);
  }
  return `${show(found)} is neither ${branches.map(typeName).join(' nor ')}`;
}

function unknownKey(key: string, node: SchemaNode): string {
  const unsupported = UNSUPPORTED_KEYS.get(key);
  if (unsupported) return `${key} ${unsupported}`;
  if (node.patternProperties)
    return `${show(key)} is no location id; keys are whole numbers as text, for example "12"`;
  const known = Object.keys((node.properties ?? {}) as object);
  const near = known.find((name) => isNear(name, key));
  return near
    ? `unknown key ${show(key)}; did you mean ${show(near)}?`
    : `unknown key ${show(key)}; known are ${known.join(', ')}`;
}

/** Whether two names differ by at most two letters changed, added, dropped. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 2) return false;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] <= 2;
}

function typeName(node: SchemaNode): string {
  if (node.type === 'integer') return 'a whole number';
  if (node.type === 'null') return 'null';
  if (node.type === 'number') return 'a finite number';
  return node.type === 'array' || node.type === 'object' ? `an ${node.type}` : `a ${node.type}`;
}

function isBranch(schemaPath: string): boolean {
  return /\/anyOf\/\d+/.test(schemaPath);
}

/** A value as it stands in the request, cut where it is long. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value)
    ? 'an array'
    : value && typeof value === 'object'
      ? 'an object'
      : JSON.stringify(value);
  return text.length > LONGEST_SHOWN_VALUE ? `${text.slice(0, LONGEST_SHOWN_VALUE)}…` : text;
}

function pointer(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Walks a JSON pointer through the value: array items become `[3]`, keys `.key`. */
function locate(value: unknown, instancePath: string): { path: string; found: unknown } {
  let path = '';
  let found = value;
  for (const part of pointer(instancePath)) {
    path = Array.isArray(found) ? `${path}[${part}]` : join(path, part);
    found = (found as Record<string, unknown> | undefined)?.[part];
  }
  return { path, found };
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function resolve(schema: TSchema, schemaPath: string): SchemaNode {
  let node: unknown = schema;
  const parts = pointer(schemaPath.replace(/^#/, ''));
  while (parts.length > 0 && node && typeof node === 'object') {
    // A pattern may itself contain slashes: take the longest key that fits.
    for (let n = parts.length; n > 0; n--) {
      const key = parts.slice(0, n).join('/');
      if (n === 1 || key in node) {
        node = (node as Record<string, unknown>)[key];
        parts.splice(0, n);
        break;
      }
    }
  }
  return (node ?? {}) as SchemaNode;
}

import { type TSchema, Type } from 'typebox';
import Format from 'typebox/format';
import { Errors } from 'typebox/value';
import type { Fault } from '../../answers/errors.ts';
import {
  LOCATION_KEY,
  LOCATION_OR_DEFAULT_KEY,
  MAX_LOCATION_ID,
  MAX_YEAR,
  MIN_LOCATION_ID,
  MIN_OBSERVED_YEAR,
  MIN_VEHICLE_YEAR,
  OBSERVED_YEARS,
  VEHICLE_YEARS,
} from '../../contracts/bounds.ts';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import { DEMAND_AGGREGATION, DEMAND_AGGREGATIONS } from '../../contracts/optimize.ts';
import { isTime, readTime } from '../../contracts/time.ts';
import { isTimeZone } from '../../contracts/time-zone.ts';
import { controlCharacter, STORABLE_TEXT } from '../../contracts/vehicles.ts';
import { adviceFor, isNear, placeOfKey } from './fault-advice.ts';
import { fits } from './fits.ts';

Format.Set('time-zone', isTimeZone);
Format.Set('date-time', isTime);

type SchemaNode = TSchema & Record<string, unknown>;
/** TypeBox's error for one keyword that a value violates. */
type SchemaError = { keyword: string; params: object; message: string };

/** Constraints that other services support and this one does not. Say why, instead of "unknown key". */
const UNSUPPORTED_KEYS = new Map([
  ['max_daily_trips_per_vehicle', 'needs trip durations, which a request does not contain; leave it out'],
  ['max_wait_time_minutes', 'needs trip durations, which a request does not contain; leave it out'],
]);

const MAX_SHOWN_VALUE = 80;

/**
 * Finds where a value does not fit a schema. Each fault names the field, the value, the limit and what to do.
 *
 * TypeBox lists every error of a value before it returns, which takes minutes and gigabytes for a body with millions
 * of wrong items. This walk stops at the last fault that is reported. It checks the size of an array or object before
 * it looks inside, and skips parts that fit (a compiled check). So it costs no more than a few checks of the value:
 * O(size of the value).
 *
 * It handles the keywords that `contracts/` uses for objects, arrays and `anyOf` in requests, and leaves single
 * values to TypeBox.
 * @returns at most `limit` faults, in the order of the schema; none if the value fits
 */
export function findFaults(schema: TSchema, value: unknown, limit = MAX_REPORTED_ERRORS): Fault[] {
  const faults: Fault[] = [];
  const report = {
    schema,
    get full() {
      return faults.length >= limit;
    },
    add(field: string, message: string) {
      if (faults.length < limit) faults.push({ field: field || null, message });
    },
  };
  walk(schema as SchemaNode, value, '', report);
  return faults;
}

type Report = { readonly schema: TSchema; readonly full: boolean; add(field: string, message: string): void };

function walk(node: SchemaNode, value: unknown, path: string, report: Report): void {
  if (node.anyOf) walkUnion(node, value, path, report);
  else if (node.type === 'object') walkObject(node, value, path, report);
  else if (node.type === 'array') walkArray(node, value, path, report);
  else describeValue(node, value, path, report);
}

function walkObject(node: SchemaNode, value: unknown, path: string, report: Report): void {
  if (!isObject(value)) {
    const isMissing = path === '' && (value === undefined || value === null);
    report.add(
      path,
      isMissing
        ? 'the body is empty; send a JSON object'
        : `${show(value)} is not an object${adviceFor(node, value)}`,
    );
    return;
  }
  if (isWrongSize(node, Object.keys(value).length, path, report)) return;
  for (const key of (node.required ?? []) as string[]) {
    if (!Object.hasOwn(value, key)) report.add(join(path, key), `${key} is required but missing`);
  }
  const properties = (node.properties ?? {}) as Record<string, SchemaNode>;
  const patterns = Object.entries((node.patternProperties ?? {}) as Record<string, SchemaNode>).map(
    ([pattern, schema]) => ({ pattern: new RegExp(pattern, 'u'), schema }),
  );
  for (const key in value) {
    if (report.full) return;
    const schema = Object.hasOwn(properties, key)
      ? properties[key]
      : patterns.find(({ pattern }) => pattern.test(key))?.schema;
    if (schema) {
      if (value[key] !== undefined && !fits(schema, value[key]))
        walk(schema, value[key], join(path, key), report);
    } else if (node.additionalProperties === false) {
      report.add(join(path, key), unknownKey(key, node, report.schema));
    }
  }
}

function walkArray(node: SchemaNode, value: unknown, path: string, report: Report): void {
  if (!Array.isArray(value)) {
    report.add(path, `${show(value)} is not an array${adviceFor(node, value)}`);
    return;
  }
  if (isWrongSize(node, value.length, path, report)) return;
  const items = (node.items ?? Type.Unknown()) as SchemaNode;
  for (let i = 0; i < value.length && !report.full; i++) {
    if (!fits(items, value[i])) walk(items, value[i], `${path}[${i}]`, report);
  }
}

/** Reports an array or object that is too small or too large. Its items are then not checked. */
function isWrongSize(node: SchemaNode, size: number, path: string, report: Report): boolean {
  const of = node.type === 'array' ? 'items' : 'entries';
  const least = Number(node.minItems ?? node.minProperties ?? 0);
  const most = Number(node.maxItems ?? node.maxProperties ?? Infinity);
  if (size > most) report.add(path, `has ${size} ${of}; at most ${most} are allowed`);
  else if (size < least && node.properties) {
    const known = Object.keys(node.properties as object).join(', ');
    report.add(path, `contains nothing to change; give at least one of ${known}`);
  } else if (size < least) {
    report.add(path, `has ${size} ${of}; at least ${least} ${least === 1 ? 'is' : 'are'} needed`);
  }
  return size > most || size < least;
}

/** Reports the fault of the branch for the type of the value. If there is none, names all allowed types. */
function walkUnion(node: SchemaNode, value: unknown, path: string, report: Report): void {
  const branches = node.anyOf as SchemaNode[];
  const own = branches.find((branch) => isOfType(value, branch.type ?? typeof enumOf(branch)?.[0]));
  if (own) {
    const others = branches.filter((branch) => branch !== own && isOfType(value, typeof enumOf(branch)?.[0]));
    walk(own, value, path, withAlternatives(report, others));
  } else {
    const advice = typeof value === 'string' ? branches.map((branch) => adviceFor(branch, value)) : [];
    report.add(
      path,
      `${show(value)} is neither ${branches.map(typeName).join(' nor ')}${advice.find(Boolean) ?? ''}`,
    );
  }
}

/** The same report, whose messages also name the values of other branches for the same type. */
function withAlternatives(report: Report, others: readonly SchemaNode[]): Report {
  if (others.length === 0) return report;
  const also = others.map((branch) => `, or ${typeName(branch)}`).join('');
  return { ...report, add: (field, message) => report.add(field, `${message}${also}`) };
}

/** The allowed values, if the schema lists them; they are of one type. */
function enumOf(node: SchemaNode): readonly unknown[] | undefined {
  return node.enum as unknown[] | undefined;
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describeValue(node: SchemaNode, value: unknown, path: string, report: Report): void {
  for (const error of leafErrors(node, value)) report.add(path, describe(error, node, value));
}

/** For a text that is far too long, only its length is checked: no pattern or format runs over megabytes. */
function leafErrors(node: SchemaNode, value: unknown): SchemaError[] {
  const longest = node.maxLength as number | undefined;
  if (typeof value === 'string' && longest !== undefined && value.length > 100 * longest) {
    return [{ keyword: 'maxLength', params: { limit: longest }, message: '' }];
  }
  const errors = Errors(node, value);
  // A text that is no date gets no second fault about its year.
  return errors.some(({ keyword }) => keyword === 'format')
    ? errors.filter(({ keyword }) => keyword !== 'pattern')
    : errors;
}

function describe(error: SchemaError, node: SchemaNode, found: unknown): string {
  const params = error.params as Record<string, unknown>;
  const value = show(found);
  switch (error.keyword) {
    case 'type':
      return `${value} is not ${typeName(node)}${range(node)}${adviceFor(node, found)}`;
    case 'minimum':
      return `${value} is below the minimum ${params.limit}; give ${typeName(node)}${range(node)}`;
    case 'maximum':
      return `${value} is above the maximum ${params.limit}; give ${typeName(node)}${range(node)}${adviceFor(node, found)}`;
    case 'exclusiveMinimum':
      return `${value} must be above ${params.limit}`;
    case 'exclusiveMaximum':
      return `${value} must be below ${params.limit}`;
    case 'minLength':
      return `${value} is too short; at least ${params.limit} characters are needed`;
    case 'maxLength':
      return `${value} has ${(found as string).length} characters; at most ${params.limit} are allowed`;
    case 'enum':
      return `${value} is not one of ${(params.allowedValues as unknown[]).map(show).join(', ')}`;
    case 'const':
      return `${value} must be ${show(params.allowedValue)}`;
    case 'pattern':
      if (params.pattern === VEHICLE_YEARS)
        return `${value} is outside the years ${MIN_VEHICLE_YEAR} to ${MAX_YEAR}`;
      if (params.pattern === OBSERVED_YEARS)
        return `${value} is outside the years ${MIN_OBSERVED_YEAR} to ${MAX_YEAR}`;
      if (params.pattern === DEMAND_AGGREGATION) {
        const names = DEMAND_AGGREGATIONS.map(show).join(', ');
        return `${value} is not one of ${names}, or "quantile:q" with q from 0 to 1, for example "quantile:0.9"`;
      }
      if (params.pattern === STORABLE_TEXT) {
        const control = controlCharacter(found as string);
        const what = control
          ? `the control character ${control}`
          : 'half a character (an unpaired surrogate)';
        return `${value} contains ${what}; remove it`;
      }
      return `${value} does not match ${params.pattern}`;
    case 'format':
      return `${value} ${describeFormat(String(params.format), found as string)}`;
    default:
      return `${value} ${error.message}`;
  }
}

const LOOKS_LIKE_DATE = /^\d{4}-\d{2}-\d{2}$/;

const FORMATS: Record<string, string> = {
  date: 'a date as YYYY-MM-DD, for example 2026-03-01',
  'time-zone': 'an IANA time zone, for example America/New_York',
};

/** Why a text is not in a format: a phrase to follow the text. */
function describeFormat(format: string, text: string): string {
  if (format === 'date' && LOOKS_LIKE_DATE.test(text)) return 'is not a day of the calendar';
  const time = format === 'date-time' ? readTime(text) : undefined;
  // In a query a plus is a space.
  if (time !== undefined && typeof readTime(text.replace(/ (?=\d\d:?\d\d$)/, '+')) !== 'string')
    return 'is not a time: in a query "+" means a space; write %2B instead of it, as in 2026-03-01T05:00:00%2B01:00';
  return typeof time === 'string' ? time : `is not ${FORMATS[format] ?? `in the format ${format}`}`;
}

function unknownKey(key: string, node: SchemaNode, schema: TSchema): string {
  const unsupported = UNSUPPORTED_KEYS.get(key);
  if (unsupported) return `${key} ${unsupported}`;
  const keys = `keys are whole numbers from ${MIN_LOCATION_ID} to ${MAX_LOCATION_ID} as text, for example "12"`;
  const [pattern] = Object.keys((node.patternProperties ?? {}) as object);
  if (pattern === LOCATION_KEY) return `${show(key)} is not a location id; ${keys}`;
  if (pattern === LOCATION_OR_DEFAULT_KEY)
    return `${show(key)} is not a location id; ${keys}, and "default" for all other locations`;
  const known = Object.keys((node.properties ?? {}) as object);
  const near = known.find((name) => isNear(name, key));
  if (near) return `unknown key ${show(key)}; did you mean ${show(near)}?`;
  const place = placeOfKey(schema, key);
  return place === undefined
    ? `unknown key ${show(key)}; known keys are ${known.join(', ')}`
    : `unknown key ${show(key)} here; it belongs ${place}`;
}

function typeName(node: SchemaNode): string {
  const values = enumOf(node);
  if (values) return `one of ${values.map(show).join(', ')}`;
  if (node.type === 'integer') return 'a whole number';
  if (node.type === 'null') return 'null';
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'number') return 'a finite number';
  return node.type === 'array' || node.type === 'object' ? `an ${node.type}` : `a ${node.type}`;
}

/** The numbers that a schema allows, as text to follow its type; empty without limits. */
function range({ minimum, maximum }: SchemaNode): string {
  if (minimum === undefined) return maximum === undefined ? '' : ` of at most ${maximum}`;
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`;
}

/** A value as the request has it, shortened if it is long. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'an array';
  if (isObject(value)) return 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_SHOWN_VALUE + 1) : value);
  return text.length > MAX_SHOWN_VALUE ? `${text.slice(0, MAX_SHOWN_VALUE)}…` : text;
}

/** The path of a key, which may be as long as a body. */
function join(path: string, key: string): string {
  const shown = key.length > MAX_SHOWN_VALUE ? `${key.slice(0, MAX_SHOWN_VALUE)}…` : key;
  return path === '' ? shown : `${path}.${shown}`;
}

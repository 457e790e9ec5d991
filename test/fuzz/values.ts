import type { Random } from '../core/optimize/instances.ts';
import { type Document, follow } from './operations.ts';

/** Values that often break services, whatever a schema says. */
export const HOSTILE_VALUES: readonly unknown[] = [
  ...[null, true, false, '', ' ', 'x', '0', '1e3', 'NaN', 'Infinity', 'null'],
  ...[-1, 0, -0, 0.5, 1.5, 1e-11, 5e-324, 1e-320, 1e15, 1e308, -1e308, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 9e99],
  ...[[], {}, [[]], [null], [{}], { '': 1 }, nested(200)],
  Array(10_000).fill(0),
  Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`key${i}`, i])),
  ...[
    '\u0000',
    '\ud800',
    '\ufeff',
    '💥',
    'a'.repeat(5000),
    '=1+1',
    '@x',
    "'; drop table jobs; --",
    '../../etc',
  ],
  ...['__proto__', 'constructor', '<script>', '%00', '\r\nx: y'],
  ...['2017-02-30', '0000-01-01', '9999-12-31', '2017-13-45', '+275760-09-13'],
  ...['2017-02-30T00:00:00Z', '2017-01-01T00:00:00+16:00', '0000-01-01T00:00:00Z', '2017-01-01T00:30:00Z'],
  ...['2016-12-31T23:59:60Z', '2017-01-01T24:00:00Z'],
];

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

/** Maximum depth of a generated value; it ends recursive schemas. */
const MAX_DEPTH = 8;

/** A value that roughly fits a schema: it often equals a bound, and sometimes exceeds one by one. */
export function makeValue(document: Document, schema: Document, random: Random, depth = 0): unknown {
  const node = follow(document, schema);
  if (depth > MAX_DEPTH) return null;
  const branches = node.anyOf ?? node.oneOf;
  if (branches) return makeValue(document, random.pick(branches), random, depth + 1);
  if (node.const !== undefined) return node.const;
  if (node.enum) return random.pick(node.enum);
  if (node.examples && (node.pattern || random.chance(0.3))) return random.pick(node.examples);
  const type = Array.isArray(node.type) ? random.pick(node.type) : node.type;
  switch (type) {
    case 'object':
      return objectOf(document, node, random, depth);
    case 'array': {
      const least = node.minItems ?? 0;
      const length = Math.min(least + random.integer(0, 3), node.maxItems ?? Infinity);
      return Array.from({ length }, () => makeValue(document, node.items ?? {}, random, depth + 1));
    }
    case 'integer':
      return Math.round(numberOf(node, random));
    case 'number':
      return numberOf(node, random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'string':
      return stringOf(node, random);
    default:
      return random.pick(HOSTILE_VALUES);
  }
}

function objectOf(document: Document, node: Document, random: Random, depth: number): unknown {
  const made: Record<string, unknown> = {};
  const required = new Set<string>(node.required ?? []);
  for (const [key, schema] of Object.entries<Document>(node.properties ?? {})) {
    if (!required.has(key) && random.chance(0.6)) continue;
    made[key] = makeValue(document, schema, random, depth + 1);
  }
  const others = node.additionalProperties ?? Object.values(node.patternProperties ?? {})[0];
  if (others && typeof others === 'object') {
    for (let i = 0; i < 3; i++) {
      made[String(random.integer(0, 299))] = makeValue(document, others, random, depth + 1);
    }
  }
  return made;
}

function numberOf(node: Document, random: Random): number {
  const least = node.minimum ?? node.exclusiveMinimum ?? -1000;
  const most = node.maximum ?? node.exclusiveMaximum ?? Math.max(1000, least * 2);
  const choice = random.next();
  if (choice < 0.15) return least;
  if (choice < 0.3) return most;
  if (choice < 0.35) return least - 1;
  if (choice < 0.4) return most + 1;
  // Small numbers are more likely to have a meaning: ids, hours, counts.
  return least + (most - least) * random.next() ** 8;
}

function stringOf(node: Document, random: Random): string {
  const day = `2017-0${1 + random.integer(0, 4)}-1${random.integer(0, 9)}`;
  if (node.format === 'date') return day;
  if (node.format === 'date-time') return `${day}T0${random.integer(0, 9)}:00:00Z`;
  if (node.format === 'time-zone') return random.pick(['UTC', 'America/New_York', 'Mars/Base']);
  const length = Math.min(node.minLength ?? 1, 200) + random.integer(0, 5);
  return Array.from({ length }, () => random.pick('abcXYZ019-_'.split(''))).join('');
}

/** Changes a value in one place: another value, one element fewer, one twice, an unknown key. */
export function mutate(value: unknown, random: Random): unknown {
  const copy = structuredClone(value);
  const places = placesOf(copy, []);
  if (places.length === 0) return random.pick(HOSTILE_VALUES);
  const { parent, key } = random.pick(places);
  const choice = random.next();
  if (Array.isArray(parent)) {
    if (choice < 0.15) parent.splice(key as number, 1);
    else if (choice < 0.3) parent.push(structuredClone(parent[key as number]));
    else parent[key as number] = random.pick(HOSTILE_VALUES);
    return copy;
  }
  if (choice < 0.15) delete parent[key];
  else if (choice < 0.3) setKey(parent, `${key}x`, 1);
  else if (choice < 0.35) setKey(parent, '__proto__', { polluted: true });
  else setKey(parent, key as string, random.pick(HOSTILE_VALUES));
  return copy;
}

/** Like `JSON.parse`: treats `__proto__` as an ordinary key. */
function setKey(parent: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

// biome-ignore lint/suspicious/noExplicitAny: an array or an object
type Place = { parent: any; key: string | number };

/** Every place below a value; only the first few of long arrays. */
function placesOf(value: unknown, found: Place[]): Place[] {
  if (Array.isArray(value)) {
    for (const [key, item] of value.slice(0, 5).entries()) {
      found.push({ parent: value, key });
      placesOf(item, found);
    }
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      found.push({ parent: value, key });
      placesOf(item, found);
    }
  }
  return found;
}

/** Advice on a value that does not fit, where the value itself shows what was meant. */
import type { TSchema } from 'typebox';
import { clockAdvice } from '../../contracts/number-text.ts';
import { fits } from './fits.ts';

type SchemaNode = TSchema & Record<string, unknown>;

/** Text that begins as a number, such as `10 km`, `95%`, `1,234`. */
const NUMBER_AND_MORE = /^\s*[+-]?\d/;

/**
 * @param value does not fit the schema because of its type, or is above its maximum
 * @returns advice to follow the fault, with its separator; empty if there is none
 */
export function adviceFor(node: SchemaNode, value: unknown): string {
  const advice = adviceOf(node, value);
  return advice === undefined ? '' : `; ${advice}`;
}

function adviceOf(node: SchemaNode, value: unknown): string | undefined {
  switch (node.type) {
    case 'number':
    case 'integer':
      return typeof value === 'number' ? asShare(node, value) : asNumber(node, value);
    case 'boolean':
      return value === 'true' || value === 'false' ? `write it without quotes: ${value}` : undefined;
    case 'string':
      return typeof value === 'number' && fits(node, String(value))
        ? `put it in quotes: "${value}"`
        : undefined;
    case 'array':
      return fits((node.items ?? {}) as TSchema, value) ? 'put it in brackets, as a list' : undefined;
    case 'object':
      return asObject(node, value);
    default:
      return undefined;
  }
}

function asNumber(node: SchemaNode, value: unknown): string | undefined {
  if (typeof value !== 'string' || !NUMBER_AND_MORE.test(value)) return undefined;
  const number = Number(value);
  if (fits(node, number)) return `write the number itself: ${number}`;
  return Number.isNaN(number) ? (clockAdvice(value) ?? 'write the number alone, without a unit') : undefined;
}

/** 95 where a share such as 0.95 is wanted. */
function asShare(node: SchemaNode, value: number): string | undefined {
  if (typeof node.maximum !== 'number' || node.maximum > 1 || value <= 1) return undefined;
  const share = Number((value / 100).toPrecision(12));
  return fits(node, share) ? `${value} % is ${share}` : undefined;
}

/** An array whose place is under the only key that is needed, or an array where keys are wanted. */
function asObject(node: SchemaNode, value: unknown): string | undefined {
  const properties = (node.properties ?? {}) as Record<string, SchemaNode>;
  const required = (node.required ?? []) as string[];
  const [only] = required;
  if (required.length === 1 && Array.isArray(value) && properties[only].type === 'array')
    return `put it under the key ${JSON.stringify(only)}`;
  if (node.patternProperties) return 'its keys are location ids as text, for example "12"';
  const names = required.length > 0 ? required : Object.keys(properties);
  return names.length > 0 ? `its keys are ${names.join(', ')}` : undefined;
}

/**
 * Finds the object in which a key is known that stands in a wrong one.
 * @param schema of the whole body
 * @returns `in` and the path of the object that has it, or `at the top level`; undefined if no object has it
 */
export function placeOfKey(schema: TSchema, key: string, path = ''): string | undefined {
  const properties = ((schema as SchemaNode).properties ?? {}) as Record<string, SchemaNode>;
  if (Object.hasOwn(properties, key)) return path ? `in ${path}` : 'at the top level';
  for (const [name, node] of Object.entries(properties)) {
    const place = placeOfKey(node, key, path ? `${path}.${name}` : name);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Whether at most two edits (a letter changed, added or dropped) turn one name into the other, or a plural does. */
export function isNear(a: string, b: string): boolean {
  if (a.length > 4 && [`${b.slice(0, -1)}ies`, `${b}s`].includes(a)) return true;
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

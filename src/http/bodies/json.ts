import { isUtf8 } from 'node:buffer';
import parse from 'secure-json-parse';
import { findRepeatedKey, placeOf } from './repeated-key.ts';

/** Objects and arrays of one body at most: twice the need of the largest request. */
const MAX_JSON_CONTAINERS = 1_200_000;
/** Keys of one object at most: several times the need of the largest request. */
const MAX_JSON_KEYS = 100_000;
/** Characters of a key that are repeated in a message. */
const MAX_SHOWN_KEY = 80;

/**
 * Finds excessive JSON before it is parsed. An empty object of two bytes takes some sixty bytes of memory. A million
 * keys in one object take seconds.
 * @returns the excess, undefined if the text can be parsed (or is not JSON); how many keys it has; and whether there is
 * white space between its parts. O(bytes), without recursion
 */
function scan(bytes: Uint8Array): { excess?: string; keyCount: number; hasSpace: boolean } {
  let containers = 0;
  let keyCount = 0;
  let hasSpace = false;
  /** for each open object or array, the number of its keys so far */
  const keys: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    // Literals, of which the compiler makes a table: named constants take half as long again.
    switch (bytes[i]) {
      case 0x22: // a text
        while (++i < bytes.length && bytes[i] !== 0x22) if (bytes[i] === 0x5c) i++;
        break;
      case 0x5b: // [ {
      case 0x7b:
        if (++containers > MAX_JSON_CONTAINERS)
          return { excess: `more than ${MAX_JSON_CONTAINERS} objects and arrays`, keyCount, hasSpace };
        keys.push(0);
        break;
      case 0x5d: // ] }
      case 0x7d:
        keys.pop();
        break;
      case 0x3a: // :
        keyCount++;
        if (++keys[keys.length - 1] > MAX_JSON_KEYS)
          return { excess: `an object of more than ${MAX_JSON_KEYS} keys`, keyCount, hasSpace };
        break;
      case 0x09: // white space
      case 0x0a:
      case 0x0d:
      case 0x20:
        hasSpace = true;
    }
  }
  return { keyCount, hasSpace };
}

/**
 * The keys of all objects in a value, without recursion. An array that begins with a number or a text has none, as far
 * as requests go; a count that is too low costs only a search. `Object.values` takes a sixth of the time of `for … in`.
 */
function countKeys(root: unknown): number {
  let count = 0;
  const left = typeof root === 'object' ? [root as unknown] : [];
  while (left.length > 0) {
    const value = left.pop();
    if (value === null) continue;
    const parts: unknown[] = Array.isArray(value) ? value : Object.values(value as object);
    if (parts !== value) count += parts.length;
    else if (typeof parts[0] !== 'object') continue;
    for (let i = 0; i < parts.length; i++) if (typeof parts[i] === 'object') left.push(parts[i]);
  }
  return count;
}

/**
 * Parses a JSON body. Keys that would change the prototype of an object are refused. So is a key that comes twice in an
 * object: one of its values would silently not count.
 * @param orCsv whether the body could have been CSV
 * @returns the value, and whether the bytes are compact: no white space between its parts. Or why it is refused
 */
export function parseJson(
  bytes: Uint8Array,
  orCsv = false,
): { value: unknown; isCompact: boolean } | { fault: string } | { excess: string } {
  const { excess, keyCount, hasSpace } = scan(bytes);
  if (excess) return { excess };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    return { fault: 'the body is packed with gzip; send it with Content-Encoding: gzip' };
  if (bytes.length > 1 && (bytes[0] === 0 || bytes[1] === 0 || bytes[1] >= 0xfe))
    return { fault: 'the body is not UTF-8 text; send it as UTF-8' };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (!isUtf8(bytes)) {
    // Decoding has put U+FFFD there. Two names that differ in such bytes would become one.
    const { line, column } = placeOf(text, text.indexOf('\ufffd'));
    return { fault: `the body is not UTF-8 text: line ${line}, column ${column}; send it as UTF-8` };
  }
  if (text.trim() === '') return { fault: 'the body is empty; send a JSON object' };
  try {
    const value = parse(text);
    // The last one counts, so the value then has fewer keys than the text.
    const repeated = countKeys(value) < keyCount && findRepeatedKey(text);
    if (repeated) {
      const { line, column } = placeOf(text, repeated.offset);
      const key = JSON.stringify(repeated.key.slice(0, MAX_SHOWN_KEY));
      return {
        fault: `line ${line}, column ${column}: the key ${key} is a duplicate; send each key of an object once`,
      };
    }
    return { value, isCompact: !hasSpace && !text.startsWith('\ufeff') };
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith('Object contains forbidden')) {
      return {
        fault: 'the body has a key "__proto__" or "constructor", which are not allowed; rename or remove it',
      };
    }
    const isCsv = orCsv && /^\uFEFF?[a-z]/i.test(text);
    const offset = Number(/ at position (\d+)/.exec(message)?.[1] ?? 0);
    const isCut = message.startsWith('Unexpected end') || offset >= text.length;
    const advice = isCsv
      ? 'if it is CSV, send it with Content-Type: text/csv'
      : isCut
        ? 'send all of it'
        : 'correct it there';
    return {
      fault: `the body is not valid JSON: ${message.replace(/ in JSON| is not valid JSON$/, '')}; ${advice}`,
    };
  }
}

import { isUtf8 } from 'node:buffer';
import parse from 'secure-json-parse';
import { findJsonFault, placeOf } from './json-fault.ts';

/** Objects and arrays of one body at most: twice the need of the largest request. */
const MAX_JSON_CONTAINERS = 1_200_000;
/** Keys of one object at most: several times the need of the largest request. */
const MAX_JSON_KEYS = 100_000;
/**
 * Deeper text is not stored as it was sent. No request is so deep, but a key that comes twice may be, the first time,
 * which nobody validates; and PostgreSQL has a limit for what it stores.
 */
const MAX_STORED_DEPTH = 32;

/**
 * Finds excessive JSON before it is parsed. An empty object of two bytes takes some sixty bytes of memory. A million
 * keys in one object take seconds.
 * @returns the excess, undefined if the text can be parsed (or is not JSON); and whether it must be written anew to be
 * stored, since it has white space between its parts or is too deep. O(bytes), without recursion
 */
function scan(bytes: Uint8Array): { excess?: string; mustRewrite: boolean } {
  let containers = 0;
  let mustRewrite = false;
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
          return { excess: `more than ${MAX_JSON_CONTAINERS} objects and arrays`, mustRewrite };
        if (keys.push(0) > MAX_STORED_DEPTH) mustRewrite = true;
        break;
      case 0x5d: // ] }
      case 0x7d:
        keys.pop();
        break;
      case 0x3a: // :
        if (++keys[keys.length - 1] > MAX_JSON_KEYS)
          return { excess: `an object of more than ${MAX_JSON_KEYS} keys`, mustRewrite };
        break;
      case 0x09: // white space
      case 0x0a:
      case 0x0d:
      case 0x20:
        mustRewrite = true;
    }
  }
  return { mustRewrite };
}

/**
 * Parses a JSON body. Keys that would change the prototype of an object are refused.
 * @param orCsv whether the body could have been CSV
 * @returns the value, and whether the bytes are compact: UTF-8 without white space between its parts, and not deep.
 * Or why it is refused
 */
export function parseJson(
  bytes: Uint8Array,
  orCsv = false,
): { value: unknown; isCompact: boolean } | { fault: string } | { excess: string } {
  const { excess, mustRewrite } = scan(bytes);
  if (excess) return { excess };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    return { fault: 'the body is packed with gzip; send it with Content-Encoding: gzip' };
  if (bytes.length > 1 && (bytes[0] === 0 || bytes[1] === 0 || bytes[1] >= 0xfe))
    return { fault: 'the body is not UTF-8 text; send it as UTF-8' };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (text.trim() === '') return { fault: 'the body is empty; send a JSON object' };
  try {
    const value = parse(text);
    return { value, isCompact: !mustRewrite && !text.startsWith('\ufeff') && isUtf8(bytes) };
  } catch {
    const found = findJsonFault(text);
    if (!found) {
      return {
        fault: 'the body has a key "__proto__" or "constructor", which are not allowed; rename or remove it',
      };
    }
    const { line, column } = placeOf(text, found.offset);
    const isCsv = orCsv && found.offset <= 1 && /^\uFEFF?\w/.test(text);
    const isCut = found.offset >= text.length;
    const advice = isCsv
      ? 'if it is CSV, send it with Content-Type: text/csv'
      : isCut
        ? 'send all of it'
        : 'correct it there';
    return {
      fault: `the body is not valid JSON: line ${line}, column ${column}: ${found.what}; ${advice}`,
    };
  }
}

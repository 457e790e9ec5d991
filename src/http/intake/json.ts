import parse from 'secure-json-parse';
import { findJsonFault, placeOf } from './json-fault.ts';

/** Objects and arrays of one body at most: twice the need of the largest request. */
const MAX_JSON_CONTAINERS = 1_200_000;
/** Keys of one object at most: several times the need of the largest request. */
const MAX_JSON_KEYS = 100_000;

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Finds excessive JSON before it is parsed. An empty object of two bytes takes some sixty bytes of memory. A million
 * keys in one object take seconds.
 * @returns the excess; undefined if the text can be parsed (or is not JSON). O(bytes), without recursion
 */
function findExcess(bytes: Uint8Array): string | undefined {
  let containers = 0;
  /** for each open object or array, the number of its keys so far */
  const keys: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        while (++i < bytes.length && bytes[i] !== QUOTE) if (bytes[i] === BACKSLASH) i++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++containers > MAX_JSON_CONTAINERS) return `more than ${MAX_JSON_CONTAINERS} objects and arrays`;
        keys.push(0);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        keys.pop();
        break;
      case COLON:
        if (++keys[keys.length - 1] > MAX_JSON_KEYS) return `an object of more than ${MAX_JSON_KEYS} keys`;
    }
  }
  return undefined;
}

/**
 * Parses a JSON body. Keys that would change the prototype of an object are refused.
 * @param orCsv whether the body could have been CSV
 */
export function parseJson(
  bytes: Uint8Array,
  orCsv = false,
): { value: unknown } | { fault: string } | { excess: string } {
  const excess = findExcess(bytes);
  if (excess) return { excess };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    return { fault: 'the body is packed with gzip; send it with Content-Encoding: gzip' };
  if (bytes.length > 1 && (bytes[0] === 0 || bytes[1] === 0 || bytes[1] >= 0xfe))
    return { fault: 'the body is not UTF-8 text; send it as UTF-8' };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (text.trim() === '') return { fault: 'the body is empty; send a JSON object' };
  try {
    return { value: parse(text) };
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

/**
 * Finds where text stops being JSON. JSON.parse names the place in only some of its messages. One pass without
 * recursion, since nesting may be as deep as a body is long.
 */

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

type JsonFault = { offset: number; what: string };
/** The tokens that may come next. */
type Next = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma';

/** @returns the first place at which `text` is not valid JSON, and the fault there; null if it is valid */
export function findJsonFault(text: string): JsonFault | null {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let next: Next = 'value';
  const open: string[] = [];
  const fail = (expected: string): JsonFault => ({
    offset: at,
    what: `expected ${expected}, found ${found(text, at)}`,
  });
  const matches = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isMatch = pattern.test(text);
    if (isMatch) at = pattern.lastIndex;
    return isMatch;
  };
  for (;;) {
    matches(SPACE);
    const c = text[at];
    if (next === 'comma') {
      const closing = open.at(-1);
      if (closing === undefined) return at === text.length ? null : fail('the end of the body');
      if (c === closing) {
        open.pop();
        at++;
      } else if (c === ',') {
        at++;
        next = closing === '}' ? 'key' : 'value';
      } else return fail(`"," or "${closing}"`);
    } else if (next === 'colon') {
      if (c !== ':') return fail('":"');
      at++;
      next = 'value';
    } else if ((next === 'key or }' && c === '}') || (next === 'value or ]' && c === ']')) {
      open.pop();
      at++;
      next = 'comma';
    } else if (c === '"') {
      const fault = readString();
      if (fault) return fault;
      next = next.startsWith('key') ? 'colon' : 'comma';
    } else if (next.startsWith('key')) {
      return fail(next === 'key' ? 'a key in double quotes' : 'a key in double quotes or "}"');
    } else if (c === '{' || c === '[') {
      open.push(c === '{' ? '}' : ']');
      at++;
      next = c === '{' ? 'key or }' : 'value or ]';
    } else {
      const word = ['true', 'false', 'null'].find((one) => text.startsWith(one, at));
      if (word) at += word.length;
      else if (!matches(NUMBER)) return fail(next === 'value' ? 'a value' : 'a value or "]"');
      next = 'comma';
    }
  }

  /** Skips a string. */
  function readString(): JsonFault | null {
    for (at++; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        at++;
        return null;
      }
      if (code < 0x20) return fail('an escaped character such as \\n');
      if (code !== 0x5c) continue;
      at++;
      if (!matches(ESCAPE)) return fail('an escape such as \\n or \\u0041');
      at--;
    }
    return fail('a closing double quote');
  }
}

/**
 * Finds a key that an object has twice, in text that is JSON. In one pass without recursion.
 * @returns the key and where it comes again; null if no object has one twice
 */
export function findRepeatedKey(text: string): { offset: number; key: string } | null {
  /** the keys of each object that is open, none for an array */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (c === '{') open.push(new Set());
    else if (c === '[') open.push(undefined);
    else if (c === '}' || c === ']') open.pop();
    if (c !== '"') continue;
    const offset = at;
    while (text[++at] !== '"') if (text[at] === '\\') at++;
    SPACE.lastIndex = at + 1;
    SPACE.test(text);
    if (text[SPACE.lastIndex] !== ':') continue;
    const key = JSON.parse(text.slice(offset, at + 1)) as string;
    const keys = open.at(-1);
    if (keys?.has(key)) return { offset, key };
    keys?.add(key);
  }
  return null;
}

/** Line and column of an offset in text, both counted from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}

function found(text: string, at: number): string {
  return at >= text.length
    ? 'the end of the body'
    : JSON.stringify(String.fromCodePoint(text.codePointAt(at)!));
}

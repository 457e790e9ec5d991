const SPACE = /[ \t\n\r]*/y;

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

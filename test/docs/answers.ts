/**
 * Compares the answer in a document with that of a command. They must be equal, except for
 * - `…`, which stands for omitted parts: characters of a text, lines, items of an array, fields of an object, a value;
 * - ids (UUIDs with their prefix), times with milliseconds, and the host name, process and random part of workers: the
 *   document shows those of another run. Each id of the document must always stand for the same id;
 * - durations: figures whose name is `ms` or ends in `_ms` or `_seconds`;
 * - rounded decimals: a figure shown with at least two decimals is compared to that many.
 */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
/** A time of a run, as a document shows it. Times in the data have no fraction of a second, or the fraction 0. */
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(?!000Z)\d{3}Z/;
/** The same in this run, in which the fraction may be 0 by chance. */
const OWN_MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;
const VARIABLE = new RegExp(`(?<id>${UUID.source})|(?<moment>${MOMENT.source})|(?<gap>…)`, 'g');

/** Stands for `…` outside of a text in JSON. */
const ANY = '\u0001…';

/** Ids of the document, and the ids of this run that they stand for. */
export type Ids = Map<string, string>;

/** Puts the ids of this run into a command of the document. @throws Error if an id was in no earlier answer */
export function useIds(command: string, ids: Ids): string {
  return command.replaceAll(new RegExp(UUID.source, 'g'), (id) => {
    const own = ids.get(id);
    if (own === undefined) throw new Error(`${id} stands in no answer above`);
    return own;
  });
}

/** @returns the differences; empty if `actual` matches the document */
export function compareAnswer(shown: string, actual: string, ids: Ids): string[] {
  const pattern = readJson(shown);
  const value = pattern === undefined ? undefined : readJson(actual);
  const faults: string[] = [];
  if (value !== undefined) compare(pattern, value, '', ids, faults);
  else compareLines(trimmedLines(shown), trimmedLines(actual), ids, faults);
  return faults;
}

function readJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(markGaps(text));
  } catch {
    return undefined;
  }
}

/** JSON in which each `…` outside of a text has become a value, or a field where fields are expected. */
function markGaps(text: string): string {
  const brackets: string[] = [];
  let result = '';
  let last = '';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[\s\S]/g)) {
    const isField = brackets.at(-1) === '{' && (last === '{' || last === ',');
    const mark = JSON.stringify(ANY);
    result += token !== '…' ? token : isField ? `${mark}:${mark}` : mark;
    if (token === '{' || token === '[') brackets.push(token);
    if (token === '}' || token === ']') brackets.pop();
    if (token.trim() !== '') last = token;
  }
  return result;
}

function compare(shown: unknown, actual: unknown, path: string, ids: Ids, faults: string[]): void {
  const differ = () =>
    faults.push(
      `${path || 'answer'}: ${cut(JSON.stringify(actual))} instead of ${cut(JSON.stringify(shown))}`,
    );
  if (shown === ANY) return;
  if (typeof shown === 'string') {
    if (typeof actual !== 'string' || !fits(shown, actual, ids)) differ();
  } else if (typeof shown === 'number') {
    if (typeof actual !== 'number' || !isSameNumber(shown, actual, path)) differ();
  } else if (Array.isArray(shown)) {
    if (Array.isArray(actual)) compareItems(shown, actual, path, ids, faults);
    else differ();
  } else if (shown !== null && typeof shown === 'object') {
    if (actual === null || typeof actual !== 'object' || Array.isArray(actual)) differ();
    else compareFields(shown as Fields, actual as Fields, path, ids, faults);
  } else if (shown !== actual) differ();
}

type Fields = Record<string, unknown>;

function compareFields(shown: Fields, actual: Fields, path: string, ids: Ids, faults: string[]): void {
  for (const [name, value] of Object.entries(shown)) {
    if (name === ANY) continue;
    if (name in actual) compare(value, actual[name], path ? `${path}.${name}` : name, ids, faults);
    else faults.push(`${path || 'answer'}: has no ${name}; there are ${Object.keys(actual).join(', ')}`);
  }
  if (ANY in shown) return;
  const more = Object.keys(actual).filter((name) => !(name in shown));
  if (more.length > 0) faults.push(`${path || 'answer'}: has ${more.join(', ')} too, which are not shown`);
}

/** Compares items in order; `…` stands for any number of items. */
function compareItems(shown: unknown[], actual: unknown[], path: string, ids: Ids, faults: string[]): void {
  if (!shown.includes(ANY) && shown.length !== actual.length) {
    faults.push(`${path}: has ${actual.length} items instead of ${shown.length}`);
    return;
  }
  let at = 0;
  let isAfterGap = false;
  for (const [i, item] of shown.entries()) {
    if (item === ANY) {
      isAfterGap = true;
      continue;
    }
    if (isAfterGap) {
      const left = shown.slice(i).includes(ANY) ? actual.length : actual.length - (shown.length - i);
      const isAt = (k: number) => tryCompare(item, actual[k], ids);
      // Skip to the first item that matches. Without another gap, the rest must match up to the end.
      let k = shown.slice(i).includes(ANY) ? at : Math.max(at, left);
      while (k < actual.length && !isAt(k)) k++;
      at = k;
    }
    if (at >= actual.length) {
      faults.push(
        `${path}: has no item like ${cut(JSON.stringify(item))}; it is ${cut(JSON.stringify(actual))}`,
      );
      return;
    }
    compare(item, actual[at], `${path}[${at}]`, ids, faults);
    at++;
    isAfterGap = false;
  }
  if (!isAfterGap && at < actual.length) faults.push(`${path}: has ${actual.length} items instead of ${at}`);
}

function tryCompare(shown: unknown, actual: unknown, ids: Ids): boolean {
  const faults: string[] = [];
  compare(shown, actual, '', new Map(ids), faults);
  return faults.length === 0;
}

function isSameNumber(shown: number, actual: number, path: string): boolean {
  if (/(^|\.|_)(ms|seconds)$/.test(path)) return Number.isFinite(actual);
  const decimals = /\.(\d+)$/.exec(String(shown))?.[1]?.length ?? 0;
  return shown === actual || (decimals >= 2 && Number(actual.toFixed(decimals)) === shown);
}

/** Whether a text matches the document; records which ids stand for which. */
function fits(shown: string, actual: string, ids: Ids): boolean {
  const own: string[] = [];
  let pattern = '';
  let from = 0;
  for (const match of shown.matchAll(VARIABLE)) {
    pattern += escapePattern(shown.slice(from, match.index));
    from = match.index + match[0].length;
    if (match.groups?.id) {
      const known = ids.get(match[0]);
      own.push(match[0]);
      pattern += known === undefined ? `(${UUID.source})` : `(${known})`;
    } else pattern += match.groups?.moment ? OWN_MOMENT.source : '[^]*?';
  }
  const found = new RegExp(`^${pattern}${escapePattern(shown.slice(from))}$`).exec(actual);
  for (const [i, id] of own.entries()) if (found) ids.set(id, found[i + 1]);
  return found !== null;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function trimmedLines(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** Compares lines in order; a line with only `…` stands for any number of lines. */
function compareLines(shown: string[], actual: string[], ids: Ids, faults: string[]): void {
  let at = 0;
  let isAfterGap = false;
  for (const line of shown) {
    if (line.trim() === '…') {
      isAfterGap = true;
      continue;
    }
    const from = at;
    if (isAfterGap) while (at < actual.length && !fits(line, actual[at], ids)) at++;
    if (at >= actual.length || !fits(line, actual[at], ids)) {
      const found = actual.slice(from, from + 12).join('\n');
      faults.push(`no line "${line}"; it goes on with\n${found}`);
      return;
    }
    at++;
    isAfterGap = false;
  }
  if (!isAfterGap && at < actual.length) faults.push(`goes on with\n${actual.slice(at, at + 12).join('\n')}`);
}

function cut(text = 'nothing'): string {
  return text.length > 700 ? `${text.slice(0, 700)} (and more)` : text;
}

import type { Stage } from '../db/staging.ts';
import type { CsvRow } from './csv-file.ts';
import { type FaultList, ImportError, show } from './faults.ts';
import { type Column, FILE_COLUMNS } from './tables.ts';

/** Characters of COPY text per chunk. */
const CHUNK_CHARACTERS = 64 * 1024;

/** The file that rows come from. */
export type Source = { stage: Stage; file: string; order: number };

/**
 * Checks rows of a file against its columns and turns them into COPY text of its stage. Rows with a fault are left out;
 * the import fails later, once as many faults as may be are known.
 * @param onRow called for every row
 * @throws ImportError where the header does not fit, or the list of faults is full
 */
export async function* stageRows(
  rows: AsyncIterable<CsvRow>,
  { stage, file, order }: Source,
  faults: FaultList,
  onRow: () => void,
): AsyncGenerator<string> {
  const columns = FILE_COLUMNS[stage];
  let places: number[] | undefined;
  let width = 0;
  let chunk = '';
  for await (const { line, cells } of rows) {
    if (places === undefined) {
      places = readHeader(cells, columns, file, line);
      width = cells.length;
      continue;
    }
    onRow();
    if (cells.length !== width) {
      faults.add(order, file, line, `has ${cells.length} values; the header has ${width} columns`);
    } else {
      const values = readRow(cells, columns, places, (message) => faults.add(order, file, line, message));
      if (values) chunk += copyLine(line, values);
    }
    if (faults.isFull) faults.throwIfAny();
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield chunk;
      chunk = '';
    }
  }
  if (places === undefined)
    throw new ImportError([`${file}: is empty; ${expected(columns)}`, 'nothing was stored']);
  if (chunk) yield chunk;
}

/** One line of COPY text: the line number, then the values; null is `\N`. */
export function copyLine(line: number, values: readonly (string | number | null)[]): string {
  let text = String(line);
  for (const value of values) text += `\t${value === null ? '\\N' : escapeCopy(String(value))}`;
  return `${text}\n`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escapeCopy(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (c) => ESCAPES[c]) : text;
}

function readRow(
  cells: readonly string[],
  columns: readonly Column[],
  places: readonly number[],
  onFault: (message: string) => void,
): (string | number | null)[] | undefined {
  const values: (string | number | null)[] = [];
  let isGood = true;
  for (const [i, column] of columns.entries()) {
    const text = cells[places[i]] ?? '';
    if (text === '' && column.optional) {
      values.push(column.optional.default);
      continue;
    }
    const cell = text === '' ? { fault: 'is empty; it has to be given' } : column.read(text);
    if ('fault' in cell) {
      onFault(`${column.names[0]} ${cell.fault}`);
      isGood = false;
    } else values.push(cell.value as string | number);
  }
  return isGood ? values : undefined;
}

/** For every column its place in the file, −1 where an optional one is not there. */
function readHeader(header: string[], columns: readonly Column[], file: string, line: number): number[] {
  const places = columns.map((column) => header.findIndex((name) => column.names.includes(name)));
  const missing = columns.filter((column, i) => places[i] < 0 && !column.optional);
  const problems: string[] = [];
  if (missing.length > 0) {
    const names = missing.map((column) => column.names.join(' or ')).join(', ');
    problems.push(
      `${missing.length === 1 ? 'column' : 'columns'} ${names} missing; the header is ${show(header.join(','))}`,
    );
  } else {
    // A misspelt optional column must not be ignored silently; of two that mean the same one would be.
    const surplus = header.filter((_, i) => !places.includes(i));
    if (surplus.length > 0) problems.push(`unknown or repeated: ${surplus.map(show).join(', ')}`);
  }
  if (problems.length > 0)
    throw new ImportError([
      `${file}:${line}: ${problems.join('; ')}; ${expected(columns)}`,
      'nothing was stored',
    ]);
  return places;
}

function expected(columns: readonly Column[]): string {
  const names = columns.map((column) => (column.optional ? `[${column.names[0]}]` : column.names.join('|')));
  return `the columns are ${names.join(',')}, comma-separated`;
}

import type { Stage } from '../db/data/staging.ts';
import { type CsvFaultList, ReadingStopped, show } from './faults.ts';
import type { CsvRow } from './parser.ts';
import { COLUMNS, type Column } from './tables.ts';

/** A CSV text: the table that its rows belong to, and its faults. */
export type CsvSource = { stage: Stage; faults: CsvFaultList };

/** The cells of a row in the order of its table's columns. */
export type RowValues = (string | number | null)[];

/** Checks the rows of a text one by one against the columns of their table. */
export type RowReader = {
  /**
   * @returns the values of a row; undefined for the header, a row without any value, and a row with a fault, which is
   * then in the list
   * @throws ReadingStopped if the header does not fit, or if the list of faults is full
   */
  read(row: CsvRow): RowValues | undefined;
  /** Call it after the last row: a text without rows has a fault. */
  end(): void;
};

/** @param onRow called for every row but the header */
export function createRowReader({ stage, faults }: CsvSource, onRow: () => void = () => {}): RowReader {
  const columns = COLUMNS[stage];
  let header: Header | undefined;
  return {
    read({ line, cells, delimiter }) {
      // Spreadsheets write rows that were emptied as separators alone.
      if (cells.every((cell) => cell === '')) return undefined;
      if (header === undefined) {
        const found = readHeader(cells, columns, (message) => faults.add(line, message));
        header = { ...found, separator: SEPARATORS[delimiter] };
        return undefined;
      }
      onRow();
      const values = readRow(cells, header, (message) => faults.add(line, message));
      if (faults.isFull) throw new ReadingStopped();
      return values;
    },
    end() {
      if (header === undefined) faults.add(null, `is empty; ${expected(columns)}`);
    },
  };
}

/** The columns of the table with the position of each in the text, −1 if an optional column is missing. */
type Header = {
  columns: readonly { column: Column; name: string; place: number }[];
  width: number;
  /** The separator in words. Between semicolons numbers may have a decimal comma. */
  separator: string;
};
const SEPARATORS: Record<CsvRow['delimiter'], string> = { ',': 'a comma', ';': 'a semicolon', '\t': 'a tab' };
const DECIMAL_COMMA = /^[+-]?\d+,\d+$/;

function readRow(
  cells: readonly string[],
  { columns, width, separator }: Header,
  onFault: (message: string) => void,
): RowValues | undefined {
  if (cells.length !== width) {
    const found = `has ${cells.length} ${cells.length === 1 ? 'value' : 'values'}; the header has ${width} columns`;
    onFault(cells.length > width ? `${found}; put a value that contains ${separator} in quotes` : found);
    return undefined;
  }
  const hasDecimalComma = separator === SEPARATORS[';'];
  const values: RowValues = [];
  let isGood = true;
  for (const { column, name, place } of columns) {
    let text = cells[place] ?? '';
    if (hasDecimalComma && column.isDecimal && DECIMAL_COMMA.test(text)) text = text.replace(',', '.');
    if (text === '' && column.optional) {
      values.push(column.optional.default);
      continue;
    }
    const cell = text === '' ? { fault: 'is empty; a value is required' } : column.read(text);
    if ('fault' in cell) {
      onFault(`${name} ${cell.fault}`);
      isGood = false;
    } else values.push(cell.value as string | number);
  }
  return isGood ? values : undefined;
}

function readHeader(
  header: string[],
  columns: readonly Column[],
  onFault: (message: string) => void,
): Omit<Header, 'separator'> {
  const names = header.map((name) => name.toLowerCase().replace(/[\s-]+/g, '_'));
  const places = columns.map((column) => names.findIndex((name) => column.names.includes(name)));
  const missing = columns.filter((column, i) => places[i] < 0 && !column.optional);
  const problems: string[] = [];
  if (missing.length > 0) {
    const lacking = missing.map((column) => column.names.join(' or ')).join(', ');
    problems.push(
      `${missing.length === 1 ? 'column' : 'columns'} ${lacking} missing; the header is ${show(header.join(','))}`,
    );
  } else {
    // A misspelt optional column must not be ignored silently. Of two columns with the same meaning one would be
    // ignored.
    const surplus = header.filter((_, i) => !places.includes(i));
    if (surplus.length > 0)
      problems.push(`unknown or repeated: ${surplus.map(show).join(', ')}; rename or remove it`);
  }
  if (problems.length > 0) {
    onFault(`${problems.join('; ')}; ${expected(columns)}`);
    throw new ReadingStopped();
  }
  return {
    // Faults use the column names of this text.
    columns: columns.map((column, i) => ({ column, name: header[places[i]] ?? '', place: places[i] })),
    width: header.length,
  };
}

function expected(columns: readonly Column[]): string {
  return `the columns are ${describeColumns(columns)}, separated by commas or semicolons`;
}

/**
 * `location_id,hour_utc_iso|hour,[status]`: a bar between names of the same column, brackets around optional columns.
 */
export function describeColumns(columns: readonly Column[]): string {
  return columns
    .map((column) => (column.optional ? `[${column.names[0]}]` : column.names.join('|')))
    .join(',');
}

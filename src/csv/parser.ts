import { CsvError, parse } from 'csv-parse';

/** A row of CSV with the line on which it ends. A row is one line unless a quoted value contains a line break. */
export type CsvRow = { line: number; cells: string[] };

/** Longest row. A file that is not CSV fails soon instead of filling memory. */
const MAX_ROW_CHARACTERS = 10_000;

/**
 * A stream from bytes to `CsvRow`s, the header first. It reads UTF-8 with or without a byte order mark; commas and
 * quotes as in RFC 4180; it skips empty lines.
 */
export function createCsvParser() {
  return parse({
    bom: true,
    trim: true,
    skip_empty_lines: true,
    // The row reader reports rows that are too short or too long, with the number of cells they need.
    relax_column_count: true,
    max_record_size: MAX_ROW_CHARACTERS,
    on_record: (cells: string[], { lines }) => ({ line: lines, cells }) as unknown as string[],
  });
}

/** The fault of the text behind an error of the parser; undefined for any other error. */
export function describeCsvError(error: unknown): { line: number | null; message: string } | undefined {
  if (!(error instanceof CsvError)) return undefined;
  const { lines = null } = error as unknown as { lines?: number };
  return { line: lines, message: error.message };
}

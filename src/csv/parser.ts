import { CsvError, parse } from 'csv-parse';

/** A row of CSV with the line it ends on (it is the only one, unless a quoted value holds a line break). */
export type CsvRow = { line: number; cells: string[] };

/** Longest row: what is not CSV at all fails soon instead of filling memory. */
const MAX_ROW_CHARACTERS = 10_000;

/**
 * A stream from bytes to `CsvRow`s, the header first. UTF-8, with or without byte order mark; comma, quotes as in
 * RFC 4180; empty lines are left out.
 */
export function createCsvParser() {
  return parse({
    bom: true,
    trim: true,
    skip_empty_lines: true,
    // Rows that are too short or too long are reported with what they ought to have.
    relax_column_count: true,
    max_record_size: MAX_ROW_CHARACTERS,
    on_record: (cells: string[], { lines }) => ({ line: lines, cells }) as unknown as string[],
  });
}

/** What the parser's own error says of the text; undefined for any other error. */
export function describeCsvError(error: unknown): { line: number | null; message: string } | undefined {
  if (!(error instanceof CsvError)) return undefined;
  const { lines = null } = error as unknown as { lines?: number };
  return { line: lines, message: error.message };
}

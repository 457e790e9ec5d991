import { Transform, type TransformCallback } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';

/** Separators of values. Spreadsheets write semicolons where numbers have a decimal comma. */
const DELIMITERS = [',', ';', '\t'] as const;
type Delimiter = (typeof DELIMITERS)[number];

/** A row of CSV with the line on which it ends. A row is one line unless a quoted value contains a line break. */
export type CsvRow = { line: number; cells: string[]; delimiter: Delimiter };

/** Longest row. A file that is not CSV fails soon instead of filling memory. */
const MAX_ROW_CHARACTERS = 10_000;

/**
 * A stream from bytes to `CsvRow`s, the header first. It reads UTF-8 with or without a byte order mark; quotes as in
 * RFC 4180; commas, semicolons or tabs, whichever the header has most of; it skips empty lines.
 */
export function createCsvParser(): Transform {
  return new CsvParser();
}

/** Keeps what comes before the end of the header, which tells what separates values; csv-parse does the rest. */
class CsvParser extends Transform {
  #start: Buffer = Buffer.alloc(0);
  #parser: Parser | undefined;

  constructor() {
    super({ readableObjectMode: true });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#parser) {
      write(this.#parser, chunk, done);
      return;
    }
    this.#start = Buffer.concat([this.#start, chunk]);
    if (!hasLine(this.#start) && this.#start.length < MAX_ROW_CHARACTERS) {
      done();
      return;
    }
    const other = otherThanCsv(this.#start);
    if (other === undefined) write(this.#open(), this.#start, done);
    else done(new NotCsv(other));
  }

  override _flush(done: TransformCallback): void {
    const rest = this.#parser ? undefined : this.#start;
    const other = rest && otherThanCsv(rest);
    if (other !== undefined) {
      done(new NotCsv(other));
      return;
    }
    const parser = this.#parser ?? this.#open();
    parser.once('end', () => done());
    parser.end(rest);
  }

  #open(): Parser {
    const parser = parserOf(this.#start);
    parser.on('data', (row: CsvRow) => this.push(row));
    parser.once('error', (error) => this.destroy(error));
    this.#parser = parser;
    return parser;
  }
}

/** An error is the parser's event, too, and ends the stream. */
function write(parser: Parser, chunk: Buffer, done: TransformCallback): void {
  parser.write(chunk, (error) => {
    if (!error) done();
  });
}

/** @param start of the text, with its first line */
function parserOf(start: Buffer): Parser {
  const stated = statedDelimiter(start);
  const delimiter = stated ?? delimiterOf(start);
  return parse({
    delimiter,
    ...(stated !== undefined && { from_line: 2 }),
    bom: true,
    trim: true,
    skip_empty_lines: true,
    // The row reader reports rows that are too short or too long, with the number of cells they need.
    relax_column_count: true,
    max_record_size: MAX_ROW_CHARACTERS,
    on_record: (cells: string[], { lines }) => ({ line: lines, cells, delimiter }) as unknown as string[],
  });
}

/** Whether a line with text has ended. O(bytes): one expression for both would search from each of them. */
function hasLine(bytes: Buffer): boolean {
  return /[\n\r]/.test(bytes.toString().trimStart());
}

/** The one that the first line states, as Excel reads it and writes it: `sep=;`. */
function statedDelimiter(bytes: Buffer): Delimiter | undefined {
  const [, stated] =
    /^[\uFEFF\uFFFD]*"?sep=([,;\t])"?\r?\n/i.exec(bytes.toString().replaceAll('\0', '')) ?? [];
  return stated as Delimiter | undefined;
}

/** The one that the first line with text has most of; a comma if it has none. */
function delimiterOf(bytes: Buffer): Delimiter {
  const [line = ''] = bytes
    .toString()
    .trim()
    .split(/[\n\r]/, 1);
  const count = (delimiter: Delimiter) => line.split(delimiter).length;
  return DELIMITERS.reduce((most, one) => (count(one) > count(most) ? one : most));
}

/** Bytes that begin as something else than CSV. */
class NotCsv extends Error {}

/** The kind of a file that begins in no way a header does, and what to do; undefined if it may be CSV. */
function otherThanCsv(bytes: Buffer): string | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    return 'is packed with gzip; send it with Content-Encoding: gzip';
  const text = bytes.toString();
  if (text.startsWith('PK\u0003\u0004')) return 'is a spreadsheet or a zip archive, not text; save it as CSV';
  if (/^\uFEFF?\s*[[{]/.test(text)) return 'is JSON, not CSV; send it with Content-Type: application/json';
  return undefined;
}

/** Faults of quotes and lengths, by the code of csv-parse. */
const FAULTS: Record<string, string> = {
  INVALID_OPENING_QUOTE:
    'a quote stands inside a value that does not begin with one; put the value in quotes, and double those inside: "6"" pipe"',
  CSV_INVALID_CLOSING_QUOTE:
    'a value goes on after its closing quote; double the quotes inside a value: "the ""new"" pier"',
  CSV_QUOTE_NOT_CLOSED: 'the text ends inside a value in quotes; close its quote',
  CSV_MAX_RECORD_SIZE: `the row has more than ${MAX_ROW_CHARACTERS} characters; look for a quote that is not closed`,
};

/** The fault of the text behind an error of the parser; undefined for any other error. */
export function describeCsvError(error: unknown): { line: number | null; message: string } | undefined {
  if (error instanceof NotCsv) return { line: null, message: error.message };
  if (!(error instanceof CsvError)) return undefined;
  const { lines = null } = error as unknown as { lines?: number };
  return { line: lines, message: FAULTS[error.code] ?? error.message };
}

import { copyLine } from '../db/data/staging.ts';
import type { CsvRow } from './parser.ts';
import { type CsvSource, createRowReader } from './row-reader.ts';

/** Characters of COPY text per chunk. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Checks rows against the columns of their table and turns them into COPY text for its stage. Rows with a fault are
 * left out; `throwFaults` fails later, when as many faults as possible are known.
 * @param onRow called for every row
 * @throws ReadingStopped if the header does not fit, or if the list of faults is full
 */
export async function* copyRows(
  rows: AsyncIterable<CsvRow>,
  source: CsvSource,
  onRow?: () => void,
): AsyncGenerator<string> {
  const reader = createRowReader(source, onRow);
  let chunk = '';
  for await (const row of rows) {
    const values = reader.read(row);
    if (values) chunk += copyLine(row.line, values);
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield chunk;
      chunk = '';
    }
  }
  reader.end();
  if (chunk) yield chunk;
}

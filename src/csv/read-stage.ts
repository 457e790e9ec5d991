import type { PipelineSource, PipelineTransform } from 'node:stream';
import type pg from 'pg';
import { fillStage } from '../db/data/staging.ts';
import { copyRows } from './copy-rows.ts';
import { ReadingStopped } from './faults.ts';
import { type CsvRow, describeCsvError } from './parser.ts';
import type { CsvSource } from './row-reader.ts';

/** The source of a text's bytes, and the steps that turn them into `CsvRow`s. */
// biome-ignore lint/suspicious/noExplicitAny: each step takes what the one before gives
export type CsvStreams = [PipelineSource<any>, ...PipelineTransform<any, any>[]];

/**
 * Copies a text into its stage. Its faults go into its list. The transaction continues, so the other texts of a call
 * are checked too. A text that could not be read to its end leaves its stage empty.
 * @param open opens the text
 * @param describeError the fault of the text behind an error of `open` or of its streams; undefined if the text is not
 * to blame
 * @param onRow called for every row
 */
export async function readStage(
  client: pg.PoolClient,
  source: CsvSource,
  open: () => CsvStreams | Promise<CsvStreams>,
  describeError: (error: unknown) => string | undefined = () => undefined,
  onRow?: () => void,
): Promise<void> {
  await client.query('savepoint reading');
  try {
    const toCopyText = (rows: AsyncIterable<CsvRow>) => copyRows(rows, source, onRow);
    await fillStage(client, source.stage, ...(await open()), toCopyText);
  } catch (error) {
    if (!(error instanceof ReadingStopped)) {
      const message = describeError(error);
      const found = message === undefined ? describeCsvError(error) : { line: null, message };
      if (found === undefined) throw error;
      source.faults.add(found.line, found.message);
    }
    await client.query('rollback to savepoint reading');
  }
}

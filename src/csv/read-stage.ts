import type { PipelineSource, PipelineTransform } from 'node:stream';
import type pg from 'pg';
import { fillStage } from '../db/staging.ts';
import { copyRows } from './copy-rows.ts';
import { ReadingStopped } from './faults.ts';
import { type CsvRow, describeCsvError } from './parser.ts';
import type { CsvSource } from './row-reader.ts';

/** A text on its way: where it begins, and the steps that make `CsvRow`s of it. */
// biome-ignore lint/suspicious/noExplicitAny: each step takes what the one before gives
export type CsvStreams = [PipelineSource<any>, ...PipelineTransform<any, any>[]];

/**
 * Copies a text into its stage. What is wrong with it goes into its list of faults, and the transaction goes on, so
 * that the other texts of a call are looked at too; a text that could not be read to its end leaves its stage empty.
 * @param open opens the text
 * @param describeError what an error of `open` or of its streams says of the text, where the text is to blame
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

import { setImmediate } from 'node:timers/promises';
import { MAX_REPORTED_ERRORS } from '../contracts/errors.ts';
import { checkStages } from '../csv/check-stages.ts';
import { copyRows } from '../csv/copy-rows.ts';
import { CsvFaults, FaultList } from '../csv/faults.ts';
import { type CsvRow, createCsvParser, describeCsvError } from '../csv/parser.ts';
import { inTransaction } from '../db/client.ts';
import { createStages, fillStage, type Stage, storeStages } from '../db/staging.ts';
import type { Counts } from '../db/upsert.ts';
import { AppError } from '../errors.ts';
import type { Deps } from './app.ts';
import type { CsvBody } from './bodies.ts';

/**
 * Stores the rows of a CSV body as the import command stores those of a file: checked row by row on their way into
 * PostgreSQL, all or nothing.
 * @throws AppError VALIDATION_ERROR with every fault and its line, at most 100
 */
export async function storeCsv(pool: Deps['database']['pool'], stage: Stage, body: CsvBody): Promise<Counts> {
  const faults = new FaultList(MAX_REPORTED_ERRORS);
  const source = { stage, order: 0 };
  try {
    return await inTransaction(pool, async (client) => {
      await createStages(client);
      const toCopyText = (rows: AsyncIterable<CsvRow>) => copyRows(rows, source, faults);
      await fillStage(client, stage, taken(body), createCsvParser(), toCopyText);
      await checkStages(client, [source], faults, 'PUT /api/v1/data/locations stores it');
      faults.throwIfAny();
      const { [stage]: counts } = await storeStages(client, [stage]);
      return counts!;
    });
  } catch (error) {
    const found = error instanceof CsvFaults ? error : describeCsvError(error, 0);
    throw found ? refusal(found) : error;
  }
}

/** The chunks one by one; other requests get their turn in between. */
async function* taken(body: CsvBody) {
  for (const chunk of body) {
    yield chunk;
    await setImmediate();
  }
}

function refusal({ faults }: CsvFaults): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    faults.map(({ line, message }) => ({
      field: line === null ? null : `line ${line}`,
      message: line === null ? `the body ${message}` : message,
    })),
  );
}

import { setImmediate } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import { AppError } from '../../answers/errors.ts';
import type { UpsertCounts } from '../../contracts/data.ts';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import { checkStages } from '../../csv/check-stages.ts';
import { CsvFaultList, CsvFaults } from '../../csv/faults.ts';
import { createCsvParser } from '../../csv/parser.ts';
import { readStage } from '../../csv/read-stage.ts';
import { inTransaction } from '../../db/client.ts';
import { createStages, type Stage, stagedKeys, storeStages } from '../../db/data/staging.ts';
import * as schema from '../../db/schema.ts';
import type { Deps } from '../deps.ts';
import type { CsvBody } from './csv-body.ts';
import { type Replace, removeOthers } from './removal.ts';

/**
 * Stores the rows of a CSV body in the way of the import command: each row is checked on its way into PostgreSQL, and
 * all rows are stored or none.
 * @param replace how to delete rows that the body does not name; never for demand
 * @throws AppError VALIDATION_ERROR with every fault and its line, at most 100; CONFLICT as `removeOthers`
 */
export async function storeCsv(
  pool: Deps['database']['pool'],
  stage: Stage,
  body: CsvBody,
  replace: Replace | null,
): Promise<UpsertCounts> {
  const source = { stage, faults: new CsvFaultList(MAX_REPORTED_ERRORS) };
  try {
    return await inTransaction(pool, async (client) => {
      await createStages(client);
      await readStage(client, source, () => [taken(body), createCsvParser()]);
      await checkStages(client, [source], 'PUT /api/v1/data/locations stores it');
      const removed =
        replace && stage !== 'demand'
          ? await removeOthers(drizzle(client, { schema }), stage, stagedKeys(stage), replace)
          : undefined;
      const { [stage]: counts } = await storeStages(client, [stage]);
      return { ...counts!, ...(removed && { removed }) };
    });
  } catch (error) {
    throw error instanceof CsvFaults ? refusal(error) : error;
  }
}

/** The chunks one by one, so that other requests are served in between. */
async function* taken(body: CsvBody) {
  for await (const chunk of body.read()) {
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

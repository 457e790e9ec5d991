import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  analyzeStage,
  copyIntoStage,
  createStages,
  findStagedDuplicates,
  findStagedUnknownLocations,
  type Stage,
  storeStage,
} from '../db/staging.ts';
import type { Counts } from '../db/upsert.ts';
import { type CsvRow, describeFileError, fileSize, openCsv } from './csv-file.ts';
import { FaultList, MAX_IMPORT_FAULTS } from './faults.ts';
import { stageRows } from './stage-rows.ts';
import { describeKey } from './tables.ts';

/** Files to import, CSV or CSV.gz. */
export type ImportFiles = Partial<Record<Stage, string>>;
/** What an import did, per kind of file that was given. */
export type ImportResult = Partial<Record<Stage, Counts>>;

/** Where an import stands. `rows` are those of the stage so far; bytes are those of all files, packed or not. */
export type ImportProgress =
  | { phase: 'reading'; stage: Stage; rows: number; bytes: number; totalBytes: number }
  | { phase: 'storing'; stage: Stage };
export type ImportOptions = { onProgress?: (progress: ImportProgress) => void };

/** Locations come first: the others refer to them. */
const ORDER: readonly Stage[] = ['locations', 'fleet', 'demand'];
const ROWS_PER_REPORT = 5000;

/**
 * Imports files in one transaction: all of them or nothing. What is stored already and comes again is replaced;
 * nothing is deleted.
 * @throws ImportError with one line per fault
 */
export async function importFiles(
  pool: pg.Pool,
  files: ImportFiles,
  options: ImportOptions = {},
): Promise<ImportResult> {
  return inTransaction(pool, async (client) => {
    await stageFiles(client, files, options);
    const stages = ORDER.filter((stage) => files[stage] !== undefined);
    return storeStages(client, stages, options);
  });
}

/**
 * Copies files into the stages of the transaction and checks them there.
 * @throws ImportError
 */
export async function stageFiles(
  client: pg.PoolClient,
  files: ImportFiles,
  { onProgress }: ImportOptions,
): Promise<void> {
  const given = ORDER.flatMap((stage, order) => {
    const file = files[stage];
    return file === undefined ? [] : [{ stage, file, order }];
  });
  const sizes = await Promise.all(given.map(({ file }) => fileSize(file)));
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  const faults = new FaultList();
  let bytes = 0;
  await createStages(client);
  for (const source of given) {
    let rows = 0;
    const report = () => onProgress?.({ phase: 'reading', stage: source.stage, rows, bytes, totalBytes });
    const [file, ...decoders] = await openCsv(source.file, (read) => {
      bytes += read;
    });
    const toCopyText = (csv: AsyncIterable<CsvRow>) =>
      stageRows(csv, source, faults, () => {
        rows++;
        if (rows % ROWS_PER_REPORT === 0) report();
      });
    try {
      const copy = client.query(copyFrom(copyIntoStage(source.stage)));
      await pipeline([file, ...decoders, toCopyText, copy]);
    } catch (error) {
      throw describeFileError(source.file, error) ?? error;
    }
    report();
    await analyzeStage(client, source.stage);
  }
  await checkStages(client, given, faults);
  faults.throwIfAny();
}

/** Finds what lies between rows: keys that come twice, locations that do not exist. */
async function checkStages(
  client: pg.PoolClient,
  given: readonly { stage: Stage; file: string; order: number }[],
  faults: FaultList,
): Promise<void> {
  // A location that is missing because its own row has a fault is not reported again.
  const areLocationsWhole = faults.size === 0;
  for (const { stage, file, order } of given) {
    for (const { line, first, key } of await findStagedDuplicates(client, stage, MAX_IMPORT_FAULTS)) {
      const message = `${describeKey(stage, key)} stands at line ${first} already; give each once`;
      faults.add(order, file, line, message);
    }
    if (stage === 'locations' || !areLocationsWhole) continue;
    for (const { id, line, rows } of await findStagedUnknownLocations(client, stage, MAX_IMPORT_FAULTS)) {
      const message = `location_id ${id} is not a stored location (${rows} ${rows === 1 ? 'row names' : 'rows name'} it); import it with --locations`;
      faults.add(order, file, line, message);
    }
  }
}

/** Moves the staged rows into their tables. */
export async function storeStages(
  client: pg.PoolClient,
  stages: readonly Stage[],
  { onProgress }: ImportOptions,
): Promise<ImportResult> {
  const result: ImportResult = {};
  for (const stage of stages) {
    onProgress?.({ phase: 'storing', stage });
    result[stage] = await storeStage(client, stage);
  }
  return result;
}

/** Runs `work` in a transaction on a connection of its own. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The query that runs is told as well; without a listener a lost connection would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that cannot even roll back is not given back to the pool.
    await client.query('rollback').catch(onError);
    throw error;
  } finally {
    client.removeListener('error', onError);
    client.release(broken);
  }
}

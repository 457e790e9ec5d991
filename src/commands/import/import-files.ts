import type pg from 'pg';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import { checkStages } from '../../csv/check-stages.ts';
import { CsvFaultList, CsvFaults } from '../../csv/faults.ts';
import { readStage } from '../../csv/read-stage.ts';
import { inTransaction } from '../../db/client.ts';
import { createStages, type Stage, storeStages } from '../../db/data/staging.ts';
import type { Counts } from '../../db/data/upsert.ts';
import { describeFileError, fileSize, openCsv } from './csv-file.ts';
import { describeFaults } from './faults.ts';

/** Files to import, CSV or CSV.gz. */
export type ImportFiles = Partial<Record<Stage, string>>;
/** The result of an import, per kind of file that was given. */
export type ImportResult = Partial<Record<Stage, Counts>>;

/** Progress of an import. `rows` counts the current stage; bytes count all files, as they are on disk. */
export type ImportProgress =
  | { phase: 'reading'; stage: Stage; rows: number; bytes: number; totalBytes: number }
  | { phase: 'storing'; stage: Stage };
export type ImportOptions = { onProgress?: (progress: ImportProgress) => void };

/** Locations come first: the others refer to them. */
const ORDER: readonly Stage[] = ['locations', 'fleet', 'demand', 'events', 'travel', 'trip_flows'];
const ROWS_PER_REPORT = 5000;

/**
 * Imports files in one transaction: all of them or nothing. Rows that are already stored are replaced; nothing is
 * deleted.
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
    return storeStages(client, stages, (stage) => options.onProgress?.({ phase: 'storing', stage }));
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
  try {
    await fillStages(client, given, onProgress);
  } catch (error) {
    throw error instanceof CsvFaults
      ? describeFaults(
          error,
          ORDER.map((stage) => files[stage]),
        )
      : error;
  }
}

async function fillStages(
  client: pg.PoolClient,
  given: readonly { stage: Stage; file: string; order: number }[],
  onProgress: ImportOptions['onProgress'],
): Promise<void> {
  const sources = given.map((one) => ({ ...one, faults: new CsvFaultList(MAX_REPORTED_ERRORS, one.order) }));
  const sizes = await Promise.all(sources.map(({ file }) => fileSize(file).catch(() => 0)));
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  let bytes = 0;
  await createStages(client);
  for (const source of sources) {
    let rows = 0;
    const report = () => onProgress?.({ phase: 'reading', stage: source.stage, rows, bytes, totalBytes });
    const open = () =>
      openCsv(source.file, (read) => {
        bytes += read;
      });
    await readStage(client, source, open, describeFileError, () => {
      rows++;
      if (rows % ROWS_PER_REPORT === 0) report();
    });
    if (rows > 0 || source.faults.size === 0) report();
  }
  await checkStages(client, sources, 'import it with --locations');
}

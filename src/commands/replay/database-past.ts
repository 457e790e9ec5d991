/** The stored data of a database as the past of a replay, read as the service reads them. */
import { AppError } from '../../answers/errors.ts';
import { ConfigError, loadConfig } from '../../config.ts';
import type { ReplayRequest } from '../../contracts/replays.ts';
import { type PreparedReplay, prepareReplay } from '../../core/replay/stored-replay.ts';
import { inSnapshot, openDatabase } from '../../db/client.ts';
import { assertMigrated } from '../../db/migrate.ts';
import { openTrips } from '../../db/travel/packed-trips.ts';
import { readTravelBetween } from '../../db/travel/travel.ts';
import { openConfiguredHolidays } from '../../inputs/holidays.ts';
import { readStoredReplay } from '../../inputs/stored-replay.ts';
import { describeStartError } from '../../process/lifecycle.ts';
import { CommandError } from '../command-line.ts';

/**
 * Without stored travel, moves take the great circle.
 * @throws CommandError where the database or its data cannot be used
 */
export async function readDatabasePast(request: ReplayRequest): Promise<PreparedReplay> {
  try {
    return await readPast(request);
  } catch (error) {
    const lines = error instanceof AppError ? error.faults.map(faultLine) : describeStartError(error);
    throw new CommandError(lines.join('\n'), 1);
  }
}

async function readPast(request: ReplayRequest): Promise<PreparedReplay> {
  const config = loadConfig();
  const { DATABASE_URL } = config;
  if (!DATABASE_URL)
    throw new ConfigError(['DATABASE_URL is not set; set it to the database whose data are to be replayed']);
  const calendar = await openConfiguredHolidays(config);
  const { db, pool, close } = openDatabase(DATABASE_URL, { poolSize: 1, onError: () => {} });
  try {
    await assertMigrated(pool);
    return await inSnapshot(db, async (tx) => {
      const { stored, trips } = await readStoredReplay(tx, config, calendar, request);
      const travel = await readTravelBetween(
        tx,
        stored.points.map(({ id }) => id),
      );
      return prepareReplay(stored, travel.size > 0 ? travel : null, trips && openTrips(trips));
    });
  } finally {
    await close();
  }
}

function faultLine({ field, message }: AppError['faults'][number]): string {
  return field ? `${field}: ${message}` : message;
}

import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { inTransaction } from '../../db/client.ts';
import { hadLocations } from '../../db/locations.ts';
import {
  copyLine,
  fillStage,
  readStagedMeanDemand,
  setStagedTimeZone,
  storeStages,
} from '../../db/staging.ts';
import { type ImportOptions, type ImportResult, stageFiles } from './import-files.ts';
import { generateFleet } from './sample-fleet.ts';

const sampleFile = (name: string) => fileURLToPath(new URL(`../../../data/nyc/${name}`, import.meta.url));

/** The stamps of the sample are UTC; its days are New York's. */
const TIME_ZONE = 'America/New_York';

/**
 * Loads the sample, all or nothing: 73 taxi zones of New York, their hourly demand from January to April 2017
 * (data/nyc/README.md) and a generated fleet.
 *
 * Unit: demand is taxi **pickups per hour**; a vehicle's capacity is in vehicles. The city has about 11,500 pickups an
 * hour on average and hundreds an hour in its busiest zones, far more than 600 vehicles serve: whoever plans with both
 * takes a share of the demand (as `npm start` does for its first plan), or divides it by the trips a vehicle makes.
 */
export async function importSample(pool: pg.Pool, options: ImportOptions = {}): Promise<ImportResult> {
  return inTransaction(pool, async (client) => {
    const files = { locations: sampleFile('locations.csv'), demand: sampleFile('demand_hourly.csv.gz') };
    await stageFiles(client, files, options);
    await setStagedTimeZone(client, TIME_ZONE);
    await stageFleet(client);
    return storeStages(client, ['locations', 'fleet', 'demand'], (stage) =>
      options.onProgress?.({ phase: 'storing', stage }),
    );
  });
}

/** Whether nothing was ever put into the database. Where all was deleted, the sample is not wanted back. */
export async function isEmpty(pool: pg.Pool): Promise<boolean> {
  return !(await hadLocations(pool));
}

async function stageFleet(client: pg.PoolClient): Promise<void> {
  const fleet = generateFleet(await readStagedMeanDemand(client));
  const lines = fleet.map((vehicle, i) =>
    copyLine(i + 1, [
      ...[vehicle.vehicle_id, vehicle.location_id, vehicle.status, vehicle.capacity],
      // Nothing is known of its age, maintenance and use.
      ...[null, null, null],
    ]),
  );
  await fillStage(client, 'fleet', lines);
}

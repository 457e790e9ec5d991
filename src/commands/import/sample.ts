import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { CsvRow } from '../../csv/parser.ts';
import { inTransaction } from '../../db/client.ts';
import { hadLocations } from '../../db/data/locations.ts';
import {
  copyLine,
  fillStage,
  readStagedMeanDemand,
  type Stage,
  setStagedTimeZone,
  storeStages,
} from '../../db/data/staging.ts';
import { openCsv } from './csv-file.ts';
import { type ImportOptions, type ImportResult, stageFiles } from './import-files.ts';
import { generateFleet } from './sample-fleet.ts';

const sampleFile = (name: string) => fileURLToPath(new URL(`../../../data/nyc/${name}`, import.meta.url));

/** The sample has UTC times; its local days are New York's. */
const TIME_ZONE = 'America/New_York';

const METRES_PER_MILE = 1609.344;

/**
 * Loads the sample, all or nothing: 73 taxi zones of New York, their hourly demand from January to April 2017,
 * taxi travel between them and the trips of 2017 (data/nyc/README.md), and a generated fleet.
 *
 * Unit: demand is taxi **pickups per hour**; a vehicle's capacity is in vehicles. The city has about 11,500 pickups an
 * hour on average, and its busiest zones have hundreds: far more than 600 vehicles can serve. So a plan with both must
 * take a share of the demand (as the first plan of `npm start` does), or divide it by the trips that a vehicle makes.
 */
export async function importSample(pool: pg.Pool, options: ImportOptions = {}): Promise<ImportResult> {
  return inTransaction(pool, async (client) => {
    const files = { locations: sampleFile('locations.csv'), demand: sampleFile('demand_hourly.csv.gz') };
    await stageFiles(client, files, options);
    await setStagedTimeZone(client, TIME_ZONE);
    await stageFleet(client);
    await stageTravel(client);
    return storeStages(client, ['locations', 'fleet', 'demand', 'travel', 'trip_flows'], (stage) =>
      options.onProgress?.({ phase: 'storing', stage }),
    );
  });
}

/** Whether the database never had any data. If all data were deleted, the sample must not come back. */
export async function isEmpty(pool: pg.Pool): Promise<boolean> {
  return !(await hadLocations(pool));
}

async function stageFleet(client: pg.PoolClient): Promise<void> {
  const fleet = generateFleet(await readStagedMeanDemand(client));
  const lines = fleet.map((vehicle, i) =>
    copyLine(i + 1, [
      ...[vehicle.vehicle_id, vehicle.location_id, vehicle.status, vehicle.capacity],
      // Age, maintenance and use are unknown; it is there.
      ...[null, null, null, null],
    ]),
  );
  await fillStage(client, 'fleet', lines);
}

/** Stages the observed travel between zones, whose lengths are in miles, rounded to metres; and its trips. */
async function stageTravel(client: pg.PoolClient): Promise<void> {
  await stagePairs(client, 'travel', (_trips, minutes, miles) => [
    Math.round(miles * METRES_PER_MILE) / 1000,
    minutes,
  ]);
  await stagePairs(client, 'trip_flows', (trips) => [trips, null]);
}

/** @param values the values of a row after its two locations */
async function stagePairs(
  client: pg.PoolClient,
  stage: Stage,
  values: (trips: number, minutes: number, miles: number) => (number | null)[],
): Promise<void> {
  const streams = await openCsv(sampleFile('zone_pairs_2017.csv.gz'), () => {});
  await fillStage(client, stage, ...streams, async function* (rows: AsyncIterable<CsvRow>) {
    for await (const { line, cells } of rows) {
      const [from, to, trips, minutes, miles] = cells.map(Number);
      if (line > 1) yield copyLine(line, [from, to, ...values(trips, minutes, miles)]);
    }
  });
}

import type pg from 'pg';
import {
  findStagedBackwardEvents,
  findStagedDuplicates,
  findStagedUnknownLocations,
  lockForStages,
} from '../db/data/staging.ts';
import { throwFaults } from './faults.ts';
import type { CsvSource } from './row-reader.ts';
import { describeKey } from './tables.ts';

/**
 * Finds the faults that no single row shows: duplicate keys, locations that do not exist, events that end before they
 * begin.
 * @param howToStoreLocations what to do about a missing location, in the terms of whoever reads the message
 * @throws CsvFaults with these faults and all that were found before
 */
export async function checkStages(
  client: pg.PoolClient,
  sources: readonly CsvSource[],
  howToStoreLocations: string,
): Promise<void> {
  await lockForStages(
    client,
    sources.map(({ stage }) => stage),
  );
  // A location that is missing because its own row has a fault is not reported again.
  const areLocationsWhole = !sources.some(({ stage, faults }) => stage === 'locations' && faults.size > 0);
  for (const { stage, faults } of sources) {
    for (const { line, first, key } of await findStagedDuplicates(client, stage, faults.limit)) {
      const message = `${describeKey(stage, key)} is a duplicate of line ${first}; send each once`;
      faults.add(line, message);
    }
    if (stage === 'events') {
      for (const { line, from, to } of await findStagedBackwardEvents(client, faults.limit))
        faults.add(
          line,
          `to ${to.toISOString()} is not later than from (${from.toISOString()}); give a later time`,
        );
    }
    if (stage === 'locations' || !areLocationsWhole) continue;
    for (const { column, id, line, rows } of await findStagedUnknownLocations(client, stage, faults.limit)) {
      const naming = `${rows} ${rows === 1 ? 'row names' : 'rows name'} it`;
      const message = `${column} ${id} is not a stored location (${naming}); ${howToStoreLocations}`;
      faults.add(line, message);
    }
  }
  throwFaults(sources.map(({ faults }) => faults));
}

import type { OptimizeFacts } from '../src/contracts/job-facts.ts';
import type { TripCounts } from '../src/core/optimize/problem/model.ts';
import { readTimeZones } from '../src/db/locations.ts';
import { readTripCounts } from '../src/db/trip-flows.ts';
import type { JobRun } from './job-run.ts';

/** Where trips between the locations of a job ended; null if the job does not ask, or if no trips are stored. */
export async function tripCountsOf(
  run: JobRun,
  { tripFlows }: OptimizeFacts,
  locations: string | null,
): Promise<TripCounts | null> {
  if (!tripFlows) return null;
  const counts = await run.query(() => readTripCounts(run.deps.db, idsOf(locations)));
  return counts.trips.length > 0 ? counts : null;
}

/** The zone of the first location that has one, else that of the settings. */
export async function zoneOf(run: JobRun, locations: string | null): Promise<string> {
  const ids = idsOf(locations);
  const zones = await run.query(() => readTimeZones(run.deps.db, ids));
  return ids.map((id) => zones.get(id)).find((zone) => zone) ?? run.deps.config.FORECASTING_TIME_ZONE;
}

function idsOf(locations: string | null): number[] {
  return (JSON.parse(locations ?? '[]') as { id: number }[]).map(({ id }) => id);
}

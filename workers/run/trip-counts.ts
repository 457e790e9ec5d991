import type { OptimizeFacts } from '../../src/contracts/job-facts.ts';
import { holdJob } from '../../src/db/jobs/job-claims.ts';
import { readJobTrips, storeJobTrips } from '../../src/db/travel/trip-pieces.ts';
import { readTrips } from '../../src/inputs/trip-input.ts';
import type { JobRun } from './job-run.ts';

/**
 * The ends of trips between the locations of a plan, packed, the same at each attempt; null if it does not ask.
 * @param field the part of the request that makes them many
 */
export async function tripsOf(
  run: JobRun,
  { tripFlows, tripHours }: OptimizeFacts,
  locations: string | null,
  field: string | null,
): Promise<Uint8Array[] | null> {
  if (!tripFlows) return null;
  const { deps, job } = run;
  const { db } = deps;
  const kept = await run.query(() => readJobTrips(db, job.jobId));
  if (kept) return kept;
  const ids = (JSON.parse(locations ?? '[]') as { id: number }[]).map(({ id }) => id);
  const read = await run.query(() => readTrips(db, ids, tripHours ?? 'together', field));
  const isOurs = await run.query(() =>
    db.transaction(async (tx) => {
      if (!(await holdJob(tx, job))) return false;
      await storeJobTrips(tx, job.jobId, read);
      return true;
    }),
  );
  return isOurs ? read : run.lose();
}

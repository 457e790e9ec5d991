import type { TravelPacks } from '../../src/db/travel/packed-travel.ts';
import { takeTravel } from '../../src/db/travel/travel-packs.ts';
import type { JobRun } from './job-run.ts';

/** Packed travel between the locations of a job, the same at each attempt; null if the job needs none. */
export async function travelOf(
  run: JobRun,
  isStored: true | undefined,
  locations: string | null,
): Promise<TravelPacks | null> {
  if (!isStored) return null;
  const { db, travel } = run.deps;
  const ids = (JSON.parse(locations ?? '[]') as { id: number }[]).map(({ id }) => id);
  const keys = await run.query(() => takeTravel(db, run.job.jobId, ids));
  if (!keys) return run.lose();
  return travel.read(db, keys, run.query);
}

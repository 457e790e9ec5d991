/** The past of a replay as its first attempt read it: kept with the job, so that every attempt has the same. */
import type { ReplayRequest } from '../../src/contracts/replays.ts';
import type { StoredReplay } from '../../src/core/replay/stored-replay.ts';
import { inSnapshot } from '../../src/db/client.ts';
import { holdJob } from '../../src/db/jobs/job-claims.ts';
import { readReplayInputs, storeReplayInputs } from '../../src/db/plans/replay-inputs.ts';
import { readJobTrips, storeJobTrips } from '../../src/db/travel/trip-pieces.ts';
import { buffersOf } from '../../src/inputs/forecast-input.ts';
import { readStoredReplay } from '../../src/inputs/stored-replay.ts';
import type { JobRun } from './job-run.ts';
import { packReplay, REPLAY_FORM, unpackReplay } from './packed-replay.ts';

/** All but travel. */
export type ReplayInputs = {
  stored: StoredReplay;
  /** Packed (`openTrips`); null without. */
  trips: Uint8Array[] | null;
  /** Memory that may be moved to another thread. */
  transfer: ArrayBuffer[];
};

/**
 * Data that another version of the service kept in a form that this one does not know are read anew: the attempt
 * begins again anyway, so its figures are of one past.
 * @throws AppError as `readStoredReplay`
 */
export async function replayInputs(run: JobRun<'replay'>, request: ReplayRequest): Promise<ReplayInputs> {
  const { deps, job } = run;
  const { db, config, calendar } = deps;
  const kept = await run.query(() => readReplayInputs(db, job.jobId));
  if (kept?.version === REPLAY_FORM) {
    const pieces = (await run.query(() => readJobTrips(db, job.jobId))) ?? [];
    const stored = { request, ...(await unpackReplay(kept.inputs)) };
    return { stored, trips: pieces.length > 0 ? pieces : null, transfer: buffersOf(stored.series) };
  }
  if (kept) {
    const forms = { kept: kept.version, known: REPLAY_FORM };
    job.logger.warn(forms, 'inputs of a replay are of another version of the service: read anew');
  }
  const read = await run.query(() => inSnapshot(db, (tx) => readStoredReplay(tx, config, calendar, request)));
  const inputs = await packReplay(read.stored);
  const isOurs = await run.query(() =>
    db.transaction(async (tx) => {
      if (!(await holdJob(tx, job))) return false;
      await storeReplayInputs(tx, job.jobId, { version: REPLAY_FORM, inputs });
      await storeJobTrips(tx, job.jobId, read.trips ?? []);
      return true;
    }),
  );
  return isOurs ? { ...read, transfer: buffersOf(read.stored.series) } : run.lose();
}

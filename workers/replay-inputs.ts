/** The past of a replay as its first attempt read it: kept with the job, so that every attempt has the same. */
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { gunzip, gzip } from 'node:zlib';
import type { ReplayRequest } from '../src/contracts/replays.ts';
import type { StoredReplay } from '../src/core/replay/stored-replay.ts';
import { inSnapshot } from '../src/db/client.ts';
import { holdJob } from '../src/db/job-claims.ts';
import { readReplayInputs, storeReplayInputs } from '../src/db/replay-inputs.ts';
import { readJobTrips, storeJobTrips } from '../src/db/trip-pieces.ts';
import { buffersOf } from '../src/inputs/forecast-input.ts';
import { readStoredReplay } from '../src/inputs/stored-replay.ts';
import type { JobRun } from './job-run.ts';

/** All but travel. */
export type ReplayInputs = {
  stored: StoredReplay;
  /** Packed (`openTrips`); null without. */
  trips: Uint8Array[] | null;
  /** Memory that may be moved to another thread. */
  transfer: ArrayBuffer[];
};

/** @throws AppError as `readStoredReplay` */
export async function replayInputs(run: JobRun<'replay'>, request: ReplayRequest): Promise<ReplayInputs> {
  const { deps, job } = run;
  const { db, config, calendar } = deps;
  const kept = await run.query(() => readReplayInputs(db, job.jobId));
  if (kept) {
    const pieces = (await run.query(() => readJobTrips(db, job.jobId))) ?? [];
    const stored = { request, ...(await unpack(kept)) };
    return { stored, trips: pieces.length > 0 ? pieces : null, transfer: [] };
  }
  const read = await run.query(() => inSnapshot(db, (tx) => readStoredReplay(tx, config, calendar, request)));
  const packed = await pack(read.stored);
  const isOurs = await run.query(() =>
    db.transaction(async (tx) => {
      if (!(await holdJob(tx, job))) return false;
      await storeReplayInputs(tx, job.jobId, packed);
      await storeJobTrips(tx, job.jobId, read.trips ?? []);
      return true;
    }),
  );
  return isOurs ? { ...read, transfer: buffersOf(read.stored.series) } : run.lose();
}

/** Observations are small whole numbers, mostly: an eighth of their bytes is left. */
async function pack({ request: _, ...stored }: StoredReplay): Promise<Uint8Array> {
  return await promisify(gzip)(serialize(stored), { level: 1 });
}

/** Its arrays share memory, which cannot be moved. */
async function unpack(packed: Uint8Array): Promise<Omit<StoredReplay, 'request'>> {
  return deserialize(await promisify(gunzip)(packed));
}

import { takeTravel } from '../src/db/job-travel.ts';
import type { JobRun } from './job-run.ts';

/** Packed travel for a thread (`readTravel`), and its memory, to be moved there; null if the job needs none. */
export async function travelOf(
  run: JobRun,
  isStored: true | undefined,
  locations: string | null,
): Promise<{ travel: Uint8Array | null; transfer: ArrayBuffer[] }> {
  if (!isStored) return { travel: null, transfer: [] };
  const ids = (JSON.parse(locations ?? '[]') as { id: number }[]).map(({ id }) => id);
  const pieces = await run.query(() => takeTravel(run.deps.db, run.job.jobId, ids));
  const travel = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    travel.set(piece, at);
    at += piece.length;
  }
  return { travel, transfer: [travel.buffer] };
}

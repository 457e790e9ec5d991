import { type Envelope, FleetError, get, send } from './client.ts';
import type { Job, Replay, ReplayRequest, ReplaySummary } from './types.ts';

export type ReplayJob = Job & { result?: Partial<Envelope<Replay>> };

/** A replay by its id, which is that of its job: its result, or the job while or because it has none. */
type KnownReplay = { replay: Replay } | { job: ReplayJob };

const LISTED = 50;

/** @throws as `send` does, also if neither the replay nor its job is stored */
export async function readReplay(id: string, signal?: AbortSignal): Promise<KnownReplay> {
  const key = encodeURIComponent(id);
  try {
    const job = await get<ReplayJob>(`/api/v1/jobs/${key}`, signal);
    return job.result?.data ? { replay: job.result.data } : { job };
  } catch (error) {
    // Jobs may be deleted before their results.
    if (!(error instanceof FleetError) || error.status !== 404) throw error;
    return { replay: await get<Replay>(`/api/v1/replays/${key}`, signal) };
  }
}

/** The newest replays, without their series. */
export async function listReplays(signal?: AbortSignal): Promise<ReplaySummary[]> {
  return (await get<{ replays: ReplaySummary[] }>(`/api/v1/replays?limit=${LISTED}`, signal)).replays;
}

/** Begins a replay. @returns its id, before it has ended */
export async function startReplay(body: ReplayRequest): Promise<string> {
  const headers = { prefer: 'respond-async' };
  return (await send<{ job_id: string }>('POST', '/api/v1/replays', { body, headers })).data.job_id;
}

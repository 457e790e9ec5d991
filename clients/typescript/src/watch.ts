import { FleetConnectionError, FleetError } from './errors.ts';
import { pause } from './pause.ts';
import type { components } from './schema.ts';
import { type SocketClass, subscribe } from './subscription.ts';

/** A job as the service describes it; its `result` once it has ended. */
export type FleetJob = components['schemas']['Job'];

export type WatchOptions = {
  /** ends the watching, not the job */
  signal?: AbortSignal | undefined;
};

export type WatchDeps = {
  url: string;
  apiKey: string | undefined;
  /** without one the job is only read again and again */
  Socket: SocketClass | null;
  readJob(jobId: string, signal: AbortSignal | undefined): Promise<FleetJob>;
  /** how long the service may be away before the watching gives up */
  awaySeconds: number;
};

/** Pause before the job is read again and a socket is opened again; it doubles with each failure. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5000;
/** A socket that says nothing for so long may be dead, or the job does not move: the job is read. */
const SILENCE_MS = 15_000;

/**
 * The states of a job, from the present one to the final one. Progress comes over the WebSocket. Where that cannot be
 * opened or is cut, the job is read at least every five seconds, and each time a socket is tried again.
 * @throws FleetError if the job is unknown, FleetConnectionError if the service stays away, or the signal's reason
 */
export async function* watchJob(
  deps: WatchDeps,
  jobId: string,
  { signal }: WatchOptions = {},
): AsyncGenerator<FleetJob, void, undefined> {
  const read = openPatientReader(deps, jobId, signal);
  let job = await read();
  let wait = FIRST_PAUSE_MS;
  yield job;
  while (!hasEnded(job)) {
    const subscription = deps.Socket && subscribe(deps.Socket, deps.url, jobId, deps.apiKey);
    // The service says at once where a job stands; a proxy that lets no socket through may just hold it.
    let patience = MAX_PAUSE_MS;
    try {
      while (subscription) {
        const heard = await subscription.next(patience, signal);
        if (typeof heard !== 'object') break;
        patience = SILENCE_MS;
        wait = FIRST_PAUSE_MS;
        job = { ...job, ...heard.progress, ...(heard.progress.stage !== null && { status: 'running' }) };
        yield job;
      }
    } finally {
      subscription?.close();
    }
    const before = job;
    job = await read();
    if (hasEnded(job) || JSON.stringify(job) !== JSON.stringify(before)) yield job;
    if (hasEnded(job)) return;
    await pause(wait, signal);
    wait = Math.min(wait * 2, MAX_PAUSE_MS);
  }
}

/** Whether a job has its result and never changes again. */
export function hasEnded({ status }: Pick<FleetJob, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Reads a job; tries again while the service is away, for a limited time. */
function openPatientReader(deps: WatchDeps, jobId: string, signal: AbortSignal | undefined) {
  return async (): Promise<FleetJob> => {
    const until = Date.now() + deps.awaySeconds * 1000;
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
      try {
        return await deps.readJob(jobId, signal);
      } catch (error) {
        const isAway =
          error instanceof FleetConnectionError ||
          (error instanceof FleetError && (error.status === 503 || error.status === 429));
        if (!isAway || Date.now() + wait > until) throw error;
        await pause(wait, signal);
      }
    }
  };
}

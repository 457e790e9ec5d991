import { accept, type Envelope, FleetError, send } from './client.ts';
import { follow, type Progress } from './live.ts';

type Watching = { signal?: AbortSignal; onProgress?: (progress: Progress) => void };

/**
 * Sends a request that becomes a job, follows it and gives its answer. An abort cancels the job in the service, too.
 * @throws FleetError with the faults of the answer; the signal's reason
 */
export async function runJob<T>(path: string, body: unknown, watching: Watching = {}): Promise<Envelope<T>> {
  const { signal, onProgress } = watching;
  signal?.throwIfAborted();
  const { data } = await send<{ job_id: string }>('POST', path, {
    body,
    // Not `signal`: an abort must know the job that it cancels.
    headers: { prefer: 'respond-async' },
  });
  const jobId = data.job_id;
  return new Promise<Envelope<T>>((resolve, reject) => {
    const stop = follow(jobId, {
      onProgress: (progress) => onProgress?.(progress),
      onEnd(result) {
        signal?.removeEventListener('abort', cancel);
        try {
          resolve(accept(result as Envelope<T>));
        } catch (error) {
          reject(error);
        }
      },
      onFault: (message) =>
        reject(
          new FleetError({
            errors: [{ code: 'RESOURCE_NOT_FOUND', message, field: null, detail: null }],
          }),
        ),
    });
    const cancel = () => {
      stop();
      cancelJob(jobId).catch(() => {});
      reject(signal?.reason);
    };
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
  });
}

/** Cancels a job; one that has ended stays as it is. */
export async function cancelJob(jobId: string): Promise<void> {
  await send('DELETE', `/api/v1/jobs/${encodeURIComponent(jobId)}`);
}

import type { Database } from '../../src/db/client.ts';
import { type Attempt, findCancelRequests, heartbeat } from '../../src/db/jobs/job-claims.ts';

type StopReason = 'cancel' | 'lost' | 'shutdown';

/** A job claimed by this worker, from its claim until its end is stored. */
export type RunningJob = Attempt & {
  stopReason: StopReason | undefined;
  /** stops the work in a thread, if any is running */
  stopWork: (() => void) | undefined;
};

/** The jobs claimed by this worker: their heartbeats, and ways to stop them. */
export type RunningJobs = {
  /** Call it right after the claim, so that the job can be found and stopped. */
  add(attempt: Attempt): RunningJob;
  remove(entry: RunningJob): void;
  /** Stops one job. Does nothing if it does not run here. */
  stop(jobId: string, reason: StopReason): void;
  /** Stops every job, also those that are added later: the worker ends. */
  stopAll(): void;
  isStopped(): boolean;
  count(): number;
  /** Sends the heartbeats of the jobs to PostgreSQL, and stops jobs that are lost. */
  beat(db: Database): Promise<void>;
  /** Stops the jobs marked for cancellation, even if the event was lost. */
  stopCancelled(db: Database): Promise<void>;
};

export function createRunningJobs(): RunningJobs {
  const entries = new Set<RunningJob>();
  let isStopped = false;
  const stopEntry = (entry: RunningJob, reason: StopReason) => {
    entry.stopReason ??= reason;
    entry.stopWork?.();
  };
  const stop = (jobId: string, reason: StopReason) => {
    for (const entry of entries) if (entry.jobId === jobId) stopEntry(entry, reason);
  };
  return {
    add({ jobId, attempt, workerId }) {
      const stopReason = isStopped ? 'shutdown' : undefined;
      const entry: RunningJob = { jobId, attempt, workerId, stopReason, stopWork: undefined };
      entries.add(entry);
      return entry;
    },
    remove: (entry) => void entries.delete(entry),
    stop,
    stopAll() {
      isStopped = true;
      for (const entry of entries) stopEntry(entry, 'shutdown');
    },
    isStopped: () => isStopped,
    count: () => entries.size,
    async beat(db) {
      for (const jobId of await heartbeat(db, [...entries])) stop(jobId, 'lost');
    },
    async stopCancelled(db) {
      if (entries.size === 0) return;
      const jobIds = [...entries].map((entry) => entry.jobId);
      for (const jobId of await findCancelRequests(db, jobIds)) stop(jobId, 'cancel');
    },
  };
}

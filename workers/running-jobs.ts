import type { Database } from '../src/db/client.ts';
import { type Attempt, findCancelRequests, heartbeat } from '../src/db/job-claims.ts';

type StopReason = 'cancel' | 'lost' | 'shutdown';

/** A job in the hands of this worker, from its claim until its end is stored. */
export type RunningJob = Attempt & {
  stopReason: StopReason | undefined;
  /** stops the work in a thread, while there is some */
  stopWork: (() => void) | undefined;
};

/** The jobs claimed by this worker: their heartbeats, and ways to stop them. */
export type RunningJobs = {
  /** To be called right after the claim, so that whoever wants to stop the job finds it. */
  add(attempt: Attempt): RunningJob;
  remove(entry: RunningJob): void;
  /** Stops one job; nothing happens where it does not run here. */
  stop(jobId: string, reason: StopReason): void;
  /** Stops every job, and those that come later: the worker ends. */
  stopAll(): void;
  isStopped(): boolean;
  /** Tells PostgreSQL that the jobs are alive; stops those that are lost. */
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

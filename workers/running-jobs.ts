import type { Database } from '../src/db/client.ts';
import { heartbeat } from '../src/db/jobs.ts';

export type StopReason = 'cancel' | 'lost' | 'shutdown';

export type RunningJob = {
  jobId: string;
  attempt: number;
  stopReason: StopReason | undefined;
  stop(): void;
};

/** The jobs this worker solves at the moment: heartbeats for them, and ways to stop them. */
export type RunningJobs = {
  add(job: { jobId: string; attempt: number }, stop: () => void): RunningJob;
  remove(entry: RunningJob): void;
  /** Stops one job; nothing happens where it does not run here. */
  stop(jobId: string, reason: StopReason): void;
  stopAll(reason: StopReason): void;
  /** Tells PostgreSQL that the jobs are alive; stops those that are to be cancelled or are lost. */
  beat(db: Database): Promise<void>;
};

export function createRunningJobs(): RunningJobs {
  const entries = new Set<RunningJob>();
  const stopEntry = (entry: RunningJob, reason: StopReason) => {
    entry.stopReason ??= reason;
    entry.stop();
  };
  const stop = (jobId: string, reason: StopReason) => {
    for (const entry of entries) if (entry.jobId === jobId) stopEntry(entry, reason);
  };
  return {
    add({ jobId, attempt }, stopSolve) {
      const entry: RunningJob = { jobId, attempt, stopReason: undefined, stop: stopSolve };
      entries.add(entry);
      return entry;
    },
    remove: (entry) => void entries.delete(entry),
    stop,
    stopAll(reason) {
      for (const entry of entries) stopEntry(entry, reason);
    },
    async beat(db) {
      const { cancelled, lost } = await heartbeat(db, [...entries]);
      for (const jobId of cancelled) stop(jobId, 'cancel');
      for (const jobId of lost) stop(jobId, 'lost');
    },
  };
}

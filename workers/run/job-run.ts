import type { Transferable } from 'node:worker_threads';
import type { FactsOf } from '../../src/contracts/job-facts.ts';
import type { JobKind } from '../../src/contracts/jobs.ts';
import { type ClaimedJob, type JobInput, readJobInput, storeProgress } from '../../src/db/jobs/job-claims.ts';
import { learnProgress, NOTHING_KNOWN, type Progress, readJob } from '../../src/db/jobs/jobs.ts';
import type { HolidayCalendar } from '../../src/inputs/holidays.ts';
import { isCutShort } from '../duties/pauses.ts';
import {
  type ClaimedJobState,
  isLastAttempt,
  type JobEnd,
  untilAvailable,
  type WorkerDeps,
} from './end-job.ts';
import type { WorkInput, WorkName } from './job-thread.ts';
import { traceStages } from './job-trace.ts';
import { type Phases, roundMs } from './phases.ts';
import type { RunningJob } from './running-jobs.ts';
import type { ThreadOutcome, Threads } from './threads.ts';
import type { TravelCache } from './travel-cache.ts';

/** Least time between two writes of progress to PostgreSQL. Subscribers get every report at once. */
const STORE_PROGRESS_MS = 500;

/** The work was stopped: by a caller, by a shutdown, because the job was lost, or because its time was up. */
export class StoppedError extends Error {}

/**
 * A fault of our own code in a thread. Another attempt may succeed.
 * @param stack where it was thrown there
 */
export const threadFault = (message: string, stack: string): Error =>
  Object.assign(new Error(message), { stack });

/** The time limit passed while the process was paused. Another attempt may succeed. */
class PausedError extends Error {}

/**
 * The work of a kind of job, from its stored request, with the stored locations, to its end. The request is text here
 * and is parsed only in threads; its facts are available without parsing.
 * @throws StoppedError of `run`; AppError, which becomes the answer; any other error counts as a crash, and the job is
 * tried again
 */
export type JobWork<K extends JobKind> = (run: JobRun<K>) => Promise<JobEnd>;

export type JobRunDeps = WorkerDeps & {
  threads: Threads;
  calendar: HolidayCalendar | null;
  travel: TravelCache;
};

type ThreadOptions = {
  limitSeconds: number;
  /** the job's progress at the start and at the end of this work; default: all of it */
  share?: readonly [from: number, to: number];
  /** memory that is moved to the thread instead of copied */
  transfer?: Transferable[];
};

/** A claimed job while its work is done. */
export type JobRun<K extends JobKind = JobKind> = {
  deps: JobRunDeps;
  job: ClaimedJobState;
  /** The facts of the request that are known without reading it. */
  facts: FactsOf[K];
  /** The request itself. */
  input(): Promise<JobInput>;
  /** Repeats a query while the database is unreachable, and if it was undone for another transaction. */
  query<T>(query: () => Promise<T>): Promise<T>;
  /** Gives up the job because another worker has it. */
  lose(): never;
  /** Works in a thread and reports progress. */
  inThread<W extends WorkName>(
    work: W,
    input: WorkInput<W>,
    options: ThreadOptions,
  ): Promise<Exclude<ThreadOutcome<W>, { status: 'threw' | 'cancelled' }>>;
};

type Stored = Pick<ClaimedJob, 'facts' | 'input'>;

export function startRun<K extends JobKind>(
  deps: JobRunDeps,
  job: ClaimedJobState,
  { facts, input }: Stored,
  entry: RunningJob,
  phases: Phases,
): JobRun<K> {
  return {
    deps,
    job,
    facts: facts as FactsOf[K],
    input: async () => input ?? untilAvailable(deps, () => readJobInput(deps.db, job.jobId)),
    query: (query) => untilAvailable(deps, query),
    lose() {
      entry.stopReason ??= 'lost';
      throw new StoppedError('lost');
    },
    async inThread(work, input, { limitSeconds, share: [from, to] = [0, 1], transfer }) {
      // A job that was stopped before this work must not begin it.
      if (entry.stopReason) throw new StoppedError(entry.stopReason);
      const startedAt = performance.now();
      job.progress ??= await untilAvailable(deps, () => readProgress(deps.db, job));
      const reporting = reportProgress(deps, job);
      const onProgress = (progress: Progress) => {
        if (progress.stage) phases.enter(progress.stage);
        reporting.report({ ...progress, progress: from + (to - from) * progress.progress });
      };
      const thread = job.span?.child(`thread ${work}`);
      const before = phases.marks.length;
      let endedMs = 0;
      const running = deps.threads.start(work, input, limitSeconds, onProgress, transfer);
      entry.stopWork = running.stop;
      const outcome = await running.outcome.finally(() => {
        entry.stopWork = undefined;
        reporting.stop();
        endedMs = phases.elapsedMs();
        thread?.end(phases.claimedAt + endedMs);
      });
      job.solveTimeMs = roundMs(performance.now() - startedAt);
      // A thread that was ended does not return this. Its last reported progress is used then.
      for (const { stage, at } of outcome.stages ?? []) phases.enter(stage, at);
      if (thread) traceStages(thread, phases, before, endedMs);
      if (outcome.status === 'cancelled') throw new StoppedError('stopped');
      if (outcome.status === 'threw')
        throw threadFault('unexpected error', (outcome as { stack: string }).stack);
      const pausedMs = running.readPausedMs();
      const couldBeBetter =
        isShortOfTime(outcome.status) && isCutShort(job.solveTimeMs, pausedMs, limitSeconds * 1000);
      // At the last attempt, a plan that is not the best is better than none.
      if (couldBeBetter && !isLastAttempt(deps.config, job)) {
        throw new PausedError(
          `the worker process did not run for ${(pausedMs / 1000).toFixed(1)} s (it was frozen, or its machine was), ` +
            `and the time limit of ${limitSeconds} s passed meanwhile`,
        );
      }
      return outcome as Exclude<typeof outcome, { status: 'threw' | 'cancelled' }>;
    },
  };
}

/** Whether more time could have changed the outcome. A proof of optimality or of infeasibility is final. */
function isShortOfTime(status: string): boolean {
  return status === 'feasible' || status === 'error';
}

/** Progress of earlier attempts: the progress of a job never decreases. */
async function readProgress(db: WorkerDeps['db'], { jobId, attempt }: ClaimedJobState): Promise<Progress> {
  return (attempt > 1 && (await readJob(db, jobId))) || NOTHING_KNOWN;
}

/** Reports progress to subscribers and stores it. The end of the work does not wait for that. */
function reportProgress({ db, bus }: WorkerDeps, job: ClaimedJobState) {
  const { jobId: job_id, attempt } = job;
  const onError = (err: unknown) => job.logger.debug({ err }, 'progress not reported');
  let newest = job.progress ?? NOTHING_KNOWN;
  let writing: NodeJS.Timeout | undefined;
  const write = () => {
    writing = undefined;
    storeProgress(db, job, newest).catch(onError);
  };
  return {
    report(told: Progress) {
      newest = learnProgress(newest, told);
      job.progress = newest;
      bus.publish({ type: 'progress', job_id, attempt, ...newest, trace: job.span?.context }).catch(onError);
      writing ??= setTimeout(write, STORE_PROGRESS_MS);
    },
    stop: () => clearTimeout(writing),
  };
}

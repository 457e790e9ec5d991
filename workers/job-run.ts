import type { Transferable } from 'node:worker_threads';
import type { SolverStatus } from '../src/contracts/optimize.ts';
import { storeProgress } from '../src/db/job-claims.ts';
import type { JobAnswer, Progress } from '../src/db/jobs.ts';
import type { NewPlan } from '../src/db/plans.ts';
import type { HolidayCalendar } from '../src/holidays.ts';
import { type JobInHand, untilAvailable, type WorkerDeps } from './end-job.ts';
import type { WorkInput, WorkName } from './job-thread.ts';
import { type Phases, roundMs } from './phases.ts';
import type { RunningJob } from './running-jobs.ts';
import type { ThreadOutcome, Threads } from './threads.ts';

/** Progress goes to subscribers as it comes, which is seldom enough, and to PostgreSQL so often at most, and so late. */
const STORE_PROGRESS_MS = 500;

/** The work was stopped: by a caller, a shutdown, the loss of the job, or because its time was up. */
export class StoppedError extends Error {}

/** A fault of our own code in a thread. */
export class ThreadFault extends Error {}

/** How a job ends that did its work; infeasible is such an end, too. What goes wrong is thrown. */
export type JobEnd = {
  solverStatus: SolverStatus | null;
  answer: JobAnswer;
  /** stored by the statement that ends the job */
  plan?: NewPlan;
};

/**
 * What a job of a kind does, from its stored request, and the locations stored with it, to its end.
 * @throws StoppedError and ThreadFault of `run`; AppError, which becomes the answer; whatever else is thrown counts as
 *   a crash, and the job is tried again
 */
export type JobWork = (run: JobRun, input: string, locations: string | null) => Promise<JobEnd>;

export type JobRunDeps = WorkerDeps & { threads: Threads; calendar: HolidayCalendar | null };

type ThreadOptions = {
  limitSeconds: number;
  /** where the job's progress is when this work begins and when it ends; default: all of it */
  share?: readonly [from: number, to: number];
  /** memory that the thread gets instead of a copy */
  transfer?: Transferable[];
};

/** A claimed job at work. */
export type JobRun = {
  deps: JobRunDeps;
  job: JobInHand;
  /** Repeats a query while the database is away. */
  query<T>(query: () => Promise<T>): Promise<T>;
  /** Gives up the job: it is in other hands. */
  lose(): never;
  /** Works in a thread, and tells how far it is. */
  inThread<W extends WorkName>(
    work: W,
    input: WorkInput<W>,
    options: ThreadOptions,
  ): Promise<Exclude<ThreadOutcome<W>, { status: 'threw' | 'cancelled' }>>;
};

export function startRun(deps: JobRunDeps, job: JobInHand, entry: RunningJob, phases: Phases): JobRun {
  return {
    deps,
    job,
    query: (query) => untilAvailable(deps, query),
    lose() {
      entry.stopReason ??= 'lost';
      throw new StoppedError('lost');
    },
    async inThread(work, input, { limitSeconds, share: [from, to] = [0, 1], transfer }) {
      // A job that is to stop before that is not begun.
      if (entry.stopReason) throw new StoppedError(entry.stopReason);
      const startedAt = performance.now();
      const reporting = reportProgress(deps, job);
      const onProgress = (progress: Progress) => {
        if (progress.stage) phases.enter(progress.stage);
        reporting.report({ ...progress, progress: from + (to - from) * progress.progress });
      };
      const running = deps.threads.start(work, input, limitSeconds, onProgress, transfer);
      entry.stopWork = running.stop;
      const outcome = await running.outcome.finally(() => {
        entry.stopWork = undefined;
        reporting.stop();
      });
      job.solveTimeMs = roundMs(performance.now() - startedAt);
      // A thread that was ended says nothing of this; then the progress it told has to do.
      for (const { stage, at } of outcome.stages ?? []) phases.enter(stage, at);
      if (outcome.status === 'cancelled') throw new StoppedError('stopped');
      if (outcome.status === 'threw') throw new ThreadFault((outcome as { stack: string }).stack);
      return outcome as Exclude<typeof outcome, { status: 'threw' | 'cancelled' }>;
    },
  };
}

/** Tells subscribers of the progress, and writes it down; work that ends before it is written is not held up by it. */
function reportProgress({ db, bus }: WorkerDeps, job: JobInHand) {
  const { jobId: job_id, attempt } = job;
  const onError = (err: unknown) => job.logger.debug({ err }, 'progress not reported');
  let newest: Progress;
  let writing: NodeJS.Timeout | undefined;
  const write = () => {
    writing = undefined;
    storeProgress(db, job, newest).catch(onError);
  };
  return {
    report(progress: Progress) {
      newest = progress;
      bus.publish({ type: 'progress', job_id, attempt, ...progress }).catch(onError);
      writing ??= setTimeout(write, STORE_PROGRESS_MS);
    },
    stop: () => clearTimeout(writing),
  };
}

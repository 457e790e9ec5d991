import { v7 as uuidv7 } from 'uuid';
import type { Config } from '../src/config.ts';
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import type { JobPriority } from '../src/contracts/priorities.ts';
import { namedLocationIds } from '../src/core/optimize/check.ts';
import type { OptimizeSettings } from '../src/core/optimize/model.ts';
import { type ClaimedJob, claimJob, explainLostAttempt, storeProgress } from '../src/db/job-claims.ts';
import type { Progress } from '../src/db/jobs.ts';
import { readLocations } from '../src/db/locations.ts';
import { cancelledAnswer } from '../src/envelope.ts';
import { errorAnswer, planAnswer } from './answer.ts';
import {
  endJob,
  failJob,
  giveBack,
  type JobInHand,
  retryOrFail,
  untilAvailable,
  type WorkerDeps,
} from './end-job.ts';
import { type Phases, roundMs, startPhases } from './phases.ts';
import type { RunningJob } from './running-jobs.ts';
import type { SolveOutcome, Solver } from './solver.ts';
import type { Timed } from './solver-thread.ts';

export type RunJobDeps = WorkerDeps & {
  solver: Solver;
  /** the priority that goes first this time, null for the usual order */
  levelOrder: () => JobPriority | null;
};

/** Progress goes to subscribers, and to PostgreSQL, so often at most, and so late. */
const TELL_PROGRESS_MS = 20;
const STORE_PROGRESS_MS = 500;

/** Takes one token: claim the next job → solve in a thread → store plan and answer in one transaction → announce. */
export async function runJob(deps: RunJobDeps): Promise<void> {
  const { db, workerId, running } = deps;
  const first = deps.levelOrder();
  const claimed = await untilAvailable(deps, () => claimJob(db, workerId, first));
  // A token too many, or its job was cancelled: nothing to do.
  if (!claimed) return;
  const phases = startPhases();
  const entry = running.add(claimed);
  try {
    await workOn(deps, claimed, entry, phases);
  } finally {
    // Not before the end is stored: the job stays alive while the database is away.
    running.remove(entry);
  }
}

async function workOn(deps: RunJobDeps, claimed: ClaimedJob, entry: RunningJob, phases: Phases) {
  const { input, ...attempt } = claimed;
  const { jobId, requestId } = attempt;
  const logger = deps.logger.child({ job_id: jobId, request_id: requestId, attempt: attempt.attempt });
  const job: JobInHand = { ...attempt, solveTimeMs: 0, phases: phases.marks, logger };
  let outcome: SolveOutcome;
  try {
    const solving = solve(deps, job, input, entry, phases);
    logger.info('job started'); // while the solve is on its way
    outcome = await solving;
  } catch (err) {
    // The thread died (out of memory, a crash): another attempt may fare better, up to the limit.
    logger.error({ err }, 'solve broken off');
    return retryOrFail(deps, job, `the solve was broken off: ${err instanceof Error ? err.message : err}`);
  }
  if (entry.stopReason === 'lost') {
    logger.warn('job lost to another worker; result thrown away');
    const reason = `worker ${deps.workerId} was cut off from PostgreSQL, or too busy to say that it was alive; it threw its result away`;
    return untilAvailable(deps, () => explainLostAttempt(deps.db, job, reason));
  }
  if (outcome.status === 'cancelled' && entry.stopReason === 'shutdown') {
    const reason = `worker ${deps.workerId} was stopped`;
    return giveBack(deps, job, { outcome: 'released', reason, phases: job.phases }, 0);
  }
  phases.enter('store');
  await store(deps, job, outcome, entry.stopReason === 'cancel');
}

/** Solves in a thread; a job that is to stop before that is not begun. */
async function solve(
  deps: RunJobDeps,
  job: JobInHand,
  input: string,
  entry: RunningJob,
  phases: Phases,
): Promise<SolveOutcome> {
  const request = JSON.parse(input) as OptimizeRequest;
  const locations = request.network
    ? []
    : await untilAvailable(deps, () => readLocations(deps.db, namedLocationIds(request)));
  if (entry.stopReason) return { status: 'cancelled' };
  const settings = optimizeSettings(deps.config);
  const limitSeconds = Math.min(
    request.options?.time_limit_seconds ?? settings.timeLimitSeconds,
    settings.maxTimeLimitSeconds,
  );
  const progress = reportProgress(deps, job);
  const startedAt = performance.now();
  const running = deps.solver.start({ input, locations, settings, limitSeconds }, (step) => {
    if (step.stage) phases.enter(step.stage);
    progress.report(step);
  });
  entry.stopSolve = running.stop;
  const outcome = await running.outcome.finally(() => {
    entry.stopSolve = undefined;
    progress.stop();
  });
  job.solveTimeMs = roundMs(performance.now() - startedAt);
  // A thread that was ended says nothing of this; then the progress it told has to do.
  const { stages = [] } = outcome as Partial<Timed>;
  for (const { stage, at } of stages) phases.enter(stage, at);
  return outcome;
}

async function store(deps: WorkerDeps, job: JobInHand, outcome: SolveOutcome, isCancelRequested: boolean) {
  switch (outcome.status) {
    case 'optimal':
    case 'feasible': {
      const planId = `plan_${uuidv7()}`;
      const { result, certificate } = outcome;
      const answer = planAnswer({ ...job, planId }, result);
      const { jobId, solveTimeMs } = job;
      const plan = { planId, jobId, result, solveTimeMs, certificate };
      return endJob(
        deps,
        job,
        { status: 'completed', solverStatus: outcome.status, answer },
        undefined,
        plan,
      );
    }
    case 'infeasible': {
      const answer = errorAnswer(job, outcome.errors);
      return endJob(deps, job, { status: 'completed', solverStatus: 'infeasible', answer });
    }
    case 'cancelled': {
      if (isCancelRequested) {
        const answer = cancelledAnswer(job.requestId, job.jobId);
        return endJob(deps, job, { status: 'cancelled', solverStatus: null, answer });
      }
      const message =
        'the solve did not end in time and was stopped; raise options.time_limit_seconds or ask for less';
      return failJob(deps, job, 'SOLVER_ERROR', message);
    }
    case 'threw':
      job.logger.error({ stack: outcome.stack }, 'the optimizer failed');
      return failJob(
        deps,
        job,
        'INTERNAL_ERROR',
        'unexpected error; the log of the workers names it under this job_id',
      );
    case 'error':
      return failJob(deps, job, 'SOLVER_ERROR', outcome.message);
  }
}

/** Tells subscribers of the progress, and writes it down; a solve that ends before that is not held up by it. */
function reportProgress({ db, bus }: WorkerDeps, job: JobInHand) {
  const { jobId: job_id, attempt } = job;
  const onError = (err: unknown) => job.logger.debug({ err }, 'progress not reported');
  const tell = throttle(TELL_PROGRESS_MS, (progress: Progress) =>
    bus.publish({ type: 'progress', job_id, attempt, ...progress }).catch(onError),
  );
  const write = throttle(STORE_PROGRESS_MS, (progress: Progress) =>
    storeProgress(db, job, progress).catch(onError),
  );
  return {
    report(progress: Progress) {
      tell.push(progress);
      write.push(progress);
    },
    stop() {
      tell.stop();
      write.stop();
    },
  };
}

/** Sends the newest of the values that come within `ms` milliseconds of the first one. */
function throttle<T>(ms: number, send: (value: T) => void) {
  let newest: T;
  let timer: NodeJS.Timeout | undefined;
  return {
    push(value: T) {
      newest = value;
      timer ??= setTimeout(() => {
        timer = undefined;
        send(newest);
      }, ms);
    },
    stop: () => clearTimeout(timer),
  };
}

function optimizeSettings(config: Config): OptimizeSettings {
  return {
    maxDistanceKm: config.OPTIMIZATION_MAX_DISTANCE,
    minServiceLevel: config.OPTIMIZATION_MIN_SERVICE_LEVEL,
    maxRebalancingCost: config.OPTIMIZATION_MAX_REBALANCING_COST,
    capacityPerVehicle: config.OPTIMIZATION_CAPACITY_PER_VEHICLE,
    timeLimitSeconds: config.OPTIMIZATION_TIME_LIMIT_SECONDS,
    maxTimeLimitSeconds: config.OPTIMIZATION_MAX_TIME_LIMIT_SECONDS,
    optimalityGap: config.OPTIMIZATION_OPTIMALITY_GAP,
    costPerKm: config.OPTIMIZATION_COST_PER_KM,
  };
}

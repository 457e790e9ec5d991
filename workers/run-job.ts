import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Config } from '../src/config.ts';
import type { ErrorItem } from '../src/contracts/envelope.ts';
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import { namedLocationIds } from '../src/core/optimize/check.ts';
import type { OptimizeSettings } from '../src/core/optimize/model.ts';
import { type Database, isDatabaseUnavailable } from '../src/db/client.ts';
import { claimJob, type Ending, finishJob, releaseJob, storeProgress } from '../src/db/jobs.ts';
import { readLocations } from '../src/db/locations.ts';
import { insertPlan } from '../src/db/plans.ts';
import { cancelledAnswer } from '../src/envelope.ts';
import type { EventBus } from '../src/queue/bus.ts';
import type { Delivery } from '../src/queue/queue.ts';
import { errorAnswer, planAnswer } from './answer.ts';
import type { RunningJobs } from './running-jobs.ts';
import type { SolveOutcome, Solver } from './solver.ts';

export type WorkerDeps = {
  config: Config;
  workerId: string;
  db: Database;
  bus: EventBus;
  solver: Solver;
  running: RunningJobs;
  logger: Logger;
};

/** Progress is written to PostgreSQL at most this often; subscribers hear of every step over the bus. */
const STORE_PROGRESS_MS = 500;
const RETRY_DATABASE_MS = 500;

/** Takes one delivery: claim → solve in a thread → store plan and answer in one transaction → announce. */
export async function runJob(deps: WorkerDeps, { jobId }: Delivery): Promise<void> {
  const { config, db, workerId } = deps;
  const claim = await claimJob(db, jobId, workerId, {
    lockSeconds: config.JOB_LOCK_SECONDS,
    maxAttempts: config.JOB_MAX_ATTEMPTS,
  });
  // Delivered twice, cancelled, or ended: nothing to do.
  if (claim.outcome === 'lost') return;
  const { attempt, requestId } = claim;
  const logger = deps.logger.child({ job_id: jobId, request_id: requestId, attempt });
  const job = { jobId, requestId, attempt, logger };
  if (claim.outcome === 'exhausted') {
    const message = `the job was started ${config.JOB_MAX_ATTEMPTS} times and its worker died each time; the log of the workers says why`;
    return end(
      deps,
      { ...job, solveTimeMs: 0 },
      failed({ ...job, solveTimeMs: 0 }, 'INTERNAL_ERROR', message),
    );
  }
  await solveJob(deps, job, claim.input);
}

type ClaimedJob = { jobId: string; requestId: string; attempt: number; logger: Logger };
type SolvedJob = ClaimedJob & { solveTimeMs: number };

async function solveJob(deps: WorkerDeps, job: ClaimedJob, input: string): Promise<void> {
  const { config, db, solver, running } = deps;
  const request = JSON.parse(input) as OptimizeRequest;
  const locations = request.network ? [] : await readLocations(db, namedLocationIds(request));
  const settings = optimizeSettings(config);
  const limitSeconds = Math.min(
    request.options?.time_limit_seconds ?? settings.timeLimitSeconds,
    settings.maxTimeLimitSeconds,
  );
  const startedAt = performance.now();
  job.logger.info('job started');
  const solve = solver.start({ input, locations, settings, limitSeconds }, reportProgress(deps, job));
  const entry = running.add(job, solve.stop);
  let outcome: SolveOutcome;
  try {
    outcome = await solve.outcome;
  } catch (err) {
    // The thread died (out of memory, a crash): another attempt may fare better, up to the limit.
    job.logger.error({ err }, 'solver thread died');
    return await untilAvailable(() => releaseJob(db, job.jobId, job.attempt, true));
  } finally {
    running.remove(entry);
  }
  const solved = { ...job, solveTimeMs: Math.round((performance.now() - startedAt) * 1000) / 1000 };
  if (outcome.status === 'cancelled' && entry.stopReason === 'shutdown') {
    job.logger.info('job given back');
    return untilAvailable(() => releaseJob(db, job.jobId, job.attempt, false));
  }
  if (entry.stopReason === 'lost') {
    job.logger.warn('job lost to another worker; result thrown away');
    return;
  }
  await store(deps, solved, outcome, entry.stopReason);
}

async function store(
  deps: WorkerDeps,
  job: SolvedJob,
  outcome: SolveOutcome,
  stopReason: string | undefined,
) {
  switch (outcome.status) {
    case 'optimal':
    case 'feasible': {
      const planId = `plan_${uuidv7()}`;
      const { result, certificate } = outcome;
      const ending: Ending = {
        status: 'completed',
        solverStatus: outcome.status,
        answer: planAnswer({ ...job, planId }, result),
      };
      return end(deps, job, ending, {
        planId,
        jobId: job.jobId,
        result,
        solveTimeMs: job.solveTimeMs,
        certificate,
      });
    }
    case 'infeasible':
      return end(deps, job, {
        status: 'completed',
        solverStatus: 'infeasible',
        answer: errorAnswer(job, outcome.errors),
      });
    case 'cancelled': {
      if (stopReason === 'cancel') {
        const answer = cancelledAnswer(job.requestId, job.jobId);
        return end(deps, job, { status: 'cancelled', solverStatus: null, answer });
      }
      const message =
        'the solve did not end in time and was stopped; raise options.time_limit_seconds or ask for less';
      return end(deps, job, failed(job, 'SOLVER_ERROR', message));
    }
    case 'threw':
      job.logger.error({ stack: outcome.stack }, 'the optimizer failed');
      return end(
        deps,
        job,
        failed(job, 'INTERNAL_ERROR', 'unexpected error; the log of the workers names it under this job_id'),
      );
    case 'error':
      return end(deps, job, failed(job, 'SOLVER_ERROR', outcome.message));
  }
}

/** Stores the ending, and the plan with it, where the job is still ours; then tells everybody who waits. */
async function end(
  deps: WorkerDeps,
  job: SolvedJob,
  ending: Ending,
  plan?: Parameters<typeof insertPlan>[1],
) {
  const stored = await untilAvailable(() =>
    deps.db.transaction(async (tx) => {
      // First the compare-and-set: it locks the job's row, so that nobody else can end it meanwhile.
      if (!(await finishJob(tx, job.jobId, job.attempt, ending))) return false;
      if (plan) await insertPlan(tx, plan);
      return true;
    }),
  );
  if (!stored) return job.logger.warn('job lost to another worker; result thrown away');
  const { status, solverStatus, answer } = ending;
  job.logger.info(
    { status, solver_status: solverStatus, http_status: answer.httpStatus, solve_time_ms: job.solveTimeMs },
    'job ended',
  );
  await deps.bus
    .publish({ type: 'ended', job_id: job.jobId })
    .catch((err) => job.logger.warn({ err }, 'not announced'));
}

function failed(job: SolvedJob, code: ErrorItem['code'], message: string): Ending {
  const errors: ErrorItem[] = [{ code, message, field: null, detail: null }];
  return { status: 'failed', solverStatus: 'error', answer: errorAnswer(job, errors) };
}

function reportProgress({ db, bus }: WorkerDeps, { jobId, attempt, logger }: ClaimedJob) {
  let storedAt = 0;
  const onError = (err: unknown) => logger.debug({ err }, 'progress not reported');
  return (progress: Parameters<typeof storeProgress>[3]) => {
    bus.publish({ type: 'progress', job_id: jobId, attempt, ...progress }).catch(onError);
    if (performance.now() - storedAt < STORE_PROGRESS_MS) return;
    storedAt = performance.now();
    storeProgress(db, jobId, attempt, progress).catch(onError);
  };
}

/** Repeats a write while the database is away: the result of a solve is not thrown away for a restart of it. */
async function untilAvailable<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await delay(RETRY_DATABASE_MS);
    }
  }
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

import { isDeepStrictEqual } from 'node:util';
import type { JobStatus } from '../../src/contracts/jobs.ts';
import type { OptimizationResult, OptimizeRequest } from '../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../src/core/optimize/problem/model.ts';
import { readPackedText } from '../../src/db/packed-json.ts';
import type { LedgerCaller } from './caller.ts';
import { attemptFaults, type StoredAttempt } from './check-attempts.ts';
import { outlookFaults, planFaults } from './check-plan.ts';
import type { Fleet } from './fleet.ts';
import type { Ledger, Seen } from './ledger.ts';
import { endingsPerJob, requestsStored } from './logs.ts';
import type { Planning, PosedProblem } from './problems.ts';
import type { PostgresServer } from './servers.ts';

/** A fault, and the job it concerns if it concerns a single one. */
export type Finding = { message: string; jobId: string | undefined };

export type JobRow = {
  job_id: string;
  request_id: string;
  status: JobStatus;
  http_status: number | null;
  idempotency_key: string | null;
  schedule_id: string | null;
  attempts: number;
  crashes: number;
  finished_at: string;
  input: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: an envelope of whatever kind
  result: any;
  /** of a decision: the forecast behind it */
  forecast: { forecasts: OptimizeRequest['demand_forecast'] } | null;
  attempt_rows: StoredAttempt[];
  /** of a replay: what is stored of it, and its answer without its id */
  replays: { replay_id: string; data: { replay_id: string } }[];
  plans: {
    plan_id: string;
    total_cost: number;
    vehicle_count: number;
    items: string;
    distinct_items: string;
  }[];
};

export type Totals = {
  /** jobs in PostgreSQL, and those of them that a client knows */
  jobs: number;
  told: number;
  /** how they ended, by status of the job and of the answer */
  endings: Record<string, number>;
  lost: number;
  doubled: number;
  /** the caller got 503, but the job was stored (its commit was not confirmed in time) */
  refusedButStored: number;
  plansChecked: number;
  /** of plans that look ahead, all steps */
  outlooksChecked: number;
  /** backtests and replays whose figures were compared with those of other runs */
  backtestsChecked: number;
  replaysChecked: number;
  /** attempts by how they ended, and those that a pause cut short */
  attempts: Record<string, number>;
};

/** What stands for `input` and `result` where these are large. */
type Packed = { packed_input: Buffer | null; packed_result: Buffer | null };

function unpacked(row: JobRow & Packed): JobRow {
  const read = (packed: Buffer | null, small: unknown) =>
    packed ? JSON.parse(readPackedText(packed)) : small;
  return {
    ...row,
    input: read(row.packed_input, row.input),
    result: read(row.packed_result, row.result),
  };
}

const ROWS_PER_PAGE = 200;

/**
 * Compares, after the storm, the answers that clients received with the data in PostgreSQL and the service's present
 * answers.
 */
export async function checkJobs(deps: {
  postgres: PostgresServer;
  fleet: Fleet;
  ledger: Ledger;
  problems: readonly PosedProblem[];
  /** the decision of each schedule */
  scheduled: ReadonlyMap<string, PosedProblem>;
  locations: readonly LocationPoint[];
  /** a job with so many crashes ends as failed */
  maxCrashes: number;
  findings: Finding[];
}): Promise<Totals> {
  const { postgres, fleet, ledger, problems, scheduled, locations, maxCrashes, findings } = deps;
  const find = (message: string, jobId?: string) => findings.push({ message, jobId });
  const problemOf = ({ input, schedule_id: id }: JobRow) =>
    id === null ? problems.find(({ request }) => isDeepStrictEqual(request, input)) : scheduled.get(id);
  const leastCosts = new Map<PosedProblem, number>();
  const figures = new Map<PosedProblem, unknown>();
  const totals: Totals = {
    jobs: 0,
    told: ledger.jobs.size,
    endings: {},
    lost: 0,
    doubled: 0,
    refusedButStored: 0,
    plansChecked: 0,
    outlooksChecked: 0,
    backtestsChecked: 0,
    replaysChecked: 0,
    attempts: {},
  };
  const stored = new Set<string>();
  const knownAsStored = requestsStored(fleet.logFolder);
  const keys = new Map<string, string>();

  const checkPlan = (row: JobRow, problem: Planning) => {
    const [plan] = row.plans;
    const result: OptimizationResult | undefined =
      problem.kind === 'decision' ? row.result?.data?.plan : row.result?.data;
    if (!plan || !result) return find('a completed job has no plan', row.job_id);
    totals.plansChecked++;
    if (plan.plan_id !== row.result?.metadata.plan_id) find('the answer names another plan', row.job_id);
    const items = result.allocation_plan.length;
    if (
      plan.vehicle_count !== items ||
      Number(plan.items) !== items ||
      Number(plan.distinct_items) !== items
    ) {
      find(
        `the plan has ${plan.items} items (${plan.distinct_items} vehicles), the answer ${items}`,
        row.job_id,
      );
    }
    if (plan.total_cost !== result.total_cost)
      find('the plan costs something else than the answer', row.job_id);
    const request = requestOf(problem, row);
    for (const fault of planFaults(request, result, locations)) find(fault, row.job_id);
    const isAhead = problem.kind === 'decision' && problem.request.mode === 'horizon';
    if (isAhead) {
      totals.outlooksChecked++;
      for (const fault of outlookFaults(row.forecast?.forecasts ?? {}, row.result.data))
        find(fault, row.job_id);
    }
    // A change of an earlier plan costs something: another plan before, another cost.
    if (result.solver_status !== 'optimal' || hasPrevious(problem)) return;
    const cost = isAhead ? row.result.data.horizon_cost : result.total_cost;
    for (const fault of costFaults(leastCosts, problem, cost)) find(fault, row.job_id);
  };

  const checkRow = (row: JobRow) => {
    stored.add(row.job_id);
    totals.jobs++;
    const ending = `${row.status} ${row.http_status ?? ''}`.trim();
    totals.endings[ending] = (totals.endings[ending] ?? 0) + 1;
    if (ledger.refusedRequests.has(row.request_id)) {
      totals.refusedButStored++;
      if (knownAsStored.has(row.request_id)) {
        find('the caller was told 503 by an API that knew that the job was stored', row.job_id);
      }
    }
    if (row.result === null) {
      totals.lost++;
      return find(`the job is still ${row.status}`, row.job_id);
    }
    const problem = problemOf(row);
    if (!problem) return find('the stored input is none that was sent', row.job_id);
    if (row.plans.length > 1) {
      totals.doubled++;
      find(`the job has ${row.plans.length} plans`, row.job_id);
    }
    for (const { outcome, reason } of row.attempt_rows) {
      const isPause = reason?.includes('did not run for');
      for (const what of [outcome ?? 'open', ...(isPause ? ['cut short by a pause'] : [])]) {
        totals.attempts[what] = (totals.attempts[what] ?? 0) + 1;
      }
    }
    for (const fault of attemptFaults(row, row.attempt_rows, maxCrashes)) find(fault, row.job_id);
    for (const fault of endingFaults(row, problem, ledger.jobs.get(row.job_id))) find(fault, row.job_id);
    if (row.status !== 'completed' || problem.httpStatus !== 200) {
      if (row.plans.length + row.replays.length > 0) find('a job without a plan has one', row.job_id);
    } else if (problem.kind === 'backtest') {
      totals.backtestsChecked++;
      for (const fault of figureFaults(figures, problem, row.result.data)) find(fault, row.job_id);
    } else if (problem.kind === 'replay') {
      totals.replaysChecked++;
      for (const fault of replayFaults(figures, problem, row)) find(fault, row.job_id);
    } else checkPlan(row, problem);
  };

  for (let after = ''; ; ) {
    const rows = await postgres.query<JobRow & Packed>(
      `select job_id, request_id, status, http_status, idempotency_key, schedule_id, attempts, crashes, to_json(finished_at) as finished_at,
         input, result, packed_input, packed_result,
         (select d.forecast from decisions d where d.decision_id = jobs.job_id) as forecast,
         coalesce((select json_agg(a order by a.attempt) from job_attempts a where a.job_id = jobs.job_id), '[]') as attempt_rows,
         coalesce((select json_agg(json_build_object('replay_id', r.replay_id, 'data', r.data))
         from replays r where r.replay_id = jobs.job_id), '[]') as replays,
         coalesce((
         select json_agg(json_build_object('plan_id', p.plan_id, 'total_cost', p.total_cost, 'vehicle_count', p.vehicle_count,
           'items', (select count(*) from reports.plan_moves i where i.plan_id = p.plan_id),
           'distinct_items', (select count(distinct vehicle_id) from reports.plan_moves i where i.plan_id = p.plan_id)))
         from plans p where p.job_id = jobs.job_id), '[]') as plans
       from jobs where job_id > $1 order by job_id limit ${ROWS_PER_PAGE}`,
      [after],
    );
    for (const row of rows) {
      checkRow(unpacked(row));
      if (row.idempotency_key !== null) keys.set(row.idempotency_key, row.job_id);
    }
    if (rows.length < ROWS_PER_PAGE) break;
    after = rows[rows.length - 1].job_id;
  }
  for (const jobId of ledger.jobs.keys()) {
    if (stored.has(jobId)) continue;
    totals.lost++;
    find('a client was told of this job, and there is none', jobId);
  }
  for (const [key, jobIds] of ledger.keys) {
    if (!jobIds.has(keys.get(key) ?? '')) find(`key ${key} belongs to ${keys.get(key)}`, [...jobIds][0]);
  }
  for (const [jobId, endings] of endingsPerJob(fleet.logFolder)) {
    if (endings < 2) continue;
    totals.doubled++;
    find(`${endings} workers say that they stored the result`, jobId);
  }
  return totals;
}

/** @param leastCosts those of each problem so far */
function costFaults(leastCosts: Map<PosedProblem, number>, problem: Planning, cost: number): string[] {
  const expected = problem.leastCost ?? leastCosts.get(problem) ?? cost;
  leastCosts.set(problem, expected);
  const isSame = Math.abs(cost - expected) <= 1e-9;
  return isSame ? [] : [`${problem.name} costs ${cost} here and ${expected} elsewhere`];
}

/** @param figures those of each problem so far */
function figureFaults(figures: Map<PosedProblem, unknown>, problem: PosedProblem, data: unknown): string[] {
  const expected = figures.get(problem) ?? data;
  figures.set(problem, expected);
  return isDeepStrictEqual(data, expected) ? [] : ['other figures than before'];
}

/** A replay is stored once, as its answer says it, and is the same each time but for its id. */
export function replayFaults(
  figures: Map<PosedProblem, unknown>,
  problem: PosedProblem,
  { job_id, result, replays }: Pick<JobRow, 'job_id' | 'result' | 'replays'>,
): string[] {
  const { replay_id, ...data } = result.data;
  const isStored = isDeepStrictEqual(replays, [{ replay_id: job_id, data: result.data }]);
  const faults = figureFaults(figures, problem, data);
  return isStored && replay_id === job_id
    ? faults
    : [...faults, 'the stored replay is not that of the answer'];
}

const hasPrevious = ({ request: { options } }: Planning) => options?.previous_plan_id !== undefined;

/**
 * The request that the plan is compared with: a decision is an optimization of the forecast demand, that of the first
 * step if it looks ahead.
 */
function requestOf(problem: Planning, row: JobRow): OptimizeRequest {
  if (problem.kind === 'optimize') return problem.request;
  const { fleet_state, constraints, mode } = problem.request;
  const forecasts = Object.entries(row.forecast?.forecasts ?? {});
  const planned = forecasts.map(([id, steps]) => [id, mode === 'horizon' ? steps.slice(0, 1) : steps]);
  return {
    demand_forecast: Object.fromEntries(planned),
    fleet_state: fleet_state ?? { vehicles: [] },
    ...(constraints && { constraints }),
  };
}

/** Faults in how a job ended, apart from its attempts: given the request, and given the answers to cancellations. */
export function endingFaults(
  row: Pick<JobRow, 'status' | 'http_status' | 'result'>,
  problem: PosedProblem,
  seen?: Seen,
): string[] {
  const { status, http_status: httpStatus, result } = row;
  if (seen?.cancelPromise !== undefined && status !== 'cancelled') {
    return [`DELETE was answered ${seen.cancelPromise}, but the job is ${status}`];
  }
  const is = (wanted: number, code?: string) =>
    httpStatus === wanted && (!code || result?.errors?.[0]?.code === code);
  if (status === 'cancelled') {
    if (!seen?.isCancelAsked) return ['the job is cancelled, and nobody asked for it'];
    return is(409, 'JOB_CANCELLED') ? [] : [`a cancelled job has the answer ${JSON.stringify(result)}`];
  }
  // Only if it lost its worker too often; its attempts show whether that is true.
  if (status === 'failed' && is(500, 'INTERNAL_ERROR')) return [];
  if (status === 'completed' && is(problem.httpStatus)) return [];
  return [`${problem.name} ended as ${status} ${httpStatus}: ${JSON.stringify(result)}`];
}

/** Every client that knew of a job asks for it once more: the answer must be the same. */
export async function checkAnswers(caller: LedgerCaller): Promise<void> {
  const jobs = [...caller.ledger.jobs.values()];
  const ask = async () => {
    for (let job = jobs.pop(); job; job = jobs.pop()) await caller.follow(job.jobId, job.problem);
  };
  await Promise.all([ask(), ask(), ask(), ask()]);
}

/** A subscription gets exactly one `complete` if its socket lived, otherwise at most one. */
export function checkSubscriptions(ledger: Ledger, findings: Finding[]): { completed: number } {
  let completed = 0;
  for (const { jobId, completes, socket } of ledger.subscriptions) {
    if (completes === 1) completed++;
    if (completes > 1) findings.push({ message: `${completes} complete messages on ${socket}`, jobId });
  }
  return { completed };
}

import type { OptimizationResult, OptimizeRequest } from '../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../src/core/optimize/model.ts';
import type { Caller } from './caller.ts';
import { planFaults } from './check-plan.ts';
import type { Fleet } from './fleet.ts';
import type { Ledger } from './ledger.ts';
import { endingsPerJob, requestsStored } from './logs.ts';
import type { Problem } from './problems.ts';
import type { PostgresServer } from './servers.ts';

/** What is wrong, and with which job where it is one job. */
export type Finding = { message: string; jobId: string | undefined };

type JobRow = {
  job_id: string;
  request_id: string;
  status: string;
  http_status: number | null;
  idempotency_key: string | null;
  input: OptimizeRequest;
  result: { data: OptimizationResult | null; metadata: { plan_id?: string } } | null;
  plans: {
    plan_id: string;
    total_cost: number;
    vehicle_count: number;
    items: string;
    distinct_items: string;
  }[];
};

export type Totals = {
  /** jobs in PostgreSQL, and those of them that a client was told of */
  jobs: number;
  told: number;
  /** how they ended, by status of the job and of the answer */
  endings: Record<string, number>;
  lost: number;
  doubled: number;
  /** the caller was told 503, and the job was stored all the same (its commit was not confirmed in time) */
  refusedButStored: number;
  plansChecked: number;
};

const ROWS_PER_PAGE = 200;

/** Compares, after the storm, what clients were told with what PostgreSQL holds and the service now answers. */
export async function checkJobs(deps: {
  postgres: PostgresServer;
  fleet: Fleet;
  ledger: Ledger;
  problems: readonly Problem[];
  locations: readonly LocationPoint[];
  findings: Finding[];
}): Promise<Totals> {
  const { postgres, fleet, ledger, problems, locations, findings } = deps;
  const find = (message: string, jobId?: string) => findings.push({ message, jobId });
  const problemOf = new Map(problems.map((problem) => [JSON.stringify(problem.request), problem]));
  const leastCosts = new Map<Problem, number>();
  const totals: Totals = {
    jobs: 0,
    told: ledger.jobs.size,
    endings: {},
    lost: 0,
    doubled: 0,
    refusedButStored: 0,
    plansChecked: 0,
  };
  const stored = new Set<string>();
  const knownAsStored = requestsStored(fleet.logFolder);
  const keys = new Map<string, string>();

  const checkPlan = (row: JobRow, problem: Problem) => {
    const [plan] = row.plans;
    const result = row.result?.data;
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
    for (const fault of planFaults(problem.request, result, locations)) find(fault, row.job_id);
    if (result.solver_status !== 'optimal') return;
    const expected = problem.leastCost ?? leastCosts.get(problem) ?? result.total_cost;
    leastCosts.set(problem, expected);
    if (Math.abs(result.total_cost - expected) > 1e-9) {
      find(`${problem.name} costs ${result.total_cost} here and ${expected} elsewhere`, row.job_id);
    }
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
    const problem = problemOf.get(JSON.stringify(row.input));
    if (!problem) return find('the stored input is none that was sent', row.job_id);
    if (row.plans.length > 1) {
      totals.doubled++;
      find(`the job has ${row.plans.length} plans`, row.job_id);
    }
    const isCancelled = row.status === 'cancelled';
    if (ledger.jobs.get(row.job_id)?.cancelled && !isCancelled) {
      find(`DELETE said cancelled, but the job is ${row.status}`, row.job_id);
    }
    if (isCancelled) return;
    if (row.status !== 'completed' || row.http_status !== problem.httpStatus) {
      return find(`${problem.name} ended as ${ending}: ${JSON.stringify(row.result)}`, row.job_id);
    }
    if (problem.httpStatus === 200) checkPlan(row, problem);
    else if (row.plans.length > 0) find('an impossible problem has a plan', row.job_id);
  };

  for (let after = ''; ; ) {
    const rows = await postgres.query<JobRow>(
      `select job_id, request_id, status, http_status, idempotency_key, input, result, coalesce((
         select json_agg(json_build_object('plan_id', p.plan_id, 'total_cost', p.total_cost, 'vehicle_count', p.vehicle_count,
           'items', (select count(*) from plan_moves i where i.plan_id = p.plan_id),
           'distinct_items', (select count(distinct vehicle_id) from plan_moves i where i.plan_id = p.plan_id)))
         from plans p where p.job_id = jobs.job_id), '[]') as plans
       from jobs where job_id > $1 order by job_id limit ${ROWS_PER_PAGE}`,
      [after],
    );
    for (const row of rows) {
      checkRow(row);
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

/** Every client that was told of a job asks for it once more: it has to be the same answer. */
export async function checkAnswers(caller: Caller): Promise<void> {
  const jobs = [...caller.ledger.jobs.values()];
  const ask = async () => {
    for (let job = jobs.pop(); job; job = jobs.pop()) await caller.follow(job.jobId, job.problem);
  };
  await Promise.all([ask(), ask(), ask(), ask()]);
}

/** Exactly one `complete` for a subscription whose socket lived, at most one otherwise. */
export function checkSubscriptions(ledger: Ledger, findings: Finding[]): { completed: number } {
  let completed = 0;
  for (const { jobId, completes, socket } of ledger.subscriptions) {
    if (completes === 1) completed++;
    if (completes > 1) findings.push({ message: `${completes} complete messages on ${socket}`, jobId });
  }
  return { completed };
}

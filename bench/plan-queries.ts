/**
 * `npm run bench:queries -- [--plans 2000] [--jobs 100000] [--only TEXT] [--explain]`: the work of PostgreSQL for each
 * query of the lists, the comparison, the export, the job queue and the sweeper, over a million plan items and a
 * hundred thousand jobs. The queries are recorded as the service sends them; `--explain` prints their plans.
 */
import { parseArgs } from 'node:util';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Database } from '../src/db/client.ts';
import { claimJob, findSilentJobs } from '../src/db/job-claims.ts';
import { estimateJob } from '../src/db/job-estimate.ts';
import { insertJob, readAdmission } from '../src/db/job-intake.ts';
import { readJob, readJobPage } from '../src/db/jobs.ts';
import { readPlanComparison, readPlanItems, readPlanPage } from '../src/db/plans.ts';
import { deleteJobs, deletePlanParts, deletePlans, dropInputs } from '../src/db/retention.ts';
import * as schema from '../src/db/schema.ts';
import { countClaimable, NO_RUNNING_LIMIT, readQueuePosition } from '../src/db/turns.ts';
import { withDatabase } from './database.ts';
import { fillDatabase, jobId, planId, timeOf } from './fill.ts';
import { describePlan, type ExplainedQuery } from './query-plan.ts';

const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '2000' },
    jobs: { type: 'string', default: '100000' },
    only: { type: 'string', default: '' },
    explain: { type: 'boolean', default: false },
  },
});
const planCount = Number(values.plans);
const jobCount = Number(values.jobs);
const deepPlan: [string, string] = [timeOf(jobCount / 2), planId(planCount / 2)];
const deepJob: [string, string] = [timeOf(jobCount / 2), jobId(jobCount / 2)];
const PAGE = 51;
const DAYS = 30;

const month = { createdAfter: timeOf(jobCount * 0.2), createdBefore: timeOf(jobCount * 0.3) };
const newJob = {
  jobId: 'opt_new',
  kind: 'optimize' as const,
  requestId: 'r',
  input: '{}',
  inputHash: Buffer.from('h'),
  idempotency: { key: 'new', ttlSeconds: 60 },
  priority: 'normal' as const,
  caller: 'caller 1',
  clientId: '',
  facts: { timeLimitSeconds: null },
  locationCount: 20,
  vehicleCount: 200,
};

const planFilters = {
  none: {},
  'min_coverage, half': { minCoverage: 0.5 },
  'min_coverage, 2 plans': { minCoverage: 0.9995 },
  'max_cost, half': { maxCost: 1000 },
  'max_cost, 2 plans': { maxCost: 2 },
  'location_id, every plan': { locationId: 1 },
  'location_id, 3 plans': { locationId: 5000 },
  'location_id, no plan': { locationId: 9999 },
  'time range': month,
  'all of them': { ...month, minCoverage: 0.5, maxCost: 1900, locationId: 1 },
};
const jobFilters = {
  none: {},
  'status completed': { status: 'completed' as const },
  'status failed, 0.1 %': { status: 'failed' as const },
  'status cancelled, none': { status: 'cancelled' as const },
  'status queued': { status: 'queued' as const },
  'status running': { status: 'running' as const },
  'solver_status optimal': { solverStatus: 'optimal' as const },
  'solver_status error, 0.1 %': { solverStatus: 'error' as const },
  'solver_status infeasible, none': { solverStatus: 'infeasible' as const },
  'time range': month,
  'all of them': { ...month, status: 'completed' as const, solverStatus: 'optimal' as const },
};

type Call = (db: Database) => Promise<unknown>;
const calls: [string, Call][] = [
  ...Object.entries(planFilters).flatMap(([name, filter]): [string, Call][] => [
    [`GET /plans, ${name}`, (db) => readPlanPage(db, null, PAGE, filter)],
    [`GET /plans, ${name}, deep page`, (db) => readPlanPage(db, deepPlan, PAGE, filter)],
  ]),
  ...Object.entries(jobFilters).flatMap(([name, filter]): [string, Call][] => [
    [`GET /jobs, ${name}`, (db) => readJobPage(db, null, PAGE, filter)],
    [`GET /jobs, ${name}, deep page`, (db) => readJobPage(db, deepJob, PAGE, filter)],
  ]),
  ['export, page of 5,000', (db) => readPlanItems(db, 'plan_big_0', 90_000, 5)],
  ['compare, 100,000 vehicles each', (db) => readPlanComparison(db, 'plan_big_0', 'plan_big_1', null, PAGE)],
  [
    'compare, 100,000 vehicles each, deep page',
    (db) => readPlanComparison(db, 'plan_big_0', 'plan_big_1', 'V090000', PAGE),
  ],
  ['GET /jobs/{id}', (db) => readJob(db, jobId(7))],
  [
    'queue position, last of 1,000',
    (db) =>
      readQueuePosition(db, {
        jobId: 'opt_z',
        priority: 'low',
        caller: 'caller 9',
        clientId: '',
        createdAt: new Date(),
      }),
  ],
  ['estimate', (db) => estimateJob(db, 'opt_queued_1', 5)],
  ['what a new job depends on', (db) => readAdmission(db, { locationIds: [1, 2, 3], maxWaiting: 10_000 })],
  ['insert a job', (db) => insertJob(db, newJob)],
  ['claim a job', (db) => claimJob(db, 'w', 'low')],
  ['sweeper: silent jobs', (db) => findSilentJobs(db, 30)],
  ['sweeper: claimable jobs', (db) => countClaimable(db, 1000, NO_RUNNING_LIMIT)],
  ['retention: inputs, nothing to do', (db) => dropInputs(36_000)(db, 50)],
  ['retention: inputs, 50', (db) => dropInputs(DAYS)(db, 50)],
  ['retention: jobs, nothing to do', (db) => deleteJobs(36_000)(db, 50)],
  ['retention: jobs, 50', (db) => deleteJobs(DAYS)(db, 50)],
  ['retention: plans, nothing to do', (db) => deletePlans(36_000)(db, 100)],
  ['retention: plans, 100', (db) => deletePlans(DAYS)(db, 100)],
  ['retention: 100 parts', (db) => deletePlanParts(db, 100)],
];

/** Explains the statements that a call sends, each in a transaction that is rolled back. */
async function explainCall(pool: pg.Pool, call: Call): Promise<ExplainedQuery[]> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const sent: pg.QueryConfig[] = [];
    // The connection, with a record of the statements sent over it.
    const query = (config: pg.QueryConfig, values?: unknown[]) => {
      sent.push({ text: config.text, values: values ?? config.values ?? [] });
      return client.query(config, values);
    };
    const recorded: pg.PoolClient = Object.create(client, { query: { value: query } });
    // For these calls drizzle accepts a client in place of a pool.
    const db = drizzle(recorded, { schema }) as unknown as Database;
    await call(db);
    await client.query('rollback');
    const explained: ExplainedQuery[] = [];
    for (const { text, values } of sent) {
      await client.query('begin');
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
      await client.query('rollback');
      explained.push(describePlan(rows[0]['QUERY PLAN'][0]));
    }
    return explained;
  } finally {
    client.release();
  }
}

await withDatabase(async ({ pool }) => {
  await fillDatabase(pool, planCount, jobCount);
  console.log('| query | ms | rows read | pages | by |\n| --- | --- | --- | --- | --- |');
  for (const [name, call] of calls.filter(([name]) => name.includes(values.only))) {
    for (const { ms, rows, pages, scans, tree } of await explainCall(pool, call)) {
      console.log(`| ${name} | ${ms.toFixed(2)} | ${rows} | ${pages} | ${scans.join(', ')} |`);
      if (values.explain) console.log(tree);
    }
  }
});

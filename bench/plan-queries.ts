/**
 * `npm run bench:queries -- [--plans 2000] [--jobs 100000] [--only TEXT] [--explain]`: the work of PostgreSQL for each
 * query of the lists, the comparison, the export, the job queue and the sweeper, of webhooks, audit, API keys,
 * schedules and the operations page, over a million plan items and a hundred thousand jobs with what comes with them.
 * The queries are recorded as the service sends them; a row has the maxima of its queries. `--explain` prints their
 * plans. It fails if a query reads a tenth as many rows as there are jobs, by whichever index.
 */
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Database } from '../src/db/client.ts';
import { claimJob, findCancelRequests, findSilentJobs, heartbeat } from '../src/db/jobs/job-claims.ts';
import { estimateJob } from '../src/db/jobs/job-estimate.ts';
import { insertJob, readAdmission } from '../src/db/jobs/job-intake.ts';
import { readJob, readJobPage } from '../src/db/jobs/jobs.ts';
import {
  beatWorker,
  countClaimable,
  isHeldBack,
  NO_RUNNING_LIMIT,
  readQueuePosition,
} from '../src/db/jobs/turns.ts';
import { readDecisionPage } from '../src/db/plans/decisions.ts';
import { readPlanComparison, readPlanItems, readPlanPage } from '../src/db/plans/plans.ts';
import { readReplayPage } from '../src/db/plans/replays.ts';
import { findDue } from '../src/db/schedules/due.ts';
import {
  deleteOccurrences,
  findDueSchedules,
  holdDueSchedule,
  isScheduleBusy,
  readOccurrences,
  readSchedulePage,
  storeOccurrence,
} from '../src/db/schedules/schedules.ts';
import * as schema from '../src/db/schema.ts';
import {
  findValidApiKeys,
  listApiKeys,
  noteApiKeyUse,
  readApiKeyRecords,
} from '../src/db/service/api-keys.ts';
import { endAuditEntries, insertAuditEntries, readAuditPage } from '../src/db/service/audit.ts';
import { readOperationsReport } from '../src/db/service/operations.ts';
import {
  deleteAuditEntries,
  deleteDeliveries,
  deleteJobs,
  deletePlanParts,
  deletePlans,
  dropInputs,
} from '../src/db/service/retention.ts';
import { readServiceFigures } from '../src/db/service/service-figures.ts';
import {
  claimDeliveries,
  giveBackDelivery,
  readDeliveryPage,
  recordAttempt,
  resendDelivery,
} from '../src/db/webhooks/webhook-deliveries.ts';
import { readWebhook, readWebhookPage } from '../src/db/webhooks/webhooks.ts';
import { readArguments, reportTable, whole } from './cli.ts';
import { withDatabase } from './database.ts';
import { auditId, deliveryId, fillDatabase, jobId, planId, timeOf } from './fill.ts';
import { describePlan, type ExplainedQuery } from './query-plan.ts';

const {
  plans: planCount,
  jobs: jobCount,
  only,
  explain,
  json,
} = readArguments({ plans: 2000, jobs: 100_000, only: '', explain: false });
const deepPlan: [string, string] = [timeOf(jobCount / 2), planId(planCount / 2)];
const deepJob: [string, string] = [timeOf(jobCount / 2), jobId(jobCount / 2)];
const deepDelivery: [string, string] = [timeOf(jobCount / 2), deliveryId(jobCount / 2)];
const deepEntry: [string, string] = [timeOf(jobCount / 2), auditId(jobCount / 2)];
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

type Call = (db: Database) => Promise<unknown>;
const listPlans = (filter: Parameters<typeof readPlanPage>[3]): Call[] =>
  [null, deepPlan].map((before) => (db) => readPlanPage(db, before, PAGE, filter));
const listJobs = (filter: Parameters<typeof readJobPage>[3]): Call[] =>
  [null, deepJob].map((before) => (db) => readJobPage(db, before, PAGE, filter));
const listDecisions = (owner?: string): Call[] =>
  [null, deepJob].map((before) => (db) => readDecisionPage(db, before, PAGE, owner));
const lastInQueue = { jobId: 'opt_z', priority: 'low' as const, caller: 'caller 9', clientId: '' };
const listAudit = (filter: Parameters<typeof readAuditPage>[1]): Call[] =>
  [null, deepEntry].map((before) => (db) => readAuditPage(db, filter, before, PAGE));
const listDeliveries = (webhookId: string, status: Parameters<typeof readDeliveryPage>[2]): Call[] =>
  [null, deepDelivery].map((before) => (db) => readDeliveryPage(db, webhookId, status, before, PAGE));
const attempted = (status: 'delivered' | 'waiting' | 'dead') => {
  return { status, delaySeconds: 60, httpStatus: 200, answer: null, error: null };
};
const waitingDelivery = { deliveryId: 'msg_waiting_1', webhookId: 'whk_1', attempt: 0 };
/** Requests that are noted by one statement. */
const entries = Array.from({ length: 50 }, (_, i) => ({
  ...{ auditId: `aud_new_${i}`, actor: 'owner 1', keyId: 'key', address: null, operation: 'optimize' },
  ...{ method: 'POST', path: '/api/v1/optimize', resourceId: null, requestId: 'r' },
}));
const answered = entries.map((_, i) => ({
  ...{ auditId: auditId(i), httpStatus: 200, jobId: jobId(i), resourceId: null },
}));
const keysInUse = Array.from({ length: 100 }, (_, i) => `key_${i}`);
const occurrence = {
  ...{ scheduleId: 'sch_1', dueAt: new Date(), outcome: 'job' as const, missedAt: [], nextAt: new Date() },
  job: { jobId: 'dec_new', requestId: 'r', trace: undefined },
};
const compareFrom = (after: string | null): Call => {
  return (db) => readPlanComparison(db, 'plan_big_0', 'plan_big_1', after, PAGE);
};

/** The calls of each row; the lists are read from the newest entry on and from the middle. */
const CALLS: Record<string, Call[]> = {
  'plans, newest 50; also a deep page': listPlans({}),
  'plans by coverage or cost, half of them fit': [
    ...listPlans({ minCoverage: 0.5 }),
    ...listPlans({ maxCost: planCount / 2 }),
  ],
  'plans by coverage or cost, 2 fit': [...listPlans({ minCoverage: 0.9995 }), ...listPlans({ maxCost: 2 })],
  'plans by location, all of them fit': listPlans({ locationId: 1 }),
  'plans by location, 3 or none fit': [
    ...listPlans({ locationId: 5000 }),
    ...listPlans({ locationId: 9999 }),
  ],
  'plans by time, or by everything at once': [
    ...listPlans(month),
    ...listPlans({ ...month, minCoverage: 0.5, maxCost: planCount * 0.95, locationId: 1 }),
  ],
  'jobs, newest 50; also a deep page, by time, by everything at once': [
    ...listJobs({}),
    ...listJobs(month),
    ...listJobs({ ...month, status: 'completed', solverStatus: 'optimal' }),
  ],
  'jobs completed or optimal, behind the 1,000 that wait; deep page': [
    ...listJobs({ status: 'completed' }),
    ...listJobs({ solverStatus: 'optimal' }),
  ],
  'jobs failed or with solver status error (0.1 %), none cancelled or infeasible': [
    ...listJobs({ status: 'failed' }),
    ...listJobs({ solverStatus: 'error' }),
    ...listJobs({ status: 'cancelled' }),
    ...listJobs({ solverStatus: 'infeasible' }),
  ],
  'jobs queued (1,000), running (8)': [...listJobs({ status: 'queued' }), ...listJobs({ status: 'running' })],
  'jobs of a kind (0.1 %), of a schedule (0.1 %), of a caller with most and with few': [
    ...listJobs({ kind: 'backtest' }),
    ...listJobs({ kind: 'replay' }),
    ...listJobs({ scheduleId: 'sch_7' }),
    ...listJobs({ owner: 'owner 1' }),
    ...listJobs({ owner: 'rare' }),
    ...listJobs({ owner: 'nobody' }),
  ],
  'jobs of a caller by kind, status or solver status: most, 0.2 %, none': [
    ...listJobs({ owner: 'owner 1', kind: 'optimize' }),
    ...listJobs({ owner: 'owner 1', kind: 'backtest' }),
    ...listJobs({ owner: 'owner 1', kind: 'decision' }),
    ...listJobs({ owner: 'owner 1', status: 'completed' }),
    ...listJobs({ owner: 'owner 0', status: 'failed' }),
    ...listJobs({ owner: 'owner 1', status: 'failed' }),
    ...listJobs({ owner: 'owner 1', solverStatus: 'optimal' }),
    ...listJobs({ owner: 'owner 0', solverStatus: 'error' }),
    ...listJobs({ owner: 'owner 1', solverStatus: 'feasible' }),
  ],
  'plans and replays of a caller with many, with few, with none; plans of a schedule': [
    ...['owner 1', 'rare', 'nobody'].flatMap((owner) => [
      ...listPlans({ owner }),
      (db: Database) => readReplayPage(db, null, PAGE, owner),
    ]),
    ...listPlans({ scheduleId: 'sch_0' }),
  ],
  'decisions; of a caller with many, with many jobs and no decision, with few jobs, with none': [
    ...listDecisions(),
    ...['owner 0', 'owner 1', 'rare', 'nobody'].flatMap(listDecisions),
  ],
  'a job': [(db) => readJob(db, jobId(7))],
  'place in the line, last of 1,000': [
    (db) => readQueuePosition(db, { ...lastInQueue, createdAt: new Date() }),
  ],
  'how long a job will take': [(db) => estimateJob(db, 'opt_queued_1', 5)],
  'what a new job depends on': [(db) => readAdmission(db, { locationIds: [1, 2, 3], maxWaiting: 10_000 })],
  'insert a job': [(db) => insertJob(db, newJob)],
  'claim the next job': [(db) => claimJob(db, 'w', 'low')],
  'sweeper: silent jobs': [(db) => findSilentJobs(db, 30)],
  'sweeper: jobs to be claimed': [(db) => countClaimable(db, 1000, NO_RUNNING_LIMIT)],
  'worker: heartbeats of itself and of a job, cancellations, next job held back, schedules due': [
    (db) => beatWorker(db, 'w', 1),
    (db) => heartbeat(db, [{ jobId: 'opt_queued_1', attempt: 1, workerId: 'w' }]),
    (db) => findCancelRequests(db, ['opt_queued_1']),
    (db) => isHeldBack(db, 'opt_queued_1', NO_RUNNING_LIMIT),
    findDue,
  ],
  'metrics: jobs that wait and run, workers, newest plan': [(db) => readServiceFigures(db, 30)],
  'operations page': [(db) => readOperationsReport(db, 30)],
  'API keys: 100 in use looked up, one read, its use noted, all 1,000': [
    (db) => findValidApiKeys(db, keysInUse),
    (db) => readApiKeyRecords(db, ['key_7']),
    (db) => noteApiKeyUse(db, 'key_7'),
    listApiKeys,
  ],
  'audit: 50 requests, and their answers': [
    (db) => insertAuditEntries(db, entries),
    (db) => endAuditEntries(db, answered),
  ],
  'audit, newest 50; also a deep page, by time, by who made most and few': [
    ...listAudit({}),
    ...listAudit({ after: month.createdAfter, before: month.createdBefore }),
    ...listAudit({ actor: 'owner 1' }),
    ...listAudit({ actor: 'rare' }),
  ],
  'audit by operation: most, 0.1 %, 0.001 %, none; also of one caller': [
    ...listAudit({ operation: 'optimize' }),
    ...listAudit({ operation: 'put_fleet' }),
    ...listAudit({ operation: 'delete_location' }),
    ...listAudit({ operation: 'delete_webhook' }),
    ...listAudit({ operation: 'delete_location', actor: 'owner 5' }),
    ...listAudit({ operation: 'delete_webhook', actor: 'owner 5' }),
  ],
  'webhooks: the list, one, its deliveries; also a deep page': [
    (db) => readWebhookPage(db, null, PAGE),
    (db) => readWebhook(db, 'whk_0'),
    ...listDeliveries('whk_0', undefined),
  ],
  'webhooks: deliveries by status: delivered, 0.01 % dead, none waiting; 1,000 waiting, none dead; none delivered':
    [
      ...listDeliveries('whk_0', 'delivered'),
      ...listDeliveries('whk_0', 'dead'),
      ...listDeliveries('whk_0', 'waiting'),
      ...listDeliveries('whk_1', 'waiting'),
      ...listDeliveries('whk_1', 'dead'),
      ...listDeliveries('whk_2', 'delivered'),
    ],
  'webhooks: claim, attempted, given back, sent again': [
    (db) => claimDeliveries(db, new Map([['whk_0', 1]]), 5, 60),
    (db) => recordAttempt(db, waitingDelivery, attempted('waiting')),
    (db) => giveBackDelivery(db, waitingDelivery),
    (db) => resendDelivery(db, 'whk_0', deliveryId(3)),
  ],
  'webhooks: switch one off for which 1,000 events wait': [
    (db) => recordAttempt(db, waitingDelivery, attempted('dead'), 'gone'),
  ],
  'schedules: the list, due ones, one held, busy or not, occurrences of one': [
    (db) => readSchedulePage(db, null, PAGE),
    (db) => findDueSchedules(db, undefined, 10),
    (db) => holdDueSchedule(db, 'sch_1', new Date()),
    (db) => isScheduleBusy(db, 'sch_1'),
    (db) => readOccurrences(db, 'sch_1', PAGE),
  ],
  'schedules: store an occurrence with its job': [(db) => storeOccurrence(db, occurrence)],
  'retention, nothing to do: inputs, jobs, plans': [
    (db) => dropInputs(36_000)(db, 50),
    (db) => deleteJobs(36_000)(db, 50),
    (db) => deletePlans(36_000)(db, 100),
  ],
  'retention, 50 inputs': [(db) => dropInputs(DAYS)(db, 50)],
  'retention, 50 jobs': [(db) => deleteJobs(DAYS)(db, 50)],
  'retention, 1,000 deliveries, audit entries': [
    (db) => deleteDeliveries(DAYS)(db, 1000),
    (db) => deleteAuditEntries(DAYS)(db, 1000),
  ],
  'retention, 1,000 occurrences': [(db) => deleteOccurrences(DAYS)(db, 1000)],
  'retention, 100 plans': [(db) => deletePlans(DAYS)(db, 100)],
  'retention, 100 parts of 1,000 vehicles': [(db) => deletePlanParts(db, 100)],
  'export, a page of 5,000 of 100,000 vehicles': [(db) => readPlanItems(db, 'plan_big_0', 90_000, 5)],
  'comparison of two plans of 100,000 vehicles, first and deep page': [null, 'V090000'].map(compareFrom),
};

/** A query that reads more rows would read ten times as many with ten times the jobs: none needs so many. */
const MAX_ROWS = Math.max(2000, 0.1 * jobCount);

/** Explains the statements that a call sends, each in a transaction that is rolled back. */
async function explainCall(pool: pg.Pool, call: Call): Promise<ExplainedQuery[]> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const sent: pg.QueryConfig[] = [];
    // The connection, with a record of the statements sent over it.
    const query = (config: pg.QueryConfig, values?: unknown[]) => {
      // Its transaction is the one that is rolled back.
      if (/^(begin|commit)\b/.test(config.text)) return { rows: [], rowCount: 0 };
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
  const rows: string[][] = [];
  for (const [name, calls] of Object.entries(CALLS)) {
    if (!name.includes(only)) continue;
    const queries: ExplainedQuery[] = [];
    for (const call of calls) queries.push(...(await explainCall(pool, call)));
    const most = (of: (query: ExplainedQuery) => number) => Math.max(...queries.map(of));
    const scans = new Set(queries.flatMap((query) => query.scans));
    const indexes = [...scans].map((scan) => `\`${scan}\``).join(', ');
    rows.push([
      ...[
        name,
        whole(queries.length),
        whole(most((query) => query.rows)),
        whole(most((query) => query.pages)),
      ],
      ...[most((query) => query.ms).toFixed(2), indexes || '–'],
    ]);
    if (explain) for (const { tree } of queries) console.error(`${name}\n${tree}`);
    for (const { tree } of queries.filter(({ rows }) => rows > MAX_ROWS)) {
      console.error(`reads too many rows: ${name}\n${tree}`);
      process.exitCode = 1;
    }
  }
  reportTable({ columns: ['query', 'of', 'rows read', 'pages of 8 KB', 'ms', 'by'], rows }, json);
});

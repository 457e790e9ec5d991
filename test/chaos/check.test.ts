import { expect, test } from 'vitest';
import type { OptimizationResult } from '../../src/contracts/optimize.ts';
import { claimJob, explainLostAttempt, finishJob, giveBackJob } from '../../src/db/jobs/job-claims.ts';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { optimizeCached as optimize } from '../core/optimize/cached.ts';
import { SETTINGS } from '../core/optimize/instances.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';
import { checkSubscriptions, endingFaults, type Finding, replayFaults } from './check.ts';
import { type AttemptedJob, attemptFaults, type StoredAttempt } from './check-attempts.ts';
import { outlookFaults, planFaults } from './check-plan.ts';
import { type DecidedOccurrence, occurrenceFaults } from './check-schedules.ts';
import { planStorm } from './faults.ts';
import { findLateWrites, watchLateWrites } from './late-writes.ts';
import { createLedger } from './ledger.ts';
import { chaosLocations, chaosProblems } from './problems.ts';

const locations = chaosLocations(1);
const problems = chaosProblems(1, locations);

async function solve(name: string) {
  const problem = problems.find((one) => one.name === name);
  if (problem?.kind !== 'optimize') throw new Error(name);
  const { request } = problem;
  const outcome = await optimize({ request, locations, settings: SETTINGS });
  if (outcome.status !== 'optimal') throw new Error(outcome.status);
  return { request, result: outcome.result };
}

const changes: [string, (right: OptimizationResult) => OptimizationResult, RegExp][] = [
  ['another cost', (r) => ({ ...r, total_cost: r.total_cost + 0.01 }), /total_cost/],
  ['another coverage', (r) => ({ ...r, kpis: { ...r.kpis, demand_coverage: 0.5 } }), /demand_coverage/],
  ['a missing vehicle', (r) => ({ ...r, allocation_plan: r.allocation_plan.slice(1) }), /number of items/],
  [
    'a vehicle that is there twice',
    (r) => ({ ...r, allocation_plan: r.allocation_plan.with(1, r.allocation_plan[0]) }),
    /item 1 is not/,
  ],
];

test.each(['tiny-0', 'small-0'])(
  'the check of plans finds nothing wrong with a right one (%s)',
  async (name) => {
    const { request, result } = await solve(name);
    expect(planFaults(request, result, locations)).toEqual([]);
  },
);

test.each(changes)('the check of plans notices %s', async (_what, change, complaint) => {
  const { request, result } = await solve('small-0');
  expect(planFaults(request, change(result), locations).join()).toMatch(complaint);
});

test('the check of outlooks notices a missing step, another demand, demand that is lost, and a cost below its bound', () => {
  const forecast = { 1: [2, 3], 2: [1, 0] };
  const step = (demand: number, served: number, unmet: number) => ({ demand, served, unmet }) as never;
  const right = { outlook: [step(3, 2, 1), step(3, 3, 0)], horizon_cost: 5, horizon_bound: 4.5 };
  expect(outlookFaults(forecast, right)).toEqual([]);
  expect(outlookFaults(forecast, { ...right, outlook: right.outlook.slice(1) })).toHaveLength(1);
  expect(outlookFaults(forecast, { ...right, outlook: [step(2, 2, 0), step(3, 3, 0)] })).toHaveLength(1);
  expect(outlookFaults(forecast, { ...right, outlook: [step(3, 2, 0), step(3, 3, 0)] })).toHaveLength(1);
  expect(outlookFaults(forecast, { ...right, horizon_cost: 4 })).toHaveLength(1);
  expect(outlookFaults(forecast, {})).toHaveLength(2);
});

test('the check of schedules notices minutes that are missing, jobs that are, and passing over without a reason', () => {
  const minute = (n: number, values: Partial<DecidedOccurrence> = {}): DecidedOccurrence => {
    const due = n * 60_000;
    const at = new Date(due).toISOString();
    const ended = { decided: due + 500, finished: due + 900 };
    return {
      schedule_id: 'S',
      due,
      outcome: 'job',
      job_id: `J${n}`,
      request_id: `S/${at}`,
      ...ended,
      ...values,
    };
  };
  const passed = { job_id: null, request_id: null, finished: null };
  const right = [minute(1, { outcome: 'missed', ...passed }), minute(2), minute(3)];
  expect(occurrenceFaults(right)).toEqual([]);
  expect(
    occurrenceFaults([minute(1, { finished: null }), minute(2, { outcome: 'overlapped', ...passed })]),
  ).toEqual([]);
  expect(occurrenceFaults([])).toHaveLength(1);
  expect(occurrenceFaults([minute(1), minute(3)])).toHaveLength(1);
  expect(occurrenceFaults([minute(1), minute(2, passed)])).toHaveLength(1);
  expect(occurrenceFaults([minute(1), minute(2, { outcome: 'missed' })])).toHaveLength(1);
  expect(occurrenceFaults([minute(1), minute(2, { request_id: minute(1).request_id })])).toHaveLength(1);
  expect(occurrenceFaults([minute(1), minute(2, { outcome: 'overlapped', ...passed })])).toHaveLength(1);
});

test('the check of replays notices one that is not stored, is stored twice, or has other figures than before', () => {
  const problem = problems.find(({ kind }) => kind === 'replay')!;
  const figures = new Map();
  const found = (jobId: string, served: number, count = 1, id = jobId) => {
    const data = { replay_id: id, served };
    const replays = Array.from({ length: count }, () => ({ replay_id: jobId, data }));
    return replayFaults(figures, problem, { job_id: jobId, result: { data }, replays });
  };
  const notStored = ['the stored replay is not that of the answer'];
  expect(found('rpl_a', 5)).toEqual([]);
  expect(found('rpl_b', 5)).toEqual([]);
  expect(found('rpl_c', 5, 0)).toEqual(notStored);
  expect(found('rpl_c', 5, 2)).toEqual(notStored);
  expect(found('rpl_c', 5, 1, 'rpl_a')).toEqual(notStored);
  expect(found('rpl_c', 6)).toEqual(['other figures than before']);
});

test('the ledger notices two answers for one job, two jobs for one key, and two completes for one subscription', () => {
  const ledger = createLedger();
  const [problem] = problems;
  ledger.answered('opt_a', problem, { cost: 1 }, 'POST');
  ledger.answered('opt_a', problem, { cost: 1 }, 'GET');
  ledger.accepted('opt_a', problem, '202', 'key');
  ledger.accepted('opt_a', problem, '200', 'key');
  expect(ledger.faults).toEqual([]);
  ledger.answered('opt_a', problem, { cost: 2 }, 'subscriber');
  ledger.accepted('opt_b', problem, '202', 'key');
  expect(ledger.faults.map(({ message }) => message.replace(/^\d+ ms: /, ''))).toEqual([
    expect.stringMatching(/^subscriber was told \w+, but POST was told \w+$/),
    'key key made the jobs opt_a and opt_b',
  ]);
  ledger.subscribed('opt_a', problem, 'api-1#0').completes = 2;
  const findings: Parameters<typeof checkSubscriptions>[1] = [];
  checkSubscriptions(ledger, findings);
  expect(findings).toEqual([{ message: '2 complete messages on api-1#0', jobId: 'opt_a' }]);
});

const attempt = (
  n: number,
  outcome: StoredAttempt['outcome'],
  reason: string | null = null,
): StoredAttempt => ({
  attempt: n,
  outcome,
  reason,
  started_at: `2026-01-01T00:00:${10 * n}Z`,
  ended_at: outcome && `2026-01-01T00:00:${10 * n + 5}Z`,
});
const FINISHED = '2026-01-01T00:00:25Z';
const crash = attempt(1, 'crashed', 'silent');
const done = { status: 'completed' as const, attempts: 2, crashes: 1, finished_at: FINISHED };

test('the check of attempts finds nothing wrong with jobs that ended as they may', () => {
  const right: [AttemptedJob, StoredAttempt[]][] = [
    [done, [crash, attempt(2, 'completed')]],
    [{ ...done, crashes: 0 }, [attempt(1, 'released', 'stopped'), attempt(2, 'completed')]],
    [{ ...done, status: 'cancelled', crashes: 2 }, [crash, attempt(2, 'crashed', 'silent')]],
    [{ ...done, status: 'cancelled', attempts: 0, crashes: 0 }, []],
    [{ ...done, status: 'failed', crashes: 2 }, [crash, attempt(2, 'crashed', 'silent')]],
  ];
  for (const [job, attempts] of right) expect(attemptFaults(job, attempts, 2)).toEqual([]);
});

const wrongAttempts: [string, AttemptedJob, StoredAttempt[], RegExp][] = [
  ['a missing attempt', done, [attempt(2, 'completed')], /2 claims, but the attempts 2/],
  ['an attempt that is there twice', done, [crash, crash, attempt(2, 'completed')], /attempts 1,1,2/],
  ['an attempt without an end', done, [crash, attempt(2, null)], /attempt 2 has no end/],
  [
    'two attempts that completed',
    done,
    [attempt(1, 'completed'), attempt(2, 'completed')],
    /there is another one/,
  ],
  [
    'a crash that is not counted',
    { ...done, crashes: 0 },
    [crash, attempt(2, 'completed')],
    /1 attempts crashed/,
  ],
  ['a crash for no reason', done, [attempt(1, 'crashed'), attempt(2, 'completed')], /for no reason/],
  [
    'an end that is not that of the job',
    done,
    [crash, attempt(2, 'cancelled')],
    /the last attempt was cancelled/,
  ],
  [
    'a completed job whose last attempt crashed',
    { ...done, crashes: 2 },
    [crash, attempt(2, 'crashed', 's')],
    /completed/,
  ],
  [
    'attempts at the same time',
    done,
    [{ ...crash, ended_at: FINISHED }, attempt(2, 'completed')],
    /began before the one before it ended/,
  ],
  [
    'an attempt that ended later than its job',
    { ...done, finished_at: crash.started_at },
    [crash, attempt(2, 'completed')],
    /with the job/,
  ],
  [
    'a job that failed before its limit',
    { ...done, status: 'failed' },
    [crash, attempt(2, 'failed', 'x')],
    /limit is 2/,
  ],
  [
    'a job that went on after its limit',
    { ...done, attempts: 3, crashes: 2 },
    [crash, attempt(2, 'crashed', 's'), { ...attempt(3, 'completed'), ended_at: FINISHED }],
    /limit is 2/,
  ],
];
test.each(wrongAttempts)('the check of attempts notices %s', (_what, job, attempts, complaint) => {
  expect(attemptFaults(job, attempts, 2).join()).toMatch(complaint);
});

const answer = (code: string) => ({ errors: [{ code }] });
const COMPLETED = { status: 'completed' as const, http_status: 200, result: {} };
const CANCELLED = { status: 'cancelled' as const, http_status: 409, result: answer('JOB_CANCELLED') };
const CRASHED = { status: 'failed' as const, http_status: 500, result: answer('INTERNAL_ERROR') };

test('the check of endings compares each end with the answer to its cancellation, and with the request', () => {
  const ledger = createLedger();
  const [problem] = problems;
  const tell = (jobId: string, httpStatus: number, status: string) => {
    ledger.cancelAsked(jobId, problem);
    ledger.cancelAnswered(jobId, problem, httpStatus, status);
    return ledger.jobs.get(jobId);
  };
  const [accepted, ended, late] = [
    tell('a', 202, 'running'),
    tell('b', 200, 'cancelled'),
    tell('c', 200, 'completed'),
  ];
  expect(ledger.faults).toEqual([]);
  tell('d', 202, 'completed');
  expect(ledger.faults).toMatchObject([{ jobId: 'd', message: expect.stringContaining('202 completed') }]);
  for (const seen of [accepted, ended]) {
    expect(endingFaults(CANCELLED, problem, seen)).toEqual([]);
    for (const row of [COMPLETED, CRASHED])
      expect(endingFaults(row, problem, seen)[0]).toMatch(/^DELETE was answered/);
  }
  expect(endingFaults(COMPLETED, problem, late)).toEqual([]);
  expect(endingFaults(CRASHED, problem)).toEqual([]);
  expect(endingFaults(CANCELLED, problem)[0]).toMatch(/nobody asked/);
  expect(endingFaults({ ...CRASHED, result: answer('SOLVER_ERROR') }, problem)[0]).toMatch(
    /tiny-0 ended as failed 500/,
  );
  expect(endingFaults({ ...COMPLETED, http_status: 422 }, problem)[0]).toMatch(
    /tiny-0 ended as completed 422/,
  );
});

test('PostgreSQL records every write to a row that has ended, and no earlier one', async () => {
  const { db, pool } = openTestDatabase(await createTestDatabase());
  const query = async (text: string) => (await pool.query(text)).rows;
  await watchLateWrites(query);
  const { jobId } = await insertJob(db, newJob());
  const first = await claimJob(db, 'w');
  const end = { outcome: 'completed' as const, reason: null, phases: [] };
  await giveBackJob(db, first!, { ...end, outcome: 'crashed', reason: 'silent' }, 0);
  await explainLostAttempt(db, first!, 'was alive');
  const second = await claimJob(db, 'w');
  const ending = {
    status: 'completed' as const,
    solverStatus: null,
    answer: { httpStatus: 200, body: '{}' },
  };
  expect(await finishJob(db, second!, ending, end)).not.toBeNull();
  const found = async () => {
    const findings: Finding[] = [];
    await findLateWrites(query, findings);
    await pool.query('delete from chaos_late_writes');
    return findings.map(({ message, jobId }) => [message.replace(/ at .*/, ''), jobId]);
  };
  expect(await found()).toEqual([]);
  await pool.query("update jobs set result = '{}'");
  await pool.query("update job_attempts set reason = 'no' where attempt = 2");
  await pool.query("update job_attempts set outcome = 'failed' where attempt = 1");
  await pool.query('delete from jobs');
  expect(await found()).toEqual([
    ['after its end: UPDATE of jobs', jobId],
    ['after its end: UPDATE of job_attempts', jobId],
    ['after its end: UPDATE of job_attempts', jobId],
    ['after its end: DELETE of jobs', jobId],
    ['after its end: DELETE of job_attempts', jobId],
    ['after its end: DELETE of job_attempts', jobId],
  ]);
});

test('the same seed makes the same faults and problems, another seed others', () => {
  expect(planStorm(7, 60, true)).toEqual(planStorm(7, 60, true));
  expect(planStorm(7, 60, true)).not.toEqual(planStorm(8, 60, true));
  expect(new Set(planStorm(7, 60, true).map(({ kind }) => kind)).size).toBe(18);
  expect(new Set(planStorm(7, 60, false).map(({ kind }) => kind)).size).toBe(13);
  expect(chaosProblems(1, locations)).toEqual(problems);
});

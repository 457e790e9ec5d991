import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { JOB_FORMAT } from '../../src/contracts/jobs.ts';
import { openDatabase } from '../../src/db/client.ts';
import {
  type AttemptEnd,
  claimJob,
  type Ending,
  explainLostAttempt,
  findCancelRequests,
  findSilentJobs,
  finishJob,
  giveBackJob,
  heartbeat,
  holdJob,
  storeProgress,
} from '../../src/db/jobs/job-claims.ts';
import { insertJob, type NewJob } from '../../src/db/jobs/job-intake.ts';
import { cancelJob, readAnswer, readAttempts, readJob } from '../../src/db/jobs/jobs.ts';
import { countClaimable, isHeldBack, NO_RUNNING_LIMIT, readQueuePosition } from '../../src/db/jobs/turns.ts';
import { planRecord } from '../../src/db/plans/plan-record.ts';
import type { NewPlan } from '../../src/db/plans/plans.ts';
import { storeOccurrence } from '../../src/db/schedules/schedules.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const ENDING: Ending = {
  status: 'completed',
  solverStatus: 'optimal',
  answer: { httpStatus: 200, body: '{"a": 1}' },
};
const DONE: AttemptEnd = { outcome: 'completed', reason: null, phases: [] };
const CRASH: AttemptEnd = {
  outcome: 'crashed',
  reason: 'worker gone',
  phases: [{ phase: 'build', ms: 1.5 }],
};
const RELEASE: AttemptEnd = { outcome: 'released', reason: 'worker stopped', phases: [] };

const databaseUrl = await createTestDatabase();
const { db, pool } = openTestDatabase(databaseUrl);

/** A plan of three vehicles, one of which moves. */
function newPlan(jobId: string): NewPlan {
  const item = (vehicle_id: string, target_location: number) => ({
    vehicle_id,
    source_location: 1,
    target_location,
    cost: target_location - 1,
    assignment: target_location === 1 ? ('stay' as const) : ('rebalance' as const),
  });
  return {
    planId: jobId.replace('opt', 'plan'),
    jobId,
    solveTimeMs: 1.5,
    speedKmh: 20,
    record: planRecord(
      {
        allocation_plan: [item('a', 1), item('b,"{}', 2), item('c', 1)],
        total_cost: 1,
        solver_status: 'optimal',
        kpis: {
          demand_coverage: 1,
          utilization: 0.5,
          rebalanced_count: 1,
          total_cost: 1,
          total_distance_km: null,
          unmet_demand: 0,
        },
      },
      { objective: 1 },
    ),
  };
}

async function countPlans(jobId: string) {
  const { rows } = await pool.query(
    `select count(distinct plan_id)::int as plans, count(i.plan_id)::int as items
     from plans left join reports.plan_moves i using (plan_id) where job_id = $1`,
    [jobId],
  );
  return rows[0];
}

type Transaction = Parameters<Parameters<typeof db.transaction>[0]>[0];

async function countWaitingForLocks() {
  const { rowCount } = await pool.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount;
}

describe('the record of a job', () => {
  beforeEach(async () => {
    await pool.query('delete from jobs');
  });
  const store = async (own: Partial<NewJob> = {}) => (await insertJob(db, newJob(own))).jobId;
  const claim = async (worker = 'w', first: 'low' | 'normal' | 'high' | null = null) => {
    const job = await claimJob(db, worker, first);
    if (!job) throw new Error('nothing to claim');
    return job;
  };
  /** Ids of the jobs in the order in which they are claimed. */
  const claimAll = async () => {
    const ids: string[] = [];
    for (let job = await claimJob(db, 'w'); job; job = await claimJob(db, 'w')) ids.push(job.jobId);
    return ids;
  };
  const silence = (jobId: string) =>
    pool.query("update jobs set heartbeat_at = now() - interval '1 hour' where job_id = $1", [jobId]);

  test('is claimed by one of many workers that try at the same moment, and each gets a job of its own', async () => {
    const ids = [await store(), await store(), await store()];
    const claims = await Promise.all(Array.from({ length: 10 }, (_, i) => claimJob(db, `w${i}`)));
    const won = claims.filter((job) => job !== undefined);
    expect(won.map((job) => job.jobId).sort()).toEqual(ids);
    for (const job of won)
      expect(job).toMatchObject({ attempt: 1, crashes: 0, input: { request: '{"b":  2}' }, requestId: 'r' });
    expect(await claimJob(db, 'late')).toBeUndefined();
  });

  test('keeps each attempt with its worker, its reason and its phases', async () => {
    const jobId = await store();
    const first = await claim('first');
    expect(await giveBackJob(db, first, CRASH, 0)).toBe(true);
    const second = await claim('second');
    expect(await giveBackJob(db, second, RELEASE, 0)).toBe(true);
    const third = await claim('third');
    expect(await readAttempts(db, jobId)).toMatchObject([
      { attempt: 1, workerId: 'first', ...CRASH, endedAt: expect.any(Date) },
      { attempt: 2, workerId: 'second', ...RELEASE, endedAt: expect.any(Date) },
      { attempt: 3, workerId: 'third', outcome: null, endedAt: null, reason: null },
    ]);
    // Only the crash counts against the limit; the number of the attempt never comes twice.
    expect(third).toMatchObject({ attempt: 3, crashes: 1 });
    expect(await finishJob(db, third, ENDING, DONE)).not.toBeNull();
    const { finishedAt } = (await readJob(db, jobId)) ?? {};
    expect((await readAttempts(db, jobId))[2]).toMatchObject({ ...DONE, endedAt: finishedAt });
  });

  test('is taken from a silent worker, whose later writes are void', async () => {
    const jobId = await store();
    const first = await claim('first');
    expect(await findSilentJobs(db, 30)).toEqual([]);
    await silence(jobId);
    expect(await findSilentJobs(db, 30)).toMatchObject([
      {
        jobId,
        attempt: 1,
        crashes: 0,
        requestId: 'r',
        workerId: 'first',
        silentSeconds: expect.closeTo(3600, -2),
      },
    ]);
    expect(await giveBackJob(db, first, CRASH, 0)).toBe(true);
    const second = await claim('second');
    await storeProgress(db, first, {
      progress: 0.9,
      stage: 'solve',
      incumbent: 1,
      bound: 1,
      gap: 0,
      iterations: 7,
    });
    expect(await readJob(db, jobId)).toMatchObject({ progress: 0, stage: null });
    expect(await heartbeat(db, [first])).toEqual([jobId]);
    expect(await finishJob(db, first, ENDING, DONE, newPlan(jobId))).toBeNull();
    expect(await countPlans(jobId)).toEqual({ plans: 0, items: 0 });
    expect(await giveBackJob(db, first, RELEASE, 0)).toBe(false);
    await explainLostAttempt(db, first, 'cut off');
    expect((await readAttempts(db, jobId))[0]).toMatchObject({ outcome: 'crashed', reason: 'cut off' });
    expect(await readJob(db, jobId)).toMatchObject({ status: 'running', attempts: 2 });
    expect(await finishJob(db, second, ENDING, DONE, newPlan(jobId))).not.toBeNull();
    expect(await finishJob(db, second, ENDING, DONE, newPlan(jobId))).toBeNull();
    expect(await countPlans(jobId)).toEqual({ plans: 1, items: 3 });
    expect(await readAnswer(db, jobId)).toEqual({ httpStatus: 200, body: '{"a": 1}' });
  });

  test('has its heartbeat while its worker takes long to store the end of another job', async () => {
    const [ended, other] = [await store(), await store()];
    const running = [await claim(), await claim()];
    await silence(ended);
    await silence(other);
    await db.transaction(async (tx) => {
      expect(await holdJob(tx, running[0])).toBe(true);
      expect(await heartbeat(db, running)).toEqual([]);
      expect(await findSilentJobs(db, 30)).toEqual([]);
    });
    expect(await heartbeat(db, running)).toEqual([]);
    expect(await findSilentJobs(db, 30)).toEqual([]);
  });

  test('has statements that PostgreSQL plans once per connection, not anew for each job', async () => {
    const one = openDatabase(databaseUrl, { poolSize: 1, onError: () => {} });
    atEnd(() => one.close());
    // From the sixth time on a general plan is kept, if none for the values of a call seems cheaper.
    for (let n = 0; n < 8; n++) {
      const job = newJob();
      await insertJob(one.db, job, { locationIds: [], maxWaiting: 10_000 });
      const claimed = await claimJob(one.db, 'w');
      await finishJob(one.db, claimed!, ENDING, DONE, newPlan(claimed!.jobId));
      await readAnswer(one.db, claimed!.jobId);
      await isHeldBack(one.db, claimed!.jobId, NO_RUNNING_LIMIT);
    }
    const { rows } = await one.pool.query<{ name: string; general: number }>(
      'select name, generic_plans::int as general from pg_prepared_statements order by name',
    );
    expect(rows).toHaveLength(5);
    for (const { name, general } of rows) expect([name, general]).toEqual([name, 3]);
  });

  test('is void for a worker whose claim a crash of PostgreSQL undid, though the next claim has the same number', async () => {
    const jobId = await store();
    const undone = await claim('first');
    await pool.query(
      "update jobs set status = 'queued', attempts = 0, worker_id = null, heartbeat_at = null",
    );
    await pool.query('delete from job_attempts');
    const next = await claim('second');
    expect(next.attempt).toBe(undone.attempt);
    expect(await heartbeat(db, [undone])).toEqual([jobId]);
    await storeProgress(db, undone, {
      progress: 0.9,
      stage: 'solve',
      incumbent: 1,
      bound: 1,
      gap: 0,
      iterations: 7,
    });
    expect(await readJob(db, jobId)).toMatchObject({ progress: 0, stage: null });
    expect(await finishJob(db, undone, ENDING, DONE, newPlan(jobId))).toBeNull();
    expect(await giveBackJob(db, undone, CRASH, 0)).toBe(false);
    expect(await finishJob(db, next, ENDING, DONE, newPlan(jobId))).not.toBeNull();
    expect(await countPlans(jobId)).toEqual({ plans: 1, items: 3 });
  });

  test('ends with its plan despite a heartbeat in between, and stores nothing if its worker lost it just then', async () => {
    const [alive, lost] = [await store(), await store()];
    const [kept, taken] = [await claim(), await claim()];
    // Each end waits for a change of its job that is about to be committed.
    const duringChange = async (attempt: typeof kept, change: string) => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        await client.query(`update jobs set ${change} where job_id = $1`, [attempt.jobId]);
        const ended = finishJob(db, attempt, ENDING, DONE, newPlan(attempt.jobId));
        await expect.poll(countWaitingForLocks).toBe(1);
        await client.query('commit');
        return await ended;
      } finally {
        client.release();
      }
    };
    expect(await duringChange(kept, 'heartbeat_at = now(), progress = 0.5')).not.toBeNull();
    expect(await countPlans(alive)).toEqual({ plans: 1, items: 3 });
    expect(await duringChange(taken, 'attempts = attempts + 1')).toBeNull();
    expect(await countPlans(lost)).toEqual({ plans: 0, items: 0 });
    expect(await readJob(db, lost)).toMatchObject({ status: 'running' });
  });

  test('waits for the end of its back-off while other jobs pass it', async () => {
    const crashed = await store();
    const other = await store();
    const attempt = await claim();
    expect(attempt.jobId).toBe(crashed);
    await giveBackJob(db, attempt, CRASH, 3600.5);
    expect((await readJob(db, crashed))?.retryAt?.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
    expect(await countClaimable(db, 10, NO_RUNNING_LIMIT)).toBe(1);
    expect(await claimAll()).toEqual([other]);
    await pool.query('update jobs set retry_at = now() - make_interval(secs => 1) where job_id = $1', [
      crashed,
    ]);
    expect(await claimAll()).toEqual([crashed]);
    expect(await readJob(db, crashed)).toMatchObject({ retryAt: null, attempts: 2 });
  });

  const CANCELLED: Ending = {
    status: 'cancelled',
    solverStatus: null,
    answer: { httpStatus: 409, body: '{"c": 1}' },
  };

  test('waits for a worker that knows its format while others pass it', async () => {
    const [newer, known] = [await store(), await store()];
    await pool.query('update jobs set format = format + 1 where job_id = $1', [newer]);
    expect(await countClaimable(db, 10, NO_RUNNING_LIMIT)).toBe(1);
    expect(await claimAll()).toEqual([known]);
    await pool.query('update jobs set format = format - 1 where job_id = $1', [newer]);
    expect(await claimAll()).toEqual([newer]);
  });

  test('has the format of its schedule, which a newer version may have stored', async () => {
    await pool.query(
      `insert into schedules (schedule_id, name, cron, time_zone, missed, priority, input, input_hash, facts, caller,
        client_id, location_count, vehicle_count, format)
      values ('s', 's', '0 * * * *', 'UTC', 'skip', 'normal', '{}', '', '{}', 'a', '', 0, 0, $1)`,
      [JOB_FORMAT + 1],
    );
    const dueAt = new Date();
    const job = { jobId: 'dec_s', requestId: 'r', trace: undefined };
    const decided = { scheduleId: 's', dueAt, job, outcome: 'job', missedAt: [], nextAt: dueAt } as const;
    expect(await storeOccurrence(db, decided)).toBe(true);
    const { rows } = await pool.query('select job_id, format from jobs');
    expect(rows).toEqual([{ job_id: 'dec_s', format: JOB_FORMAT + 1 }]);
  });

  test('is cancelled at once if it is queued, and marked if a worker was faster', async () => {
    for (let i = 0; i < 20; i++) {
      const jobId = await store();
      const [told, job] = await Promise.all([cancelJob(db, jobId, CANCELLED.answer), claimJob(db, 'w')]);
      expect(told).toBe(job ? 'marked' : 'cancelled');
      expect(await findCancelRequests(db, [jobId])).toEqual([jobId]);
      if (job) expect(await finishJob(db, job, CANCELLED, DONE)).not.toBeNull();
      expect(await cancelJob(db, jobId, CANCELLED.answer)).toBeUndefined();
      expect(await readJob(db, jobId)).toMatchObject({ status: 'cancelled' });
      expect(await readAnswer(db, jobId)).toEqual(CANCELLED.answer);
    }
  });

  test('ends as cancelled and in no other way once it is marked, and is not given back', async () => {
    const jobId = await store();
    const job = await claim();
    // Without a mark nobody was told so.
    expect(await finishJob(db, job, CANCELLED, DONE)).toBeNull();
    expect(await cancelJob(db, jobId, CANCELLED.answer)).toBe('marked');
    expect(await readAnswer(db, jobId)).toBeUndefined();
    expect(await finishJob(db, job, ENDING, DONE, newPlan(jobId))).toBeNull();
    expect(await giveBackJob(db, job, CRASH, 0)).toBe(false);
    expect(await giveBackJob(db, job, RELEASE, 0)).toBe(false);
    expect(await countPlans(jobId)).toEqual({ plans: 0, items: 0 });
    expect(await finishJob(db, job, CANCELLED, CRASH)).not.toBeNull();
    expect(await readJob(db, jobId)).toMatchObject({ status: 'cancelled', attempts: 1 });
    expect(await readAttempts(db, jobId)).toMatchObject([CRASH]);
  });

  test('is not missed by a cancellation during the commit of its claim or of its return to the queue', async () => {
    /** Cancels while a change of the job is about to be committed. */
    const cancelDuring = async (jobId: string, change: (tx: Transaction) => Promise<unknown>) =>
      db.transaction(async (tx) => {
        await change(tx);
        const cancelled = cancelJob(db, jobId, CANCELLED.answer);
        await expect.poll(countWaitingForLocks).toBe(1);
        return { cancelled };
      });
    const jobId = await store();
    const claimed = await cancelDuring(jobId, (tx) =>
      tx.execute(
        sql`update jobs set status = 'running', worker_id = 'w', attempts = 1 where job_id = ${jobId}`,
      ),
    );
    expect(await claimed.cancelled).toBe('marked');

    const other = await store();
    const attempt = await claim();
    const givenBack = await cancelDuring(other, (tx) => giveBackJob(tx, attempt, CRASH, 60));
    expect(await givenBack.cancelled).toBe('cancelled');
    expect(await readJob(db, other)).toMatchObject({ status: 'cancelled', retryAt: null });
    const { finishedAt } = (await readJob(db, other)) ?? {};
    const [{ endedAt }] = await readAttempts(db, other);
    expect(finishedAt?.getTime()).toBeGreaterThanOrEqual(endedAt?.getTime() ?? 0);
  });

  test('stores no plan if it is marked just before its end is stored, and is not cancelled if it ended first', async () => {
    const marked = await store();
    const first = await claim();
    const { ended } = await db.transaction(async (tx) => {
      expect(await cancelJob(tx, marked, CANCELLED.answer)).toBe('marked');
      const ended = finishJob(db, first, ENDING, DONE, newPlan(marked));
      await expect.poll(countWaitingForLocks).toBe(1);
      return { ended };
    });
    expect(await ended).toBeNull();
    expect(await countPlans(marked)).toEqual({ plans: 0, items: 0 });
    expect(await finishJob(db, first, CANCELLED, DONE)).not.toBeNull();

    const late = await store();
    await claim();
    const { cancelled } = await db.transaction(async (tx) => {
      await tx.execute(sql`update jobs set status = 'completed', http_status = 200, result = '{}', finished_at = now()
        where job_id = ${late}`);
      const cancelled = cancelJob(db, late, CANCELLED.answer);
      await expect.poll(countWaitingForLocks).toBe(1);
      return { cancelled };
    });
    expect(await cancelled).toBeUndefined();
  });

  test('keeps its progress from falling', async () => {
    const jobId = await store();
    const job = await claim();
    const at = (progress: number) => ({
      progress,
      stage: 'solve',
      incumbent: null,
      bound: null,
      gap: null,
      iterations: null,
    });
    await storeProgress(db, job, at(0.5));
    await storeProgress(db, job, at(0.2));
    expect(await readJob(db, jobId)).toMatchObject({ progress: 0.5 });
  });

  test('is claimed in the order of priority, then turn, then age; and knows its place in that order', async () => {
    const low = await store({ priority: 'low' });
    const [a1, a2, a3] = [
      await store({ caller: 'a' }),
      await store({ caller: 'a' }),
      await store({ caller: 'a' }),
    ];
    const b1 = await store({ caller: 'b' });
    const [high1, high2] = [await store({ priority: 'high' }), await store({ priority: 'high' })];
    const order = [high1, high2, a1, b1, a2, a3, low];
    for (const [i, jobId] of order.entries()) {
      const job = await readJob(db, jobId);
      if (!job) throw new Error('not stored');
      expect(await readQueuePosition(db, job)).toBe(i + 1);
    }
    expect(await claimAll()).toEqual(order);
  });

  test('of a lower priority goes first if the claim says so; without such a job the usual order holds', async () => {
    const high = await store({ priority: 'high' });
    const low = [await store({ priority: 'low' }), await store({ priority: 'low' })];
    expect((await claim('w', 'low')).jobId).toBe(low[0]);
    expect((await claim('w', 'normal')).jobId).toBe(high);
    expect((await claim('w', 'normal')).jobId).toBe(low[1]);
  });

  test('cannot be in a state that the contract does not know, or ended without an answer', async () => {
    const jobId = await store();
    const set = (assignment: string) =>
      pool.query(`update jobs set ${assignment} where job_id = $1`, [jobId]);
    await expect(set("status = 'paused'")).rejects.toThrow(/jobs_status/);
    await expect(set("status = 'failed'")).rejects.toThrow(/jobs_ended/);
    await expect(set("kind = 'other'")).rejects.toThrow(/jobs_kind/);
    await expect(set("priority = 'urgent'")).rejects.toThrow(/job_priority/);
    await expect(set("status = 'running', retry_at = now()")).rejects.toThrow(/jobs_retry/);
    await expect(set("idempotency_key = 'k'")).rejects.toThrow(/jobs_idempotency/);
    await expect(set('crashes = 1')).rejects.toThrow(/jobs_attempts/);
    await claim();
    const attempt = (assignment: string) =>
      pool.query(`update job_attempts set ${assignment} where job_id = $1`, [jobId]);
    await expect(attempt("outcome = 'gone', ended_at = now()")).rejects.toThrow(/job_attempts_outcome/);
    await expect(attempt("outcome = 'crashed'")).rejects.toThrow(/job_attempts_ended/);
    await expect(attempt("phases = '{}'")).rejects.toThrow(/job_attempts_phases/);
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { upsertLocations } from '../../src/db/data/locations.ts';
import { packLocations } from '../../src/db/data/packed-rows.ts';
import { claimJob, finishJob } from '../../src/db/jobs/job-claims.ts';
import {
  findJobByIdempotencyKey,
  insertJob,
  type NewJob,
  readAdmission,
} from '../../src/db/jobs/job-intake.ts';
import { deleteJobPrevious, hasPlan, readTargets } from '../../src/db/jobs/job-previous.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const { db, pool } = openTestDatabase(await createTestDatabase());

describe('a job that is stored', () => {
  beforeEach(async () => {
    await pool.query('delete from jobs');
  });
  const store = async (own: Partial<NewJob> = {}) => (await insertJob(db, newJob(own))).jobId;
  const finishNext = async () => {
    const job = await claimJob(db, 'w');
    if (!job) return undefined;
    const answer = { httpStatus: 200, body: '{}' };
    const end = { outcome: 'completed' as const, reason: null, phases: [] };
    await finishJob(db, job, { status: 'completed', solverStatus: 'optimal', answer }, end);
    return job.jobId;
  };
  const expire = (key: string) =>
    pool.query(
      'update jobs set idempotency_expires_at = now() - make_interval(secs => 1) where idempotency_key = $1',
      [key],
    );

  test('keeps a copy of its locations: every attempt plans with the same', async () => {
    const place = (id: number, latitude: number) => ({
      id,
      name: `Place ${id}`,
      latitude,
      longitude: 0.1 * id,
    });
    await db.transaction((tx) =>
      upsertLocations(tx, packLocations([place(1, 40.1), place(2, 40.2), place(3, 40.3)])),
    );
    const kept = [place(1, 40.1), place(3, 40.3)];
    const conditions = { locationIds: [1, 3], maxWaiting: 10 };
    for (const idempotency of [null, { key: 'k', ttlSeconds: 60 }]) {
      expect(await insertJob(db, newJob({ idempotency }), conditions)).toMatchObject({ created: true });
    }
    await db.transaction((tx) => upsertLocations(tx, packLocations([place(1, 50)])));
    await pool.query('delete from locations where id = 3');
    for (const _ of [1, 2]) {
      const job = await claimJob(db, 'w');
      expect(JSON.parse(job?.input?.locations ?? '')).toEqual(kept);
    }
    expect(await insertJob(db, newJob(), conditions)).toBeUndefined();
    expect(await insertJob(db, newJob(), { ...conditions, locationIds: [] })).toMatchObject({
      created: true,
    });
    expect((await claimJob(db, 'w'))?.input?.locations).toBeNull();
    await pool.query('delete from locations');
  });

  test('keeps a copy of its previous plan: the plan may be deleted before the job runs', async () => {
    await pool.query(
      `insert into plans (plan_id, job_id, solver_status, total_cost, demand_coverage, utilization,
         rebalanced_count, unmet_demand, vehicle_count, solve_time_ms, certificate)
       values ('before', 'j', 'optimal', 1, 1, 1, 1, 0, 3, 1, '{}')`,
    );
    await pool.query(
      `insert into plan_parts values ('before', 1, '{V1,"V,\\"2\\""}', '{1,1}', '{2,1}', '{1,0}'),
         ('before', 1001, '{V3}', '{1}', '{3}', '{1}'), ('other', 1, '{V1}', '{1}', '{4}', '{1}')`,
    );
    const conditions = { locationIds: [], maxWaiting: 10, previousPlanId: 'before' };
    const ids: string[] = [];
    for (const idempotency of [null, { key: 'k', ttlSeconds: 60 }]) {
      const stored = await insertJob(db, newJob({ idempotency }), conditions);
      expect(stored).toMatchObject({ created: true });
      ids.push(stored!.jobId);
    }
    expect(await hasPlan(db, 'before')).toBe(true);
    await pool.query("delete from plans where plan_id = 'before'");
    await pool.query('delete from plan_parts');
    expect(await hasPlan(db, 'before')).toBe(false);
    for (const id of ids) {
      const parts = (await readTargets(db, id)).map((part) => JSON.parse(part));
      expect(parts.toSorted()).toEqual([
        [
          ['V1', 'V,"2"'],
          [2, 1],
        ],
        [['V3'], [3]],
      ]);
    }
    expect(await insertJob(db, newJob(), conditions)).toBeUndefined();
    expect(await deleteJobPrevious(db, 50)).toBe(0);
    await finishNext();
    expect(await deleteJobPrevious(db, 50)).toBe(2);
    expect([await readTargets(db, ids[0]), (await readTargets(db, ids[1])).length]).toEqual([[], 2]);
  });

  test('is one per idempotency key, also when many come at the same moment', async () => {
    const idempotency = { key: 'k', ttlSeconds: 60 };
    const inserts = await Promise.all(
      Array.from({ length: 20 }, () => insertJob(db, newJob({ idempotency }))),
    );
    expect(inserts.filter((insert) => insert.created)).toHaveLength(1);
    expect(new Set(inserts.map((insert) => insert.jobId)).size).toBe(1);
    expect(await findJobByIdempotencyKey(db, 'k')).toMatchObject({ jobId: inserts[0].jobId });
  });

  test('is one per idempotency key also when many come at the moment at which the key has expired', async () => {
    const idempotency = { key: 'k', ttlSeconds: 60 };
    for (let round = 0; round < 10; round++) {
      const before = await findJobByIdempotencyKey(db, 'k');
      await expire('k');
      const inserts = await Promise.all(
        Array.from({ length: 20 }, () => insertJob(db, newJob({ idempotency }))),
      );
      expect(inserts.filter((insert) => insert.created)).toHaveLength(1);
      expect(new Set(inserts.map((insert) => insert.jobId)).size).toBe(1);
      expect(inserts[0].jobId).not.toBe(before?.jobId);
      await finishNext();
    }
  });

  test('keeps its idempotency key past the expiry until it has ended', async () => {
    const idempotency = { key: 'k', ttlSeconds: 60 };
    const jobId = await store({ idempotency });
    await expire('k');
    expect(await insertJob(db, newJob({ idempotency }))).toMatchObject({ created: false, jobId });
    await finishNext();
    expect(await findJobByIdempotencyKey(db, 'k')).toBeUndefined();
    expect(await insertJob(db, newJob({ idempotency }))).toMatchObject({ created: true });
  });

  test('is stored only if its locations are stored and the queue has room', async () => {
    await pool.query(
      "insert into locations (id, name, latitude, longitude) values (1, 'a', 0, 0), (2, 'b', 0, 0)",
    );
    const idempotency = { key: 'k', ttlSeconds: 60 };
    const needs = (locationIds: number[], maxWaiting: number) => ({ locationIds, maxWaiting });
    expect(await insertJob(db, newJob({ idempotency }), needs([1, 2, 3], 5))).toBeUndefined();
    expect(await readAdmission(db, needs([1, 2, 3], 5))).toMatchObject({ knownIds: [1, 2], waiting: 0 });
    const first = await insertJob(db, newJob({ idempotency }), needs([1, 2], 1));
    expect(first).toMatchObject({ created: true });
    expect(await insertJob(db, newJob(), needs([1, 2], 1))).toBeUndefined();
    expect(await readAdmission(db, needs([], 1))).toMatchObject({ knownIds: [], waiting: 1 });
    // The earlier job is found however full the line is.
    expect(await insertJob(db, newJob({ idempotency }), needs([1, 2], 1))).toMatchObject({
      created: false,
      jobId: first?.jobId,
    });
    expect(await insertJob(db, newJob(), needs([], 2))).toMatchObject({ created: true });
    expect((await pool.query('select from jobs')).rowCount).toBe(2);
  });

  test('is stored without reading the 10,000 jobs that wait', async () => {
    await pool.query(
      `insert into jobs (job_id, status, request_id, input, input_hash, caller, priority)
       select 'opt_' || i, 'queued', 'r', '{}', '', 'c' || i % 100, (array['low', 'normal', 'high'])[1 + i % 3]::job_priority
       from generate_series(1, 10000) i`,
    );
    await pool.query('analyze jobs');
    const plans = await explainStatements(async () => {
      await store({ caller: 'c7', idempotency: { key: 'planned', ttlSeconds: 60 } });
    });
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).not.toMatch(/Seq Scan on jobs/);
      expect(plan).not.toMatch(/Sort/);
      const rows = [...plan.matchAll(/actual [^)]*rows=([\d.]+)/g)].map((match) => Number(match[1]));
      expect(Math.max(0, ...rows)).toBeLessThanOrEqual(1);
    }
  });

  /** The plans of the prepared statements that `work` sends: as it was run, and the one made for any values. */
  async function explainStatements(work: () => Promise<void>): Promise<string[]> {
    const plans: string[] = [];
    const query = pool.query.bind(pool);
    const explain = async (options: string, text: string, values?: unknown[]) => {
      const { rows } = await query(`explain (${options}, costs off) ${text}`, values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    };
    pool.query = (async ({ text, values }: { text: string; values: unknown[] }) => {
      await explain('analyze', text, values);
      await explain('generic_plan', text);
      return { rows: [{ waiting: 0 }] };
      // biome-ignore lint/suspicious/noExplicitAny: it is called in one of its many forms
    }) as any;
    try {
      await work();
    } finally {
      pool.query = query;
    }
    return plans;
  }
});

import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  cleanAlone,
  deleteJobs,
  deletePlanParts,
  deletePlans,
  dropInputs,
} from '../../src/db/service/retention.ts';
import { applyRetention } from '../../workers/duties/retention.ts';
import { createTestDatabase, openTestDatabase, testConfig } from '../helpers/services.ts';

const DATABASE_URL = await createTestDatabase();
const { db, pool } = openTestDatabase(DATABASE_URL);
const NOT_STOPPED = new AbortController().signal;

/** Ended jobs, one a day, the first one a second ago; each with a plan of so many vehicles, a part each. */
async function storeJobs(count: number, parts = 3) {
  await pool.query(
    `insert into jobs (job_id, status, request_id, input, locations, input_hash, http_status, result, created_at, finished_at)
     select 'job ' || i, 'completed', 'r', '{}', '[]', '', 200, '{"answer":1}', t, t
     from generate_series(0, $1::int - 1) i, lateral (select now() - i * interval '1 day' - interval '1 second' as t) l`,
    [count],
  );
  await pool.query(
    `insert into plans (plan_id, job_id, created_at, solver_status, total_cost, demand_coverage, utilization,
       rebalanced_count, unmet_demand, vehicle_count, solve_time_ms, certificate)
     select replace(job_id, 'job', 'plan'), job_id, created_at, 'optimal', 1, 1, 1, 1, 0, $1, 1, '{}' from jobs`,
    [parts],
  );
  await pool.query(
    `insert into plan_parts select plan_id, i, array['V' || i], '{1}', '{2}', '{1}' from plans, generate_series(1, $1::int) i`,
    [parts],
  );
}
const count = async (from: string) =>
  Number((await pool.query(`select count(*) from ${from}`)).rows[0].count);
const ids = async (text: string) => (await pool.query(text)).rows.map((row) => row.id);

/** Applies the settings once; returns what was logged. */
async function retain(settings: Record<string, number>, signal = NOT_STOPPED) {
  const logged: unknown[] = [];
  const logger = { info: (counts: unknown) => logged.push(counts) } as unknown as Logger;
  await applyRetention({ config: testConfig({ DATABASE_URL }, settings), db, logger }, signal);
  return logged;
}

describe('retention', () => {
  beforeEach(async () => {
    await pool.query('truncate jobs, plans, plan_parts, removed_plans, replays cascade');
  });

  test('by default keeps jobs for 30 days and plans for 90, also those without a job', async () => {
    await storeJobs(100);
    expect(await retain({})).toEqual([{ jobs: 70, plans: 10, plan_parts: 30 }]);
    expect(await count('jobs where input is not null and locations is not null')).toBe(30);
    expect(await ids('select job_id as id from jobs order by created_at')).toEqual(
      Array.from({ length: 30 }, (_, i) => `job ${29 - i}`),
    );
    expect(await ids('select plan_id as id from reports.plan_summary order by created_at')).toEqual(
      Array.from({ length: 90 }, (_, i) => `plan ${89 - i}`),
    );
    expect([await count('reports.plan_moves'), await count('plan_parts')]).toEqual([270, 270]);
    expect(await retain({})).toEqual([]);
  });

  test('of 0 days keeps jobs and plans forever, and the inputs of jobs for 30 days', async () => {
    await storeJobs(40);
    expect(await retain({ RETENTION_JOB_DAYS: 0, RETENTION_PLAN_DAYS: 0 })).toEqual([{ inputs: 10 }]);
    expect(await count('jobs where locations is not null')).toBe(30);
    expect([await count('jobs'), await count('plans'), await count('plan_parts')]).toEqual([40, 40, 120]);
  });

  test('forgets how many bytes callers stored on days that are over', async () => {
    await pool.query(`insert into caller_bytes (caller, day, slot, bytes)
      select 'c', (now() at time zone 'UTC')::date + n, 0, 1 from generate_series(-2, 2) n`);
    await retain({});
    expect(await count("caller_bytes where day < (now() at time zone 'UTC')::date - 1")).toBe(0);
    expect(await count("caller_bytes where day > (now() at time zone 'UTC')::date")).toBeGreaterThan(0);
  });

  test('keeps inputs, plans and jobs each for its own time, and says how many it removed', async () => {
    await storeJobs(10);
    const settings = { RETENTION_INPUT_DAYS: 1.5, RETENTION_PLAN_DAYS: 3.5, RETENTION_JOB_DAYS: 6.5 };
    expect(await retain(settings)).toEqual([{ plans: 6, plan_parts: 18, jobs: 3, inputs: 5 }]);
    expect(await count('jobs')).toBe(7);
    expect(await count('jobs where input is not null')).toBe(2);
    expect(await count('plans')).toBe(4);
    expect(await count('plan_parts')).toBe(12);
    expect(await count('plan_parts where plan_id in (select plan_id from plans)')).toBe(12);
  });

  test('keeps deliveries of webhooks for 30 days and what was audited for a year, or as the settings say', async () => {
    await pool.query(
      `insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data, created_at)
       select 'msg ' || i, 'w', 'job.completed', 'j', '{}', now() - (i * 10 - 5) * interval '1 day' from generate_series(1, 5) i`,
    );
    await pool.query(
      `insert into audit_log (audit_id, at, actor, operation)
       select 'aud ' || i, now() - (i * 100 - 50) * interval '1 day', 'a', 'optimize' from generate_series(1, 5) i`,
    );
    expect(await retain({})).toEqual([{ webhook_deliveries: 2, audit_log: 1 }]);
    expect(await ids('select delivery_id as id from webhook_deliveries order by 1')).toEqual([
      'msg 1',
      'msg 2',
      'msg 3',
    ]);
    expect(await retain({ RETENTION_WEBHOOK_DAYS: 10, RETENTION_AUDIT_DAYS: 0 })).toEqual([
      { webhook_deliveries: 2 },
    ]);
    expect(await count('audit_log')).toBe(4);
  });

  test('keeps replays as long as plans', async () => {
    await pool.query(`insert into replays (replay_id, request_id, created_at, summary, data)
      select 'replay ' || i, 'r', now() - i * interval '1 day', '{}', '{}' from generate_series(0, 9) i`);
    expect(await retain({ RETENTION_PLAN_DAYS: 3.5, RETENTION_JOB_DAYS: 1 })).toEqual([{ replays: 6 }]);
    expect(await ids('select replay_id as id from replays order by 1')).toEqual(
      [0, 1, 2, 3].map((i) => `replay ${i}`),
    );
  });

  test('lets a plan outlive the record of its job', async () => {
    await storeJobs(3);
    expect(await retain({ RETENTION_INPUT_DAYS: 0, RETENTION_JOB_DAYS: 0.5 })).toEqual([{ jobs: 2 }]);
    expect(await count('reports.plan_summary')).toBe(3);
    expect(await count('reports.job_history')).toBe(1);
  });

  test('never touches a job that has not ended, nor one with a valid idempotency key', async () => {
    await pool.query(`
      insert into jobs (job_id, status, request_id, input, input_hash, attempts, created_at, started_at, heartbeat_at) values
      ('queued', 'queued', 'r', '{}', '', 0, now() - interval '9 years', null, null),
      ('running', 'running', 'r', '{}', '', 1, now() - interval '9 years', now() - interval '9 years', now() - interval '9 years')`);
    await pool.query(`
      insert into jobs (job_id, status, request_id, input, input_hash, http_status, result, finished_at, idempotency_key, idempotency_expires_at) values
      ('key', 'completed', 'r', '{}', '', 200, '{}', now() - interval '2 days', 'k', now() + interval '1 minute'),
      ('expired key', 'completed', 'r', '{}', '', 200, '{}', now() - interval '2 days', 'e', now() - interval '1 minute')`);
    await retain({ RETENTION_INPUT_DAYS: 0.001, RETENTION_PLAN_DAYS: 0.001, RETENTION_JOB_DAYS: 0.001 });
    expect(await ids('select job_id as id from jobs where input is not null order by 1')).toEqual([
      'queued',
      'running',
    ]);
    expect(await ids('select job_id as id from jobs order by 1')).toEqual(['key', 'queued', 'running']);
  });

  test('deletes at most one batch of rows at once, and a large plan in many batches while nobody can read it', async () => {
    await storeJobs(5, 250);
    expect(await dropInputs(1.5)(db, 2)).toBe(2);
    expect(await deleteJobs(1.5)(db, 2)).toBe(2);
    expect(await count('jobs')).toBe(3);
    expect(await deletePlans(2.5)(db, 1)).toBe(1);
    expect(await deletePlans(2.5)(db, 5)).toBe(1);
    const views = ['reports.plan_summary', 'reports.plan_moves', 'reports.location_flows'];
    expect(await Promise.all(views.map((view) => count(view)))).toEqual([3, 750, 3]);
    const batches: number[] = [];
    do batches.push(await deletePlanParts(db, 100));
    while (batches.at(-1) === 100);
    expect(batches).toEqual([100, 100, 100, 100, 100, 0]);
    expect([await count('plan_parts'), await count('removed_plans')]).toEqual([750, 0]);
  });

  test('continues with the parts of a deleted plan that another worker left', async () => {
    await storeJobs(2, 50);
    await deletePlans(0.5)(db, 10);
    await deletePlanParts(db, 20);
    expect(await retain({})).toEqual([{ plan_parts: 30 }]);
    expect(await count('plan_parts')).toBe(50);
  });

  test('by several workers at once removes every row once, and only one worker at a time removes a batch', async () => {
    await storeJobs(400, 30);
    const settings = { RETENTION_INPUT_DAYS: 0, RETENTION_PLAN_DAYS: 0.5, RETENTION_JOB_DAYS: 0.5 };
    const logged = (await Promise.all(Array.from({ length: 4 }, () => retain(settings)))).flat();
    // Whoever leaves the rest to another one may have been the last to go: the next round takes what is left.
    logged.push(...(await retain(settings)));
    const total = (name: string) =>
      logged.reduce<number>((sum, counts) => sum + ((counts as Record<string, number>)[name] ?? 0), 0);
    expect({ plans: total('plans'), parts: total('plan_parts'), jobs: total('jobs') }).toEqual({
      plans: 399,
      parts: 399 * 30,
      jobs: 399,
    });
    expect([await count('jobs'), await count('plans'), await count('plan_parts')]).toEqual([1, 1, 30]);
    const inside = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow = cleanAlone(
      db,
      async () => {
        inside.resolve();
        await go.promise;
        return 1;
      },
      1,
    );
    await inside.promise;
    expect(await cleanAlone(db, dropInputs(0.001), 1)).toBeNull();
    go.resolve();
    expect(await slow).toBe(1);
  });

  test('stops after the current batch when its worker stops, and reports what it did', async () => {
    await storeJobs(500);
    const stopping = new AbortController();
    const done = retain(
      { RETENTION_INPUT_DAYS: 0, RETENTION_PLAN_DAYS: 0, RETENTION_JOB_DAYS: 0.5 },
      stopping.signal,
    );
    while ((await count('jobs')) === 500) await turn();
    stopping.abort();
    const [counts] = (await done) as { jobs: number }[];
    expect(counts.jobs).toBeGreaterThan(0);
    expect(await count('jobs')).toBe(500 - counts.jobs);
    expect(counts.jobs).toBeLessThan(499);
  });
});

import { randomBytes } from 'node:crypto';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../src/db/migrate.ts';

describe('a database with jobs of an earlier version', () => {
  const name = `fleet_test_${randomBytes(6).toString('hex')}`;
  let client: pg.Client;
  beforeAll(async () => {
    const admin = new pg.Client({ connectionString: inject('postgresUrl') });
    await admin.connect();
    await admin.query(`create database ${name}`);
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    client = new pg.Client({ connectionString: url.href });
    await client.connect();
    afterAll(async () => {
      await client.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    });
  });

  test('keeps them all: what waits still waits in its order and knows its places, what ran has its attempt, keys expire a day later, plans are found and whole', async () => {
    const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ sql }) => sql);
    for (const statement of migrations.slice(0, 3).flat()) await client.query(statement);
    await client.query(`
      insert into jobs (job_id, status, request_id, input_hash, attempts, worker_id, heartbeat_at, idempotency_key,
        created_at, started_at, finished_at, http_status, result) values
      ('queued', 'queued', 'r', '', 0, null, null, 'k', '2026-03-01T00:00Z', null, null, null, null),
      ('running', 'running', 'r', '', 2, 'w', now(), null, '2026-03-01T00:01Z', '2026-03-01T00:02Z', null, null, null),
      ('completed', 'completed', 'r', '', 1, 'w', now(), null, '2026-03-01T00:01Z', '2026-03-01T00:02Z', '2026-03-01T00:03Z', 200, '{}'),
      ('cancelled', 'cancelled', 'r', '', 0, null, null, null, '2026-03-01T00:01Z', null, '2026-03-01T00:03Z', 409, '{}')`);
    await client.query(`
      insert into plans (plan_id, job_id, solver_status, total_cost, demand_coverage, utilization, rebalanced_count,
        unmet_demand, vehicle_count, solve_time_ms, certificate)
      values ('p', 'completed', 'optimal', 1, 1, 1, 2, 0, 3, 1,
        '{"objective":1,"gap":0,"confirmedWithin":3,"checks":["kpis"]}');
      insert into plan_items values ('p', 1, 'A', 9, 7, 1, 'rebalance'), ('p', 2, 'B', 7, 8, 1, 'rebalance'),
        ('p', 3, 'C', 6, 6, 0, 'stay')`);
    await client.query("insert into locations values (7, 'Seven', 1.25, -2.5, null)");
    for (const statement of migrations.slice(3).flat()) await client.query(statement);
    const jobs = await client.query(
      'select job_id, kind, priority, caller, turn::int, crashes, idempotency_expires_at from jobs order by created_at, job_id',
    );
    const same = { kind: 'optimize', priority: 'normal', caller: 'unknown', turn: 0, crashes: 0 };
    expect(jobs.rows).toEqual([
      { job_id: 'queued', ...same, idempotency_expires_at: new Date('2026-03-02T00:00Z') },
      ...['cancelled', 'completed', 'running'].map((job_id) => ({
        job_id,
        ...same,
        idempotency_expires_at: null,
      })),
    ]);
    expect((await client.query('select plan_id, moved_locations from plans')).rows).toEqual([
      { plan_id: 'p', moved_locations: [7, 8, 9] },
    ]);
    const moves = await client.query(
      'select ordinal, vehicle_id, target_location, cost, assignment from plan_moves',
    );
    expect(moves.rows).toEqual([
      { ordinal: 1, vehicle_id: 'A', target_location: 7, cost: 1, assignment: 'rebalance' },
      { ordinal: 2, vehicle_id: 'B', target_location: 8, cost: 1, assignment: 'rebalance' },
      { ordinal: 3, vehicle_id: 'C', target_location: 6, cost: 0, assignment: 'stay' },
    ]);
    const certificates = await client.query(
      'select objective, gap, bound, confirmed_within, checks from plan_certificates',
    );
    expect(certificates.rows).toEqual([
      { objective: 1, gap: 0, bound: null, confirmed_within: 3, checks: ['kpis'] },
    ]);
    const places = [{ id: 7, latitude: 1.25, longitude: -2.5 }];
    expect((await client.query('select job_id, locations from jobs order by job_id')).rows).toEqual([
      { job_id: 'cancelled', locations: null },
      { job_id: 'completed', locations: null },
      { job_id: 'queued', locations: places },
      { job_id: 'running', locations: places },
    ]);
    const attempts = await client.query(
      'select job_id, attempt, worker_id, ended_at, outcome from job_attempts order by job_id',
    );
    expect(attempts.rows).toEqual([
      {
        job_id: 'completed',
        attempt: 1,
        worker_id: 'w',
        ended_at: new Date('2026-03-01T00:03Z'),
        outcome: 'completed',
      },
      { job_id: 'running', attempt: 2, worker_id: 'w', ended_at: null, outcome: null },
    ]);
  });
});

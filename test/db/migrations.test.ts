import { randomBytes } from 'node:crypto';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import pg from 'pg';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import {
  MAX_CAPACITY,
  MAX_DISTANCE_KM,
  MAX_EVENT_FACTOR,
  MAX_EVENT_ID_LENGTH,
  MAX_EVENT_KIND_LENGTH,
  MAX_HOURLY_DEMAND,
  MAX_LATITUDE,
  MAX_LONGITUDE,
  MAX_NAME_LENGTH,
  MAX_TRAVEL_MINUTES,
  MAX_TRIPS,
  MAX_VEHICLE_ID_LENGTH,
  MAX_YEAR,
  MIN_CAPACITY,
  MIN_OBSERVED_YEAR,
  MIN_VEHICLE_YEAR,
} from '../../src/contracts/bounds.ts';
import { MIGRATIONS_FOLDER, migrateDatabase } from '../../src/db/migrate.ts';
import { atEnd } from '../helpers/at-end.ts';

/** A database without any table, dropped at the end of the suite. */
async function createEmptyDatabase(): Promise<pg.Client> {
  const name = `fleet_test_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  atEnd(async () => {
    await client.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  return client;
}

describe('a database with jobs of an earlier version', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = await createEmptyDatabase();
  });

  test('keeps them all: what waits still waits in its order and knows its places, what ran has its attempt, keys expire a day later, plans are found and whole', async () => {
    const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ sql }) => sql);
    for (const statement of migrations.slice(0, 3).flat()) await client.query(statement);
    await client.query(`
      insert into jobs (job_id, status, request_id, input_hash, attempts, worker_id, heartbeat_at, idempotency_key,
        created_at, started_at, finished_at, http_status, result) values
      ('queued', 'queued', 'r', '', 0, null, null, 'k', '2026-03-01T00:00Z', null, null, null, null),
      ('running', 'running', 'r', '', 2, 'w', now(), null, '2026-03-01T00:01Z', '2026-03-01T00:02Z', null, null, null),
      ('completed', 'completed', 'r', '', 1, 'vm-7.internal:811:6123bffb7da4', now(), null, '2026-03-01T00:01Z', '2026-03-01T00:02Z', '2026-03-01T00:03Z', 200, '{}'),
      ('cancelled', 'cancelled', 'r', '', 0, null, null, null, '2026-03-01T00:01Z', null, '2026-03-01T00:03Z', 409, '{}')`);
    await client.query(`
      insert into plans (plan_id, job_id, solver_status, total_cost, demand_coverage, utilization, rebalanced_count,
        unmet_demand, vehicle_count, solve_time_ms, certificate)
      values ('p', 'completed', 'optimal', 1, 1, 1, 2, 0, 3, 1,
        '{"objective":1,"gap":0,"confirmedWithin":3,"checks":["kpis"]}');
      insert into plan_items values ('p', 1, 'A', 9, 7, 1, 'rebalance'), ('p', 2, 'B', 7, 8, 1, 'rebalance'),
        ('p', 3, 'C', 6, 6, 0, 'stay')`);
    await client.query("insert into locations values (7, 'Seven', 1.25, -2.5, null)");
    for (const statement of migrations.slice(3, 13).flat()) await client.query(statement);
    await client.query(
      "update job_attempts set reason = 'worker vm-7.internal:811:6123bffb7da4 was stopped' where job_id = 'completed'",
    );
    for (const statement of migrations.slice(13).flat()) await client.query(statement);
    const jobs = await client.query(
      'select job_id, kind, priority, caller, client_id, facts, crashes, idempotency_expires_at from jobs order by created_at, job_id',
    );
    const same = {
      kind: 'optimize',
      priority: 'normal',
      caller: 'unknown',
      client_id: '',
      facts: null,
      crashes: 0,
    };
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
      'select job_id, attempt, worker_id, reason, ended_at, outcome from job_attempts order by job_id',
    );
    expect(attempts.rows).toEqual([
      {
        job_id: 'completed',
        attempt: 1,
        // Without the host that it named.
        worker_id: '811:6123bffb7da4',
        reason: 'worker 811:6123bffb7da4 was stopped',
        ended_at: new Date('2026-03-01T00:03Z'),
        outcome: 'completed',
      },
      { job_id: 'running', attempt: 2, worker_id: 'w', reason: null, ended_at: null, outcome: null },
    ]);
    // What waited is in the line.
    const claimed = await client.query("select job_id, attempt from claim_job('w', null, null, 30)");
    expect(claimed.rows).toEqual([{ job_id: 'queued', attempt: 1 }]);
  });
});

describe('a migration of a database in use', () => {
  test('gives way to whoever holds a lock, keeps nobody waiting behind it, and goes on afterwards', async () => {
    const client = await createEmptyDatabase();
    const files = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
    await client.query(`create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
    for (const { sql, hash, folderMillis } of files.slice(0, -1)) {
      for (const statement of sql) await client.query(statement);
      const row = [hash, folderMillis];
      await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', row);
    }
    const { rows } = await client.query('select current_database() as name');
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${rows[0].name}`;
    const other = new pg.Client({ connectionString: url.href });
    await other.connect();
    // What every migration writes into at its end, when it has its other locks.
    await client.query('begin; lock table drizzle.__drizzle_migrations in exclusive mode');
    const migrated = migrateDatabase(url.href);
    // Not in the transaction, which would see the same activity again and again.
    const isWaiting = async () =>
      (
        await other.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).rowCount === 1;
    // Twice: it tries again. The statement behind it has the lock as soon as the migration gives way.
    for (let i = 0; i < 2; i++) {
      while (!(await isWaiting()));
      await other.query('insert into jobs (job_id, status, request_id, input_hash) values ($1, $2, $3, $4)', [
        ...[`opt_${i}`, 'queued', 'r', ''],
      ]);
    }
    await client.query('commit');
    await migrated;
    const stored = await client.query('select count(*)::int from drizzle.__drizzle_migrations');
    expect(stored.rows).toEqual([{ count: files.length }]);
    expect((await client.query('select job_id from jobs order by 1')).rowCount).toBe(2);
    await other.end();
  });
});

describe('a database with rows that no plan can be made with', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = await createEmptyDatabase();
    const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ sql }) => sql);
    const bounds = migrations.findIndex((sql) => sql.join().includes('CREATE TABLE "out_of_bounds"'));
    for (const statement of migrations.slice(0, bounds).flat()) await client.query(statement);
    const long = 'x'.repeat(201);
    await client.query(`
      insert into locations (id, name, latitude, longitude) values (1, 'One', 1, 1), (2, '', 1, 1), (3, '${long}', 1, 1);
      insert into vehicles (vehicle_id, location_id, status, capacity, acquired_on, last_maintenance_on) values
        ('sound', 1, 'operational', 2, '2020-01-01', null),
        ('tiny', 1, 'operational', 5e-324, null, null),
        ('huge', 1, 'maintenance', 1e308, '2020-01-01', null),
        ('nan', 1, 'operational', 'NaN', null, null),
        ('endless', 1, 'operational', 'Infinity', null, null),
        ('old', 1, 'operational', 1, '1066-10-14', 'infinity'),
        ('', 1, 'operational', 1, null, null),
        ('${'x'.repeat(129)}', 1, 'operational', 1, null, null);
      insert into demand_observations values
        (1, '2026-03-01T00:00Z', 5), (1, '2026-03-01T01:00Z', 1e308), (1, '0044-03-15T00:00Z', 1),
        (1, '2200-01-01T00:00Z', 1), (1, 'infinity', 1)`);
    for (const statement of migrations.slice(bounds).flat()) await client.query(statement);
  });

  const read = async (text: string) => (await client.query(text)).rows;

  test('keeps its vehicles; those whose capacity was absurd are down, with the nearest one', async () => {
    const rows = await read(
      'select vehicle_id, status, capacity, acquired_on is null as unknown from vehicles order by 1',
    );
    const down = { status: 'downtime', unknown: true };
    expect(rows).toEqual([
      { vehicle_id: 'endless', ...down, capacity: 1e9 },
      { vehicle_id: 'huge', ...down, capacity: 1e9, unknown: false },
      { vehicle_id: 'nan', ...down, capacity: 1e9 },
      { vehicle_id: 'old', status: 'operational', capacity: 1, unknown: true },
      { vehicle_id: 'sound', status: 'operational', capacity: 2, unknown: false },
      { vehicle_id: 'tiny', ...down, capacity: 1e-6 },
    ]);
  });

  test('forgets observations that cannot be real, gives every location a name, and keeps what they all said', async () => {
    expect(await read('select demand from demand_observations')).toEqual([{ demand: 5 }]);
    expect(await read('select name from locations order by id')).toEqual([
      { name: 'One' },
      { name: 'location 2' },
      { name: 'x'.repeat(200) },
    ]);
    const kept = await read('select table_name, count(*)::int as n from out_of_bounds group by 1 order by 1');
    expect(kept).toEqual([
      { table_name: 'demand_observations', n: 4 },
      { table_name: 'locations', n: 2 },
      { table_name: 'vehicles', n: 7 },
    ]);
    expect(
      await read(
        `select "row"->>'capacity' as capacity, outcome from out_of_bounds where "row"->>'vehicle_id' = 'tiny'`,
      ),
    ).toEqual([{ capacity: '5e-324', outcome: 'capacity set to the nearest bound, status to downtime' }]);
  });
});

describe('the checks of the database', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = await createEmptyDatabase();
    const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
    for (const statement of migrations.flatMap(({ sql }) => sql)) await client.query(statement);
    await client.query("insert into locations (id, name, latitude, longitude) values (1, 'One', 1, 1)");
  });

  const location = (name: string, latitude: number, longitude: number) =>
    client.query('insert into locations (id, name, latitude, longitude) values (2, $1, $2, $3)', [
      name,
      latitude,
      longitude,
    ]);
  const vehicle = (id: string, capacity: number, day: string, rate = 0.5) =>
    client.query("insert into vehicles values ($1, 1, 'operational', $2, $3, $3, $4)", [
      id,
      capacity,
      day,
      rate,
    ]);
  const demand = (hour: string, value: number) =>
    client.query('insert into demand_observations values (1, $1, $2)', [hour, value]);

  const travel = (km: number, minutes: number) =>
    client.query('insert into travel values (1, 1, $1, $2)', [km, minutes]);

  const trips = (count: number, hour: number | null = null) =>
    client.query('insert into trip_flows values (1, 1, $1, $2)', [hour, count]);

  type Event = { id?: string; from?: string; to?: string; kind?: string; factor?: number; name?: string };
  const event = ({ id = 'e', from = '2026-03-01T00:00Z', to = '2026-03-01T01:00Z', ...more }: Event) =>
    client.query('insert into demand_events values ($1, null, $2, $3, $4, $5, $6)', [
      ...[id, from, to, more.kind ?? 'k', more.factor, more.name],
    ]);

  test.each([
    ['factor', 'demand_events_factor', (factor: number) => event({ factor }), 0, MAX_EVENT_FACTOR],
    [
      'capacity',
      'vehicles_capacity',
      (n: number) => vehicle('v', n, '2020-01-01'),
      MIN_CAPACITY,
      MAX_CAPACITY,
    ],
    ['utilization', 'vehicles_utilization_rate', (n: number) => vehicle('v', 1, '2020-01-01', n), 0, 1],
    [
      'demand',
      'demand_observations_demand',
      (n: number) => demand('2026-03-01T00:00Z', n),
      0,
      MAX_HOURLY_DEMAND,
    ],
    ['distance', 'travel_distance_km', (n: number) => travel(n, 0), 0, MAX_DISTANCE_KM],
    ['minutes', 'travel_duration_minutes', (n: number) => travel(0, n), 0, MAX_TRAVEL_MINUTES],
    ['trips', 'trip_flows_trips', (n: number) => trips(n), 0, MAX_TRIPS],
    ['latitude', 'locations_latitude', (n: number) => location('x', n, 0), -MAX_LATITUDE, MAX_LATITUDE],
    ['longitude', 'locations_longitude', (n: number) => location('x', 0, n), -MAX_LONGITUDE, MAX_LONGITUDE],
  ])('are those of the contracts: %s', async (_, constraint, insert, least, most) => {
    const beyond = (n: number, sign: number) => n + sign * Math.max(Math.abs(n) * 1e-12, Number.MIN_VALUE);
    for (const bad of [beyond(least, -1), beyond(most, 1), Number.NaN, Infinity, -Infinity, 1e308]) {
      await expect(insert(bad)).rejects.toMatchObject({ constraint });
    }
    for (const good of [least, most]) {
      await client.query('begin');
      await insert(good);
      await client.query('rollback');
    }
  });

  test('are those of the contracts: lengths, days and hours', async () => {
    await expect(location('', 0, 0)).rejects.toMatchObject({ constraint: 'locations_name' });
    await expect(location('x'.repeat(MAX_NAME_LENGTH + 1), 0, 0)).rejects.toMatchObject({
      constraint: 'locations_name',
    });
    await expect(vehicle('x'.repeat(MAX_VEHICLE_ID_LENGTH + 1), 1, '2020-01-01')).rejects.toMatchObject({
      constraint: 'vehicles_id',
    });
    for (const day of [`${MIN_VEHICLE_YEAR - 1}-12-31`, `${MAX_YEAR + 1}-01-01`, 'infinity']) {
      await expect(vehicle('v', 1, day)).rejects.toMatchObject({ constraint: 'vehicles_acquired_on' });
    }
    for (const hour of [
      `${MIN_OBSERVED_YEAR - 1}-12-31T23:00Z`,
      `${MAX_YEAR + 1}-01-01T00:00Z`,
      'infinity',
    ]) {
      await expect(demand(hour, 1)).rejects.toMatchObject({ constraint: 'demand_observations_years' });
    }
    const [first, last] = [`${MIN_OBSERVED_YEAR}-01-01T00:00Z`, `${MAX_YEAR}-12-31T23:00Z`];
    for (const [constraint, wrong] of [
      ['demand_events_id', { id: '' }],
      ['demand_events_id', { id: 'x'.repeat(MAX_EVENT_ID_LENGTH + 1) }],
      ['demand_events_kind', { kind: '' }],
      ['demand_events_kind', { kind: 'x'.repeat(MAX_EVENT_KIND_LENGTH + 1) }],
      ['demand_events_name', { name: 'x'.repeat(MAX_NAME_LENGTH + 1) }],
      ['demand_events_order', { from: '2026-03-01T01:00Z' }],
      ['demand_events_years', { from: `${MIN_OBSERVED_YEAR - 1}-12-31T23:00Z` }],
      ['demand_events_years', { to: `${MAX_YEAR + 1}-01-01T00:00Z` }],
      ['demand_events_hours', { from: '2026-03-01T00:30Z' }],
    ] as const) {
      await expect(event(wrong), JSON.stringify(wrong)).rejects.toMatchObject({ constraint });
    }
    await event({ from: first, to: last, kind: 'x'.repeat(MAX_EVENT_KIND_LENGTH) });
    await vehicle('x'.repeat(MAX_VEHICLE_ID_LENGTH), 1, `${MIN_VEHICLE_YEAR}-01-01`);
    await demand(`${MAX_YEAR}-12-31T23:00Z`, 1);
    await demand(`${MIN_OBSERVED_YEAR}-01-01T00:00Z`, 1);
  });
});

test('large texts are packed at once in a new database, and after a day in one that has jobs', async () => {
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
  const isPacking = ({ sql }: { sql: string[] }) => sql.some((text) => text.includes('packs_json'));
  const before = migrations.slice(0, migrations.findIndex(isPacking));
  const startIn = async (hasJobs: boolean) => {
    const client = await createEmptyDatabase();
    for (const statement of before.flatMap(({ sql }) => sql)) await client.query(statement);
    if (hasJobs)
      await client.query(
        "insert into jobs (job_id, kind, status, request_id, input_hash) values ('a', 'optimize', 'queued', 'r', '')",
      );
    for (const statement of migrations.find(isPacking)!.sql) await client.query(statement);
    const { rows } = await client.query(`select packs_json() as packs,
      extract(epoch from substring(pg_get_functiondef('packs_json'::regproc) from '''(.*)''')::timestamptz - now()) / 3600 as hours`);
    return { packs: rows[0].packs, hours: Number(rows[0].hours) };
  };
  expect(await startIn(false)).toEqual({ packs: true, hours: Number.NEGATIVE_INFINITY });
  const { packs, hours } = await startIn(true);
  expect(packs).toBe(false);
  expect(hours).toBeCloseTo(24, 1);
});

test('each database gets a secret of its own, and only one', async () => {
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
  const { sql } = migrations.find(({ sql }) => sql.some((text) => text.includes('"event_secret"')))!;
  const secretIn = async () => {
    const client = await createEmptyDatabase();
    for (const statement of sql) await client.query(statement);
    await expect(client.query(`insert into event_secret (secret) values ('')`)).rejects.toThrow(
      'event_secret_pkey',
    );
    await expect(client.query(`insert into event_secret values (false, '')`)).rejects.toThrow(
      'event_secret_single',
    );
    return (await client.query('select secret from event_secret')).rows[0].secret as Buffer;
  };
  const [one, other] = [await secretIn(), await secretIn()];
  expect([one.length, other.length]).toEqual([32, 32]);
  expect(one.equals(other)).toBe(false);
});

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
import { createEmptyTestDatabase, openTestDatabase } from '../helpers/services.ts';

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

describe('a migration of a database in use', () => {
  test('gives way to whoever holds a lock, keeps nobody waiting behind it, and goes on afterwards', async () => {
    const client = await createEmptyDatabase();
    const files = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
    await client.query(`create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
    const views = files.findIndex(({ sql }) => sql.some((statement) => statement.includes('FROM replays')));
    for (const { sql, hash, folderMillis } of files.slice(0, views)) {
      for (const statement of sql) await client.query(statement);
      const row = [hash, folderMillis];
      await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', row);
    }
    const { rows } = await client.query('select current_database() as name');
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${rows[0].name}`;
    const other = new pg.Client({ connectionString: url.href });
    await other.connect();
    // The migration of views makes those of replays last, when it has its other locks.
    await client.query('begin; lock table replays in access exclusive mode');
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

test('an empty database that many processes migrate at once is migrated once', async () => {
  const url = await createEmptyTestDatabase();
  await Promise.all(Array.from({ length: 5 }, () => migrateDatabase(url)));
  const { pool } = openTestDatabase(url);
  const { rows } = await pool.query(
    'select created_at::text as at from drizzle.__drizzle_migrations order by id',
  );
  const files = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
  expect(rows.map(({ at }) => Number(at))).toEqual(files.map(({ folderMillis }) => folderMillis));
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

test('each database gets a secret of its own, and only one', async () => {
  const [{ sql }] = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
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

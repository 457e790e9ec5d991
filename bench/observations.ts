/**
 * `npm run bench:observations -- [--locations 5000] [--years 3] [--repeats 5] [--layouts key,covering,monthly]`
 *
 * Measures every query of the service on the demand observations. The history is stored in the order in which hours
 * arrive: all locations of an hour together. Rows are generated into a throwaway PostgreSQL (about 80 bytes each on
 * disk, and as much again for each further layout). The layouts are measured one after the other:
 *   key       primary key (location_id, hour)
 *   covering  the same with `include (demand)`: reads need not visit the table
 *   monthly   partitions by month, each with the primary key
 * Times are those of the service's own functions; blocks (8 kB) and scans come from EXPLAIN (ANALYZE, BUFFERS).
 */

import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { startEmbeddedPostgres } from '../src/commands/start/embedded-postgres.ts';
import { HOUR_MS } from '../src/contracts/time.ts';
import { openDatabase } from '../src/db/client.ts';
import { readDemandSeries, readNewestHours, upsertDemand } from '../src/db/data/demand.ts';
import { packDemand } from '../src/db/data/packed-rows.ts';
import { createStages, storeStages } from '../src/db/data/staging.ts';
import { migrateDatabase } from '../src/db/migrate.ts';
import { readArguments, reportTable, spread, whole } from './cli.ts';

const { locations, years, repeats, layouts, json } = readArguments({
  locations: 5000,
  years: 3,
  repeats: 5,
  layouts: 'key,covering,monthly',
});
const hours = Math.round(years * 365.25 * 24);

const BEFORE = Date.UTC(2026, 0, 1) / HOUR_MS;
const FIRST = BEFORE - hours;
const HISTORY_HOURS = 13 * 168;
const at = (hour: number) => new Date(hour * HOUR_MS).toISOString();

/** The rows without keys. Rows of an hour are stored together, as they arrive. No WAL is written for a new table. */
const GENERATE = `
  truncate demand_observations;
  alter table demand_observations drop constraint demand_observations_location_id_hour_pk;
  alter table demand_observations drop constraint demand_observations_location_id_locations_id_fk;
  alter table demand_observations drop constraint demand_observations_demand;
  alter table demand_observations drop constraint demand_observations_hour;
  insert into demand_observations
    select 1 + n % ${locations}, to_timestamp((${FIRST} + n / ${locations}) * 3600.0), 5 + n * 7919 % 101
    from (select generate_series(0::bigint, ${locations * hours - 1}) as n) rows;
  alter table demand_observations
    add foreign key (location_id) references locations not valid,
    add check (demand >= 0 and demand < 'Infinity') not valid,
    add check (hour = date_trunc('hour', hour, 'UTC')) not valid`;

const LAYOUT_NAMES: Record<string, string> = {
  key: 'plain key',
  covering: 'key with demand',
  monthly: 'partitions by month',
};
const LAYOUTS: Record<string, string> = {
  key: 'alter table demand_observations add constraint observations_key primary key (location_id, hour)',
  covering: `alter table demand_observations drop constraint if exists observations_key;
    alter table demand_observations add constraint observations_key primary key (location_id, hour) include (demand)`,
  monthly: `alter table demand_observations drop constraint if exists observations_key;
    alter table demand_observations rename to observations_heap;
    create table demand_observations (like observations_heap including constraints) partition by range (hour);
    do $$ begin
      for month in 0..${Math.ceil(hours / 24 / 28)} loop
        execute format('create table observations_%s partition of demand_observations for values from (%L) to (%L)', month,
          date_trunc('month', '${at(FIRST)}'::timestamptz) + month * interval '1 month',
          date_trunc('month', '${at(FIRST)}'::timestamptz) + (month + 1) * interval '1 month');
      end loop;
    end $$;
    insert into demand_observations select * from observations_heap;
    alter table demand_observations add foreign key (location_id) references locations;
    alter table demand_observations add constraint observations_key primary key (location_id, hour)`,
};

const folder = path.join(tmpdir(), `fleet-bench-${process.pid}`);
const server = await startEmbeddedPostgres(folder, {
  fsync: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
  shared_buffers: '1GB',
  maintenance_work_mem: '1GB',
  autovacuum: 'off',
});
// Only the server's administrator may load auto_explain.
const explaining = new URL(server.adminUrl);
explaining.pathname = new URL(server.url).pathname;
explaining.searchParams.set(
  'options',
  [
    'session_preload_libraries=auto_explain',
    'auto_explain.log_min_duration=0',
    'auto_explain.log_analyze=on',
    'auto_explain.log_buffers=on',
    'auto_explain.log_timing=off',
    'auto_explain.log_format=json',
    'auto_explain.log_level=notice',
  ]
    .map((setting) => `-c ${setting}`)
    .join(' '),
);
const onError = () => {};
const timed = openDatabase(server.url, { poolSize: 1, onError });
const explained = openDatabase(explaining.href, { poolSize: 1, onError });
type Plan = {
  'Node Type': string;
  'Index Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
};
type Opened = typeof timed;
let plans: Plan[] = [];
const undone = new Error('undone');
/** Layouts that were tried, two columns each, and the cells of each query by layout. */
const tried: string[] = [];
const cells = new Map<string, Map<string, [ms: string, blocks: string]>>();
explained.pool.on('connect', (client) => {
  client.on('notice', ({ message = '' }) => {
    const start = message.indexOf('{');
    if (message.includes('plan:') && start >= 0) plans.push(JSON.parse(message.slice(start)).Plan);
  });
});

try {
  await migrateDatabase(server.url);
  await timed.pool.query(
    `insert into locations select i, 'L' || i, 0, 0, null from generate_series(1, ${locations}) i`,
  );
  await step(`${whole(locations * hours)} rows generated`, async () => {
    // One transaction, so that the new table needs no WAL.
    await timed.pool.query(`begin; ${GENERATE}; commit`);
  });
  for (const layout of layouts.split(',')) {
    tried.push(layout);
    await step(`layout ${layout}`, () => timed.pool.query(`begin; ${LAYOUTS[layout]}; commit`));
    await timed.pool.query('vacuum analyze demand_observations');
    const { rows } = await timed.pool.query<{ heap: string; indexes: string }>(
      `select pg_size_pretty(sum(pg_table_size(relid))) as heap, pg_size_pretty(sum(pg_indexes_size(relid))) as indexes
       from (select relid from pg_partition_tree('demand_observations') where isleaf
             union select 'demand_observations'::regclass) relations`,
    );
    console.error(`${layout}: table ${rows[0].heap}, index ${rows[0].indexes}`);
    await measureReads();
    // `xmax` shows which rows an upsert created, but PostgreSQL does not give it for a partitioned table.
    if (layout !== 'monthly') await measureWrites();
  }
  const columns = tried.flatMap((layout) => [`${LAYOUT_NAMES[layout]}: ms`, 'blocks']);
  const rows = [...cells].map(([query, of]) => [
    query,
    ...tried.flatMap((layout) => of.get(layout) ?? ['–', '–']),
  ]);
  reportTable({ columns: ['query', ...columns], rows }, json);
} finally {
  await timed.close();
  await explained.close();
  await server.stop();
  await rm(server.folder, { recursive: true, force: true });
}

async function measureReads() {
  const from = BEFORE - HISTORY_HOURS;
  for (const count of [1, 73, 2000, 5000].filter((n) => n <= locations)) {
    const stride = Math.floor(locations / count);
    // A new set of locations each time if possible: no reader finds the blocks of another reader in the cache.
    const ids = (r: number) =>
      Array.from({ length: count }, (_, i) => 1 + ((i * stride + 37 * r) % locations));
    await measure(`history of 13 weeks, ${count} locations`, (database, r) =>
      readDemandSeries(database.db, ids(r), from, BEFORE),
    );
    await measure(`newest observation, ${count} locations`, (database, r) =>
      readNewestHours(database.db, ids(r), BEFORE),
    );
  }
}

async function measureWrites() {
  const rows = (hour: number, r: number) =>
    Array.from({ length: 1000 }, (_, i) => ({
      locationId: 1 + (i % locations),
      hour: hour + Math.floor(i / locations),
      demand: 1000 + r,
    }));
  for (const [name, hour] of [
    ['upsert of 1,000 new rows', BEFORE],
    ['upsert of 1,000 rows that change', BEFORE - 200],
  ] as const) {
    await measure(name, (database, r) =>
      rolledBack(database.db, (tx) => upsertDemand(tx, packDemand(rows(hour, r)))),
    );
  }
  for (const [name, hour] of [
    ['import of a new day of every location', BEFORE],
    ['import of a day that is stored and changes', BEFORE - 96],
  ] as const) {
    await measure(name, (database) =>
      inTransaction(database.pool, async (client) => {
        await createStages(client);
        await client.query(
          `insert into import_demand select i, i, '${at(hour)}'::timestamptz + h * interval '1 hour', 1000 + h
           from generate_series(0, 23) h, generate_series(1, ${locations}) i`,
        );
        plans = [];
        await storeStages(client, ['demand']);
      }),
    );
  }
}

async function measure(name: string, work: (database: Opened, repeat: number) => Promise<unknown>) {
  const times: number[] = [];
  for (let r = -1; r < repeats; r++) {
    const began = performance.now();
    await work(timed, r + 1);
    if (r >= 0) times.push(performance.now() - began);
  }
  plans = [];
  await work(explained, repeats + 1);
  const blocks = plans.reduce((sum, p) => sum + p['Shared Hit Blocks'] + p['Shared Read Blocks'], 0);
  const scans = new Set(plans.flatMap(scansOf));
  const ms = (value: number) => (value < 10 ? value.toFixed(2) : whole(value));
  keep(name, spread(times, ms, [0, 1]), whole(blocks));
  console.error(`  ${[...scans].join(', ')}`);
}

/** Puts the two cells of the layout that is tried into a row. */
function keep(row: string, ...pair: [ms: string, blocks: string]): void {
  const layout = tried.at(-1) ?? '';
  cells.set(row, (cells.get(row) ?? new Map()).set(layout, pair));
  console.error(`${layout}: ${row}: ${pair.join('  ')}`);
}

function scansOf(plan: Plan): string[] {
  const own =
    /demand|observations/.test(JSON.stringify({ ...plan, Plans: [] })) && plan['Node Type'].includes('Scan');
  return [...(own ? [plan['Node Type']] : []), ...(plan.Plans ?? []).flatMap(scansOf)];
}

/** Runs `work` in a transaction that is rolled back. */
async function rolledBack(db: Opened['db'], work: Parameters<Opened['db']['transaction']>[0]) {
  await db
    .transaction(async (tx) => {
      await work(tx);
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
}

async function inTransaction(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query('rollback');
  } finally {
    client.release();
  }
}

async function step(name: string, work: () => Promise<unknown>) {
  const began = performance.now();
  await work();
  console.error(`${name} in ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

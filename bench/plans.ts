/**
 * `npm run bench:plans -- [--repeats 9] [--sizes 1000,10000,100000]`: the statement that ends a job and stores its
 * plan, in milliseconds, compared with COPY of the plan's rows into a table without index, constraint and write-ahead
 * log. Two more variants take turns with them: ending a job with the same answer and no plan, and one row per vehicle,
 * which shows what packing (`plan-record.ts`) saves. Finally reports the space of both.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { AllocationPlanItem, OptimizationResult } from '../src/contracts/optimize.ts';
import type { MoveDistances } from '../src/contracts/plans.ts';
import type { Database } from '../src/db/client.ts';
import { claimJob, finishJob } from '../src/db/jobs/job-claims.ts';
import { insertJob } from '../src/db/jobs/job-intake.ts';
import { planRecord } from '../src/db/plans/plan-record.ts';
import { ratio, readArguments, reportTable, spread, whole } from './cli.ts';
import { withDatabase } from './database.ts';

const { repeats, sizes, json } = readArguments({ repeats: 9, sizes: [1000, 10_000, 100_000] });
const BASELINE = `create unlogged table baseline (plan_id text, ordinal int, vehicle_id text,
  source_location int, target_location int, cost float8, assignment text)`;

const ROWS = `create table item_rows (plan_id text, ordinal int, vehicle_id text not null, source_location int not null,
  target_location int not null, cost float8 not null, assignment text not null, primary key (plan_id, ordinal))`;

let count = 0;
const nextId = (kind: string) => `${kind}_00000000-0000-7000-8000-${String(++count).padStart(12, '0')}`;

const LOCATIONS = 1000;

/** A plan over 1,000 locations, with their figures, in which every fifth vehicle moves. */
function makePlan(vehicles: number): OptimizationResult {
  const allocation_plan = Array.from({ length: vehicles }, (_, i) => {
    const isMove = i % 5 === 0;
    const source = (i * 7919) % LOCATIONS;
    return {
      vehicle_id: `VEH-${String(i).padStart(6, '0')}`,
      source_location: source,
      target_location: isMove ? (source + 1 + (i % 999)) % LOCATIONS : source,
      cost: isMove ? 1 + (i % 100_000) / 10_000 : 0,
      assignment: isMove ? ('rebalance' as const) : ('stay' as const),
    };
  });
  const total_cost = allocation_plan.reduce((sum, item) => sum + item.cost, 0);
  return {
    allocation_plan,
    total_cost,
    kpis: {
      demand_coverage: 1,
      utilization: 0.8,
      rebalanced_count: Math.ceil(vehicles / 5),
      total_cost,
      total_distance_km: total_cost,
      unmet_demand: 0,
    },
    solver_status: 'optimal',
    locations: Array.from({ length: LOCATIONS }, (_, at) => ({
      location_id: at,
      name: `Station ${at}`,
      demand: vehicles / LOCATIONS,
      vehicles_before: Math.round(vehicles / LOCATIONS),
      vehicles_after: Math.round(vehicles / LOCATIONS),
      capacity_after: vehicles / LOCATIONS,
      served: vehicles / LOCATIONS,
      unmet: 0,
    })),
  };
}

/** The pairs of locations that vehicles move between, a km each. */
function distancesOf({ allocation_plan }: OptimizationResult): MoveDistances {
  const moves = allocation_plan.filter(({ assignment }) => assignment === 'rebalance');
  const pairs = new Map(
    moves.map(({ source_location: from, target_location: to }) => [from * LOCATIONS + to, { from, to }]),
  );
  const ends = [...pairs.values()];
  return {
    sources: ends.map(({ from }) => from),
    targets: ends.map(({ to }) => to),
    km: ends.map(() => 1),
    minutes: null,
  };
}

/** Ends a job as the worker does. @returns milliseconds until its answer, and its plan if wanted, are stored */
async function store(db: Database, result: OptimizationResult, hasPlan: boolean): Promise<number> {
  await insertJob(db, {
    jobId: nextId('opt'),
    kind: 'optimize',
    requestId: 'r',
    input: '{}',
    inputHash: Buffer.from(''),
    idempotency: null,
    priority: 'normal',
    caller: 'bench',
    clientId: '',
    facts: { timeLimitSeconds: null },
    locationCount: LOCATIONS,
    vehicleCount: result.allocation_plan.length,
  });
  const job = await claimJob(db, 'w');
  if (!job) throw new Error('nothing to claim');
  const body = JSON.stringify({ status: 'success', data: result });
  const record = planRecord(result, { objective: 1 }, distancesOf(result));
  const answer = { httpStatus: 200, body: Buffer.from(body) };
  const plan = {
    planId: nextId('plan'),
    jobId: job.jobId,
    solveTimeMs: 1,
    speedKmh: 20,
    record,
  };
  const ending = { status: 'completed', solverStatus: 'optimal', answer } as const;
  const startedMs = performance.now();
  await finishJob(
    db,
    job,
    ending,
    { outcome: 'completed', reason: null, phases: [] },
    hasPlan ? plan : undefined,
  );
  return performance.now() - startedMs;
}

async function copy(pool: pg.Pool, result: OptimizationResult): Promise<number> {
  const planId = nextId('plan');
  const client = await pool.connect();
  try {
    await client.query('truncate baseline');
    const startedMs = performance.now();
    const lines = result.allocation_plan.map(
      (item, i) =>
        `${planId}\t${i + 1}\t${item.vehicle_id}\t${item.source_location}\t${item.target_location}\t${item.cost}\t${item.assignment}\n`,
    );
    const chunks = Array.from({ length: Math.ceil(lines.length / 1000) }, (_, i) =>
      lines.slice(i * 1000, (i + 1) * 1000).join(''),
    );
    await pipeline(Readable.from(chunks), client.query(copyFrom('copy baseline from stdin')));
    return performance.now() - startedMs;
  } finally {
    client.release();
  }
}

/** A row per vehicle, in one statement. */
async function storeRows(pool: pg.Pool, { allocation_plan: items }: OptimizationResult): Promise<number> {
  const startedMs = performance.now();
  const column = (pick: (item: AllocationPlanItem) => number | string) => `{${items.map(pick).join(',')}}`;
  await pool.query({
    name: 'rows',
    text: `insert into item_rows select $1, i.n, i.vehicle_id, i.source, i.target, i.cost, i.assignment
      from unnest($2::text[], $3::int[], $4::int[], $5::float8[], $6::text[])
        with ordinality as i (vehicle_id, source, target, cost, assignment, n)`,
    values: [
      nextId('plan'),
      column((i) => `"${i.vehicle_id}"`),
      column((i) => i.source_location),
      column((i) => i.target_location),
      column((i) => i.cost),
      column((i) => i.assignment),
    ],
  });
  return performance.now() - startedMs;
}

async function bytesPerVehicle(pool: pg.Pool, table: string, vehicles: string): Promise<string> {
  await pool.query(`vacuum ${table}`);
  const { rows } = await pool.query(
    `select pg_total_relation_size($1) / (select ${vehicles} from ${table}) as bytes`,
    [table],
  );
  return Number(rows[0].bytes).toFixed(0);
}

await withDatabase(async ({ db, pool }) => {
  await pool.query(BASELINE);
  await pool.query(ROWS);
  const rows: string[][] = [];
  for (const vehicles of sizes) {
    const result = makePlan(vehicles);
    const times = { all: [] as number[], answer: [] as number[], copy: [] as number[], rows: [] as number[] };
    for (let r = -2; r < repeats; r++) {
      const all = await store(db, result, true);
      const answer = await store(db, result, false);
      const copied = await copy(pool, result);
      const asRows = await storeRows(pool, result);
      if (r < 0) continue;
      times.all.push(all);
      times.answer.push(answer);
      times.copy.push(copied);
      times.rows.push(asRows);
    }
    const ratios = times.copy.map((ms, i) => times.all[i] / ms);
    const columns = [times.all, times.answer, times.copy, times.rows];
    rows.push([whole(vehicles), ...columns.map((times) => spread(times)), ratio(ratios)]);
  }
  const columns = [
    'vehicles',
    'answer and plan, ms',
    'answer alone, ms',
    'COPY alone, ms',
    'a row per vehicle, ms',
    'answer and plan / COPY',
  ];
  reportTable({ columns, rows }, json);
  const packed = await bytesPerVehicle(pool, 'plan_parts', 'sum(cardinality(vehicle_ids))');
  console.error(
    `bytes per vehicle: ${packed} packed, ${await bytesPerVehicle(pool, 'item_rows', 'count(*)')} as rows`,
  );
});

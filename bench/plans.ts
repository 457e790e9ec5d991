/**
 * `npm run bench:plans -- [--repeats 9] [--sizes 1000,10000,100000]`: the transaction that stores a plan, beside COPY
 * of the same rows into a table without index, constraint and write-ahead log. Both take turns.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { OptimizationResult } from '../src/contracts/optimize.ts';
import type { Database } from '../src/db/client.ts';
import { insertPlan } from '../src/db/plans.ts';
import { withDatabase } from './database.ts';

const { values } = parseArgs({
  options: {
    repeats: { type: 'string', default: '9' },
    sizes: { type: 'string', default: '1000,10000,100000' },
  },
});
const repeats = Number(values.repeats);
const BASELINE = `create unlogged table baseline (plan_id text, ordinal int, vehicle_id text,
  source_location int, target_location int, cost float8, assignment text)`;

let count = 0;
const nextId = (kind: string) => `${kind}_00000000-0000-7000-8000-${String(++count).padStart(12, '0')}`;

/** A plan over 1,000 locations of which every fifth vehicle moves. */
function makePlan(vehicles: number): OptimizationResult {
  const allocation_plan = Array.from({ length: vehicles }, (_, i) => {
    const isMove = i % 5 === 0;
    const source = (i * 7919) % 1000;
    return {
      vehicle_id: `VEH-${String(i).padStart(6, '0')}`,
      source_location: source,
      target_location: isMove ? (source + 1 + (i % 999)) % 1000 : source,
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
  };
}

async function newJob(pool: pg.Pool): Promise<string> {
  const jobId = nextId('opt');
  await pool.query(
    `insert into jobs (job_id, status, request_id, input_hash, http_status, result, finished_at)
     values ($1, 'completed', 'r', '', 200, '{}', now())`,
    [jobId],
  );
  return jobId;
}

async function store(db: Database, pool: pg.Pool, result: OptimizationResult): Promise<number> {
  const jobId = await newJob(pool);
  const plan = { planId: nextId('plan'), jobId, result, solveTimeMs: 1, certificate: { objective: 1 } };
  const startedMs = performance.now();
  await db.transaction((tx) => insertPlan(tx, plan));
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

function spread(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))].toPrecision(3);
  return `${at(0.5)} (${at(0.1)} – ${at(0.9)})`;
}

await withDatabase(async ({ db, pool }) => {
  await pool.query(BASELINE);
  console.log('| vehicles | store the plan, ms | COPY alone, ms | ratio |\n| --- | --- | --- | --- |');
  for (const vehicles of values.sizes.split(',').map(Number)) {
    const result = makePlan(vehicles);
    const [stored, copied, ratios]: [number[], number[], number[]] = [[], [], []];
    for (let r = -2; r < repeats; r++) {
      const a = await store(db, pool, result);
      const b = await copy(pool, result);
      if (r < 0) continue;
      stored.push(a);
      copied.push(b);
      ratios.push(a / b);
    }
    console.log(`| ${vehicles} | ${spread(stored)} | ${spread(copied)} | ${spread(ratios)} |`);
  }
});

import { expect, test } from 'vitest';
import type { AllocationPlanItem, PlanLocation } from '../../src/contracts/optimize.ts';
import type { MoveDistances } from '../../src/contracts/plans.ts';
import { claimJob, finishJob } from '../../src/db/jobs/job-claims.ts';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import {
  readLocationDifferences,
  readPlanLocations,
  readPlanMoves,
} from '../../src/db/plans/plan-locations.ts';
import { PART_SIZE, planRecord } from '../../src/db/plans/plan-record.ts';
import { readPlanComparison, readPlanItems } from '../../src/db/plans/plans.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const { db, pool } = openTestDatabase(await createTestDatabase());

const NAMES = [
  'plain',
  'with space',
  '"quoted"',
  'back\\slash',
  '{brace}',
  'a,b',
  'NULL',
  '',
  'ünï ✓ 🚐',
  'line\nbreak',
  "it's",
];

/** @param shift of the places that vehicles go to */
function items(count: number, shift: number): AllocationPlanItem[] {
  return Array.from({ length: count }, (_, i) => {
    const source_location = i % 7;
    const target_location = i % 3 === 0 ? (source_location + shift) % 7 : source_location;
    const moves = source_location !== target_location;
    return {
      vehicle_id: `${NAMES[i % NAMES.length]}${i < NAMES.length ? '' : i}`,
      source_location,
      target_location,
      cost: moves ? 0.1 + i / 7 : 0,
      assignment: moves ? 'rebalance' : 'stay',
    };
  });
}

/** @param locations of the problem; default: none. @param distances of the moves; default: unknown */
async function storePlan(
  allocation_plan: AllocationPlanItem[],
  name: string,
  locations?: PlanLocation[],
  distances?: MoveDistances,
): Promise<string> {
  const { jobId } = await insertJob(db, newJob({ jobId: `opt_${name}` }));
  const claimed = (await claimJob(db, 'w'))!;
  const kpis = {
    demand_coverage: 1,
    utilization: 1,
    rebalanced_count: 1,
    total_cost: 1,
    total_distance_km: 1,
    unmet_demand: 0,
  };
  const result = { allocation_plan, total_cost: 1, kpis, solver_status: 'optimal' as const };
  const record = planRecord({ ...result, ...(locations && { locations }) }, {}, distances);
  const plan = { planId: `plan_${name}`, jobId, solveTimeMs: 1, speedKmh: 20, record };
  const ending = {
    status: 'completed',
    solverStatus: 'optimal',
    answer: { httpStatus: 200, body: '{}' },
  } as const;
  await finishJob(db, claimed, ending, { outcome: 'completed', reason: null, phases: [] }, plan);
  return plan.planId;
}

test('a plan comes back as it was stored, in its order, page by page, whatever its vehicles are called', async () => {
  const stored = items(2 * PART_SIZE + 500, 1);
  const planId = await storePlan(stored, 'pages');
  const read: AllocationPlanItem[] = [];
  for (let page = await readPlanItems(db, planId, 0, 1); page.length > 0; ) {
    expect(page.map(({ ordinal }) => ordinal)).toEqual(page.map((_, i) => read.length + 1 + i));
    read.push(...page.map(({ ordinal: _, ...item }) => item));
    page = await readPlanItems(db, planId, read.length, 1);
  }
  expect(read).toEqual(stored);
  const moves = await pool.query(
    'select vehicle_id, source_location, target_location, cost, assignment from reports.plan_moves where plan_id = $1 order by ordinal',
    [planId],
  );
  expect(moves.rows).toEqual(stored);
  expect(await readPlanItems(db, planId, 0, 5)).toHaveLength(stored.length);
});

test('a plan without vehicles has none', async () => {
  const planId = await storePlan([], 'empty');
  expect(await readPlanItems(db, planId, 0, 5)).toEqual([]);
  expect(
    (await pool.query('select vehicle_count from reports.plan_summary where plan_id = $1', [planId])).rows,
  ).toEqual([{ vehicle_count: 0 }]);
});

test('the flows between locations are those of the moves, vehicles and cost', async () => {
  const stored = items(PART_SIZE + 300, 2);
  const planId = await storePlan(stored, 'flows');
  const flows = new Map<string, { vehicles: number; cost: number }>();
  for (const { source_location, target_location, cost, assignment } of stored) {
    if (assignment === 'stay') continue;
    const flow = flows.get(`${source_location} ${target_location}`) ?? { vehicles: 0, cost: 0 };
    flows.set(`${source_location} ${target_location}`, {
      vehicles: flow.vehicles + 1,
      cost: flow.cost + cost,
    });
  }
  const { rows } = await pool.query('select * from reports.location_flows where plan_id = $1', [planId]);
  expect(rows).toHaveLength(flows.size);
  for (const { source_location, target_location, vehicles, cost } of rows) {
    const flow = flows.get(`${source_location} ${target_location}`)!;
    expect(vehicles).toBe(flow.vehicles);
    expect(cost).toBeCloseTo(flow.cost, 6);
  }
});

test('two plans of the same vehicles in another order differ in those that go elsewhere', async () => {
  const own = items(PART_SIZE + 10, 1);
  const other = items(PART_SIZE + 10, 3).reverse();
  const different = own.filter(({ assignment }) => assignment === 'rebalance');
  const ids = [await storePlan(own, 'own'), await storePlan(other, 'other')] as const;
  const comparison = await readPlanComparison(db, ...ids, null, 20);
  expect(comparison).toMatchObject({ different: different.length, only_in_plan: 0, only_in_other: 0 });
  expect(comparison.differences).toHaveLength(20);
});

/** The seven places of `items`, with fractions and with names that arrays have to quote; place 3 has none. */
const PLACES: PlanLocation[] = ['a', '"b"', '{c}', null, 'NULL', 'f,g', '\\h'].map((name, i) => ({
  location_id: i,
  name,
  demand: 0.1 + i / 3,
  vehicles_before: i,
  vehicles_after: 2 * i,
  capacity_after: i / 7,
  served: Math.min(0.1 + i / 3, i / 7),
  unmet: 0.1 + i / 3 - Math.min(0.1 + i / 3, i / 7),
}));

test('the locations of a plan come back as they were stored, page by page, and name the moves', async () => {
  const planId = await storePlan(items(30, 1), 'places', PLACES);
  expect(await readPlanLocations(db, planId, null, 100)).toEqual(PLACES);
  expect(await readPlanLocations(db, planId, 1, 3)).toEqual(PLACES.slice(2, 5));
  expect(await readPlanLocations(db, planId, 6, 3)).toEqual([]);
  const { rows } = await pool.query(
    'select source_location, target_location, source_name, target_name from reports.plan_moves where plan_id = $1',
    [planId],
  );
  expect(rows).toHaveLength(30);
  for (const row of rows) {
    expect(row.source_name).toBe(PLACES[row.source_location].name);
    expect(row.target_name).toBe(PLACES[row.target_location].name);
  }
});

test('the work list has each pair of locations once, by source and the longest first, with all its vehicles', async () => {
  const stored = items(PART_SIZE + 500, 1).concat(
    items(100, 3).map((item) => ({ ...item, vehicle_id: `x${item.vehicle_id}` })),
  );
  const pairs = [
    ...new Set(stored.filter((i) => i.cost > 0).map((i) => `${i.source_location} ${i.target_location}`)),
  ];
  const km = pairs.map((_, i) => (i % 4) + 1 / 3);
  const distances = {
    sources: pairs.map((pair) => Number(pair.split(' ')[0])),
    targets: pairs.map((pair) => Number(pair.split(' ')[1])),
    km,
    minutes: pairs.map((_, i) => (i % 3 === 0 ? null : i / 7)),
  };
  const planId = await storePlan(stored, 'work', PLACES, distances);
  const lines = await readPlanMoves(db, planId, 0, 100);
  expect(lines.map((line) => `${line.source_location} ${line.target_location}`).toSorted()).toEqual(
    pairs.toSorted(),
  );
  for (const [i, line] of lines.entries()) {
    const own = stored.filter(
      (item) =>
        item.source_location === line.source_location && item.target_location === line.target_location,
    );
    expect(line).toEqual({
      source_location: line.source_location,
      source_name: PLACES[line.source_location].name,
      target_location: line.target_location,
      target_name: PLACES[line.target_location].name,
      vehicles: own.length,
      distance_km: Number(km[pairs.indexOf(`${line.source_location} ${line.target_location}`)].toFixed(4)),
      duration_minutes: distances.minutes[pairs.indexOf(`${line.source_location} ${line.target_location}`)],
      cost: Number(own.reduce((sum, { cost }) => sum + cost, 0).toFixed(4)),
      vehicle_ids: own.map((item) => item.vehicle_id),
    });
    const before = lines[i - 1];
    if (!before) continue;
    expect(before.source_location).toBeLessThanOrEqual(line.source_location);
    if (before.source_location === line.source_location)
      expect(before.distance_km).toBeGreaterThanOrEqual(line.distance_km!);
  }
  expect([...(await readPlanMoves(db, planId, 0, 5)), ...(await readPlanMoves(db, planId, 5, 100))]).toEqual(
    lines,
  );
});

test('the work list without lengths has the dearest move of a source first, and null for what is unknown', async () => {
  const move = (vehicle_id: string, target_location: number, cost: number) =>
    ({ vehicle_id, source_location: 1, target_location, cost, assignment: 'rebalance' }) as const;
  const planId = await storePlan([move('a', 2, 1), move('b', 2, 1), move('c', 3, 1.5)], 'old');
  const unknown = {
    ...{ source_location: 1, source_name: null, target_name: null },
    ...{ distance_km: null, duration_minutes: null },
  };
  expect(await readPlanMoves(db, planId, 0, 5)).toEqual([
    { ...unknown, target_location: 3, vehicles: 1, cost: 1.5, vehicle_ids: ['c'] },
    { ...unknown, target_location: 2, vehicles: 2, cost: 2, vehicle_ids: ['a', 'b'] },
  ]);
  expect(await readPlanLocations(db, planId, null, 5)).toEqual([]);
  expect((await pool.query('select from reports.plan_locations where plan_id = $1', [planId])).rowCount).toBe(
    0,
  );
});

test('two plans differ in the locations whose figures differ, and in those that only one of them has', async () => {
  const changed = { ...PLACES[2], vehicles_after: 9 };
  const added = { ...PLACES[1], location_id: 7, name: 'new' };
  const own = await storePlan([], 'before', PLACES.slice(1));
  const other = await storePlan([], 'after', [PLACES[1], changed, ...PLACES.slice(3), added]);
  const figures = ({ location_id: _, name: __, ...rest }: PlanLocation) => rest;
  expect(await readLocationDifferences(db, own, other)).toEqual([
    { location_id: 2, name: '{c}', figures: figures(PLACES[2]), other_figures: figures(changed) },
    { location_id: 7, name: 'new', figures: null, other_figures: figures(added) },
  ]);
  expect(await readLocationDifferences(db, own, own)).toEqual([]);
});

test('a plan has all figures of all its locations', async () => {
  const planId = await storePlan([], 'whole', PLACES);
  for (const column of ['location_names', 'location_served', 'location_vehicles_after']) {
    const spoil = pool.query(`update plans set ${column} = null where plan_id = $1`, [planId]);
    await expect(spoil).rejects.toThrow('violates not-null constraint');
    const shorten = pool.query(`update plans set ${column} = ${column}[2:] where plan_id = $1`, [planId]);
    await expect(shorten).rejects.toThrow(/plans_locations/);
  }
});

import { expect, test } from 'vitest';
import type { AllocationPlanItem } from '../../src/contracts/optimize.ts';
import { claimJob, finishJob } from '../../src/db/job-claims.ts';
import { insertJob } from '../../src/db/job-intake.ts';
import { PART_SIZE, planRecord } from '../../src/db/plan-record.ts';
import { readPlanComparison, readPlanItems } from '../../src/db/plans.ts';
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

async function storePlan(allocation_plan: AllocationPlanItem[], name: string): Promise<string> {
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
  const record = planRecord({ allocation_plan, total_cost: 1, kpis, solver_status: 'optimal' }, {});
  const plan = { planId: `plan_${name}`, jobId, solveTimeMs: 1, record };
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
    'select vehicle_id, source_location, target_location, cost, assignment from plan_moves where plan_id = $1 order by ordinal',
    [planId],
  );
  expect(moves.rows).toEqual(stored);
  expect(await readPlanItems(db, planId, 0, 5)).toHaveLength(stored.length);
});

test('a plan without vehicles has none', async () => {
  const planId = await storePlan([], 'empty');
  expect(await readPlanItems(db, planId, 0, 5)).toEqual([]);
  expect(
    (await pool.query('select vehicle_count from plan_summary where plan_id = $1', [planId])).rows,
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
  const { rows } = await pool.query('select * from location_flows where plan_id = $1', [planId]);
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

import { describe, expect, it } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { OptimizeInput } from '../../../../src/core/optimize/problem/model.ts';
import { checkRequest } from '../../../../src/core/optimize/request/check.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached } from '../cached.ts';
import { createRandom, SETTINGS } from '../instances.ts';
import { withPairRules } from '../pair-rules.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null, optimalityGap: 0 };

const plan = (request: OptimizeRequest, rest: Partial<OptimizeInput> = {}) => {
  const known = new Set(Object.keys(request.demand_forecast).map(Number));
  expect(checkRequest(request, known, settings)).toEqual([]);
  return optimizeCached({ request, locations: [], settings, ...rest });
};

const planned = async (request: OptimizeRequest, rest: Partial<OptimizeInput> = {}) => {
  const outcome = await plan(request, rest);
  if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome;
};

/** Six vehicles at 4, and demand of two at each of three other locations in two steps. */
const fan: OptimizeRequest = {
  demand_forecast: { '4': [0, 0], '7': [2, 2], '9': [2, 2], '11': [2, 2] },
  fleet_state: { vehicles: Array.from({ length: 6 }, (_, v) => ({ id: `${v}`, location: 4 })) },
  network: {
    location_ids: [4, 7, 9, 11],
    costs: [
      [0, 1, 2, 3],
      [1, 0, 1, 2],
      [2, 1, 0, 1],
      [3, 2, 1, 0],
    ],
  },
  constraints: { min_service_level: 1 },
  options: { horizon: {} },
};
const refined = (refine: object, constraints: object = {}): OptimizeRequest => ({
  ...fan,
  constraints: { ...fan.constraints, ...constraints },
  options: { ...fan.options, refine },
});

/** Vehicles by pair, from the items of the answer's plan. */
function pairsOf(
  items: readonly { source_location: number; target_location: number }[],
): Map<string, number> {
  const pairs = new Map<string, number>();
  for (const { source_location: from, target_location: to } of items)
    if (from !== to) pairs.set(`${from} ${to}`, (pairs.get(`${from} ${to}`) ?? 0) + 1);
  return pairs;
}

describe('a request that looks ahead, with options.refine', { tags: ['slow'] }, () => {
  it('names the nearest limits of pairs that are sufficient, and what else would be', async () => {
    const reasonsOf = async (refine: object) => {
      const outcome = await plan(refined(refine));
      if (outcome.status !== 'infeasible') throw new Error(JSON.stringify(outcome));
      return outcome;
    };
    const few = await reasonsOf({ max_pairs: 2 });
    expect(few.conflicts).toMatchObject([
      { constraint: 'min_service_level', value: 1, relaxation: 0.833333 },
      { constraint: 'max_pairs', value: 2, relaxation: 3, proved: true },
      { constraint: 'supply' },
    ]);
    expect(few.errors[1]).toMatchObject({
      field: 'options.refine.max_pairs',
      message: 'max_pairs 2 is fewer than a plan needs; raise it to at least 3',
    });
    const from = await reasonsOf({ max_moves_from: 1 });
    expect(from.conflicts).toContainEqual(
      expect.objectContaining({ constraint: 'max_moves_from', value: 1, relaxation: 3, proved: false }),
    );
    const large = await reasonsOf({ min_vehicles_per_move: 5 });
    expect(large.conflicts).toContainEqual(
      expect.objectContaining({
        constraint: 'min_vehicles_per_move',
        value: 5,
        relaxation: 2,
        proved: false,
      }),
    );
    for (const { constraint, relaxation } of [...few.conflicts, ...from.conflicts, ...large.conflicts]) {
      if (!constraint.startsWith('m') || constraint === 'min_service_level') continue;
      const other = refined({ [constraint]: relaxation });
      expect((await planned(other)).status, constraint).toBe('optimal');
    }
  });

  it('serves the most that the rules allow with serve_most, and says what would help', async () => {
    const { result } = await planned(refined({ max_pairs: 1 }, { shortage: 'serve_most' }));
    expect(pairsOf(result.allocation_plan).size).toBe(1);
    const { requested, reached, reached_at_most: most } = result.shortfall!;
    expect(requested).toBe(1);
    expect(reached).toBeCloseTo(2 / 3, 8);
    expect(most).toBeCloseTo(2 / 3, 8);
    // A slow machine may run out of time for the proof; then more pairs than are needed may be named.
    const pairs = result.shortfall!.relaxations.find(({ constraint }) => constraint === 'max_pairs')!;
    expect(pairs.relaxation).toBeGreaterThanOrEqual(3);
    if (pairs.proved) expect(pairs.relaxation).toBe(3);
    expect(result.stages).toEqual(['min_cost_flow', 'milp_refinement']);
  });

  it('pays for each used pair, and says so', async () => {
    const free = await planned(fan);
    const { result, certificate } = await planned(refined({ cost_per_pair: 2 }, { min_service_level: 0.5 }));
    const pairs = pairsOf(result.allocation_plan).size;
    expect(result.refinement).toMatchObject({ pairs, cost_per_pair: 2, pair_cost: 2 * pairs });
    expect(result.horizon_cost).toBeGreaterThanOrEqual(result.total_cost + 2 * pairs);
    expect(certificate).toMatchObject({
      objective: result.horizon_cost,
      bound: result.horizon_bound,
      method: 'mixed_integer',
    });
    expect(certificate.checks).toContain('bound of branch and cut');
    expect(free.result.refinement).toBeUndefined();
  });

  it('keeps the rules beside all others, and never costs less than without them', async () => {
    const seen = { kept: 0, short: 0, dearer: 0 };
    for (const seed of seeds(1, 120)) {
      const { plain, ruled, rest } = everyRule(seed);
      const where = `seed ${seed}`;
      const free = await planned(plain, rest);
      const { result, certificate } = await planned(ruled, rest);
      const pairs = pairsOf(result.allocation_plan);
      const {
        min_vehicles_per_move: least = 1,
        max_pairs: most,
        max_moves_from: from,
      } = ruled.options!.refine!;
      expect(Math.min(least, ...pairs.values()), where).toBe(least);
      expect(pairs.size, where).toBeLessThanOrEqual(most ?? 99);
      for (const id of [4, 7, 9, 11])
        expect(
          [...pairs.keys()].filter((pair) => pair.startsWith(`${id} `)).length,
          where,
        ).toBeLessThanOrEqual(from ?? 99);
      const { cost_per_pair: price = 0 } = ruled.options!.refine!;
      expect(result.refinement?.pair_cost ?? 0, where).toBeCloseTo(price * pairs.size, 3);
      expect(certificate.bound, where).toBeLessThanOrEqual(certificate.objective);
      const isSame = !result.shortfall && !free.result.shortfall && !result.priorities;
      if (result.shortfall) seen.short++;
      else seen.kept++;
      if (!isSame) continue;
      expect(result.horizon_cost!, where).toBeGreaterThan(free.result.horizon_bound! - 1e-3);
      if (result.horizon_cost! > free.result.horizon_cost! + 1e-3) seen.dearer++;
    }
    expect(Math.min(seen.kept, seen.short, seen.dearer)).toBeGreaterThan(enough(3));
  });
});

/** A request with some of the other rules, and the same with rules about pairs. */
function everyRule(seed: number) {
  const random = createRandom(seed);
  const ids = [4, 7, 9, 11];
  const vehicles = Array.from({ length: random.integer(4, 9) }, (_, v) => ({
    id: `${v}`,
    location: random.pick(ids),
    capacity: random.chance(0.3) ? 2 : 1,
    ...(random.chance(0.1) && { pinned: true }),
  }));
  const plain: OptimizeRequest = {
    demand_forecast: Object.fromEntries(ids.map((id) => [id, [0, 1, 2].map(() => random.integer(0, 3))])),
    fleet_state: { vehicles },
    network: { location_ids: ids, costs: ids.map((i) => ids.map((j) => Math.abs(i - j))) },
    constraints: {
      min_service_level: random.pick([0.3, 0.7, 1]),
      shortage: 'serve_most',
      ...(random.chance(0.5) && { unmet_demand_cost: random.integer(1, 12) }),
      ...(random.chance(0.3) && { priorities: { '7': 3, '9': 1 } }),
      ...(random.chance(0.3) && { max_rebalancing_cost: random.integer(3, 20) }),
    },
    options: { horizon: {} },
  };
  const tripCounts = {
    from: Int32Array.from(ids),
    to: Int32Array.from(ids, (_, j) => ids[(j + 1) % ids.length]),
    hour: new Int16Array(ids.length).fill(-1),
    trips: new Float64Array(ids.length).fill(1),
  };
  return {
    plain,
    ruled: withPairRules(plain, seed, { vehicles: 3, pairs: 4, from: 2, cost: 6 }),
    rest: random.chance(0.4) ? { tripCounts } : {},
  };
}

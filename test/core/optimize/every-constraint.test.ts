import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import { verifyPlan } from '../../../src/core/optimize/answer/verify.ts';
import { createBaseModel } from '../../../src/core/optimize/column-generation/build-base-model.ts';
import { search } from '../../../src/core/optimize/column-generation/search.ts';
import { solveDirect } from '../../../src/core/optimize/direct/direct.ts';
import { withSolverModel } from '../../../src/core/optimize/highs/highs.ts';
import type { LimitName } from '../../../src/core/optimize/problem/constraints.ts';
import { evaluateMoves } from '../../../src/core/optimize/problem/evaluate.ts';
import { createIncumbent } from '../../../src/core/optimize/problem/incumbent.ts';
import type { Problem } from '../../../src/core/optimize/problem/model.ts';
import { hasOtherCosts } from '../../../src/core/optimize/problem/moving-cost.ts';
import { hasPairRules } from '../../../src/core/optimize/problem/pairs.ts';
import { solveProblem } from '../../../src/core/optimize/solve.ts';
import { buildCached, optimizeCached, threadCache } from './cached.ts';
import { SETTINGS } from './instances.ts';

/** Moving straight to location 3 is farther than by way of location 2, and cheaper than both moves together. */
const NETWORK = {
  location_ids: [1, 2, 3],
  costs: [
    [0, 1, 1.5],
    [1, 0, 1],
    [1.5, 1, 0],
  ],
  distances_km: [
    [0, 10, 20],
    [10, 0, 10],
    [20, 10, 0],
  ],
};

type Changes = Pick<OptimizeRequest, 'constraints' | 'options'>;
type Case = {
  /** Of both requests. */
  given: OptimizeRequest['constraints'];
  rule: Changes;
  /** All vehicles stand at location 1; absent: those of location 2 serve all of its demand. */
  isTogether?: boolean;
  /** No plan keeps the rule. */
  isImpossible?: boolean;
  /** Moves that break it are none of the problem's arcs, so the check of moves need not know it. */
  isOfArcs?: boolean;
};

const atAPrice = { min_service_level: 0, unmet_demand_cost: 10 };
/** Of every constraint a value that the cheapest plan without it breaks. */
const CASES: Record<LimitName, Case> = {
  min_service_level: { given: { min_service_level: 0.5 }, rule: { constraints: { min_service_level: 0.9 } } },
  max_distance: {
    given: { min_service_level: 1 },
    rule: { constraints: { max_distance: 15 } },
    isOfArcs: true,
  },
  max_rebalancing_cost: { given: atAPrice, rule: { constraints: { max_rebalancing_cost: 1 } } },
  min_vehicles_per_location: {
    given: { min_service_level: 0.5 },
    rule: { constraints: { min_vehicles_per_location: 1 } },
  },
  max_vehicles_per_location: {
    given: { min_service_level: 0.5 },
    rule: { constraints: { max_vehicles_per_location: 3 } },
  },
  total_fleet_size: {
    given: { min_service_level: 1 },
    rule: { constraints: { total_fleet_size: 1 } },
    isImpossible: true,
  },
  min_vehicles_per_move: {
    given: { min_service_level: 0.75 },
    rule: { options: { refine: { min_vehicles_per_move: 2 } } },
  },
  max_pairs: { given: atAPrice, rule: { options: { refine: { max_pairs: 1 } } }, isTogether: true },
  max_moves_from: { given: atAPrice, rule: { options: { refine: { max_moves_from: 1 } } }, isTogether: true },
};

/** Capacities at location 1 and at location 2, and the demand of locations 2 and 3. */
const FLEETS = {
  'one class and whole loads': { capacities: [1, 1, 1, 1, 1, 1], demand: [2, 2] },
  'one class and fractional demand': { capacities: [1, 1, 1, 1, 1, 1], demand: [1.5, 1.5] },
  'three classes': { capacities: [1, 2, 3, 1, 1, 2], demand: [3, 2] },
};

function requestOf(
  { given, isTogether }: Case,
  { capacities, demand }: { capacities: number[]; demand: number[] },
  { constraints, options }: Changes,
): OptimizeRequest {
  const vehicles = capacities.map((capacity, v) => ({
    ...{ id: `v${v}`, location: v < 4 || isTogether ? 1 : 2, capacity },
  }));
  return {
    demand_forecast: { 2: [demand[0]], 3: [demand[1]] },
    fleet_state: { vehicles },
    constraints: { ...given, ...constraints },
    options: { optimality_gap: 0, ...options },
    network: NETWORK,
  };
}

const control = () => ({ deadlineMs: 1e9 });

/**
 * What each model of the problem says is the least objective; null: no plan. A model that does not know a constraint
 * has plans that break it, which no search keeps, or proves less: then another model answers in its place.
 */
async function byEveryModel(problem: Problem): Promise<Record<string, number | null>> {
  const whole = await solveProblem(problem, 0, control());
  const solution = whole.kind === 'solved' ? whole.solution : null;
  const found: Record<string, number | null> = { whole: solution?.objectiveUnits ?? null };
  // A ceiling beside other costs, and rules about pairs, have stages of their own around these models.
  const hasStages = hasOtherCosts(problem) && problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY;
  if (hasStages || hasPairRules(problem)) return found;
  if (solution && problem.capacities.length === 1) {
    const isWhole = problem.demand.every((demand) => Number.isInteger(demand / problem.capacities[0]));
    const proof = isWhole ? 'reduced costs of all moves' : 'bound from prices of all moves';
    expect(solution.figures).toMatchObject({
      method: 'network_simplex',
      boundBy: expect.arrayContaining([proof]),
    });
  }
  const direct = createIncumbent(problem, 0, control());
  await solveDirect(problem, direct, control());
  found.direct = direct.best()?.objectiveUnits ?? null;
  const generated = createIncumbent(problem, 0, control());
  const base = createBaseModel(problem);
  await withSolverModel(threadCache, base.model, base.tolerance, control(), (model) =>
    search(problem, base, model, generated),
  );
  expect(generated.isProved()).toBe(solution !== null);
  found.generated = generated.best()?.objectiveUnits ?? null;
  return found;
}

describe.each(Object.entries(FLEETS))('%s', (_, fleet) => {
  test.each(Object.entries(CASES))('%s is known to every model and both checks', async (_name, one) => {
    const [plain, ruled] = [requestOf(one, fleet, {}), requestOf(one, fleet, one.rule)];
    const before = await optimizeCached({ request: plain, locations: [], settings: SETTINGS });
    if (before.status !== 'optimal') throw new Error(JSON.stringify(before));
    expect(verifyPlan(plain, [], SETTINGS, before.result)).toEqual([]);
    expect(verifyPlan(ruled, [], SETTINGS, before.result)).not.toEqual([]);

    const problem = buildCached(ruled, [], SETTINGS);
    const without = await solveProblem(buildCached(plain, [], SETTINGS), 0, control());
    if (without.kind !== 'solved') throw new Error(without.kind);
    const { broken, costUnits } = evaluateMoves(problem, without.solution.moves);
    const isKept = broken.length === 0 && costUnits <= problem.limits.maxCostUnits;
    expect(isKept).toBe(one.isOfArcs === true);

    const least = await byEveryModel(problem);
    for (const units of Object.values(least)) expect(units, JSON.stringify(least)).toBe(least.whole);
    expect(least.whole === null).toBe(one.isImpossible === true);
    if (least.whole !== null) expect(least.whole).toBeGreaterThan(without.solution.objectiveUnits);
    const after = await optimizeCached({ request: ruled, locations: [], settings: SETTINGS });
    expect(after.status).toBe(one.isImpossible ? 'infeasible' : 'optimal');
  });
});

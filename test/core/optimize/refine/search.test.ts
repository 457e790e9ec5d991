/**
 * The search for better plans, with every rule that it knows.
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import { formulate } from '../../../../src/core/optimize/direct/formulation.ts';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import { demandFrom, withFloors } from '../../../../src/core/optimize/problem/floors.ts';
import type { Moves, Problem } from '../../../../src/core/optimize/problem/model.ts';
import { NO_MOVES } from '../../../../src/core/optimize/problem/moves.ts';
import { hasPairRules } from '../../../../src/core/optimize/problem/pairs.ts';
import { pairsOfMoves } from '../../../../src/core/optimize/refine/pairs-of-moves.ts';
import { refinePlan } from '../../../../src/core/optimize/refine/refine.ts';
import { resupply } from '../../../../src/core/optimize/refine/resupply.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { cityInstance, SETTINGS } from '../instances.ts';
import { withPairRules } from '../pair-rules.ts';
import { tinyInstance } from '../tiny-instances.ts';

const COUNT = 500;
const CHANGES = 250;
const LIMIT_MS = 20_000;

/** The plans that the search finds from that without moves, each better than those before. */
function search(problem: Problem, changes: number): Moves[] {
  const { broken, costUnits } = evaluateMoves(problem, NO_MOVES);
  const plans = broken.length === 0 && costUnits <= problem.limits.maxCostUnits ? [NO_MOVES] : [];
  const pairs = pairsOfMoves(problem, formulate(problem));
  const look = () => 0;
  resupply(problem, pairs, NO_MOVES, changes, (moves) => plans.push(moves), look);
  return plans;
}

/** With a floor of half the demand at every other location, and a previous plan that keeps or swaps places. */
function withFurtherRules(problem: Problem, seed: number): Problem {
  const n = problem.locationIds.length;
  const rules = { ...problem };
  if (seed % 3 === 1) {
    rules.priorities = Uint8Array.from(problem.demand, (_, j) => (j + seed) % 2);
    return withFloors(rules, [{ level: 1, served: demandFrom(rules, 1) / 2 }]);
  }
  if (seed % 3 === 2) {
    const target = problem.fleet.location.map((at, f) => (f % 2 === 0 ? at : (at + 1) % n));
    rules.previous = { target, changeUnits: 10_000 * (1 + (seed % 7)) };
  }
  return rules;
}

describe('the search for better plans', () => {
  test('keeps every rule and improves with every plan, and often finds the best, from no plan, on random requests', async () => {
    const wrong: unknown[] = [];
    const seen = { found: 0, best: 0, classes: 0, fleet: 0, bounds: 0, floors: 0, previous: 0, ceiling: 0 };
    let possible = 0;
    for (const seed of seeds(1, COUNT)) {
      const { request: plain, locations } = tinyInstance(seed);
      const request = withPairRules(plain, seed, { vehicles: 2, pairs: 4, from: 2, cost: 20 });
      const problem = withFurtherRules(buildProblem(request, locations, SETTINGS), seed);
      if (!hasPairRules(problem) || problem.supply.every((vehicles) => vehicles === 0)) continue;
      const control = { deadlineMs: performance.now() + LIMIT_MS };
      const solved = await refinePlan(problem, null, 0, control, solveProblem);
      if (solved === 'too large' || solved.kind === 'timeout') throw new Error(`seed ${seed}`);
      if (solved.kind === 'solved') possible++;
      let before = Number.POSITIVE_INFINITY;
      for (const moves of search(problem, CHANGES)) {
        const { broken, objectiveUnits, costUnits } = evaluateMoves(problem, moves);
        const isDear = costUnits > problem.limits.maxCostUnits && !problem.movingUnits;
        if (broken.length > 0 || isDear || objectiveUnits >= before) wrong.push({ seed, broken, isDear });
        before = objectiveUnits;
      }
      if (before === Number.POSITIVE_INFINITY) continue;
      seen.found++;
      if (solved.kind !== 'solved' || before < solved.solution.objectiveUnits) wrong.push({ seed, solved });
      else if (before === solved.solution.objectiveUnits) seen.best++;
      if (problem.capacities.length > 1) seen.classes++;
      if (problem.limits.totalFleetSize < Number.POSITIVE_INFINITY) seen.fleet++;
      if (problem.limits.maxVehiclesPerLocation < Number.POSITIVE_INFINITY) seen.bounds++;
      if (problem.limits.maxCostUnits < Number.POSITIVE_INFINITY) seen.ceiling++;
      if (problem.floors) seen.floors++;
      if (problem.previous) seen.previous++;
    }
    expect(wrong).toEqual([]);
    expect(seen.found).toBeGreaterThan(enough(0.9 * possible));
    expect(seen.best).toBeGreaterThan(enough(0.85 * seen.found));
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(COUNT / 25));
  });

  test.each([1, 2, 3])(
    'finds a plan of a city whose docks are full, with few moves from each, %i',
    (seed) => {
      const { request, locations } = cityInstance(seed, { locations: 40, perLocation: 8, fractional: true });
      const vehicles = request.fleet_state.vehicles.map((v, at) => ({ ...v, capacity: 1 + (at % 3) }));
      const rules = { max_moves_from: 2, max_pairs: 40 };
      const problem = buildProblem(
        {
          ...request,
          fleet_state: { vehicles },
          constraints: { ...request.constraints, max_vehicles_per_location: 12 },
          options: { refine: rules },
        },
        locations,
        { ...SETTINGS, maxRebalancingCost: null },
      );
      expect(evaluateMoves(problem, NO_MOVES).broken).toContain('max_vehicles_per_location');
      const plans = search(problem, 1000);
      expect(plans.length).toBeGreaterThan(0);
      expect(evaluateMoves(problem, plans[plans.length - 1]).broken).toEqual([]);
    },
  );
});

/**
 * Rules about pairs with one capacity: netting, the bound by targets, and the search that supplies locations again,
 * against every plan.
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { formulate } from '../../../../src/core/optimize/direct/formulation.ts';
import { fromUnits } from '../../../../src/core/optimize/problem/costs.ts';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Moves, Problem } from '../../../../src/core/optimize/problem/model.ts';
import { vehiclesByPair, withoutPairRules } from '../../../../src/core/optimize/problem/pairs.ts';
import { nettedVehicles } from '../../../../src/core/optimize/refine/netted.ts';
import { pairsOfMoves } from '../../../../src/core/optimize/refine/pairs-of-moves.ts';
import { refinePlan } from '../../../../src/core/optimize/refine/refine.ts';
import { canResupply, resupply } from '../../../../src/core/optimize/refine/resupply.ts';
import { boundByTargets, isBoundByTargets } from '../../../../src/core/optimize/refine/target-bound.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { cheapestByTryingAll } from '../exhaustive.ts';
import { type Instance, SETTINGS } from '../instances.ts';
import { withPairRules } from '../pair-rules.ts';
import { tinyInstance } from '../tiny-instances.ts';

const COUNT = 900;
const LIMIT_MS = 20_000;
const CHANGES = 200;
const ENDLESS = { deadlineMs: Number.POSITIVE_INFINITY };
const ignore = () => {};

/** All vehicles of the default capacity; two of three requests between points, where the triangle inequality holds. */
function oneClass(seed: number): { request: OptimizeRequest; locations: Instance['locations'] } {
  const { request, locations } = tinyInstance(seed);
  const { network, fleet_state, ...others } = request;
  const unmet = seed % 5 === 4;
  const plain = {
    ...others,
    ...(seed % 3 === 0 && network && { network }),
    fleet_state: { vehicles: fleet_state.vehicles.map(({ capacity: _, ...vehicle }) => vehicle) },
    constraints: { ...others.constraints, ...(unmet && { unmet_demand_cost: seed % 30 }) },
  };
  return {
    request: withPairRules(plain, seed, { vehicles: 2, pairs: 4, from: 2, cost: 20 }),
    locations,
  };
}

async function solveByPricing(problem: Problem) {
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const before = await solveProblem(withoutPairRules(problem), 0, control);
  if (before.kind !== 'solved') return before;
  return await refinePlan(problem, before.solution, 0, control, solveProblem, 0);
}

describe('rules about pairs with one capacity', () => {
  test('agree with trying every plan if few pairs have columns, on random requests', async () => {
    const wrong: unknown[] = [];
    const seen = { infeasible: 0, netted: 0, searched: 0, unmet: 0 };
    for (const seed of seeds(1, COUNT)) {
      const { request, locations } = oneClass(seed);
      const expected = cheapestByTryingAll(request, locations)?.costUnits ?? null;
      const problem = buildProblem(request, locations, SETTINGS);
      if (problem.supply.every((vehicles) => vehicles === 0)) continue;
      const found = await solveByPricing(problem);
      if (found === 'too large' || found.kind !== 'solved') {
        seen.infeasible++;
        if (found === 'too large' || found.kind !== 'infeasible' || expected !== null)
          wrong.push({ seed, found, expected });
        continue;
      }
      const { objectiveUnits, boundUnits, proved } = found.solution;
      const noise = problem.unmetCost ? 1 : 0;
      const isRight = expected !== null && Math.abs(objectiveUnits - expected) <= noise;
      if (!isRight || !proved || boundUnits > expected + noise) wrong.push({ seed, found, expected });
      if (nettedVehicles(problem, ignore)) seen.netted++;
      if (canResupply(problem)) seen.searched++;
      if (problem.unmetCost) seen.unmet++;
    }
    expect(wrong).toEqual([]);
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(COUNT / 15));
  });

  test('have a bound that no plan is below, and that a plan exceeds by the value of each of its pairs, on random requests', async () => {
    const wrong: unknown[] = [];
    const seen = { bounds: 0, plans: 0, tight: 0, values: 0 };
    for (const seed of seeds(1, COUNT)) {
      const { request, locations } = oneClass(seed);
      const problem = buildProblem(request, locations, SETTINGS);
      const best = cheapestByTryingAll(request, locations);
      if (!best || problem.supply.every((vehicles) => vehicles === 0) || !isBoundByTargets(problem)) continue;
      const solved = await solveProblem(problem, 0, { deadlineMs: performance.now() + LIMIT_MS });
      if (solved.kind !== 'solved') throw new Error(`seed ${seed}: ${solved.kind}`);
      const pairs = pairsOfMoves(problem, formulate(problem));
      const { bound, value } = boundByTargets(
        problem,
        pairs,
        fromUnits(best.costUnits),
        () => true,
        ENDLESS,
        ENDLESS,
      );
      seen.bounds++;
      if (bound > fromUnits(best.costUnits)) wrong.push({ seed, bound, best });
      if (bound >= 0.98 * fromUnits(best.costUnits) - 1e-6) seen.tight++;
      const plans: Moves[] = [solved.solution.moves];
      if (canResupply(problem))
        resupply(
          problem,
          pairs,
          solved.solution.moves,
          CHANGES,
          (moves) => plans.push(moves),
          () => 0,
        );
      for (const moves of plans) {
        const { objectiveUnits, broken } = evaluateMoves(problem, moves);
        seen.plans++;
        if (broken.length > 0) wrong.push({ seed, broken });
        const used = vehiclesByPair(problem, moves);
        for (let p = 0; p < pairs.count; p++) {
          if (!used.has(pairs.source[p] * problem.locationIds.length + pairs.target[p])) continue;
          if (value[p] > 0) seen.values++;
          if (bound + value[p] > fromUnits(objectiveUnits) + 1e-9)
            wrong.push({ seed, p, bound, value, best });
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(seen.bounds).toBeGreaterThan(enough(COUNT / 3));
    expect(seen.tight).toBeGreaterThan(enough(seen.bounds / 3));
    expect(seen.values).toBeGreaterThan(enough(COUNT / 20));
  });
});

import { describe, expect, test } from 'vitest';
import { createEveningProblem } from '../../../../bench/mixed-instances.ts';
import { createBaseModel } from '../../../../src/core/optimize/column-generation/build-base-model.ts';
import { hasFlowRelaxation } from '../../../../src/core/optimize/column-generation/flow-relaxation.ts';
import { boundByLocations } from '../../../../src/core/optimize/column-generation/location-bound.ts';
import {
  createMaster,
  priceOfService,
  relaxMaster,
  setPenalty,
} from '../../../../src/core/optimize/column-generation/master.ts';
import { withSolverModel } from '../../../../src/core/optimize/highs/highs.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { dearestMove } from '../../../../src/core/optimize/problem/network.ts';
import { leastServed, totalDemand } from '../../../../src/core/optimize/problem/service-level.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { createRandom, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';

const control = { deadlineMs: performance.now() + 300_000 };
const NEVER = () => {};
const UNITS = 1e4;
/** Of vehicles at their source alone. */
const pricesOf = (atSource: Float64Array) => ({ atSource, atTarget: new Float64Array(atSource.length) });

/** The sum of all locations' minima at a price per unit of unmet demand, by trying all numbers of vehicles; units. */
function tried(problem: Problem, atSource: Float64Array, price: number): number {
  const { capacities, demand, supply, network, unmetCost } = problem;
  const n = demand.length;
  let bound = -price * (totalDemand(demand) - leastServed(problem));
  for (let j = 0; j < n; j++) {
    const each = price + (unmetCost ? unmetCost[j] * UNITS : 0);
    const leaves = Array.from(capacities, (_, k) => atSource[k * n + j] * UNITS);
    const arrives = Array.from(capacities, (_, k) => {
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < n; i++)
        if (i !== j && supply[k * n + i] > 0)
          least = Math.min(least, atSource[k * n + i] * UNITS + network.costUnits[i * n + j]);
      return least;
    });
    const from = (k: number, open: number): number => {
      if (k < 0) return each * Math.max(0, open);
      let least = Number.POSITIVE_INFINITY;
      const most = arrives[k] < Number.POSITIVE_INFINITY ? Math.ceil(demand[j] / capacities[k]) + 1 : 0;
      for (let out = 0; out <= supply[k * n + j]; out++)
        for (let arriving = 0; arriving <= most; arriving++) {
          const here = capacities[k] * (supply[k * n + j] + arriving - out);
          const paid = arriving > 0 ? arriving * arrives[k] : 0;
          least = Math.min(least, paid - out * leaves[k] + from(k - 1, open - here));
        }
      return least;
    };
    bound += from(capacities.length - 1, demand[j]);
  }
  return bound;
}

/** The highest of a concave function over prices from 0 on. */
function highest(of: (price: number) => number): number {
  let [low, high] = [0, 1e9];
  for (let step = 0; step < 90; step++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (of(a) < of(b)) low = a;
    else high = b;
  }
  return Math.max(of(0), of(low));
}

describe('the bound by whole vehicles at each location', () => {
  test.for([[1, 2, 4], [1.5, 2.5, 3], [0.3, 0.7], [3]])(
    'is the minimum over all numbers of vehicles of capacities %j, at the best price of service',
    (capacities) => {
      for (const seed of seeds(1, 8)) {
        const random = createRandom(seed);
        const all = createEveningProblem(seed, 10, capacities);
        const demand = all.demand.map(() => random.integer(0, 600) / 100);
        const supply = all.supply.map(() => random.integer(0, 2));
        const plain = { ...all, demand, supply };
        const problem = seed % 3 > 0 ? plain : { ...plain, unmetCost: demand.map((_, j) => j / 4) };
        const atSource = Float64Array.from(supply, () => random.integer(0, 500) / 100);
        const proved =
          UNITS * boundByLocations(problem, pricesOf(atSource), random.integer(0, 20_000), NEVER)!;
        const most = highest((price) => tried(problem, atSource, price));
        const noise = 1e-5 * Math.abs(most) + 1;
        expect(proved, `seed ${seed}`).toBeLessThan(most + noise);
        expect(proved, `seed ${seed}`).toBeGreaterThan(most - noise);
      }
    },
  );

  test('is below every plan at any prices, and not below the relaxation at its own', {
    tags: 'slow',
  }, async () => {
    let compared = 0;
    let raised = 0;
    for (const seed of seeds(1, 150)) {
      const { request, locations, classes } = mediumRequest(seed);
      if (classes === 1) continue;
      const built = buildProblem(request, locations, { ...SETTINGS, maxRebalancingCost: null });
      const problem: Problem =
        seed % 3 > 0 ? built : { ...built, unmetCost: built.demand.map((_, j) => (j % 4) * 1.5) };
      const base = createBaseModel(problem);
      if (!hasFlowRelaxation(problem, base)) continue;
      const outcome = await solveProblem(problem, 0.01, { deadlineMs: performance.now() + 10_000 });
      if (outcome.kind !== 'solved') continue;
      const { objectiveUnits } = outcome.solution;
      const random = createRandom(seed);
      for (const most of [0, 10, 1000]) {
        const prices = Float64Array.from(problem.supply, () => random.integer(0, most) / 100);
        const bound = boundByLocations(problem, pricesOf(prices), 100 * most, NEVER)!;
        expect(bound * UNITS, `seed ${seed}`).toBeLessThanOrEqual(objectiveUnits + 0.5);
      }
      const { relaxed, price } = await withSolverModel(
        problem.caches.thread,
        base.model,
        base.tolerance,
        control,
        (model) => {
          const master = createMaster(problem, base, model, () => false);
          setPenalty(master, 1e4 * Math.max(1, dearestMove(problem.network)));
          const solved = relaxMaster(master);
          return { relaxed: solved, price: priceOfService(base, solved) };
        },
      );
      const bound = boundByLocations(problem, relaxed.duals!.prices, price, NEVER)!;
      expect(bound, `seed ${seed}`).toBeGreaterThan(
        relaxed.bound - 1e-6 * Math.max(1, Math.abs(relaxed.bound)),
      );
      expect(bound * UNITS, `seed ${seed}`).toBeLessThanOrEqual(objectiveUnits + 0.5);
      compared++;
      if (bound > 1.001 * relaxed.bound) raised++;
    }
    expect(compared).toBeGreaterThan(enough(20));
    expect(raised).toBeGreaterThan(enough(10));
  });

  test('ends when it has to', () => {
    const problem = createEveningProblem(1, 40, [1, 2, 4]);
    const nothing = new Float64Array(problem.supply.length);
    const over = () => {
      throw new Error('over');
    };
    expect(() => boundByLocations(problem, pricesOf(nothing), 1, over)).toThrow('over');
  });
});

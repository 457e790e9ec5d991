/** @module-tag slow */
import { expect, test } from 'vitest';
import { createPricer } from '../../../../src/core/optimize/column-generation/pricing.ts';
import { isAllowed } from '../../../../src/core/optimize/problem/network.ts';
import { withLimits } from '../../../../src/core/optimize/problem/variants.ts';
import { createRandom } from '../instances.ts';
import { createMixedProblem } from '../mixed-cities.ts';

test.each([
  { n: 150, maxDistanceKm: 100 },
  { n: 1000, maxDistanceKm: 100 },
  { n: 1000, maxDistanceKm: 6 },
])('pricing of $n locations within $maxDistanceKm km misses no move of negative reduced cost', (limits) => {
  const { n, maxDistanceKm } = limits;
  const whole = createMixedProblem(1, { n, perLocation: 4, capacities: [1, 2] });
  const problem = withLimits(whole, { maxDistanceKm });
  const random = createRandom(n + maxDistanceKm);
  const price = (most: number) => Float64Array.from({ length: 2 * n }, () => random.integer(0, most) / 7);
  const prices = { atSource: price(100), atTarget: price(120) };
  const { network, demand, supply } = problem;
  let bound = 0;
  /** The least reduced cost from each source, and the moves that have it. */
  const best = new Map<number, { reduced: number; moves: number[] }>();
  let dearer = 0;
  for (let from = 0; from < 2 * n; from++) {
    const [k, i] = [Math.floor(from / n), from % n];
    for (let j = 0; j < n; j++) {
      if (supply[from] === 0 || demand[j] === 0 || i === j) continue;
      if (!isAllowed(network, n, maxDistanceKm, i, j)) continue;
      const worth = prices.atTarget[k * n + j] * 1e4;
      const reduced = network.costUnits[i * n + j] + prices.atSource[from] * 1e4 - worth;
      if (reduced >= 0) dearer++;
      if (reduced >= 0) continue;
      bound += (reduced * supply[from]) / 1e4;
      const known = best.get(from);
      if (!known || reduced < known.reduced) best.set(from, { reduced, moves: [j] });
      else if (reduced === known.reduced) known.moves.push(j);
    }
  }
  expect(best.size).toBeGreaterThan(n / 10);
  expect(dearer).toBeGreaterThan(n);
  const pricer = createPricer(
    problem,
    () => false,
    () => false,
  );
  expect(pricer.bound(prices) / bound).toBeCloseTo(1, 9);
  const priced = pricer.price(prices, 2, false);
  expect(priced.bound / bound).toBeCloseTo(1, 9);
  const { capacityClass, source, target } = priced.arcs;
  const found = new Set(Array.from(source, (i, m) => `${capacityClass[m] * n + i} ${target[m]}`));
  for (const [from, { moves }] of best) expect(moves.some((j) => found.has(`${from} ${j}`))).toBe(true);
});

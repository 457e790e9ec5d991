import { describe, expect, test } from 'vitest';
import { type Coordinates, greatCircleMatrix } from '../../../../src/core/geo.ts';
import { solveGreatCircleFlow } from '../../../../src/core/optimize/flow/great-circle-flow.ts';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import { toUnitsUp } from '../../../../src/core/optimize/problem/costs.ts';
import { greatCircleCosts } from '../../../../src/core/optimize/problem/distances/great-circle-costs.ts';
import { nearCosts } from '../../../../src/core/optimize/problem/distances/near-costs.ts';
import { seeds } from '../../../helpers/depth.ts';
import { createRandom, type Random } from '../instances.ts';

/** The same by haversine, pair by pair, as the specification defines costs. */
function priceList(points: Coordinates[], costPerKm: number) {
  const distanceKm = greatCircleMatrix(points);
  return { distanceKm, costUnits: distanceKm.map((km) => toUnitsUp(km * costPerKm)) };
}

/** All kinds of points: cities, continents, poles, the date line, duplicates, decimals of a map. */
const PLACES: Record<string, (random: Random) => Coordinates> = {
  'a city': (r) => ({ latitude: 40.5 + 0.4 * r.next(), longitude: -74.2 + 0.5 * r.next() }),
  'a block': (r) => ({ latitude: 40.7 + 0.001 * r.next(), longitude: -74 + 0.001 * r.next() }),
  'a country': (r) => ({ latitude: 47 + 8 * r.next(), longitude: 6 + 9 * r.next() }),
  'the whole earth': (r) => ({ latitude: 180 * r.next() - 90, longitude: 360 * r.next() - 180 }),
  'the north pole': (r) => ({ latitude: 89.8 + 0.2 * r.next(), longitude: 360 * r.next() - 180 }),
  'the date line': (r) => ({ latitude: r.next(), longitude: r.pick([-180, 179]) + r.next() }),
  'a map with four decimals': (r) => ({
    latitude: r.integer(407_000, 407_100) / 1e4,
    longitude: r.integer(-740_000, -739_900) / 1e4,
  }),
  'one meridian': (r) => ({ latitude: r.integer(0, 400) / 1e3, longitude: 0 }),
};

describe.each(Object.keys(PLACES))('in %s', (name) => {
  const pointsOf = (seed: number, n: number) => {
    const random = createRandom(seed);
    return Array.from({ length: n }, () => PLACES[name](random));
  };

  test('costs of all pairs are those of the haversine, to the unit', () => {
    for (const [seed, costPerKm] of [1, 0.37, 12.5, 0, 1e-3, 1e4].entries()) {
      const points = pointsOf(seed, 150);
      const { units } = greatCircleCosts(points, costPerKm);
      expect(
        Buffer.from(units.buffer).equals(Buffer.from(priceList(points, costPerKm).costUnits.buffer)),
      ).toBe(true);
    }
  });

  test('moves within a limit are those of the network, with its costs', { tags: 'slow' }, () => {
    for (const [seed, limitKm] of [0, 0.05, 1, 5, 60, 900, 9000, 1e5].entries()) {
      const points = pointsOf(100 + seed, 120);
      const { costUnits, distanceKm } = priceList(points, 1.7);
      // A limit that equals the distance of some pair, to the last bit.
      for (const limit of [limitKm, distanceKm[7]]) {
        const { starts, targets, units } = nearCosts(points, 1.7, limit);
        const expected: number[][] = [];
        for (let i = 0; i < points.length; i++) {
          for (let j = 0; j < points.length; j++) {
            const a = i * points.length + j;
            if (i !== j && distanceKm[a] <= limit) expected.push([i, j, costUnits[a]]);
          }
        }
        const listed = points.flatMap((_, i) =>
          Array.from(targets.subarray(starts[i], starts[i + 1]), (j, a) => [i, j, units[starts[i] + a]]),
        );
        expect(listed).toEqual(expected);
      }
    }
  });

  test('the flow within a widening radius is the optimum over all moves within the limit', () => {
    const kinds = new Set<string>();
    for (const seed of seeds(0, 59)) {
      const random = createRandom(seed);
      const n = random.pick([1, 3, 12, 60]);
      const points = pointsOf(seed, n);
      const most = random.pick([1, 8, 60]);
      const supply = Int32Array.from({ length: n }, () => random.integer(0, most));
      // Sometimes all vehicles are on one side, so the nearest ones are far away.
      const isOneSided = random.chance(0.5);
      for (let i = 0; i < n; i++) {
        if (isOneSided && points[i].longitude < points[0].longitude) supply[i] = 0;
      }
      const demand = Int32Array.from({ length: n }, () => random.integer(0, most));
      const total = (values: Int32Array) => values.reduce((a, b) => a + b, 0);
      const required = Math.floor(random.pick([0.5, 0.95, 1]) * Math.min(total(supply), total(demand)));
      const maxDistanceKm = random.pick([Number.POSITIVE_INFINITY, 100, 20]);
      const amounts = { n, supply, demand, required };
      const near = solveGreatCircleFlow({ ...amounts, points, costPerKm: 1.3, maxDistanceKm });
      const { costUnits, distanceKm } = priceList(points, 1.3);
      const units = costUnits.map((c, a) => (distanceKm[a] <= maxDistanceKm ? c : Number.POSITIVE_INFINITY));
      const all = solveFlow({ ...amounts, cost: { kind: 'dense', units } });
      kinds.add(all.kind);
      expect(near.kind, `seed ${seed}`).toBe(all.kind);
      if (all.kind === 'solved') expect(near, `seed ${seed}`).toMatchObject({ cost: all.cost });
      if (all.kind === 'infeasible') expect(near, `seed ${seed}`).toMatchObject({ served: all.served });
    }
    expect(kinds).toContain('solved');
  });
});

test('the radius stays small where vehicles are near demand', () => {
  const random = createRandom(5);
  const n = 1000;
  const points = Array.from({ length: n }, () => PLACES['a city'](random));
  const supply = Int32Array.from({ length: n }, () => random.integer(10, 100));
  const demand = supply.map((s) => Math.max(0, s + random.integer(-5, 4)));
  const required = Math.floor(0.95 * demand.reduce((a, b) => a + b, 0));
  const problem = {
    n,
    points,
    supply,
    demand,
    required,
    costPerKm: 1,
    maxDistanceKm: Number.POSITIVE_INFINITY,
  };
  expect(solveGreatCircleFlow(problem).radiusKm).toBeLessThan(10);
});

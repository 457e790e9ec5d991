/** Random problems of one class and fractional demand of every kind, from a seed. */

import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { NO_PAIR_LIMITS } from '../../../../src/core/optimize/problem/pairs.ts';
import { newCaches } from '../cached.ts';
import { createRandom } from '../instances.ts';

export type FractionalShape = { locations: number; vehicles: number };

/**
 * Costs of several kinds: dense, sparse, in separate parts; zero, equal, metric or huge. Each demand is between zero
 * and many loads.
 */
export function randomFractional(
  seed: number,
  shape: FractionalShape = { locations: 5, vehicles: 8 },
): Problem {
  const random = createRandom(seed);
  const n = random.integer(1, shape.locations);
  const capacity = random.pick([1, 1, 2.5, 0.1, 4]);
  const density = random.pick([1, 1, 1, 0.6, 0.3]);
  const parts = random.pick([1, 1, 1, 2]);
  const largest = random.pick([0, 1, 1000, 300_000, 300_000, 1e9]);
  const isMetric = random.chance(0.4);
  const places = Array.from({ length: n }, () => [random.integer(0, largest), random.integer(0, largest)]);
  const costUnits = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const isOpen = i === j || (i % parts === j % parts && random.chance(density));
      const metric = Math.abs(places[i][0] - places[j][0]) + Math.abs(places[i][1] - places[j][1]);
      const cost = i === j ? 0 : isMetric ? metric : random.integer(0, largest);
      costUnits[i * n + j] = isOpen ? cost : Number.POSITIVE_INFINITY;
    }
  }
  const supply = Int32Array.from({ length: n }, () =>
    random.chance(0.3) ? 0 : random.integer(0, Math.ceil((2 * shape.vehicles) / n)),
  );
  const vehicles = supply.reduce((a, b) => a + b, 0);
  const load = random.pick([0, 0.3, 0.8, 0.8, 1, 1.3]);
  const rests = random.pick(['any', 'any', 'tiny', 'whole', 'below one']);
  const demand = Float64Array.from({ length: n }, () => {
    if (random.chance(0.15)) return 0;
    const loads = (2 * random.next() * load * vehicles) / n;
    if (rests === 'whole') return Math.round(loads) * capacity;
    if (rests === 'below one') return (random.integer(1, 999) / 1000) * capacity;
    if (rests === 'tiny') return (Math.round(loads) + random.integer(0, 9) / 1e5) * capacity;
    return (Math.round(1000 * loads) / 1000) * capacity;
  });
  return {
    locationIds: Int32Array.from({ length: n }, (_, i) => i + 1),
    capacities: Float64Array.of(capacity),
    supply,
    demand,
    network: { costUnits, distanceKm: null },
    greatCircle: null,
    caches: newCaches(),
    limits: {
      maxDistanceKm: 100,
      minServiceLevel: random.pick([0, 0.3, 0.7, 0.9, 0.95, 0.95, 1]),
      maxCostUnits: random.chance(0.2) ? random.integer(0, 4 * largest) : Number.POSITIVE_INFINITY,
      minVehiclesPerLocation: 0,
      maxVehiclesPerLocation: Number.POSITIVE_INFINITY,
      totalFleetSize: random.chance(0.25) ? random.integer(0, vehicles + 1) : Number.POSITIVE_INFINITY,
      ...NO_PAIR_LIMITS,
    },
    fleet: {
      request: Int32Array.from({ length: vehicles }, (_, v) => v),
      location: Int32Array.from(Array.from(supply).flatMap((count, i) => new Array<number>(count).fill(i))),
      capacityClass: new Int32Array(vehicles),
    },
    capacityPerVehicle: capacity,
    servedPerUnit: 1,
  };
}

/** The same problem with its locations in another order. */
export function shuffled(problem: Problem, seed: number): Problem {
  const n = problem.locationIds.length;
  const order = createRandom(seed).shuffle(Array.from({ length: n }, (_, i) => i));
  const { costUnits } = problem.network;
  return {
    ...problem,
    supply: Int32Array.from(order, (i) => problem.supply[i]),
    demand: Float64Array.from(order, (i) => problem.demand[i]),
    network: {
      costUnits: costUnits.map((_, a) => costUnits[order[Math.floor(a / n)] * n + order[a % n]]),
      distanceKm: null,
    },
  };
}

/**
 * The same kinds of problems with bounds on the vehicles per location, without ceiling and fleet limit; a third of them
 * with a cost of unmet demand, the same everywhere or by location. Minimums and maximums of all, some or no locations;
 * some cannot be kept.
 */
export function randomBounded(seed: number, shape?: FractionalShape): Problem {
  const problem = randomFractional(seed, shape);
  const random = createRandom(seed + 7e6);
  const n = problem.locationIds.length;
  const share = problem.supply.reduce((a, b) => a + b, 0) / n;
  const least = Float64Array.from({ length: n }, () =>
    random.chance(0.5) ? 0 : random.integer(0, Math.ceil(share * 0.8)),
  );
  const most = Float64Array.from(least, (fewest) =>
    random.chance(0.4)
      ? Number.POSITIVE_INFINITY
      : Math.max(fewest, random.integer(Math.floor(share / 2), Math.ceil(share * 2))),
  );
  const hasMinimums = random.chance(0.8);
  const hasMaximums = !hasMinimums || random.chance(0.8);
  const dearest = problem.network.costUnits.reduce(
    (all, cost) => (cost === Number.POSITIVE_INFINITY ? all : Math.max(all, cost)),
    1,
  );
  const price = () =>
    random.chance(0.3) ? 0 : (1.5 * random.next() * dearest) / 1e4 / problem.capacities[0];
  const isPriced = random.chance(0.33);
  const unmetCost = Float64Array.from({ length: n }, price);
  if (random.chance(0.3)) unmetCost.fill(unmetCost[0]);
  return {
    ...problem,
    bounds: { least, most },
    ...(isPriced && { unmetCost }),
    limits: {
      ...problem.limits,
      maxCostUnits: Number.POSITIVE_INFINITY,
      totalFleetSize: Number.POSITIVE_INFINITY,
      minVehiclesPerLocation: hasMinimums ? Number.POSITIVE_INFINITY : 0,
      maxVehiclesPerLocation: hasMaximums ? 0 : Number.POSITIVE_INFINITY,
    },
  };
}

import type { OptimizeRequest } from '../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../src/core/optimize/model.ts';
import { cheapestByTryingAll } from '../core/optimize/exhaustive.ts';
import { createRandom, type Random } from '../core/optimize/instances.ts';

/** A request that clients send again and again, and what is known about its answer without asking the service. */
export type Problem = {
  name: string;
  request: OptimizeRequest;
  /** the only status its answer may have */
  httpStatus: 200 | 422;
  /** the least cost, where it can be found by trying every plan */
  leastCost: number | undefined;
};

const LOCATIONS = 20;

/** Stored locations of the run: a city of 30 × 30 km. */
export function chaosLocations(seed: number): LocationPoint[] {
  const random = createRandom(seed);
  return Array.from({ length: LOCATIONS }, (_, i) => ({
    id: i + 1,
    latitude: 40.5 + 0.27 * random.next(),
    longitude: -74.2 + 0.35 * random.next(),
  }));
}

/**
 * Tiny ones whose optimum is known, small ones (20 locations, 200 vehicles), impossible ones, and middle ones that
 * keep a worker busy until their time limit (0.4 to 1.6 s), so that it can be killed meanwhile.
 */
export function chaosProblems(seed: number, locations: readonly LocationPoint[]): Problem[] {
  const random = createRandom(seed + 1);
  const times = (n: number, make: (i: number) => Problem) => Array.from({ length: n }, (_, i) => make(i));
  return [
    ...times(6, (i) => tiny(`tiny-${i}`, random)),
    ...times(6, (i) => small(`small-${i}`, random, locations)),
    ...times(2, (i) => impossible(`impossible-${i}`, random)),
    ...times(6, (i) => middle(`middle-${i}`, random)),
  ];
}

function tiny(name: string, random: Random): Problem {
  const n = 4;
  const ids = [1, 2, 3, 4];
  const request: OptimizeRequest = {
    demand_forecast: Object.fromEntries(ids.map((id) => [id, [random.integer(0, 2)]])),
    fleet_state: {
      vehicles: Array.from({ length: 6 }, (_, v) => ({
        id: `V${v}`,
        location: random.integer(1, 2),
        capacity: random.integer(1, 2),
      })),
    },
    constraints: { min_service_level: 0.9 },
    network: { location_ids: ids, costs: randomCosts(n, random) },
    options: { optimality_gap: 0 },
  };
  const least = cheapestByTryingAll(request, []);
  if (!least) return tiny(name, random);
  return { name, request, httpStatus: 200, leastCost: least.costUnits / 1e4 };
}

function small(name: string, random: Random, locations: readonly LocationPoint[]): Problem {
  const vehicles = Array.from({ length: 200 }, (_, v) => ({
    id: `V${v}`,
    location: Math.floor(random.next() * random.next() * locations.length) + 1,
  }));
  const demand = locations.map(({ id }) => [id, [random.integer(0, 8), random.integer(0, 8)]]);
  const request = { demand_forecast: Object.fromEntries(demand), fleet_state: { vehicles } };
  return { name, request, httpStatus: 200, leastCost: undefined };
}

function impossible(name: string, random: Random): Problem {
  const problem = tiny(name, random);
  const { demand_forecast } = problem.request;
  return {
    ...problem,
    request: { ...problem.request, demand_forecast: { ...demand_forecast, '3': [random.integer(50, 90)] } },
    httpStatus: 422,
    leastCost: undefined,
  };
}

function middle(name: string, random: Random): Problem {
  const n = 40;
  const ids = Array.from({ length: n }, (_, i) => i + 100);
  const request: OptimizeRequest = {
    demand_forecast: Object.fromEntries(ids.map((id) => [id, [random.next() * 40]])),
    fleet_state: {
      vehicles: Array.from({ length: 500 }, (_, v) => ({
        id: `V${v}`,
        location: ids[random.integer(0, n / 2 - 1)],
        capacity: random.pick([1, 1.7, 2.9, 4.3]),
      })),
    },
    constraints: { max_rebalancing_cost: null },
    network: { location_ids: ids, costs: randomCosts(n, random) },
    options: { optimality_gap: 0, time_limit_seconds: random.integer(4, 16) / 10 },
  };
  return { name, request, httpStatus: 200, leastCost: undefined };
}

/** Distances of random points of a square of 50 km, to 3 decimals. */
function randomCosts(n: number, random: Random): number[][] {
  const points = Array.from({ length: n }, () => [random.next() * 50, random.next() * 50]);
  return points.map(([x, y]) => points.map(([u, v]) => Math.round(Math.hypot(x - u, y - v) * 1000) / 1000));
}

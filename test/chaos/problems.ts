import type { BacktestRequest } from '../../src/contracts/backtest.ts';
import type { DecisionRequest } from '../../src/contracts/decisions.ts';
import type { OptimizeRequest } from '../../src/contracts/optimize.ts';
import type { ReplayRequest } from '../../src/contracts/replays.ts';
import type { LocationPoint } from '../../src/core/optimize/problem/model.ts';
import { cheapestByTryingAll } from '../core/optimize/exhaustive.ts';
import { createRandom, type Random } from '../core/optimize/instances.ts';

/** A request that clients send repeatedly, and facts about its answer that are known without the service. */
export type PosedProblem = {
  name: string;
  /** the path it is posted to */
  path: string;
  /** the only allowed status of its answer */
  httpStatus: 200 | 422;
  /** the least cost, if trying every plan can find it */
  leastCost: number | undefined;
} & (
  | { kind: 'optimize'; request: OptimizeRequest }
  | { kind: 'decision'; request: DecisionRequest }
  | { kind: 'backtest'; request: BacktestRequest }
  | { kind: 'replay'; request: ReplayRequest }
);

type Optimization = Extract<PosedProblem, { kind: 'optimize' }>;
/** A problem whose answer is a plan. */
export type Planning = Exclude<PosedProblem, { kind: 'backtest' | 'replay' }>;

const OPTIMIZE = { kind: 'optimize' as const, path: '/api/v1/optimize' };
const PRIORITIES = ['low', 'normal', 'normal', 'high'] as const;
/** Hours of stored demand, and the day after the last of them. */
export const HISTORY_HOURS = 5 * 168;
export const HISTORY_START = '2026-01-05T00:00Z';
const START_DATE = '2026-02-09';

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
 * Demand of a location in hour `h` of the history, as an SQL expression of `id` and `h`: daily and weekly waves, and
 * noise.
 */
export const DEMAND_SQL =
  '(5 + id % 4) * (1.2 + sin(h * pi() / 12)) * (1 + 0.3 * cos(h * pi() / 84)) + ((h * 7919 + id * 104729) % 100) / 50.0';

/** Trips from every location to every other in the week, as an SQL expression of the rows `a` and `b`. */
export const TRIPS_SQL = '1 + (a.id * 31 + b.id * 17) % 23';

/**
 * Tiny problems with a known optimum, small ones (20 locations, 200 vehicles), and impossible ones. Middle and large
 * ones keep a worker busy until their time limit (0.4 to 1.6 s, 4 s), so that it can be killed meanwhile. Wide ones
 * have a plan of 5,000 vehicles. In addition, decisions, also ones that look ahead, backtests and replays from the
 * stored demand.
 */
export function chaosProblems(seed: number, locations: readonly LocationPoint[]): PosedProblem[] {
  const random = createRandom(seed + 1);
  const times = (n: number, make: (i: number) => PosedProblem) =>
    Array.from({ length: n }, (_, i) => make(i));
  return [
    ...times(6, (i) => tiny(`tiny-${i}`, random)),
    ...times(6, (i) => small(`small-${i}`, random, locations)),
    ...times(2, (i) => impossible(`impossible-${i}`, random)),
    ...times(6, (i) => mixed(`middle-${i}`, random, 40, 500, random.integer(4, 16) / 10)),
    ...times(2, (i) => mixed(`large-${i}`, random, 90, 2000, 4)),
    ...times(2, (i) => wide(`wide-${i}`, random)),
    ...times(4, (i) => decision(`decision-${i}`, random, locations)),
    ...times(2, (i) => lookingAhead(`ahead-${i}`, random, locations, i === 0)),
    ...times(2, (i) => backtest(`backtest-${i}`, i)),
    ...times(2, (i) => replay(`replay-${i}`, i)),
  ];
}

function tiny(name: string, random: Random): Optimization {
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
  return { ...OPTIMIZE, name, request, httpStatus: 200, leastCost: least.costUnits / 1e4 };
}

function small(name: string, random: Random, locations: readonly LocationPoint[]): PosedProblem {
  const vehicles = Array.from({ length: 200 }, (_, v) => ({
    id: `V${v}`,
    location: Math.floor(random.next() * random.next() * locations.length) + 1,
  }));
  const demand = locations.map(({ id }) => [id, [random.integer(0, 8), random.integer(0, 8)]]);
  const request = {
    demand_forecast: Object.fromEntries(demand),
    fleet_state: { vehicles },
    options: { priority: random.pick(PRIORITIES) },
  };
  return { ...OPTIMIZE, name, request, httpStatus: 200, leastCost: undefined };
}

function impossible(name: string, random: Random): PosedProblem {
  const problem = tiny(name, random);
  const { demand_forecast } = problem.request;
  return {
    ...problem,
    request: { ...problem.request, demand_forecast: { ...demand_forecast, '3': [random.integer(50, 90)] } },
    httpStatus: 422,
    leastCost: undefined,
  };
}

/** Several capacities, gap 0: busy until the time limit. */
function mixed(name: string, random: Random, places: number, fleet: number, seconds: number): PosedProblem {
  const ids = Array.from({ length: places }, (_, i) => i + 100);
  const request: OptimizeRequest = {
    demand_forecast: Object.fromEntries(ids.map((id) => [id, [(random.next() * fleet * 3.2) / places]])),
    fleet_state: {
      vehicles: Array.from({ length: fleet }, (_, v) => ({
        id: `V${v}`,
        location: ids[random.integer(0, places / 2 - 1)],
        capacity: random.pick([1, 1.7, 2.9, 4.3]),
      })),
    },
    constraints: { max_rebalancing_cost: null },
    network: { location_ids: ids, costs: randomCosts(places, random) },
    options: { optimality_gap: 0, time_limit_seconds: seconds },
  };
  return { ...OPTIMIZE, name, request, httpStatus: 200, leastCost: undefined };
}

/** Quick to solve, but a large plan to store. */
function wide(name: string, random: Random): PosedProblem {
  const places = 60;
  const ids = Array.from({ length: places }, (_, i) => i + 100);
  const request: OptimizeRequest = {
    demand_forecast: Object.fromEntries(ids.map((id) => [id, [random.integer(0, 120)]])),
    fleet_state: {
      vehicles: Array.from({ length: 5000 }, (_, v) => ({ id: `V${v}`, location: random.pick(ids) })),
    },
    constraints: { max_rebalancing_cost: null },
    network: { location_ids: ids, costs: randomCosts(places, random) },
  };
  return { ...OPTIMIZE, name, request, httpStatus: 200, leastCost: undefined };
}

function decision(name: string, random: Random, locations: readonly LocationPoint[]): PosedProblem {
  const request: DecisionRequest = {
    fleet_state: {
      vehicles: Array.from({ length: 150 }, (_, v) => ({
        id: `V${v}`,
        location: random.pick(locations).id,
        capacity: 2,
      })),
    },
    location_ids: locations.map(({ id }) => id),
    start_date: START_DATE,
    horizon_hours: 24,
    step_hours: random.pick([1, 2]),
    constraints: { min_service_level: 0.3, max_rebalancing_cost: null },
    options: { demand_aggregation: 'peak', priority: random.pick(PRIORITIES) },
  };
  const path = '/api/v1/decisions';
  return { kind: 'decision', name, path, request, httpStatus: 200, leastCost: undefined };
}

/** Every hour of half a day, with trips that end elsewhere or where they began: a whole plan, and an outlook. */
function lookingAhead(
  name: string,
  random: Random,
  locations: readonly LocationPoint[],
  hasTrips: boolean,
): PosedProblem {
  const request: DecisionRequest = {
    mode: 'horizon',
    fleet_state: {
      vehicles: Array.from({ length: 120 }, (_, v) => ({ id: `V${v}`, location: random.pick(locations).id })),
    },
    location_ids: locations.map(({ id }) => id),
    start_date: START_DATE,
    horizon_hours: 12,
    constraints: { min_service_level: 0, unmet_demand_cost: 30, max_rebalancing_cost: null },
    options: { horizon: { trip_flows: hasTrips ? 'stored' : 'none' } },
  };
  const path = '/api/v1/decisions';
  return { kind: 'decision', name, path, request, httpStatus: 200, leastCost: undefined };
}

function backtest(name: string, i: number): PosedProblem {
  const request: BacktestRequest = { horizon_hours: 24 * (i + 1), step_hours: 1, origins: 3 };
  const path = '/api/v1/forecast/backtest';
  return { kind: 'backtest', name, path, request, httpStatus: 200, leastCost: undefined };
}

/** A day or two, hour by hour: busy for a second or more. */
function replay(name: string, i: number): PosedProblem {
  const request: ReplayRequest = {
    from: `2026-02-0${7 - i}`,
    to: '2026-02-08',
    fleet: { size: 100 },
    trips_per_vehicle_hour: 2,
    unmet_demand_cost: 40,
    policies: [{ mode: 'none' }, { mode: 'static' }, { mode: 'horizon', horizon_hours: 4 }],
    seeds: [1],
  };
  const path = '/api/v1/replays';
  return { kind: 'replay', name, path, request, httpStatus: 200, leastCost: undefined };
}

/** Distances of random points in a square of 50 km, to 3 decimals. */
function randomCosts(n: number, random: Random): number[][] {
  const points = Array.from({ length: n }, () => [random.next() * 50, random.next() * 50]);
  return points.map(([x, y]) => points.map(([u, v]) => Math.round(Math.hypot(x - u, y - v) * 1000) / 1000));
}

/** The hard problems that `stops.ts` and `silence.ts` stop: the work, and the span of time in which it is stopped. */

import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import { greatCircleKm } from '../src/core/geo.ts';
import { solveDirect } from '../src/core/optimize/direct/direct.ts';
import { loadSolver } from '../src/core/optimize/highs/highs.ts';
import { createIncumbent } from '../src/core/optimize/problem/incumbent.ts';
import { checkRequest } from '../src/core/optimize/request/check.ts';
import { isStopped } from '../src/core/optimize/run/stopping.ts';
import {
  buildCached as buildProblem,
  optimizeCached as optimize,
  threadCache,
} from '../test/core/optimize/cached.ts';
import { BENCH_SETTINGS, cityRequest } from './requests.ts';

export type Kind = {
  locations: number;
  vehicles: number;
  classes: number;
  isFractional: boolean;
  gap: number;
  spanMs: number;
  explain?: boolean;
  constraints?: NonNullable<OptimizeRequest['constraints']>;
  /** Demand over the fleet's capacity; default 0.8. */
  load?: number;
  /** Costs and distances as matrices in the request. */
  network?: boolean;
  /** Runs instead of the whole core: only the formulation of all moves, or a loop that only reads clock and flag. */
  instead?: 'all moves' | 'nothing';
};

export const STOP_KINDS: Record<string, Kind> = {
  'nothing: what the machine adds': { ...city(12, 120, 3), gap: 0, spanMs: 300, instead: 'nothing' },
  '263 locations, 3 capacities': { ...city(263, 2600, 3), gap: 0.001, spanMs: 1000 },
  '1,000 locations, 3 capacities': { ...city(1000, 10_000, 3), gap: 0.001, spanMs: 2000 },
  '1,000 locations, fractional demand': { ...city(1000, 20_000, 1), gap: 0, spanMs: 800 },
  '2,000 locations, fractional demand': { ...city(2000, 40_000, 1), gap: 0, spanMs: 1200 },
  '2,000 locations, pure flow': { ...city(2000, 100_000, 1), isFractional: false, gap: 0, spanMs: 200 },
  '5,000 locations, pure flow': { ...city(5000, 100_000, 1), isFractional: false, gap: 0, spanMs: 1500 },
  '30 locations, 3 capacities': { ...city(30, 300, 3), gap: 0, spanMs: 600 },
  '12 locations, 3 capacities': { ...city(12, 120, 3), gap: 0, spanMs: 300 },
  '100 locations, 3 capacities, all moves as one model': {
    ...city(100, 1000, 3),
    gap: 0.001,
    spanMs: 800,
    instead: 'all moves',
  },
  '263 locations, 3 capacities, all moves as one model': {
    ...city(263, 2600, 3),
    gap: 0.001,
    spanMs: 1500,
    instead: 'all moves',
  },
  '1,000 locations, all moves as one model': {
    ...city(1000, 20_000, 1),
    gap: 0,
    spanMs: 1500,
    instead: 'all moves',
  },
  '263 locations, fractional demand, explained': {
    ...city(263, 2600, 1),
    gap: 0.01,
    spanMs: 800,
    explain: true,
  },
  '263 locations, 3 capacities, explained': { ...city(263, 8000, 3), gap: 0.01, spanMs: 1200, explain: true },
  '1,000 locations, fractional demand, explained': {
    ...city(1000, 20_000, 1),
    gap: 0.01,
    spanMs: 8000,
    explain: true,
  },
  '1,000 locations, whole demand, explained': {
    ...city(1000, 50_000, 1),
    isFractional: false,
    gap: 0.01,
    spanMs: 5000,
    explain: true,
  },
  '263 locations, 3 capacities, infeasible': {
    ...city(263, 2600, 3),
    gap: 0.01,
    spanMs: 1200,
    constraints: { total_fleet_size: 1200 },
  },
  '73 locations, 3 capacities, infeasible': {
    ...city(73, 600, 3),
    gap: 0.01,
    spanMs: 1200,
    constraints: { min_service_level: 1, max_vehicles_per_location: 9, max_distance: 6 },
  },
  '2,000 locations, fractional demand, infeasible': {
    ...city(2000, 40_000, 1),
    gap: 0.01,
    spanMs: 4500,
    constraints: { min_service_level: 1, max_distance: 0.5 },
  },
  '1,000 locations, 4 capacities, infeasible': {
    ...city(1000, 10_000, 4),
    gap: 0.01,
    spanMs: 4500,
    constraints: { total_fleet_size: 5000 },
  },
  // Missing vehicles are counted, never listed.
  '263 locations, one capacity, demand far above the fleet': {
    ...city(263, 2600, 1),
    gap: 0.01,
    spanMs: 100,
    load: 1e5,
  },
  '263 locations, 3 capacities, 100,000 times the demand that they serve': {
    ...city(263, 2600, 3),
    gap: 0.01,
    spanMs: 1000,
    load: 1e5,
  },
  '2,000 locations, whole demand, 1,000 times what the fleet serves': {
    ...city(2000, 40_000, 1),
    isFractional: false,
    gap: 0.01,
    spanMs: 500,
    load: 1e3,
  },
  '263 locations, 3 capacities, a million vehicles at each asked for': {
    ...city(263, 2600, 3),
    gap: 0.01,
    spanMs: 4000,
    constraints: { min_vehicles_per_location: 1e6 },
  },
  '5,000 locations, fractional demand': { ...city(5000, 100_000, 1), gap: 0, spanMs: 6000 },
  // More locations than matrices are built for.
  '6,000 locations, fractional demand': { ...city(6000, 100_000, 1), gap: 0, spanMs: 6000 },
  '20,000 locations, fractional demand': { ...city(20_000, 100_000, 1), gap: 0, spanMs: 2500 },
  '1,000 locations, 100 capacities': { ...city(1000, 10_000, 100), gap: 0.01, spanMs: 6000 },
  '2,000 locations, network costs': { ...city(2000, 40_000, 1), gap: 0, spanMs: 1200, network: true },
};

function city(locations: number, vehicles: number, classes: number) {
  return { locations, vehicles, classes, isFractional: true };
}

/** Solves until it is stopped or the time is up. @returns how it ended */
export type Solve = (stopFlag: Int32Array, limitMs: number) => Promise<string>;

/** Loads the solver and builds the request. @throws if the request is invalid */
export async function prepare(kind: Kind): Promise<Solve> {
  await loadSolver(threadCache);
  const { request, locations } = cityRequest(1, kind);
  request.constraints = kind.constraints;
  if (kind.load !== undefined) {
    const factor = kind.load / 0.8;
    for (const [id, [demand]] of Object.entries(request.demand_forecast)) {
      request.demand_forecast[id] = [Math.round(demand * factor)];
    }
  }
  if (kind.network) {
    const distances = locations.map((from) => locations.map((to) => greatCircleKm(from, to)));
    request.network = {
      location_ids: locations.map(({ id }) => id),
      costs: distances,
      distances_km: distances,
    };
  }
  const faults = checkRequest(request, new Set(locations.map(({ id }) => id)), BENCH_SETTINGS);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return async (stopFlag, limitMs) => {
    const deadlineMs = performance.now() + limitMs;
    if (kind.instead === 'nothing') {
      while (!isStopped(stopFlag) && performance.now() < deadlineMs);
      return isStopped(stopFlag) ? 'cancelled' : 'timeout';
    }
    if (kind.instead === 'all moves') {
      const problem = buildProblem(request, locations, BENCH_SETTINGS);
      const control = { deadlineMs, stopFlag };
      const incumbent = createIncumbent(problem, kind.gap, control);
      const ended = await solveDirect(problem, incumbent, control);
      return ended === 'infeasible' ? ended : incumbent.finish(ended).kind;
    }
    const options = {
      optimality_gap: kind.gap,
      time_limit_seconds: limitMs / 1000,
      explain: kind.explain ?? false,
    };
    const outcome = await optimize(
      { request: { ...request, options }, locations, settings: BENCH_SETTINGS },
      { stopFlag, onProgress: () => {} },
    );
    return outcome.status;
  };
}

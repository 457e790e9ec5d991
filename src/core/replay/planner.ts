/** Plans of replays, made by the optimizer of the service from counts of vehicles instead of a list of them. */
import type { Constraints, OptimizeRequest } from '../../contracts/optimize.ts';
import { solveByPriority } from '../optimize/priorities/solve-by-priority.ts';
import { mostAt } from '../optimize/problem/location-bounds.ts';
import type { Moves, OptimizeSettings, Problem } from '../optimize/problem/model.ts';
import { hasLocationBounds } from '../optimize/problem/variants.ts';
import { buildProblem } from '../optimize/request/problem.ts';
import { RefusedError } from '../optimize/request/refusals.ts';
import { type Cache, createCache } from '../optimize/run/cache.ts';
import { nowMs } from '../optimize/run/clock.ts';
import { solveOrServeMost } from '../optimize/shortage/serve-most.ts';
import { solveProblem } from '../optimize/solve.ts';
import type { ReplayedPast } from './types.ts';

export type PlannerOptions = {
  /** As in a request, `serve_most` unless `shortage` is `fail`. What they leave out does not constrain a plan. */
  constraints: Constraints;
  /** Rules about pairs of locations, of plans for one step. */
  refine?: NonNullable<OptimizeRequest['options']>['refine'];
  /** Time limit of one plan. */
  timeLimitSeconds: number;
  /** Relative, that proves a plan. */
  gap: number;
};

/** Nothing is limited but by the constraints of a policy. */
const NO_LIMITS: OptimizeSettings = {
  maxDistanceKm: Number.POSITIVE_INFINITY,
  minServiceLevel: 0,
  maxRebalancingCost: null,
  capacityPerVehicle: 1,
  tripsPerVehicleHour: null,
  timeLimitSeconds: Number.POSITIVE_INFINITY,
  maxTimeLimitSeconds: Number.POSITIVE_INFINITY,
  optimalityGap: 0,
  costPerKm: 1,
};

export type Planner = {
  base: Problem;
  options: PlannerOptions;
  cache: Cache;
};

/** The problem that all plans of a replay change: its locations, costs and constraints. O(n²) */
export function createPlanner(
  { locationIds, travel, tripsPerHour }: Pick<ReplayedPast, 'locationIds' | 'travel' | 'tripsPerHour'>,
  options: PlannerOptions,
  cache: Cache,
): Planner {
  const ids = [...locationIds];
  const n = ids.length;
  const rows = <V>(values: Float64Array, read: (value: number) => V) =>
    ids.map((_, i) => Array.from(values.subarray(i * n, (i + 1) * n), read));
  const base = buildProblem(
    {
      // With some demand everywhere, no priority is left out.
      demand_forecast: Object.fromEntries(ids.map((id) => [id, [1]])),
      fleet_state: { vehicles: [{ id: 'any', location: ids[0] }] },
      constraints: options.constraints,
      network: {
        location_ids: ids,
        costs: rows(travel.cost, (cost) => (cost === Number.POSITIVE_INFINITY ? null : cost)),
        distances_km: rows(travel.km, (km) => km),
      },
      options: { trips_per_vehicle_hour: tripsPerHour, step_hours: 1, refine: options.refine },
    },
    [],
    NO_LIMITS,
    cache,
  );
  return { base, options, cache };
}

/** Whether the plan that serves most is made where the service level is out of reach. */
export function servesMost({ constraints }: PlannerOptions): boolean {
  return constraints.shortage !== 'fail';
}

/**
 * The plan for one step, as `POST /api/v1/optimize` makes it.
 * @param supply n: vehicles that may move
 * @param demand n: what is to be served
 * @param there n: vehicles that will be there anyway, and serve; on average, so not always whole
 * @returns null if no plan keeps the constraints
 * @throws RefusedError, Error if a plan fails
 */
export async function planStep(
  { base, options }: Planner,
  supply: Int32Array,
  demand: Float64Array,
  there: Float64Array,
): Promise<Moves | null> {
  const problem = stepProblem(base, supply, demand, there);
  const control = { deadlineMs: nowMs() + options.timeLimitSeconds * 1000 };
  const serveMost = servesMost(options);
  const solveStep = serveMost ? solveOrServeMost : solveProblem;
  const solved = problem.priorities
    ? await solveByPriority(problem, options.gap, serveMost, { ...control, onStage: () => {} })
    : await solveStep(problem, options.gap, control);
  switch (solved.kind) {
    case 'solved':
    case 'served':
    case 'prioritized':
      return solved.solution.moves;
    case 'infeasible':
      return null;
    case 'refused':
      throw new RefusedError(solved.fault);
    default:
      throw new Error(solved.kind === 'error' ? solved.message : `no plan: ${solved.kind}`);
  }
}

/**
 * The problem of one step. Rules that count all vehicles count those that will be there anyway as pinned ones: for the
 * service level, bounds per location, priorities and the size of the fleet.
 */
function stepProblem(base: Problem, supply: Int32Array, planned: Float64Array, there: Float64Array): Problem {
  const [perVehicle] = base.capacities;
  const demand = planned.map((trips, j) => Math.max(0, trips - perVehicle * there[j]));
  const problem = { ...base, supply, demand, caches: { ...base.caches, problem: createCache() } };
  const { limits, priorities } = base;
  const isSized = limits.totalFleetSize !== Number.POSITIVE_INFINITY;
  if (!priorities && !isSized && limits.minServiceLevel === 0 && !hasLocationBounds(base)) return problem;
  const { priorities: _, ...alike } = problem;
  const isCritical = priorities?.some((level, j) => level > 0 && demand[j] > 0);
  // Vehicles that arrive anyway cannot be refused.
  const vehicles = Int32Array.from(there, (count, j) => Math.min(Math.round(count), mostAt(base, j)));
  const coming = Math.round(there.reduce((sum, count) => sum + count, 0));
  return {
    ...(isCritical ? problem : alike),
    limits: { ...limits, totalFleetSize: Math.max(0, limits.totalFleetSize - coming) },
    pinned: { vehicles, capacity: there.map((count) => perVehicle * count), demand: planned },
  };
}

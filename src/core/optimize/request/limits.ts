/** Constraints and options of a request after aliases, defaults and the operator's caps. */

import type { OptimizeRequest } from '../../../contracts/optimize.ts';
import type { Limits, LocationBounds } from '../problem/constraints.ts';
import { toUnitsDown, toUnitsUp } from '../problem/costs.ts';
import type { OptimizeSettings } from '../problem/model.ts';
import { hasPairRules, type PairLimits } from '../problem/pairs.ts';

/** Reads the constraints but those of `location-bounds.ts`. A maximum that is not set is infinite. */
export function readLimits(
  request: OptimizeRequest,
  settings: OptimizeSettings,
): Omit<Limits, keyof LocationBounds> {
  const c = request.constraints ?? {};
  const ceiling = c.max_rebalancing_cost === undefined ? settings.maxRebalancingCost : c.max_rebalancing_cost;
  const limitsDistance = !request.network || request.network.distances_km !== undefined;
  return {
    maxDistanceKm: limitsDistance
      ? (c.max_distance ?? c.max_rebalancing_distance_km ?? settings.maxDistanceKm)
      : Number.POSITIVE_INFINITY,
    minServiceLevel: c.min_service_level ?? c.min_demand_coverage ?? settings.minServiceLevel,
    maxCostUnits: ceiling === null ? Number.POSITIVE_INFINITY : toUnitsDown(ceiling),
    totalFleetSize: c.total_fleet_size ?? Number.POSITIVE_INFINITY,
    ...readPairLimits(request),
  };
}

/** Reads the limits of `options.refine`, which have no default of the service. */
function readPairLimits({ options: { refine = {} } = {} }: OptimizeRequest): PairLimits {
  return {
    minVehiclesPerMove: refine.min_vehicles_per_move ?? 1,
    maxPairs: refine.max_pairs ?? Number.POSITIVE_INFINITY,
    maxMovesFrom: refine.max_moves_from ?? Number.POSITIVE_INFINITY,
  };
}

/** The cost of a used pair, in whole cost units, rounded up. */
export function readPairCost({ options }: OptimizeRequest): number {
  return toUnitsUp(options?.refine?.cost_per_pair ?? 0);
}

/** Whether a request has rules about pairs of locations. */
export function asksForPairs(request: OptimizeRequest): boolean {
  return hasPairRules({ limits: readPairLimits(request), pairCostUnits: readPairCost(request) });
}

export type SolveOptions = {
  timeLimitSeconds: number;
  optimalityGap: number;
  explain: boolean;
  /** If the service level is out of reach, the plan that serves most is the answer. */
  serveMost: boolean;
};

/** Reads the options. The operator's time limit caps that of the request. */
export function readOptions(request: OptimizeRequest, settings: OptimizeSettings): SolveOptions {
  const o = request.options ?? {};
  return {
    timeLimitSeconds: Math.min(
      o.time_limit_seconds ?? settings.timeLimitSeconds,
      settings.maxTimeLimitSeconds,
    ),
    optimalityGap: o.optimality_gap ?? settings.optimalityGap,
    explain: o.explain ?? false,
    serveMost: request.constraints?.shortage === 'serve_most',
  };
}

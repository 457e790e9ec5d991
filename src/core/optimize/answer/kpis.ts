/** Figures of a plan: coverage, utilization, moves, cost, distance. */
import type { Kpis } from '../../../contracts/optimize.ts';
import { fromUnits } from '../problem/costs.ts';
import { servedDemand } from '../problem/evaluate.ts';
import { asFigure } from '../problem/figure.ts';
import type { Problem, Solution } from '../problem/model.ts';
import { hasDistances, moveDistance } from '../problem/network.ts';
import { operationalCapacity } from '../problem/pinned.ts';
import { allDemand, totalDemand } from '../problem/service-level.ts';
import { hasUnmetCost, unmetUnits } from '../problem/unmet-cost.ts';

/**
 * @param presence K × n vehicles after the moves
 * @returns demand_coverage Σ min(D_j, capacity present at j) / Σ D_j, 1 without demand; utilization the same demand /
 *   operational capacity, 0 without vehicles; total_distance_km null if the network gives none. Sums of
 *   what is not counted in whole units have 12 significant digits. O(moves + nK).
 */
export function computeKpis(
  problem: Problem,
  { moves, costUnits }: Pick<Solution, 'moves' | 'costUnits'>,
  presence: Int32Array,
): Kpis {
  const demand = allDemand(problem);
  const open = totalDemand(problem.demand);
  const servedOpen = Math.min(open, servedDemand(problem, presence, Number.POSITIVE_INFINITY));
  const unmet = open - servedOpen;
  const served = unmet === 0 ? demand : servedOpen + (demand - open);
  const capacity = operationalCapacity(problem);
  const isMeasured = hasDistances(problem);
  let moved = 0;
  let km = 0;
  let minutes: number | null = 0;
  for (let m = 0; m < moves.count.length; m++) {
    moved += moves.count[m];
    const each = problem.minutesOf?.(moves.source[m], moves.target[m]) ?? null;
    minutes = minutes === null || each === null ? null : minutes + moves.count[m] * each;
    if (isMeasured) km += moves.count[m] * moveDistance(problem, moves.source[m], moves.target[m]);
  }
  return {
    demand_coverage: demand === 0 ? 1 : served / demand,
    utilization: capacity === 0 ? 0 : served / capacity,
    rebalanced_count: moved,
    total_cost: fromUnits(costUnits),
    total_distance_km: isMeasured ? asFigure(km) : null,
    ...(problem.minutesOf && minutes !== null && { total_minutes: asFigure(minutes) }),
    unmet_demand: asFigure(unmet),
    ...(hasUnmetCost(problem) && { unmet_demand_cost: fromUnits(unmetUnits(problem, presence)) }),
  };
}

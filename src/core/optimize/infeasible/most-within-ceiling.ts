/**
 * The most demand that one class serves within the cost ceiling, if vehicles per location are not bounded.
 *
 * The flow at a Lagrangian multiplier that spends the ceiling (`../lagrangian/`) gives a bound, and a plan within about
 * one move of it: the most itself if demand is in whole vehicle loads.
 */

import { mostWithinBudget } from '../lagrangian/fractional-demand.ts';
import type { Problem } from '../problem/model.ts';
import { totalDemand } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';
import type { Stopping } from '../run/stopping.ts';
import type { MostServed } from './elastic.ts';

/** Share of total demand to which the most is found if demand is not in whole loads; of a load if it is. */
const PRECISION = 1e-6;

/**
 * @param problem of one class without limits of pairs; its service level is ignored
 * @param known proved: no plan of any cost serves more
 * @param start about what the ceiling allows: where the search begins
 */
export function mostWithinCeiling(
  problem: Problem,
  known: number,
  start: number,
  control: Stopping,
): MostServed {
  const { demand, capacities } = problem;
  const isInLoads = demand.every((of) => splitDemand(of, capacities[0]).rest === 0);
  const unit = isInLoads ? capacities[0] * (1 - PRECISION) : PRECISION * totalDemand(demand);
  const isEnough = (served: number, upTo: number) => Math.min(upTo, known) - served < unit;
  const found = mostWithinBudget(problem, start, isEnough, control);
  const most = Math.min(known, found?.most ?? known);
  const plan = found?.plan ?? null;
  // In whole loads a plan serves no part of one.
  return plan && isInLoads && isEnough(plan.served, most) ? { plan, most: plan.served } : { plan, most };
}

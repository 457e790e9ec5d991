/**
 * Reads multipliers from the potentials of a tree. O(n), plus a row of moves per location whose vehicles all serve
 * there.
 */
import { sinkNode, slackNode } from '../flow/spanning-tree.ts';
import { vehicleValues } from './bound.ts';
import { type LagrangianSearch, unservedNode } from './lagrangian-tree.ts';
import type { Multipliers } from './types.ts';

/** @param isNetted whether the tree leaves out vehicles that fill must places or full loads at their own location */
export function readMultipliers(
  { tree, problem, loads, isCapped, multiplier }: LagrangianSearch,
  isNetted: boolean,
): Multipliers {
  const { n, supply, capacity, bounds } = problem;
  const { potential } = tree;
  const atLocation = new Float64Array(n);
  /** Vehicles of locations that all stay, and are not in the tree. */
  const balanced = new Int32Array(n);
  let lowest = 0;
  for (let j = 0; j < n; j++) {
    atLocation[j] = Math.max(isCapped?.[j] ? Number.NEGATIVE_INFINITY : 0, potential[sinkNode(n, j)]);
    if (Number.isFinite(potential[j])) lowest = Math.min(lowest, potential[j]);
    const own = bounds ? Math.max(bounds.least[j], Math.min(loads.full[j], bounds.most[j])) : loads.full[j];
    if (!isNetted || supply[j] === 0 || own === 0) continue;
    // A vehicle that stays is worth as much as one that leaves.
    atLocation[j] = Math.max(atLocation[j], potential[j]);
    if (supply[j] === own) balanced[j] = supply[j];
  }
  if (isNetted) {
    const elsewhere = vehicleValues({ ...problem, supply: balanced }, atLocation);
    for (let j = 0; j < n; j++) if (balanced[j] > 0) atLocation[j] = Math.max(atLocation[j], elsewhere[j]);
  }
  // Locations without places that are open: nothing asks for a vehicle there.
  for (let j = 0; j < n; j++) if (!Number.isFinite(atLocation[j])) atLocation[j] = lowest;
  const perVehicle = Math.max(0, potential[slackNode(n)] - potential[unservedNode(n)]);
  return { perDemand: multiplier / capacity, perVehicle, atLocation };
}

/**
 * Reads multipliers from the potentials of a tree. O(n), plus a row of moves per location whose vehicles all serve
 * there.
 */
import { sinkNode, slackNode } from '../flow/spanning-tree.ts';
import { vehicleValues } from './bound.ts';
import { type LagrangianSearch, unservedNode } from './lagrangian-tree.ts';
import type { Multipliers } from './types.ts';

/** @param isNetted whether the tree leaves out vehicles that serve full loads at their own location */
export function readMultipliers(
  { tree, problem, loads, multiplier }: LagrangianSearch,
  isNetted: boolean,
): Multipliers {
  const { n, supply, capacity } = problem;
  const { potential } = tree;
  const atLocation = new Float64Array(n);
  /** Vehicles of locations with as many vehicles as full loads, which are not in the tree. */
  const balanced = new Int32Array(n);
  for (let j = 0; j < n; j++) {
    atLocation[j] = Math.max(0, potential[sinkNode(n, j)]);
    if (!isNetted || supply[j] === 0 || loads.full[j] === 0) continue;
    // A vehicle that serves at its own location is worth as much as one that leaves it.
    atLocation[j] = Math.max(atLocation[j], potential[j]);
    if (supply[j] === loads.full[j]) balanced[j] = supply[j];
  }
  if (isNetted) {
    const elsewhere = vehicleValues({ ...problem, supply: balanced }, atLocation);
    for (let j = 0; j < n; j++) atLocation[j] = Math.max(atLocation[j], elsewhere[j]);
  }
  const perVehicle = Math.max(0, potential[slackNode(n)] - potential[unservedNode(n)]);
  return { perDemand: multiplier / capacity, perVehicle, atLocation };
}

/** Costs of a problem with one capacity class as the network simplex reads them. */

import type { FlowCosts } from '../problem/distances/move-costs.ts';
import type { Problem } from '../problem/model.ts';
import { checkOf, flagCheckOf, type Stopping } from '../run/stopping.ts';
import { measureExtent } from './great-circle-flow.ts';

/** From this share of forbidden pairs on, listing the allowed ones is faster than a pass over all pairs. */
const SPARSE_SHARE = 0.5;
/** Pairs of locations between two calls of the check: a few milliseconds of work. */
const PAIRS_PER_LOOK = 1 << 20;
const ROWS_PER_LOOK = 256;
const NEVER: Stopping = { deadlineMs: Number.POSITIVE_INFINITY };

/**
 * Costs with the moves beyond the distance limit forbidden; the matrix itself if no move is. Distances of all pairs
 * are read (O(n²)) only if points may be farther apart than the limit and the moves are too many to list.
 * @throws OutOfTime
 */
export function flowCosts(
  { network, greatCircle, limits, locationIds }: Problem,
  control: Stopping = NEVER,
): FlowCosts {
  const limit = limits.maxDistanceKm;
  const check = checkOf(control);
  const near = greatCircle?.near(limit, check);
  if (near) return near;
  greatCircle?.buildCosts(check);
  const { costUnits } = network;
  if (greatCircle && limit >= measureExtent(greatCircle.points).diameterKm)
    return { kind: 'dense', units: costUnits };
  greatCircle?.buildDistances(check);
  // Only the stop flag, not the deadline, ends this, so that a plan exists: the search returns the tree that it
  // starts from.
  const checkFlag = flagCheckOf(control);
  const { distanceKm } = network;
  const isForbidden = (a: number) =>
    costUnits[a] === Number.POSITIVE_INFINITY || (distanceKm !== null && distanceKm[a] > limit);
  let forbidden = 0;
  for (let a = 0; a < costUnits.length; a++) {
    if (a % PAIRS_PER_LOOK === 0) checkFlag();
    if (isForbidden(a)) forbidden++;
  }
  if (forbidden === 0) return { kind: 'dense', units: costUnits };
  if (forbidden < SPARSE_SHARE * costUnits.length) {
    const units = costUnits.slice();
    for (let a = 0; a < units.length; a++) if (isForbidden(a)) units[a] = Number.POSITIVE_INFINITY;
    return { kind: 'dense', units };
  }
  const n = locationIds.length;
  const allowed = costUnits.length - forbidden;
  const costs = {
    starts: new Int32Array(n + 1),
    targets: new Int32Array(allowed),
    units: new Float64Array(allowed),
  };
  let next = 0;
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_LOOK === 0) checkFlag();
    for (let j = 0; j < n; j++) {
      if (i === j || isForbidden(i * n + j)) continue;
      costs.targets[next] = j;
      costs.units[next++] = costUnits[i * n + j];
    }
    costs.starts[i + 1] = next;
  }
  return {
    kind: 'sparse',
    starts: costs.starts,
    targets: costs.targets.subarray(0, next),
    units: costs.units.subarray(0, next),
  };
}

/** Calls `visit` for each location that a vehicle at i may move to, not for its own. @param n locations */
export function forEachMove(
  costs: FlowCosts,
  i: number,
  n: number,
  visit: (j: number, cost: number) => void,
): void {
  const first = costs.kind === 'dense' ? i * n : costs.starts[i];
  const end = costs.kind === 'dense' ? first + n : costs.starts[i + 1];
  for (let a = first; a < end; a++) {
    const j = costs.kind === 'dense' ? a - first : costs.targets[a];
    const cost = costs.units[a];
    if (j !== i && cost >= 0 && cost !== Number.POSITIVE_INFINITY) visit(j, cost);
  }
}

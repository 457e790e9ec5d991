import type { Problem } from '../problem/model.ts';
import { isAllowed } from '../problem/network.ts';

/** Rows of costs between two looks at the clock: some milliseconds. */
const ROWS_PER_LOOK = 256;

/**
 * K × n: what a vehicle more at a location costs, min_i (price at i + c_ij), in units; Infinity where none can go.
 * O(n² K).
 * @param atSource K × n: the price of a vehicle where it is, in units
 * @param mayStay whether a vehicle there may be the one; otherwise it comes from elsewhere
 * @throws what `check` throws
 */
export function costOfOneMore(
  problem: Problem,
  atSource: Float64Array,
  check: () => void,
  mayStay = true,
): Float64Array {
  const { supply, demand, network, limits } = problem;
  const n = demand.length;
  const { costUnits } = network;
  const least = new Float64Array(supply.length).fill(Number.POSITIVE_INFINITY);
  for (let at = 0; at < supply.length; at++) {
    if (at % ROWS_PER_LOOK === 0) check();
    if (supply[at] === 0) continue;
    const i = at % n;
    const own = atSource[at];
    const first = at - i;
    const row = i * n;
    const before = least[at];
    for (let j = 0; j < n; j++) {
      const cost = own + costUnits[row + j];
      if (cost < least[first + j] && (j === i || isAllowed(network, n, limits.maxDistanceKm, i, j)))
        least[first + j] = cost;
    }
    least[at] = mayStay ? Math.min(before, own) : before;
  }
  return least;
}

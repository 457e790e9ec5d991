/**
 * Bounds on the vehicles per location in a greedy search. The whole part of a relaxed solution breaks them where it
 * leaves out fractions of vehicles: a few vehicles per location are too many, or too few.
 */
import { type GreedySearch, isTooLong, type MovesByLocation, sendAlong } from './greedy-search.ts';

/**
 * Moves vehicles until every location has as many as it must and may have, the cheapest move first.
 * @param price cost units that a unit of served demand is worth
 * @returns false if the moves do not suffice, or `isOver` ended the search
 */
export function keepBounds(search: GreedySearch, price: number): boolean {
  const { here, least, most, into, outOf } = search;
  const keepAt = (j: number, isWrong: () => boolean, around: MovesByLocation): boolean => {
    while (isWrong()) {
      let best = -1;
      let lowest = Number.POSITIVE_INFINITY;
      for (let e = around.starts[j]; e < around.starts[j + 1]; e++) {
        const cost = costPerBound(search, around.arcs[e], price);
        if (cost >= lowest) continue;
        lowest = cost;
        best = around.arcs[e];
      }
      if (best < 0 || isTooLong(search, around.starts[j + 1] - around.starts[j])) return false;
      sendAlong(search, best, 1);
    }
    return true;
  };
  let areKept = true;
  for (let j = 0; j < here.length; j++) areKept = keepAt(j, () => here[j] > most[j], outOf) && areKept;
  for (let j = 0; j < here.length; j++) areKept = keepAt(j, () => here[j] < least[j], into) && areKept;
  return areKept;
}

/** Whether the bounds allow one vehicle more on a move. */
export function keepsBounds({ arcs, here, least, most }: GreedySearch, a: number): boolean {
  return here[arcs.target[a]] < most[arcs.target[a]] && here[arcs.source[a]] > least[arcs.source[a]];
}

/** What one vehicle more on a move costs per bound that it helps to keep; Infinity if it may not move. */
function costPerBound(search: GreedySearch, a: number, price: number): number {
  const { problem, arcs, isMove, free, capacity, unmetUnits, here, least, most } = search;
  const { demand, capacities, network } = problem;
  const from = arcs.source[a];
  const to = arcs.target[a];
  const k = arcs.capacityClass[a];
  if (isMove[a] === 0 || free[k * demand.length + from] === 0 || !keepsBounds(search, a)) {
    return Number.POSITIVE_INFINITY;
  }
  const unmetWith = (j: number, more: number) => Math.max(0, demand[j] - capacity[j] - more);
  const costOfLost = (j: number, more: number) =>
    (price + (unmetUnits?.[j] ?? 0)) * (unmetWith(j, more) - unmetWith(j, 0));
  const lost = costOfLost(from, -capacities[k]) + costOfLost(to, capacities[k]);
  const cost = network.costUnits[from * demand.length + to] + lost;
  return here[from] > most[from] && here[to] < least[to] ? Math.min(cost, cost / 2) : cost;
}

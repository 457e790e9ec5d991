/**
 * Bounds on the vehicles per location for numbers of vehicles that break a few of them: one vehicle after the other
 * leaves where there are too many, then one after the other comes where there are too few, each of the class and from
 * or to the location that costs least. Where docks are nearly full, columns of moves do not suffice for this: vehicles
 * pass on each other along a path of the residual network (`class-transport.ts`).
 */
import type { Problem } from '../../problem/model.ts';
import type { ClassTransport } from './class-transport.ts';
import { unmetChange } from './exchanges.ts';

/** n each: the fewest and the most vehicles, and cost units per unmet demand; beside these the price of all demand. */
type Bounds = { least: Float64Array; most: Float64Array; unmetUnits: Float64Array; price: number };

/** @returns false if the vehicles do not suffice, or `isOver` ended the work */
export function fitBounds(
  { demand, capacities }: Problem,
  transports: ClassTransport[],
  { least, most, unmetUnits, price }: Bounds,
  isOver: () => boolean,
): boolean {
  const n = demand.length;
  const here = new Int32Array(n);
  const spare = Float64Array.from(demand, (d) => -d);
  for (let k = 0; k < transports.length; k++) {
    for (let j = 0; j < n; j++) {
      here[j] += transports[k].present(j);
      spare[j] += capacities[k] * transports[k].present(j);
    }
  }
  const costOfUnmet = (j: number, more: number) => (price + unmetUnits[j]) * unmetChange(spare, j, more);
  const rated = (k: number, from: number, to: number, cost: number) =>
    cost + costOfUnmet(from, -capacities[k]) + costOfUnmet(to, capacities[k]);

  function shift(k: number, from: number, to: number): boolean {
    if (transports[k].shift(from, to) === null) return false;
    here[from]--;
    here[to]++;
    spare[from] -= capacities[k];
    spare[to] += capacities[k];
    return true;
  }

  function sendAway(from: number): boolean {
    let best = { k: -1, to: -1, cost: Number.POSITIVE_INFINITY };
    for (let k = 0; k < transports.length; k++) {
      const { sinks, costs } = transports[k].reach(from, n);
      for (let s = 0; s < sinks.length; s++) {
        if (here[sinks[s]] >= most[sinks[s]]) continue;
        const cost = rated(k, from, sinks[s], costs[s]);
        if (cost < best.cost) best = { k, to: sinks[s], cost };
      }
    }
    return best.k >= 0 && shift(best.k, from, best.to);
  }

  function bring(to: number): boolean {
    const found: { k: number; from: number; cost: number }[] = [];
    for (let k = 0; k < transports.length; k++) {
      for (let from = 0; from < n; from++) {
        if (here[from] <= least[from] || transports[k].present(from) === 0) continue;
        found.push({ k, from, cost: rated(k, from, to, transports[k].leastCost(from, to)) });
      }
    }
    found.sort((a, b) => a.cost - b.cost);
    return found.some(({ k, from }) => shift(k, from, to));
  }

  for (let j = 0; j < n; j++) {
    while (here[j] > most[j]) if (isOver() || !sendAway(j)) return false;
  }
  for (let j = 0; j < n; j++) {
    while (here[j] < least[j]) if (isOver() || !bring(j)) return false;
  }
  return true;
}

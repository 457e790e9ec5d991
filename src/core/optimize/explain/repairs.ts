/**
 * By how much a plan gets dearer, at most, when it is repaired after a change with its serving places kept: cheapest paths in the flow of a
 * class, or of two where vehicles of another class take over. Upper bounds of what the change costs, not the least.
 * O(n² log n) per class, and again per location and class where there are several.
 */
import type { Problem } from '../model.ts';
import type { ClassFlow } from './class-flow.ts';

/** Units of cost, Infinity where the plan cannot be repaired so. */
export type Repairs = {
  withOneMore: (k: number, i: number) => number;
  withOneFewer: (k: number, i: number) => number;
  /** This much more capacity serves at j, in one vehicle or in several. */
  withServing: (j: number, capacity: number) => number;
};

/** Places at which several vehicles instead of one are tried, per class. */
const MOST_TRIED = 3;
/** 0.3 / 0.1 is 3. */
const CAPACITY_NOISE = 1e-9;

/** @param serving per class, per location: the vehicles that serve, which the flows hold fixed */
export function createRepairs(
  problem: Problem,
  flows: readonly ClassFlow[],
  serving: readonly Float64Array[],
): Repairs {
  const { capacities, limits } = problem;
  const toSink = flows.map(({ network, sink }) => network.distances(sink, true));
  const fromSink = flows.map(({ network, sink }) => network.distances(sink));
  const count = serving.reduce((sum, vehicles) => sum + vehicles.reduce((a, b) => a + b, 0), 0);
  const restore = flows.map(({ network }) => network.mark());
  const others = (k: number) => [...flows.keys()].filter((other) => other !== k);

  return {
    withOneMore(k, i) {
      let least = toSink[k][flows[k].source(i)];
      const smaller = others(k).filter((other) => capacities[other] <= capacities[k]);
      if (smaller.length === 0) return least;
      const along = flows[k].network.distances(flows[k].source(i));
      for (const other of smaller) {
        serving[other].forEach((vehicles, j) => {
          if (vehicles === 0) return;
          const relieved = along[flows[k].departure(j)] + toSink[other][flows[other].departure(j)];
          least = Math.min(least, relieved);
        });
      }
      return least;
    },
    withOneFewer(k, i) {
      const own = fromSink[k][flows[k].source(i)];
      if (flows.length === 1) return own;
      const back = flows[k].network.distances(flows[k].source(i), true);
      const leaving = flows[k].departure;
      return cheapestTakeOver(own, others(k), capacities[k], (j) =>
        serving[k][j] > 0 ? back[leaving(j)] : null,
      );
    },
    withServing(j, capacity) {
      const all = [...flows.keys()];
      return cheapestTakeOver(Number.POSITIVE_INFINITY, all, capacity, (at) => (at === j ? 0 : null), 1);
    },
  };

  /**
   * The cheapest way that one vehicle or several smaller ones of a class come to serve in the place of `capacity`, with
   * what is paid there beside; no dearer than `least`.
   * @param extra vehicles more that serve when one comes
   */
  function cheapestTakeOver(
    least: number,
    classes: readonly number[],
    capacity: number,
    paidAt: (j: number) => number | null,
    extra = 0,
  ): number {
    let cheapest = least;
    for (const k of classes) {
      const needed = Math.ceil(capacity / capacities[k] - CAPACITY_NOISE);
      if (count + needed - 1 + extra > limits.totalFleetSize) continue;
      // Each further vehicle comes from no nearer, so this many times the first is no more than it costs.
      const places: { j: number; paid: number; atLeast: number }[] = [];
      serving[k].forEach((_, j) => {
        const paid = paidAt(j);
        if (paid === null || paid === Number.POSITIVE_INFINITY) return;
        places.push({ j, paid, atLeast: paid + needed * fromSink[k][flows[k].departure(j)] });
      });
      places.sort((a, b) => a.atLeast - b.atLeast);
      for (const { j, paid, atLeast } of places.slice(0, MOST_TRIED)) {
        if (atLeast >= cheapest) break;
        const { network, sink, departure } = flows[k];
        const sent = needed === 1 ? fromSink[k][departure(j)] : network.send(sink, departure(j), needed);
        if (needed > 1) restore[k]();
        if (sent !== null) cheapest = Math.min(cheapest, paid + sent);
      }
    }
    return cheapest;
  }
}

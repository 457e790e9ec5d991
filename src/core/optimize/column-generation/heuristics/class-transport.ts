/**
 * The cheapest moves of one capacity class for given numbers of vehicles per location, kept optimal while the numbers
 * change by one.
 *
 * Sources i send s_i vehicles (staying is i → i at no cost), sinks j take p_j. Duals w, v with c_ij + w_i − v_j ≥ 0,
 * with equality for moves in use, prove the flow optimal for its p. To take a vehicle from b and give it to a, flow is
 * sent along a shortest path of the residual network (Dijkstra on reduced costs), which preserves optimality:
 * successive shortest paths. The start is a flow of the network simplex.
 * O(n · sinks settled) per path. Whole cost units: all sums are exact. Reference: Ahuja, Magnanti, Orlin (1993),
 * section 9.7.
 */
import type { SolvedFlow } from '../../flow/types.ts';
import type { Problem } from '../../problem/model.ts';
import { isAllowed } from '../../problem/network.ts';

export type ClassTransport = ReturnType<typeof createClassTransport>;

/** `undo` restores the flow and its duals, if nothing was shifted since. */
export type ShiftMade = { cost: number; undo(): void };

/** Costs of all moves in units, n × n; Infinity for a forbidden move. Do not change the array. */
export function allowedCosts({ locationIds, network, limits }: Problem): Float64Array {
  const n = locationIds.length;
  let cost = network.costUnits;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (isAllowed(network, n, limits.maxDistanceKm, i, j)) continue;
      if (cost === network.costUnits) cost = network.costUnits.slice();
      cost[i * n + j] = Number.POSITIVE_INFINITY;
    }
  }
  return cost;
}

/**
 * @param cost from `allowedCosts`
 * @param start the cheapest flow from all vehicles to their places
 */
export function createClassTransport(problem: Problem, k: number, cost: Float64Array, start: SolvedFlow) {
  const n = problem.locationIds.length;
  const supply = problem.supply.subarray(k * n, (k + 1) * n);
  const present = Int32Array.from(supply);
  /** By sink: the sources of its vehicles, and how many come from each. */
  const from: number[][] = Array.from({ length: n }, () => []);
  const count: number[][] = Array.from({ length: n }, () => []);
  const send = (i: number, j: number, change: number) => changeAt(from[j], count[j], i, change);
  const atSource = new Float64Array(n);
  const atSink = new Float64Array(n);
  beginWith(start);
  /** Reduced distances of the last search; Infinity for sinks it did not reach. */
  const toSink = new Float64Array(n);
  const toSource = new Float64Array(n);
  const sourceOf = new Int32Array(n);
  const sinkOf = new Int32Array(n);
  const isSettled = new Uint8Array(n);
  const order = new Int32Array(n);

  function beginWith({ flow, duals }: SolvedFlow): void {
    const staying = Int32Array.from(supply);
    for (let m = 0; m < flow.units.length; m++) {
      const i = flow.from[m];
      send(i, flow.to[m], flow.units[m]);
      staying[i] -= flow.units[m];
      present[i] -= flow.units[m];
      present[flow.to[m]] += flow.units[m];
    }
    // What the vehicle is worth that is worth least; it might as well stay idle.
    const least = duals.supply.reduce(
      (low, worth, i) => (supply[i] > 0 ? Math.min(low, worth) : low),
      Number.POSITIVE_INFINITY,
    );
    for (let j = 0; j < n; j++) {
      if (staying[j] > 0) send(j, j, staying[j]);
      if (supply[j] > 0) atSource[j] = duals.supply[j] - least;
      if (present[j] > 0) atSink[j] = duals.service - duals.demand[j] - least;
      else if (problem.demand[j] > 0) atSink[j] = Number.POSITIVE_INFINITY;
    }
    // No vehicle is there, and one might serve: its worth is what the cheapest way there asks for.
    for (let i = 0; i < n; i++) {
      if (supply[i] === 0) continue;
      for (let j = 0; j < n; j++)
        if (present[j] === 0) atSink[j] = Math.min(atSink[j], cost[i * n + j] + atSource[i]);
    }
  }

  /**
   * Settles sinks by reduced distance from b, at most `most` or until `isEnd`.
   * @returns their number; they are in `order`
   */
  function settle(b: number, most: number, isEnd: (j: number) => boolean): number {
    toSink.fill(Number.POSITIVE_INFINITY);
    toSource.fill(Number.POSITIVE_INFINITY);
    isSettled.fill(0);
    toSink[b] = 0;
    for (let settled = 0; ; ) {
      let j = -1;
      let least = Number.POSITIVE_INFINITY;
      for (let a = 0; a < n; a++) {
        if (toSink[a] < least && isSettled[a] === 0) {
          least = toSink[a];
          j = a;
        }
      }
      if (j < 0) return settled;
      isSettled[j] = 1;
      order[settled++] = j;
      if (isEnd(j) || settled === most) return settled;
      for (const i of from[j]) {
        if (toSource[i] !== Number.POSITIVE_INFINITY) continue;
        toSource[i] = least;
        sinkOf[i] = j;
        const base = least + atSource[i];
        const row = i * n;
        for (let a = 0; a < n; a++) {
          const reached = base + cost[row + a] - atSink[a];
          if (reached < toSink[a]) {
            toSink[a] = reached;
            sourceOf[a] = i;
          }
        }
      }
    }
  }

  /** Sends one vehicle along the last search's path. */
  function augment(b: number, a: number): ShiftMade {
    const length = toSink[a];
    const added = length - atSink[b] + atSink[a];
    const before = { atSource: atSource.slice(), atSink: atSink.slice() };
    /** Sinks and sources in turn, from a back to b. */
    const path = [a];
    for (let j = a; j !== b; ) {
      const i = sourceOf[j];
      send(i, j, 1);
      j = sinkOf[i];
      send(i, j, -1);
      path.push(i, j);
    }
    for (let j = 0; j < n; j++) if (toSink[j] < length) atSink[j] += toSink[j] - length;
    for (let i = 0; i < n; i++) if (toSource[i] < length) atSource[i] += toSource[i] - length;
    present[b]--;
    present[a]++;
    return { cost: added, undo: () => takeBack(path, before) };
  }

  function takeBack(path: number[], before: { atSource: Float64Array; atSink: Float64Array }): void {
    sendBack(path, send);
    atSource.set(before.atSource);
    atSink.set(before.atSink);
    present[path[path.length - 1]]++;
    present[path[0]]--;
  }

  return {
    present: (j: number) => present[j],
    /** A lower bound on the cost of `shift(b, a)`, in O(1). */
    leastCost: (b: number, a: number) => atSink[a] - atSink[b],
    /**
     * The cost of one vehicle fewer at b and one more at another sink, for the `most` nearest sinks in reduced cost.
     */
    reach(b: number, most: number): { sinks: Int32Array; costs: Float64Array } {
      const settled = present[b] > 0 ? settle(b, most + 1, () => false) : 0;
      const sinks = order.slice(Math.min(1, settled), settled);
      return { sinks, costs: Float64Array.from(sinks, (a) => toSink[a] - atSink[b] + atSink[a]) };
    },
    /** One vehicle fewer at b, one more at a. @returns null, without any change, if it is impossible */
    shift(b: number, a: number): ShiftMade | null {
      if (present[b] === 0) return null;
      const settled = settle(b, n, (j) => j === a);
      return order[settled - 1] === a ? augment(b, a) : null;
    },
    /** Visits the vehicles that do not stay. */
    forEachMove(visit: (source: number, target: number, vehicles: number) => void): void {
      for (let j = 0; j < n; j++) {
        for (let e = 0; e < from[j].length; e++) if (from[j][e] !== j) visit(from[j][e], j, count[j][e]);
      }
    },
  };
}

/** @param path sinks and sources in turn: a source sent one more to the sink before it, one fewer to the next */
function sendBack(path: number[], send: (i: number, j: number, change: number) => void): void {
  for (let at = 0; at + 2 < path.length; at += 2) {
    send(path[at + 1], path[at], -1);
    send(path[at + 1], path[at + 2], 1);
  }
}

/** Changes how many vehicles come from a source. @param from the sources of a sink; `count`: their vehicles */
function changeAt(from: number[], count: number[], source: number, change: number): void {
  const at = from.indexOf(source);
  if (at < 0) {
    from.push(source);
    count.push(change);
    return;
  }
  count[at] += change;
  if (count[at] === 0) {
    from.splice(at, 1);
    count.splice(at, 1);
  }
}

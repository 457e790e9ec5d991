/**
 * The cheapest moves of one capacity class for given numbers of vehicles per location, kept optimal while the numbers
 * change by one.
 *
 * Sources i send s_i vehicles (staying is i → i at no cost), sinks j take p_j. Duals w, v with c_ij + w_i − v_j ≥ 0,
 * with equality for moves in use, prove the flow optimal for its p. To take a vehicle from b and give it to a, flow is
 * sent along a shortest path of the residual network (Dijkstra on reduced costs), which preserves optimality:
 * successive shortest paths. The start is a flow of the network simplex.
 *
 * Without bounds per location nobody sends a vehicle to a place without demand, except home: such places are sinks of
 * their own vehicles alone. In a part of a city these are most places.
 * O(places with demand · sinks settled) per path. Whole cost units: all sums are exact.
 * Reference: Ahuja, Magnanti, Orlin (1993), section 9.7.
 */
import type { SolvedFlow } from '../../flow/types.ts';
import type { Problem } from '../../problem/model.ts';
import { isAllowed } from '../../problem/network.ts';
import { hasLocationBounds } from '../../problem/variants.ts';

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
  const { present, from, count, atSource, atSink } = stateOf(problem, k, cost, start);
  const send = (i: number, j: number, change: number) => changeAt(from[j], count[j], i, change);
  /** Reduced distances of the last search; Infinity for sinks it did not reach. */
  const toSink = new Float64Array(n);
  const toSource = new Float64Array(n);
  const sourceOf = new Int32Array(n);
  const sinkOf = new Int32Array(n);
  const isSettled = new Uint8Array(n);
  const order = new Int32Array(n);
  const isBounded = hasLocationBounds(problem);
  const takesAny = problem.demand.map((demand) => (demand > 0 || isBounded ? 1 : 0));
  const places = Int32Array.from(takesAny.keys()).filter((j) => takesAny[j] === 1);
  /** Other sinks that the search has reached. */
  const homes = new Int32Array(n);

  /**
   * Settles sinks by reduced distance from b, at most `most` or until `end` is one of them.
   * @returns their number; they are in `order`
   */
  function settle(b: number, most: number, end: number): number {
    toSink.fill(Number.POSITIVE_INFINITY);
    toSource.fill(Number.POSITIVE_INFINITY);
    isSettled.fill(0);
    toSink[b] = 0;
    let reached = 0;
    if (takesAny[b] === 0) homes[reached++] = b;
    for (let settled = 0; ; ) {
      let j = -1;
      let least = Number.POSITIVE_INFINITY;
      for (let p = 0; p < places.length; p++) {
        const a = places[p];
        if (toSink[a] < least && isSettled[a] === 0) {
          least = toSink[a];
          j = a;
        }
      }
      for (let h = 0; h < reached; h++) {
        const a = homes[h];
        if (toSink[a] < least && isSettled[a] === 0) {
          least = toSink[a];
          j = a;
        }
      }
      if (j < 0) return settled;
      isSettled[j] = 1;
      order[settled++] = j;
      if (j === end || settled === most) return settled;
      for (const i of from[j]) {
        if (toSource[i] !== Number.POSITIVE_INFINITY) continue;
        toSource[i] = least;
        sinkOf[i] = j;
        const base = least + atSource[i];
        const row = i * n;
        for (let p = 0; p < places.length; p++) {
          const a = places[p];
          const length = base + cost[row + a] - atSink[a];
          if (length < toSink[a]) {
            toSink[a] = length;
            sourceOf[a] = i;
          }
        }
        const home = base + cost[row + i] - atSink[i];
        if (takesAny[i] === 1 || home >= toSink[i]) continue;
        if (toSink[i] === Number.POSITIVE_INFINITY) homes[reached++] = i;
        toSink[i] = home;
        sourceOf[i] = i;
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
    /** A lower bound on the cost of `shift(b, a)`, in O(1); none if a takes only vehicles of its own. */
    leastCost: (b: number, a: number) => atSink[a] - atSink[b],
    /**
     * The cost of one vehicle fewer at b and one more at another sink, for the `most` nearest sinks in reduced cost.
     */
    reach(b: number, most: number): { sinks: Int32Array; costs: Float64Array } {
      const settled = present[b] > 0 ? settle(b, most + 1, -1) : 0;
      const sinks = order.slice(Math.min(1, settled), settled);
      return { sinks, costs: Float64Array.from(sinks, (a) => toSink[a] - atSink[b] + atSink[a]) };
    },
    /** One vehicle fewer at b, one more at a. @returns null, without any change, if it is impossible */
    shift(b: number, a: number): ShiftMade | null {
      if (present[b] === 0) return null;
      const settled = settle(b, n, a);
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

type TransportState = {
  present: Int32Array;
  /** By sink: the sources of its vehicles, and how many come from each. */
  from: number[][];
  count: number[][];
  atSource: Float64Array;
  atSink: Float64Array;
};

/** Of a flow. */
function stateOf(
  problem: Problem,
  k: number,
  cost: Float64Array,
  { flow, duals }: SolvedFlow,
): TransportState {
  const n = problem.locationIds.length;
  const supply = problem.supply.subarray(k * n, (k + 1) * n);
  const present = Int32Array.from(supply);
  const from: number[][] = Array.from({ length: n }, () => []);
  const count: number[][] = Array.from({ length: n }, () => []);
  const atSource = new Float64Array(n);
  const atSink = new Float64Array(n);
  const staying = Int32Array.from(supply);
  for (let m = 0; m < flow.units.length; m++) {
    const [i, j, units] = [flow.from[m], flow.to[m], flow.units[m]];
    changeAt(from[j], count[j], i, units);
    staying[i] -= units;
    present[i] -= units;
    present[j] += units;
  }
  // What the vehicle is worth that is worth least; it might as well stay idle.
  const least = duals.supply.reduce(
    (low, worth, i) => (supply[i] > 0 ? Math.min(low, worth) : low),
    Number.POSITIVE_INFINITY,
  );
  for (let j = 0; j < n; j++) {
    if (staying[j] > 0) changeAt(from[j], count[j], j, staying[j]);
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
  return { present, from, count, atSource, atSink };
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

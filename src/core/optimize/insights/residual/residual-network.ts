/**
 * Sensitivity of an optimal minimum-cost flow: the cost of sending one more unit between two nodes, of removing an arc
 * or of widening it, along shortest paths of the residual network. Two-sided and exact, which bare duals are not under
 * degeneracy.
 *
 * Notation: arc a from u to v has residual arcs 2a (u → v, cost c, residual upper − flow) and 2a + 1 (v → u, cost −c,
 * residual flow − lower). The flow is optimal if and only if no cycle of residual arcs with residual has a negative
 * cost. With potentials π, c + π_u − π_v ≥ 0 on every such residual arc; Dijkstra on these reduced costs preserves this
 * after every change.
 * Units: whole cost units and whole vehicles; all arithmetic is exact below 2⁵³.
 * Complexity: m arcs, v nodes. Potentials once (`optimal-potentials.ts`); O(m log v) per path, much less among
 * `near-arcs.ts`.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §9.7 (successive shortest paths) and §9.11 (sensitivity).
 */

import { KeyHeap } from '../../problem/key-heap.ts';
import type { Effort } from '../effort.ts';
import { findNearArcs, isDense, type NearArcs } from './near-arcs.ts';
import { settlePotentials } from './optimal-potentials.ts';
import { createResidualArcs, type FlowArcs } from './residual-arcs.ts';

/** Nodes settled between two looks at the clock, of up to some thousand residual arcs each. */
const NODES_PER_LOOK = 128;

export type ResidualNetwork = ReturnType<typeof createResidualNetwork>;

/** @throws OutOfTime, here and from every function below; the state is unusable afterwards */
export function createResidualNetwork(arcs: FlowArcs, { check, nearPerNode }: Effort) {
  const { nodes } = arcs;
  const residualArcs = createResidualArcs(arcs, check);
  const { starts, tail, head, twin, cost, residual, placeOf, numberAt } = residualArcs;
  const potential = new Float64Array(nodes);
  /** Reduced distances of the last search, and the residual arc that each node was reached by (−1: not). */
  const distance = new Float64Array(nodes);
  const parent = new Int32Array(nodes);
  const heap = new KeyHeap(nodes);

  /** Overwritten values and their places since the first mark, to be restored. */
  let journal: { places: number[]; values: number[] } | null = null;

  function setResidual(h: number, value: number): void {
    journal?.places.push(h);
    journal?.values.push(residual[h]);
    residual[h] = value;
    near?.update(h);
  }

  function push(h: number, amount: number): void {
    setResidual(h, residual[h] - amount);
    setResidual(twin[h], residual[twin[h]] + amount);
  }

  const hasNear = isDense(residualArcs, nearPerNode);
  let near: NearArcs | null = null;
  /** Potentials when `near` was built, and their drift since. */
  const nearPotential = new Float64Array(nodes);
  let drift = 0;

  function refreshNear(): void {
    check();
    if (hasNear) near = findNearArcs(residualArcs, potential, nearPerNode, check);
    nearPotential.set(potential);
    drift = 0;
  }

  /**
   * Dijkstra on reduced costs. `backward` gives distances to `origin`.
   * @param target stops once this node is settled; −1: settles all
   */
  function search(origin: number, target: number, backward: boolean): void {
    check();
    const untilTarget = (node: number) => (node === target ? Number.NEGATIVE_INFINITY : distance[target]);
    if (target >= 0 && hasNear) {
      if (isFoundNearby(origin, target, backward, untilTarget)) return;
      // With a large drift of potentials, other arcs are near. Not while the state is to be restored.
      if (journal === null && (near === null || drift > near.reach / 2)) {
        refreshNear();
        if (isFoundNearby(origin, target, backward, untilTarget)) return;
      }
    }
    settleFrom(origin, backward, null, target < 0 ? () => Number.POSITIVE_INFINITY : untilTarget);
  }

  function isFoundNearby(
    origin: number,
    target: number,
    backward: boolean,
    visit: (node: number) => number,
  ): boolean {
    if (near === null || drift > near.reach) return false;
    settleFrom(origin, backward, near, visit);
    return distance[target] + drift <= near.reach;
  }

  /**
   * Settles nodes in order of reduced distance.
   * @param among null: all residual arcs
   * @param visit receives each node with its distance and returns the distance up to which to continue
   */
  function settleFrom(
    origin: number,
    backward: boolean,
    among: NearArcs | null,
    visit: (node: number, reduced: number) => number,
  ): void {
    distance.fill(Number.POSITIVE_INFINITY);
    parent.fill(-1);
    heap.clear();
    distance[origin] = 0;
    heap.push(origin, 0);
    let limit = Number.POSITIVE_INFINITY;
    const sign = backward ? -1 : 1;
    let looked = 0;
    for (let u = heap.pop(); u >= 0 && distance[u] <= limit; u = heap.pop()) {
      if (++looked % NODES_PER_LOOK === 0) check();
      limit = visit(u, distance[u]);
      if (limit < distance[u]) return;
      const settled = distance[u] + sign * potential[u];
      if (among) {
        const { heads, costs, places } = among;
        const isOpen = backward ? among.isTwinOpen : among.isOpen;
        for (let x = among.starts[u]; x < among.starts[u + 1]; x++) {
          if (isOpen[x] === 0) continue;
          const v = heads[x];
          const along = settled + sign * (costs[x] - potential[v]);
          if (along >= distance[v] || along > limit) continue;
          distance[v] = along;
          parent[v] = backward ? twin[places[x]] : places[x];
          heap.push(v, along);
        }
        for (const at of among.joined[u] ?? []) relax(at, settled, sign, limit);
      } else {
        for (let at = starts[u]; at < starts[u + 1]; at++) relax(at, settled, sign, limit);
      }
    }
  }

  /**
   * Reaches the head of a residual arc along it, or (`sign` −1) along its twin.
   * @param settled distance and potential of the tail
   */
  function relax(at: number, settled: number, sign: number, limit: number): void {
    const v = head[at];
    const along = settled + sign * (cost[at] - potential[v]);
    if (along >= distance[v] || along > limit) return;
    const h = sign < 0 ? twin[at] : at;
    if (residual[h] <= 0) return;
    distance[v] = along;
    parent[v] = h;
    heap.push(v, along);
  }

  /** Cost of a cheapest path from `from` to every node (or from every node to it); infinite if there is none. */
  function distances(from: number, backward = false): Float64Array {
    search(from, -1, backward);
    return distance.map((d, v) =>
      backward ? d + potential[from] - potential[v] : d + potential[v] - potential[from],
    );
  }

  /**
   * Updates potentials after a search that has settled `target`, or all nodes (`atLeast`: assumed distance of the
   * rest).
   */
  function advancePotentials(target: number, atLeast: number): void {
    let most = atLeast;
    if (distance[target] < Number.POSITIVE_INFINITY) most = distance[target];
    else for (const d of distance) if (d < Number.POSITIVE_INFINITY && d > most) most = d;
    let lowest = Number.POSITIVE_INFINITY;
    let highest = Number.NEGATIVE_INFINITY;
    for (let v = 0; v < nodes; v++) {
      potential[v] += Math.min(distance[v], most);
      const moved = potential[v] - nearPotential[v];
      if (moved < lowest) lowest = moved;
      if (moved > highest) highest = moved;
    }
    drift = highest - lowest;
  }

  /**
   * Sends units along cheapest paths. The flow stays optimal for its new balances.
   * @returns the cost, or null if not all of it can be sent (the rest has been sent)
   */
  function send(from: number, to: number, amount: number): number | null {
    let total = 0;
    let left = amount;
    while (left > 0) {
      search(from, to, false);
      if (distance[to] === Number.POSITIVE_INFINITY) return null;
      const length = distance[to] + potential[to] - potential[from];
      advancePotentials(to, 0);
      const sent = augment(from, to, left);
      left -= sent;
      total += sent * length;
    }
    return total;
  }

  /** Pushes what fits, at most `most`, along the path that the search has found. */
  function augment(from: number, to: number, most: number): number {
    let amount = most;
    for (let v = to; v !== from; v = tail[parent[v]]) amount = Math.min(amount, residual[parent[v]]);
    for (let v = to; v !== from; v = tail[parent[v]]) push(parent[v], amount);
    return amount;
  }

  /**
   * Gives a residual arc more residual and makes the flow optimal again by cycles through it.
   * @returns the saving, ≥ 0
   */
  function widen(number: number, by: number): number {
    const h = placeOf[number];
    const hidden = residual[h];
    // If there is residual already, more of it changes no cycle's sign.
    if (hidden > 0) {
      setResidual(h, residual[h] + by);
      return 0;
    }
    let left = by;
    let saved = 0;
    while (left > 0) {
      const reduced = cost[h] + potential[tail[h]] - potential[head[h]];
      if (reduced >= 0) break;
      search(head[h], tail[h], false);
      const along = distance[tail[h]];
      advancePotentials(tail[h], -reduced);
      if (along + reduced >= 0) break;
      const amount = augment(head[h], tail[h], left);
      setResidual(twin[h], residual[twin[h]] + amount);
      left -= amount;
      saved -= amount * (along + reduced);
    }
    setResidual(h, residual[h] + left);
    return saved;
  }

  /** Closes an arc both ways: what it carries stays. */
  function shut(arc: number): void {
    setResidual(placeOf[2 * arc], 0);
    setResidual(placeOf[2 * arc + 1], 0);
  }

  /**
   * Visits nodes in order of reduced distance from a node (`backward`: to it), along nearby residual arcs: not all
   * nodes, and not by the cheapest paths.
   * @param visit receives each node with its distance and returns the distance up to which to continue
   */
  function explore(
    origin: number,
    backward: boolean,
    visit: (node: number, reduced: number) => number,
  ): void {
    settleFrom(origin, backward, near, visit);
  }

  /**
   * Σ of a weight per arc, negative against its direction, over the path by which the last exploration reached a node.
   */
  function weighPath(node: number, backward: boolean, weightOf: (arc: number) => number): number {
    let total = 0;
    for (let v = node; parent[v] >= 0; v = backward ? head[parent[v]] : tail[parent[v]]) {
      const number = numberAt[parent[v]];
      total += (number & 1 ? -1 : 1) * weightOf(number >> 1);
    }
    return total;
  }

  /**
   * Removes an arc and reroutes its flow.
   * @returns the cost, or null if there is no other way
   */
  function close(arc: number, carried: number): number | null {
    shut(arc);
    const rerouted = send(arcs.from[arc], arcs.to[arc], carried);
    return rerouted === null ? null : rerouted - carried * arcs.cost[arc];
  }

  const improved = settlePotentials(residualArcs, potential, check);
  return {
    distances,
    send,
    widen,
    close,
    shut,
    explore,
    weighPath,
    /** The cost of an arc on a path, in reduced terms: ≥ 0 where the residual arc has residual. */
    reducedCost: (number: number) => {
      const h = placeOf[number];
      return cost[h] + potential[tail[h]] - potential[head[h]];
    },
    /** A new cost for an arc that is shut. */
    setCost(arc: number, price: number): void {
      cost[placeOf[2 * arc]] = price;
      cost[placeOf[2 * arc + 1]] = 0 - price;
      near?.update(placeOf[2 * arc]);
      near?.update(placeOf[2 * arc + 1]);
    },
    /** How much cheaper the initial flow could be made; 0 if it was optimal. */
    improved,
    /** Units on an arc now. */
    flowOn: (arc: number) => residual[placeOf[2 * arc + 1]] + arcs.lower[arc],
    residual: (number: number) => residual[placeOf[number]],
    /** Saves this state. @returns a function that restores it, any number of times */
    mark(): () => void {
      journal ??= { places: [], values: [] };
      const { places, values } = journal;
      const length = places.length;
      refreshNear();
      const potentialBefore = potential.slice();
      return () => {
        drift = 0;
        while (places.length > length) {
          const h = places.pop()!;
          residual[h] = values.pop()!;
          near?.update(h);
        }
        potential.set(potentialBefore);
      };
    },
  };
}

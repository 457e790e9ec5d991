/**
 * Sensitivity of a minimum-cost flow that is already optimal: what sending one unit more between two nodes, taking an
 * arc away or widening it costs, along shortest paths of the residual network. Two-sided and exact, which bare duals
 * are not under degeneracy.
 *
 * Notation: arc a from u to v has half-arcs 2a (u → v, cost c, residual upper − flow) and 2a + 1 (v → u, cost −c,
 *   residual flow − lower). The flow is optimal exactly where no cycle of half-arcs with residual has a negative cost. With
 *   potentials π, c + π_u − π_v ≥ 0 on every such half-arc; Dijkstra on these reduced costs keeps it so after every change.
 * Units: whole cost units and whole vehicles; all arithmetic is exact below 2⁵³.
 * Complexity: m arcs, v nodes. Potentials O(vm) at worst, once (Bellman–Ford, a few passes in practice); O(m log v) per path.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §9.7 (successive shortest paths) and §9.11 (sensitivity).
 */
import { DistanceHeap } from './distance-heap.ts';
import { type ByTail, nearByTail, orderByTail } from './half-arcs.ts';

/** Arcs in parallel arrays, with a feasible flow. `upper` may be infinite. */
export type Arcs = {
  nodes: number;
  from: Int32Array;
  to: Int32Array;
  cost: Float64Array;
  lower: Float64Array;
  upper: Float64Array;
  flow: Float64Array;
};

export type ResidualNetwork = ReturnType<typeof createResidualNetwork>;

export function createResidualNetwork(arcs: Arcs) {
  const { nodes } = arcs;
  const count = arcs.from.length;
  const { all, placeOf, halfAt } = orderByTail(arcs);
  // Everything below is by place: half-arcs in order of their tails, so that a search reads memory in order.
  const tail = new Int32Array(2 * count);
  const head = new Int32Array(2 * count);
  const twin = new Int32Array(2 * count);
  const cost = new Float64Array(2 * count);
  const residual = new Float64Array(2 * count);
  for (let at = 0; at < 2 * count; at++) {
    const h = halfAt[at];
    const a = h >> 1;
    const isForward = (h & 1) === 0;
    twin[at] = placeOf[h ^ 1];
    tail[at] = isForward ? arcs.from[a] : arcs.to[a];
    head[at] = isForward ? arcs.to[a] : arcs.from[a];
    cost[at] = isForward ? arcs.cost[a] : 0 - arcs.cost[a];
    residual[at] = isForward ? arcs.upper[a] - arcs.flow[a] : arcs.flow[a] - arcs.lower[a];
  }

  const potential = new Float64Array(nodes);
  /** Reduced distances of the last search, and the half-arc that each node was reached by (−1: not). */
  const distance = new Float64Array(nodes);
  const parent = new Int32Array(nodes);
  const heap = new DistanceHeap(nodes);
  let improved = 0;

  /** Cancels negative cycles until there are none, and so finds potentials. */
  function settle(): void {
    for (;;) {
      const cycle = findPotentials();
      if (cycle === null) return;
      let amount = Number.POSITIVE_INFINITY;
      for (const h of cycle) amount = Math.min(amount, residual[h]);
      for (const h of cycle) push(h, amount);
      for (const h of cycle) improved -= amount * cost[h];
    }
  }

  /** Bellman–Ford from every node at once. @returns a negative cycle, or null with potentials set */
  function findPotentials(): number[] | null {
    potential.fill(0);
    parent.fill(-1);
    for (let pass = 1; ; pass++) {
      let changed = false;
      for (let h = 0; h < tail.length; h++) {
        if (residual[h] <= 0) continue;
        const reached = potential[tail[h]] + cost[h];
        if (reached < potential[head[h]]) {
          potential[head[h]] = reached;
          parent[head[h]] = h;
          changed = true;
        }
      }
      if (!changed) return null;
      // A cycle of parents is a negative cycle, and there is one after `nodes` passes at the latest.
      if (pass % 8 === 0 || pass > nodes) {
        const cycle = cycleOfParents();
        if (cycle) return cycle;
      }
    }
  }

  function cycleOfParents(): number[] | null {
    const seenFrom = new Int32Array(nodes).fill(-1);
    for (let start = 0; start < nodes; start++) {
      let u = start;
      while (seenFrom[u] < 0 && parent[u] >= 0) {
        seenFrom[u] = start;
        u = tail[parent[u]];
      }
      if (seenFrom[u] !== start || parent[u] < 0) continue;
      const cycle: number[] = [];
      let v = u;
      do {
        cycle.push(parent[v]);
        v = tail[parent[v]];
      } while (v !== u);
      return cycle;
    }
    return null;
  }

  /** What was overwritten since the first mark: places and values, to be put back. */
  let journal: { places: number[]; values: number[] } | null = null;

  function setResidual(h: number, value: number): void {
    journal?.places.push(h);
    journal?.values.push(residual[h]);
    residual[h] = value;
  }

  function push(h: number, amount: number): void {
    setResidual(h, residual[h] - amount);
    setResidual(twin[h], residual[twin[h]] + amount);
  }

  /**
   * Half-arcs of small reduced cost, and by how much potentials have moved apart since, at most. What is left out had a reduced cost
   * above `reach` then: while no more than that is gone through, it is on no cheapest path, and the flow is optimal with it.
   */
  let near: ReturnType<typeof nearByTail> = null;
  let drift = 0;

  function refreshNear(): void {
    near = nearByTail(all, (at) => cost[at] + potential[tail[at]] - potential[head[at]]);
    drift = 0;
  }

  /**
   * Dijkstra on reduced costs. `backward` gives distances to `origin`.
   * @param target stops once this node is settled; −1: settles all
   */
  function search(origin: number, target: number, backward: boolean): void {
    const untilTarget = (node: number) => (node === target ? Number.NEGATIVE_INFINITY : distance[target]);
    if (target >= 0 && near) {
      settleFrom(origin, backward, near, untilTarget);
      if (distance[target] + drift <= near.reach) return;
      // Potentials that have moved far apart: those nearby are others now. Not while they are to be put back.
      if (journal === null && drift > near.reach / 2) {
        refreshNear();
        settleFrom(origin, backward, near, untilTarget);
        if (distance[target] <= near.reach) return;
      }
    }
    settleFrom(origin, backward, all, target < 0 ? () => Number.POSITIVE_INFINITY : untilTarget);
  }

  /**
   * Settles nodes in order of their reduced distance.
   * @param visit is told each node with its distance, and says up to which distance to go on
   */
  function settleFrom(
    origin: number,
    backward: boolean,
    { starts, items }: ByTail,
    visit: (node: number, reduced: number) => number,
  ): void {
    distance.fill(Number.POSITIVE_INFINITY);
    parent.fill(-1);
    heap.clear();
    distance[origin] = 0;
    heap.push(origin, 0);
    let limit = Number.POSITIVE_INFINITY;
    for (let u = heap.pop(); u >= 0 && distance[u] <= limit; u = heap.pop()) {
      limit = visit(u, distance[u]);
      if (limit < distance[u]) return;
      const settled = distance[u] + (backward ? 0 - potential[u] : potential[u]);
      for (let x = starts[u]; x < starts[u + 1]; x++) {
        const at = items[x];
        const h = backward ? twin[at] : at;
        if (residual[h] <= 0) continue;
        const v = head[at];
        const along = backward ? settled + cost[h] + potential[v] : settled + cost[h] - potential[v];
        if (along >= distance[v] || along > limit) continue;
        distance[v] = along;
        parent[v] = h;
        heap.push(v, along);
      }
    }
  }

  /** Cost of a cheapest path from `from` to every node (or from every node to it); infinite where there is none. */
  function distances(from: number, backward = false): Float64Array {
    search(from, -1, backward);
    return distance.map((d, v) =>
      backward ? d + potential[from] - potential[v] : d + potential[v] - potential[from],
    );
  }

  /** Potentials after a search that has settled `target`, or all there is (`atLeast`: how far the rest is then taken to be). */
  function advancePotentials(target: number, atLeast: number): void {
    let most = atLeast;
    if (distance[target] < Number.POSITIVE_INFINITY) most = distance[target];
    else for (const d of distance) if (d < Number.POSITIVE_INFINITY && d > most) most = d;
    for (let v = 0; v < nodes; v++) potential[v] += Math.min(distance[v], most);
    drift += most;
  }

  /**
   * Sends units along cheapest paths. The flow stays optimal for its new balances.
   * @returns the cost, or null where not all of it can be sent (what could be sent, was)
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
   * Gives a half-arc more residual and makes the flow optimal again, by cycles through it.
   * @returns what that saves, ≥ 0
   */
  function widen(half: number, by: number): number {
    const h = placeOf[half];
    const hidden = residual[h];
    // Where there is residual already, more of it changes no cycle's sign.
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
   * Nodes in order of their reduced distance from a node (`backward`: to it), over those nearby: not all, and not by the cheapest paths.
   * @param visit is told each node with its distance, and says up to which distance to go on
   */
  function explore(
    origin: number,
    backward: boolean,
    visit: (node: number, reduced: number) => number,
  ): void {
    settleFrom(origin, backward, near ?? all, visit);
  }

  /** Σ of a weight per arc, negative against its direction, over the path by which the last exploration came to a node. */
  function weighPath(node: number, backward: boolean, weightOf: (arc: number) => number): number {
    let total = 0;
    for (let v = node; parent[v] >= 0; v = backward ? head[parent[v]] : tail[parent[v]]) {
      const half = halfAt[parent[v]];
      total += (half & 1 ? -1 : 1) * weightOf(half >> 1);
    }
    return total;
  }

  /**
   * Takes an arc away and sends what it carried along others.
   * @returns the cost of that, or null where there is no other way
   */
  function close(arc: number, carried: number): number | null {
    shut(arc);
    const rerouted = send(arcs.from[arc], arcs.to[arc], carried);
    return rerouted === null ? null : rerouted - carried * arcs.cost[arc];
  }

  settle();
  refreshNear();
  return {
    distances,
    send,
    widen,
    close,
    shut,
    explore,
    weighPath,
    /** The cost of an arc on a path, in reduced terms: ≥ 0 where the half-arc has residual. */
    reducedCost: (half: number) => {
      const h = placeOf[half];
      return cost[h] + potential[tail[h]] - potential[head[h]];
    },
    /** A new cost for an arc that is shut. */
    setCost(arc: number, price: number): void {
      cost[placeOf[2 * arc]] = price;
      cost[placeOf[2 * arc + 1]] = 0 - price;
    },
    /** How much cheaper the flow could be made without any change; 0 where it was optimal. */
    improved,
    /** Units on an arc now. */
    flowOn: (arc: number) => residual[placeOf[2 * arc + 1]] + arcs.lower[arc],
    residual: (half: number) => residual[placeOf[half]],
    /** Remembers this state. @returns puts it back, as often as asked */
    mark(): () => void {
      journal ??= { places: [], values: [] };
      const { places, values } = journal;
      const length = places.length;
      refreshNear();
      const potentialBefore = potential.slice();
      return () => {
        drift = 0;
        while (places.length > length) residual[places.pop()!] = values.pop()!;
        potential.set(potentialBefore);
      };
    },
  };
}

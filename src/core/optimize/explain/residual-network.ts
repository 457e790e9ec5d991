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
  const { starts, placeOf, halfAt } = orderByTail(arcs);
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
   * Dijkstra on reduced costs. `backward` gives distances to `origin`.
   * @param target stops once this node is settled; −1: settles all
   */
  function search(origin: number, target: number, backward: boolean): void {
    distance.fill(Number.POSITIVE_INFINITY);
    parent.fill(-1);
    heap.clear();
    distance[origin] = 0;
    heap.push(origin, 0);
    for (let u = heap.pop(); u >= 0 && u !== target; u = heap.pop()) {
      const settled = distance[u] + (backward ? 0 - potential[u] : potential[u]);
      for (let at = starts[u]; at < starts[u + 1]; at++) {
        const h = backward ? twin[at] : at;
        if (residual[h] <= 0) continue;
        const v = head[at];
        const along = backward ? settled + cost[h] + potential[v] : settled + cost[h] - potential[v];
        // Where a target is given, nothing behind it matters.
        if (along >= distance[v] || (target >= 0 && along >= distance[target])) continue;
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

  /**
   * Takes an arc away and sends what it carried along others.
   * @returns the cost of that, or null where there is no other way
   */
  function close(arc: number, carried: number): number | null {
    setResidual(placeOf[2 * arc], 0);
    setResidual(placeOf[2 * arc + 1], 0);
    const rerouted = send(arcs.from[arc], arcs.to[arc], carried);
    return rerouted === null ? null : rerouted - carried * arcs.cost[arc];
  }

  settle();
  return {
    distances,
    send,
    widen,
    close,
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
      const potentialBefore = potential.slice();
      return () => {
        while (places.length > length) residual[places.pop()!] = values.pop()!;
        potential.set(potentialBefore);
      };
    },
  };
}

/** Half-arcs 2a and 2a + 1 of every arc, in order of the node they leave. */
function orderByTail({ nodes, from, to }: Arcs) {
  const starts = new Int32Array(nodes + 1);
  for (let a = 0; a < from.length; a++) {
    starts[from[a] + 1]++;
    starts[to[a] + 1]++;
  }
  for (let u = 0; u < nodes; u++) starts[u + 1] += starts[u];
  const placeOf = new Int32Array(2 * from.length);
  const halfAt = new Int32Array(2 * from.length);
  const fill = starts.slice();
  for (let h = 0; h < placeOf.length; h++) {
    const at = fill[h & 1 ? to[h >> 1] : from[h >> 1]]++;
    placeOf[h] = at;
    halfAt[at] = h;
  }
  return { starts, placeOf, halfAt };
}

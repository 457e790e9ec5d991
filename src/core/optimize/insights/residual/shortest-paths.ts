/** Shortest paths of a residual network, by Dijkstra on reduced costs: first among nearby arcs, if these suffice. */
import type { NearArcs } from './near-arcs.ts';
import { type ResidualNetwork, refreshNear } from './residual-network.ts';

/** Nodes settled between two looks at the clock, of up to some thousand residual arcs each. */
const NODES_PER_LOOK = 128;

/**
 * Dijkstra on reduced costs. `backward` gives distances to `origin`.
 * @param target stops once this node is settled; −1: settles all
 */
export function searchPaths(
  network: ResidualNetwork,
  origin: number,
  target: number,
  backward: boolean,
): void {
  const { distance } = network;
  network.check();
  const untilTarget = (node: number) => (node === target ? Number.NEGATIVE_INFINITY : distance[target]);
  if (target >= 0 && network.hasNear) {
    if (isFoundNearby(network, origin, target, backward, untilTarget)) return;
    // With a large drift of potentials, other arcs are near. Not while the state is to be restored.
    const { near } = network;
    if (network.journal === null && (near === null || network.drift > near.reach / 2)) {
      refreshNear(network);
      if (isFoundNearby(network, origin, target, backward, untilTarget)) return;
    }
  }
  settleFrom(network, origin, backward, null, target < 0 ? () => Number.POSITIVE_INFINITY : untilTarget);
}

function isFoundNearby(
  network: ResidualNetwork,
  origin: number,
  target: number,
  backward: boolean,
  visit: (node: number) => number,
): boolean {
  const { near, drift } = network;
  if (near === null || drift > near.reach) return false;
  settleFrom(network, origin, backward, near, visit);
  return network.distance[target] + drift <= near.reach;
}

/**
 * Settles nodes in order of reduced distance.
 * @param among null: all residual arcs
 * @param visit receives each node with its distance and returns the distance up to which to continue
 */
function settleFrom(
  network: ResidualNetwork,
  origin: number,
  backward: boolean,
  among: NearArcs | null,
  visit: (node: number, reduced: number) => number,
): void {
  const { residualArcs, potential, distance, parent, heap, check } = network;
  const { starts } = residualArcs;
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
      relaxNear(network, among, u, settled, sign, limit);
      for (const at of among.joined[u] ?? []) relax(network, at, at + 1, settled, sign, limit);
    } else relax(network, starts[u], starts[u + 1], settled, sign, limit);
  }
}

/** The same as `relax`, for the nearby residual arcs that leave `u`. */
function relaxNear(
  { residualArcs, potential, distance, parent, heap }: ResidualNetwork,
  among: NearArcs,
  u: number,
  settled: number,
  sign: number,
  limit: number,
): void {
  const { twin } = residualArcs;
  const { heads, costs, places } = among;
  const isOpen = sign < 0 ? among.isTwinOpen : among.isOpen;
  const end = among.starts[u + 1];
  for (let x = among.starts[u]; x < end; x++) {
    if (isOpen[x] === 0) continue;
    const v = heads[x];
    const along = settled + sign * (costs[x] - potential[v]);
    if (along >= distance[v] || along > limit) continue;
    distance[v] = along;
    parent[v] = sign < 0 ? twin[places[x]] : places[x];
    heap.push(v, along);
  }
}

/**
 * Reaches the heads of the residual arcs at the places from `first` up to `end` along them, or (`sign` −1) along
 * their twins.
 * @param settled distance and potential of their tail
 */
function relax(
  { residualArcs, potential, distance, parent, heap }: ResidualNetwork,
  first: number,
  end: number,
  settled: number,
  sign: number,
  limit: number,
): void {
  const { head, twin, cost, residual } = residualArcs;
  for (let at = first; at < end; at++) {
    const v = head[at];
    const along = settled + sign * (cost[at] - potential[v]);
    if (along >= distance[v] || along > limit) continue;
    const h = sign < 0 ? twin[at] : at;
    if (residual[h] <= 0) continue;
    distance[v] = along;
    parent[v] = h;
    heap.push(v, along);
  }
}

/** Cost of a cheapest path from `from` to every node (or from every node to it); infinite if there is none. */
export function distances(network: ResidualNetwork, from: number, backward = false): Float64Array {
  const { potential, distance } = network;
  searchPaths(network, from, -1, backward);
  return distance.map((d, v) =>
    backward ? d + potential[from] - potential[v] : d + potential[v] - potential[from],
  );
}

/**
 * Visits nodes in order of reduced distance from a node (`backward`: to it), along nearby residual arcs: not all
 * nodes, and not by the cheapest paths.
 * @param visit receives each node with its distance and returns the distance up to which to continue
 */
export function explore(
  network: ResidualNetwork,
  origin: number,
  backward: boolean,
  visit: (node: number, reduced: number) => number,
): void {
  settleFrom(network, origin, backward, network.near, visit);
}

/**
 * Σ of a weight per arc, negative against its direction, over the path by which the last exploration reached a node.
 */
export function weighPath(
  { residualArcs, parent }: ResidualNetwork,
  node: number,
  backward: boolean,
  weightOf: (arc: number) => number,
): number {
  const { tail, head, numberAt } = residualArcs;
  let total = 0;
  for (let v = node; parent[v] >= 0; v = backward ? head[parent[v]] : tail[parent[v]]) {
    const number = numberAt[parent[v]];
    total += (number & 1 ? -1 : 1) * weightOf(number >> 1);
  }
  return total;
}

/** Changes of a flow along shortest paths of its residual network, after each of which it is optimal again. */
import { push, type ResidualNetwork, setResidual, shutArc } from './residual-network.ts';
import { searchPaths } from './shortest-paths.ts';

/**
 * Updates potentials after a search that has settled `target`, or all nodes (`atLeast`: assumed distance of the
 * rest).
 */
function advancePotentials(network: ResidualNetwork, target: number, atLeast: number): void {
  const { potential, nearPotential, distance } = network;
  let most = atLeast;
  if (distance[target] < Number.POSITIVE_INFINITY) most = distance[target];
  else for (const d of distance) if (d < Number.POSITIVE_INFINITY && d > most) most = d;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (let v = 0; v < potential.length; v++) {
    potential[v] += Math.min(distance[v], most);
    const moved = potential[v] - nearPotential[v];
    if (moved < lowest) lowest = moved;
    if (moved > highest) highest = moved;
  }
  network.drift = highest - lowest;
}

/**
 * Sends units along cheapest paths. The flow stays optimal for its new balances.
 * @returns the cost, or null if not all of it can be sent (what could be sent has been)
 */
export function sendUnits(network: ResidualNetwork, from: number, to: number, amount: number): number | null {
  const { potential, distance } = network;
  let total = 0;
  let left = amount;
  while (left > 0) {
    searchPaths(network, from, to, false);
    if (distance[to] === Number.POSITIVE_INFINITY) return null;
    const length = distance[to] + potential[to] - potential[from];
    advancePotentials(network, to, 0);
    const sent = augment(network, from, to, left);
    left -= sent;
    total += sent * length;
  }
  return total;
}

/** Pushes what fits, at most `most`, along the path that the search has found. */
function augment(network: ResidualNetwork, from: number, to: number, most: number): number {
  const { residualArcs, parent } = network;
  const { tail, residual } = residualArcs;
  let amount = most;
  for (let v = to; v !== from; v = tail[parent[v]]) amount = Math.min(amount, residual[parent[v]]);
  for (let v = to; v !== from; v = tail[parent[v]]) push(network, parent[v], amount);
  return amount;
}

/**
 * Gives a residual arc more residual and makes the flow optimal again by cycles through it.
 * @returns the saving, ≥ 0
 */
export function widenArc(network: ResidualNetwork, number: number, by: number): number {
  const { residualArcs, potential, distance } = network;
  const { tail, head, twin, cost, residual, placeOf } = residualArcs;
  const h = placeOf[number];
  const hidden = residual[h];
  // If there is residual already, more of it changes no cycle's sign.
  if (hidden > 0) {
    setResidual(network, h, residual[h] + by);
    return 0;
  }
  let left = by;
  let saved = 0;
  while (left > 0) {
    const reduced = cost[h] + potential[tail[h]] - potential[head[h]];
    if (reduced >= 0) break;
    searchPaths(network, head[h], tail[h], false);
    const along = distance[tail[h]];
    advancePotentials(network, tail[h], -reduced);
    if (along + reduced >= 0) break;
    const amount = augment(network, head[h], tail[h], left);
    setResidual(network, twin[h], residual[twin[h]] + amount);
    left -= amount;
    saved -= amount * (along + reduced);
  }
  setResidual(network, h, residual[h] + left);
  return saved;
}

/**
 * Removes an arc and reroutes its flow.
 * @returns the cost, or null if there is no other way
 */
export function closeArc(network: ResidualNetwork, arc: number, carried: number): number | null {
  const { arcs } = network;
  shutArc(network, arc);
  const rerouted = sendUnits(network, arcs.from[arc], arcs.to[arc], carried);
  return rerouted === null ? null : rerouted - carried * arcs.cost[arc];
}

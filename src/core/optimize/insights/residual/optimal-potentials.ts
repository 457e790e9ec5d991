/** Potentials of a flow, which is first made optimal if necessary. */
import type { ResidualArcs } from './residual-arcs.ts';

/** Passes between two looks for a cycle. */
const LOOK_EVERY = 8;
/** Nodes passed between two looks at the clock. */
const NODES_PER_LOOK = 512;

/**
 * Cancels negative cycles until there are none. Bellman–Ford from every node at once: O(passes · m), few passes in
 * practice.
 * @param check called every few milliseconds
 * @returns how much cheaper the flow has become; 0 if it was optimal
 */
export function settlePotentials(
  residualArcs: ResidualArcs,
  potential: Float64Array,
  check: () => void,
): number {
  const { residual, cost, twin } = residualArcs;
  let improved = 0;
  for (;;) {
    const cycle = findPotentials(residualArcs, potential, check);
    if (cycle === null) return improved;
    let amount = Number.POSITIVE_INFINITY;
    for (const h of cycle) amount = Math.min(amount, residual[h]);
    for (const h of cycle) {
      residual[h] -= amount;
      residual[twin[h]] += amount;
      improved -= amount * cost[h];
    }
  }
}

/** @returns a negative cycle, or null with potentials set */
function findPotentials(
  residualArcs: ResidualArcs,
  potential: Float64Array,
  check: () => void,
): number[] | null {
  const { starts, head, cost, residual } = residualArcs;
  const nodes = potential.length;
  const parent = new Int32Array(nodes).fill(-1);
  potential.fill(0);
  for (let pass = 1; ; pass++) {
    let changed = false;
    for (let u = 0; u < nodes; u++) {
      if (u % NODES_PER_LOOK === 0) check();
      for (let h = starts[u]; h < starts[u + 1]; h++) {
        if (residual[h] <= 0) continue;
        const reached = potential[u] + cost[h];
        if (reached >= potential[head[h]]) continue;
        potential[head[h]] = reached;
        parent[head[h]] = h;
        changed = true;
      }
    }
    if (!changed) return null;
    // A cycle of parents is a negative cycle, and there is one after `nodes` passes at the latest.
    if (pass % LOOK_EVERY === 0 || pass > nodes) {
      const cycle = cycleOfParents(parent, residualArcs.tail);
      if (cycle) return cycle;
    }
  }
}

function cycleOfParents(parent: Int32Array, tail: Int32Array): number[] | null {
  const seenFrom = new Int32Array(parent.length).fill(-1);
  for (let start = 0; start < parent.length; start++) {
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

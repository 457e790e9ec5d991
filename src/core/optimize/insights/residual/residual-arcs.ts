/** Residual arcs of a residual network, in the order that searches read them. */

/** Arcs in parallel arrays, with a feasible flow. `upper` may be infinite. */
export type FlowArcs = {
  nodes: number;
  from: Int32Array;
  to: Int32Array;
  cost: Float64Array;
  lower: Float64Array;
  upper: Float64Array;
  flow: Float64Array;
};

/**
 * By place: the arcs that leave node u are at `starts[u]` up to `starts[u + 1]`, so that a search reads memory in
 * order.
 */
export type ResidualArcs = {
  starts: Int32Array;
  tail: Int32Array;
  head: Int32Array;
  /** Place of the opposite residual arc. */
  twin: Int32Array;
  cost: Float64Array;
  residual: Float64Array;
  /** From a residual arc's number (2a forward, 2a + 1 backward) to its place, and back. */
  placeOf: Int32Array;
  numberAt: Int32Array;
};

const CHECK_EVERY = 1 << 16;

/** @param check called every few milliseconds */
export function createResidualArcs(arcs: FlowArcs, check: () => void): ResidualArcs {
  const { nodes, from, to } = arcs;
  const count = 2 * from.length;
  const starts = new Int32Array(nodes + 1);
  for (let a = 0; a < from.length; a++) {
    if (a % CHECK_EVERY === 0) check();
    starts[from[a] + 1]++;
    starts[to[a] + 1]++;
  }
  for (let u = 0; u < nodes; u++) starts[u + 1] += starts[u];
  const residualArcs: ResidualArcs = {
    starts,
    tail: new Int32Array(count),
    head: new Int32Array(count),
    twin: new Int32Array(count),
    cost: new Float64Array(count),
    residual: new Float64Array(count),
    placeOf: new Int32Array(count),
    numberAt: new Int32Array(count),
  };
  const fill = starts.slice();
  for (let a = 0; a < from.length; a++) {
    if (a % CHECK_EVERY === 0) check();
    const forward = fill[from[a]]++;
    const backward = fill[to[a]]++;
    set(residualArcs, forward, backward, 2 * a, from[a], to[a], arcs.cost[a], arcs.upper[a] - arcs.flow[a]);
    set(
      residualArcs,
      backward,
      forward,
      2 * a + 1,
      to[a],
      from[a],
      0 - arcs.cost[a],
      arcs.flow[a] - arcs.lower[a],
    );
  }
  return residualArcs;
}

function set(
  residualArcs: ResidualArcs,
  at: number,
  twin: number,
  number: number,
  tail: number,
  head: number,
  cost: number,
  residual: number,
): void {
  residualArcs.placeOf[number] = at;
  residualArcs.numberAt[at] = number;
  residualArcs.twin[at] = twin;
  residualArcs.tail[at] = tail;
  residualArcs.head[at] = head;
  residualArcs.cost[at] = cost;
  residualArcs.residual[at] = residual;
}

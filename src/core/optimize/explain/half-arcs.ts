/** Half-arcs in the order that searches of a residual network read them. */

/** Places of half-arcs by the node that they leave: of node u, `items` from `starts[u]` up to `starts[u + 1]`. */
export type ByTail = { starts: Int32Array; items: Int32Array };

/** Half-arcs 2a and 2a + 1 of every arc from `from[a]` to `to[a]`, in order of the node they leave. */
export function orderByTail({ nodes, from, to }: { nodes: number; from: Int32Array; to: Int32Array }) {
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
  const all: ByTail = { starts, items: Int32Array.from(halfAt, (_, at) => at) };
  return { all, placeOf, halfAt };
}

/** Arcs that a node keeps about, of those nearest in reduced cost. */
const NEAR_PER_NODE = 48;
const SAMPLE = 4096;

/**
 * Those of which the reduced cost is at most `reach` either way; about as many as a search needs to find what is nearby.
 * @param reducedAt reduced cost by place
 * @returns null where there are too few arcs to leave any out
 */
export function nearByTail(
  all: ByTail,
  reducedAt: (place: number) => number,
): (ByTail & { reach: number }) | null {
  const nodes = all.starts.length - 1;
  const count = all.items.length;
  if (count <= 4 * NEAR_PER_NODE * nodes) return null;
  const sample = Float64Array.from({ length: SAMPLE }, (_, s) =>
    Math.abs(reducedAt(Math.floor((s * count) / SAMPLE))),
  ).sort();
  const reach = sample[Math.floor((SAMPLE * NEAR_PER_NODE * nodes) / count)];
  const starts = new Int32Array(nodes + 1);
  const items: number[] = [];
  for (let u = 0; u < nodes; u++) {
    for (let at = all.starts[u]; at < all.starts[u + 1]; at++) {
      if (Math.abs(reducedAt(at)) <= reach) items.push(at);
    }
    starts[u + 1] = items.length;
  }
  return { starts, items: Int32Array.from(items), reach };
}

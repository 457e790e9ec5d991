/**
 * The residual arcs of small reduced cost, copied together for local searches: a few per cent of a dense network.
 *
 * An omitted arc had residual and a reduced cost above `reach` (or its twin had). With potentials that have moved by at
 * most `drift` since, it is on no path shorter than `reach − drift`. An arc without residual joins when it gets some.
 */
import type { ResidualArcs } from './residual-arcs.ts';

export type NearArcs = ReturnType<typeof findNearArcs>;

/** Approximate number of residual arcs kept per node. */
export const NEAR_PER_NODE = 48;
/** With fewer than this many times as many arcs, the copy does not pay. */
const MIN_FACTOR = 4;
const SAMPLE = 4096;
const JOINED = -2;
/** Between two looks at the clock. */
const NODES_PER_LOOK = 256;
const RESIDUAL_ARCS_PER_LOOK = 1 << 19;

/** Whether there are enough residual arcs to omit some. */
export function isDense({ starts, head }: ResidualArcs, perNode: number): boolean {
  return head.length > MIN_FACTOR * perNode * (starts.length - 1);
}

/** @param check called every few milliseconds */
export function findNearArcs(
  residualArcs: ResidualArcs,
  potential: Float64Array,
  perNode: number,
  check: () => void,
) {
  const { starts: allStarts, tail, head, cost, twin, residual } = residualArcs;
  const nodes = allStarts.length - 1;
  const count = head.length;
  const reducedAt = (at: number) => Math.abs(cost[at] + potential[tail[at]] - potential[head[at]]);
  const sample = Float64Array.from({ length: Math.min(SAMPLE, count) }, (_, s) =>
    reducedAt(Math.floor((s * count) / Math.min(SAMPLE, count))),
  ).sort();
  const reach = sample[Math.floor((sample.length * perNode * nodes) / count)];
  /** Position among those nearby, −1: not there. */
  const positionOf = new Int32Array(count).fill(-1);
  const starts = new Int32Array(nodes + 1);
  let kept = 0;
  for (let u = 0; u < nodes; u++) {
    if (u % NODES_PER_LOOK === 0) check();
    const from = potential[u];
    for (let at = allStarts[u]; at < allStarts[u + 1]; at++) {
      if (Math.abs(cost[at] + from - potential[head[at]]) <= reach) positionOf[at] = kept++;
    }
    starts[u + 1] = kept;
  }
  const places = new Int32Array(kept);
  const heads = new Int32Array(kept);
  const costs = new Float64Array(kept);
  const isOpen = new Uint8Array(kept);
  const isTwinOpen = new Uint8Array(kept);
  for (let at = 0; at < count; at++) {
    if (at % RESIDUAL_ARCS_PER_LOOK === 0) check();
    const x = positionOf[at];
    if (x < 0) continue;
    places[x] = at;
    heads[x] = head[at];
    costs[x] = cost[at];
    isOpen[x] = residual[at] > 0 ? 1 : 0;
    isTwinOpen[x] = residual[twin[at]] > 0 ? 1 : 0;
  }
  /** Those that joined, by the node that they leave. */
  const joined: (number[] | undefined)[] = new Array(nodes);
  return {
    reach,
    starts,
    places,
    heads,
    costs,
    isOpen,
    isTwinOpen,
    joined,
    /** Call when a residual arc's residual changes, or its cost, which may change while neither twin has residual. */
    update(at: number): void {
      const open = residual[at] > 0 ? 1 : 0;
      if (positionOf[at] >= 0) {
        costs[positionOf[at]] = cost[at];
        isOpen[positionOf[at]] = open;
        isTwinOpen[positionOf[twin[at]]] = open;
      } else if (positionOf[at] === -1 && open) {
        for (const side of [at, twin[at]]) {
          positionOf[side] = JOINED;
          joined[tail[side]] ??= [];
          joined[tail[side]]!.push(side);
        }
      }
    },
  };
}

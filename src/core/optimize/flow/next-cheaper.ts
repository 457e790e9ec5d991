/**
 * How the proofs over all moves (`certify.ts`, `lagrangian/bound.ts`) read a row of costs. The search has a loop of its own
 * (`arcs.ts`), so that a fault in one cannot hide a fault in the other.
 */

/** First position from `from` on, before `end`, whose cost is below `most`; `end` where there is none. O(positions passed). */
export function nextCheaper(
  units: Float64Array | Int32Array,
  from: number,
  end: number,
  most: number,
): number {
  let a = from;
  // Four at a time, which takes half the time of one by one.
  while (
    a + 4 <= end &&
    !(units[a] < most || units[a + 1] < most || units[a + 2] < most || units[a + 3] < most)
  ) {
    a += 4;
  }
  while (a < end && !(units[a] < most)) a++;
  return a;
}

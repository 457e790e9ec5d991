/**
 * How the proofs over all moves (`certify.ts`, `lagrangian/bound.ts`) read a row of costs. The search has a separate
 * loop (`arcs.ts`), so that a fault in one cannot hide a fault in the other.
 */

/** First position from `from` up to `end` whose cost is below `most`; `end` if none is. O(positions passed). */
export function nextCheaper(
  units: Float64Array | Int32Array,
  from: number,
  end: number,
  most: number,
): number {
  let a = from;
  // Comparing four positions at a time halves the time.
  while (
    a + 4 <= end &&
    !(units[a] < most || units[a + 1] < most || units[a + 2] < most || units[a + 3] < most)
  ) {
    a += 4;
  }
  while (a < end && !(units[a] < most)) a++;
  return a;
}

/**
 * First target from `from` up to `n` whose cost, in the row of costs that begins at `row`, is below `most` minus its
 * relief; `n` if none is. O(targets passed).
 */
export function nextUnderpriced(
  units: Float64Array | Int32Array,
  row: number,
  n: number,
  from: number,
  most: number,
  relief: Float64Array,
): number {
  for (let j = from; j < n; j++) if (units[row + j] < most - relief[j]) return j;
  return n;
}

/** The same for listed moves at `factor` times their costs, rounded down: a position, or `end`. O(positions passed). */
export function nextUnderpricedListed(
  units: Float64Array | Int32Array,
  targets: Int32Array,
  from: number,
  end: number,
  most: number,
  relief: Float64Array,
  factor: number,
): number {
  let a = from;
  if (factor === 1) while (a < end && !(units[a] < most - relief[targets[a]])) a++;
  else while (a < end && !(Math.floor(units[a] * factor) < most - relief[targets[a]])) a++;
  return a;
}

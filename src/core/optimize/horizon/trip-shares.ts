/** Where trips end, from counts: the largest shares of each location, so that the model stays sparse. */
import type { TripFlows } from './types.ts';

/** Share of the trips of a location that the model follows; the rest is added to these in proportion. */
const FOLLOWED = 0.98;

/**
 * @param counts n × n trips by location where they begin, then where they end; ≥ 0
 * @returns the shares; the trips of a location without counts end where they begin
 */
export function shareTrips(n: number, counts: ArrayLike<number>): TripFlows {
  const starts = new Int32Array(n + 1);
  const targets: number[] = [];
  const shares: number[] = [];
  for (let i = 0; i < n; i++) {
    const ends = Array.from({ length: n }, (_, j) => ({ j, count: counts[i * n + j] }));
    const total = ends.reduce((sum, { count }) => sum + count, 0);
    ends.sort((a, b) => b.count - a.count || a.j - b.j);
    let followed = 0;
    const kept: typeof ends = [];
    for (const end of ends) {
      if (followed >= FOLLOWED * total) break;
      kept.push(end);
      followed += end.count;
    }
    if (followed === 0) kept.push({ j: i, count: 1 });
    for (const { j, count } of kept.sort((a, b) => a.j - b.j)) {
      targets.push(j);
      shares.push(count / Math.max(followed, count));
    }
    starts[i + 1] = targets.length;
  }
  return { starts, targets: Int32Array.from(targets), shares: Float64Array.from(shares) };
}

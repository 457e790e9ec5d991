/** The places of a fleet when a replay begins, if it is not a stored one. */
import type { DemandSeries } from '../forecast/types.ts';

/** A fleet of a size in proportion to the mean demand before an hour: the largest remainders get the odd vehicles. */
export function placeInProportion(
  series: readonly DemandSeries[],
  beforeHour: number,
  size: number,
): Int32Array {
  const weights = series.map(({ startHour, values }) => {
    const before = values.subarray(0, Math.max(0, beforeHour - startHour)).filter((value) => value >= 0);
    return before.reduce((sum, value) => sum + value, 0) / Math.max(1, before.length);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const exact = weights.map(
    (weight) => (size * (total > 0 ? weight : 1)) / (total > 0 ? total : weights.length),
  );
  const fleet = Int32Array.from(exact, Math.floor);
  const odd = exact
    .map((value, j) => ({ j, rest: value - fleet[j] }))
    .sort((a, b) => b.rest - a.rest || a.j - b.j);
  const missing = size - fleet.reduce((sum, vehicles) => sum + vehicles, 0);
  for (const { j } of odd.slice(0, missing)) fleet[j]++;
  return fleet;
}

/**
 * How large past errors are, by level of the forecast.
 *
 * Notation: e error of a step on the scale of the series' transform g; x = g(forecast) its level.
 *   scale    s(x) = (n_j |e|_j + 20 |e|) / (n_j + 20) at the mean level of group j, linear between groups, constant outside
 * with up to eight groups of like level, 60 errors at least in each, n_j and |e|_j their number and mean |e|, |e| the mean of all.
 * A busy hour errs less than a quiet one with the logarithm, more with the root where it is more than a Poisson count; one width for
 * all is too wide for the one and too narrow for the other.
 * Complexity O(n log n).
 */
const MOST_GROUPS = 8;
const LEAST_IN_GROUP = 60;
const SHRINKAGE = 20;

/** Mean |error| of a step by its level, above 0. */
export type ErrorScale = (level: number) => number;

export const sumOfSizes = (errors: Float64Array): number => errors.reduce((sum, e) => sum + Math.abs(e), 0);

/** s(x) of past errors; 1 where there are none, or none but 0. */
export function scaleByLevel(levels: Float64Array, errors: Float64Array): ErrorScale {
  const n = errors.length;
  const overall = sumOfSizes(errors) / n;
  if (!(overall > 0)) return () => 1;
  const groups = Math.min(MOST_GROUPS, Math.floor(n / LEAST_IN_GROUP));
  if (groups < 2) return () => overall;
  const order = Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => levels[a]! - levels[b]!);
  const at = new Float64Array(groups);
  const scales = new Float64Array(groups);
  for (let j = 0; j < groups; j++) {
    const members = order.subarray(Math.floor((j * n) / groups), Math.floor(((j + 1) * n) / groups));
    let sizes = SHRINKAGE * overall;
    for (const i of members) {
      at[j]! += levels[i]! / members.length;
      sizes += Math.abs(errors[i]!);
    }
    scales[j] = sizes / (members.length + SHRINKAGE);
  }
  return (level) => {
    if (!(level > at[0]!)) return scales[0]!;
    for (let j = 1; j < groups; j++) {
      if (level > at[j]!) continue;
      return scales[j - 1]! + ((level - at[j - 1]!) / (at[j]! - at[j - 1]!)) * (scales[j]! - scales[j - 1]!);
    }
    return scales[groups - 1]!;
  };
}

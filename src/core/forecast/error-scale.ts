/**
 * How large past errors are, by level of the forecast.
 *
 * Notation: e error of the root of a step; x = √forecast its level.
 *   scale    s(x) = (n_j |e|_j + 20 |e|) / (n_j + 20) at the mean level of group j,
 *            linear between groups, constant outside
 * with up to eight groups of similar level, each with at least 60 errors; n_j and |e|_j are the number and mean |e| of
 * a group, |e| is the mean of all.
 * Busy hours have larger errors than quiet ones if demand varies more than a Poisson count. One width for all would be
 * too wide for some hours and too narrow for others.
 * Complexity O(n log n).
 */
const MAX_GROUPS = 8;
const MIN_IN_GROUP = 60;
const SHRINKAGE = 20;

/** Mean |error| of a step by its level, above 0. */
export type ErrorScale = (level: number) => number;

export function sumOfSizes(errors: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < errors.length; i++) sum += Math.abs(errors[i]);
  return sum;
}

/** s(x) of past errors; 1 if there are none, or if all are 0. */
export function scaleByLevel(levels: Float64Array, errors: Float64Array): ErrorScale {
  const n = errors.length;
  const overall = sumOfSizes(errors) / n;
  if (!(overall > 0)) return () => 1;
  const groups = Math.min(MAX_GROUPS, Math.floor(n / MIN_IN_GROUP));
  if (groups < 2) return () => overall;
  const sorted = levels.slice().sort();
  const ends = Float64Array.from(
    { length: groups - 1 },
    (_, j) => sorted[Math.floor(((j + 1) * n) / groups)],
  );
  const counts = new Float64Array(groups);
  const at = new Float64Array(groups);
  const scales = new Float64Array(groups);
  for (let i = 0; i < n; i++) {
    let j = 0;
    while (j < groups - 1 && levels[i] >= ends[j]) j++;
    counts[j]++;
    at[j] += levels[i];
    scales[j] += Math.abs(errors[i]);
  }
  for (let j = 0; j < groups; j++) {
    scales[j] = (scales[j] + SHRINKAGE * overall) / (counts[j] + SHRINKAGE);
    at[j] = counts[j] === 0 ? sorted[0] : at[j] / counts[j];
    if (j === 0 || counts[j] !== 0) continue;
    // Equal levels all fall into one group and leave other groups empty.
    at[j] = at[j - 1];
    scales[j] = scales[j - 1];
  }
  return (level) => {
    if (!(level > at[0])) return scales[0];
    for (let j = 1; j < groups; j++) {
      if (level > at[j]) continue;
      return scales[j - 1] + ((level - at[j - 1]) / (at[j] - at[j - 1])) * (scales[j] - scales[j - 1]);
    }
    return scales[groups - 1];
  };
}

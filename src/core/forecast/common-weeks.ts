/**
 * Weeks that were unusual in the whole panel. A storm is one event, no matter how many places it hits.
 *
 * Notation: u errors of a series relative to their usual size, o an origin (local hour), k errors of it in a series.
 *   c(o) = median over the series of  mean |u| of o / median over the origins of their mean |u|
 *   factor of the errors of o = min(1, m (1 + A / √(k − 1)) / c(o)),   m the median of c over the origins,
 *     A = √(π/2 − 1)
 * A √(1/k) is the deviation of a mean of k independent normal |u|. If the panel's errors at an origin exceed that
 * together, the week was unusual. They are scaled down to the size of a bad week, so that they do not widen the
 * intervals of all other weeks. Chance errors of single series stay as they are: they average out over a panel. Origins
 * with a single error and panels of few series say too little, so their factor is 1.
 * Complexity O(errors).
 */
import { medianInPlace } from './quantiles.ts';

export type OriginErrors = {
  /** u, and for each the index of its origin among the ascending origins. */
  errors: Float64Array;
  origins: Uint8Array;
  originHours: readonly number[];
};

const MIN_SERIES = 8;
const DEVIATION_OF_MEAN = Math.sqrt(Math.PI / 2 - 1);

const medianOf = (values: readonly number[]): number =>
  medianInPlace(Float64Array.from(values), values.length);

/** Factor of the errors by local hour of their origin. Factors of 1 are left out. */
export function commonWeeks(panel: readonly OriginErrors[]): Map<number, number> {
  const ratios = new Map<number, number[]>();
  let steps = 0;
  let weeks = 0;
  for (const { errors, origins, originHours } of panel) {
    const sizes = new Float64Array(originHours.length);
    const counts = new Float64Array(originHours.length);
    for (let i = 0; i < errors.length; i++) {
      sizes[origins[i]] += Math.abs(errors[i]);
      counts[origins[i]]++;
    }
    const means = [...sizes].map((size, o) => size / counts[o]);
    const usual = medianOf(means.filter((mean) => !Number.isNaN(mean)));
    if (!(usual > 0)) continue;
    originHours.forEach((hour, o) => {
      if (counts[o] === 0) return;
      if (!ratios.has(hour)) ratios.set(hour, []);
      ratios.get(hour)!.push(means[o] / usual);
      steps += counts[o];
      weeks++;
    });
  }
  const common = [...ratios].flatMap(([hour, list]) =>
    list.length < MIN_SERIES ? [] : [{ hour, size: medianOf(list) }],
  );
  const middle = medianOf(common.map(({ size }) => size));
  const most = middle * (1 + DEVIATION_OF_MEAN / Math.sqrt(Math.max(0, steps / weeks - 1)));
  return new Map(common.flatMap(({ hour, size }) => (size > most ? [[hour, most / size]] : [])));
}

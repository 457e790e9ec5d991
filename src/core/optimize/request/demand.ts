/** Planning demand of locations from their time steps. */
import type { DemandAggregation, OptimizeRequest } from '../../../contracts/optimize.ts';

type Series = OptimizeRequest['demand_forecast'];

/** Relative difference below which two totals count as equal: their last digits depend on the order of locations. */
const SAME_TOTAL = 1e-12;

/**
 * @param series per location, demand per time step: at least one, each ≥ 0
 * @param aggregation `peak` the largest of a location's steps, `mean` their average, `first` the first, `sum` the sum,
 *   `system_peak` the step with the largest total of all locations (the first of a tie; a location without that step
 *   has no demand in it), `quantile:q` the quantile of its steps, interpolated linearly between neighbours (type 7 of
 *   Hyndman and Fan)
 * @returns location ids with their planning demand, in the order of `series`. O(values), quantiles O(values · log)
 */
export function* planningDemand(
  series: Series,
  aggregation: DemandAggregation = 'peak',
): Generator<[locationId: number, demand: number]> {
  const demandOf = aggregator(series, aggregation);
  for (const [key, steps] of Object.entries(series)) yield [Number(key), demandOf(steps)];
}

/** The number of time steps of the longest series; 0 without locations. */
export function longestSeries(series: Series): number {
  let longest = 0;
  for (const steps of Object.values(series)) longest = Math.max(longest, steps.length);
  return longest;
}

function aggregator(series: Series, aggregation: DemandAggregation): (steps: readonly number[]) => number {
  switch (aggregation) {
    case 'first':
      return (steps) => steps[0];
    case 'peak':
      return largest;
    case 'sum':
      return sum;
    case 'mean':
      return (steps) => sum(steps) / steps.length;
    case 'system_peak': {
      const step = systemPeak(series);
      return (steps) => steps[step] ?? 0;
    }
    default: {
      const share = Number(aggregation.slice('quantile:'.length));
      return (steps) => quantile(steps, share);
    }
  }
}

/** The first step with the largest total of all locations. */
function systemPeak(series: Series): number {
  const totals = new Float64Array(longestSeries(series));
  for (const steps of Object.values(series)) {
    for (let t = 0; t < steps.length; t++) totals[t] += steps[t];
  }
  const peak = largest(totals) * (1 - SAME_TOTAL);
  return totals.findIndex((total) => total >= peak);
}

function quantile(steps: readonly number[], share: number): number {
  const sorted = Float64Array.from(steps).sort();
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}

function sum(steps: readonly number[]): number {
  let total = 0;
  for (const value of steps) total += value;
  return total;
}

/** Planning demand of a location from its time steps. */
import type { DemandAggregation } from '../../../contracts/optimize.ts';

/**
 * @param steps demand per time step, at least one, each ≥ 0
 * @returns `peak` the largest, `mean` the average, `first` the first, `sum` the sum. O(steps).
 */
export function aggregateDemand(steps: readonly number[], aggregation: DemandAggregation): number {
  switch (aggregation) {
    case 'first':
      return steps[0];
    case 'peak': {
      let peak = 0;
      for (const value of steps) if (value > peak) peak = value;
      return peak;
    }
    case 'sum':
      return sum(steps);
    case 'mean':
      return sum(steps) / steps.length;
  }
}

function sum(steps: readonly number[]): number {
  let total = 0;
  for (const value of steps) total += value;
  return total;
}

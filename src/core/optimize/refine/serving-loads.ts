/** The loads of vehicles that serve, of which the smallest beyond the fleet size do not count. */
import type { Problem } from '../problem/model.ts';

/** @param present K × n: vehicles at each location at first */
export function createServingLoads(problem: Problem, present: Int32Array) {
  const { demand, capacities, limits } = problem;
  const n = demand.length;
  const classes = capacities.length;
  const at = present.slice();
  /** Full loads by class; and the other loads, at most one of a location, ascending. */
  const full = new Float64Array(classes);
  const parts: number[] = [];
  let serving = 0;

  function place(load: number): number {
    let [low, high] = [0, parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (parts[middle] < load) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  function count(j: number, by: 1 | -1): void {
    let open = demand[j];
    for (let k = classes - 1; k >= 0 && open > 0; k--) {
      const vehicles = Math.min(at[k * n + j], Math.floor(open / capacities[k]));
      full[k] += by * vehicles;
      serving += by * vehicles;
      open -= vehicles * capacities[k];
      if (at[k * n + j] === vehicles || open <= 0) continue;
      serving += by;
      if (by > 0) parts.splice(place(open), 0, open);
      else parts.splice(place(open), 1);
      return;
    }
  }
  for (let j = 0; j < n; j++) count(j, 1);

  /** The sum of the smallest loads beyond the fleet size, and the largest of these. */
  function beyond(): [sum: number, largest: number] {
    let left = serving - limits.totalFleetSize;
    let sum = 0;
    let largest = 0;
    let p = 0;
    for (let k = 0; left > 0 && k <= classes; k++) {
      for (; left > 0 && p < parts.length && (k === classes || parts[p] <= capacities[k]); p++, left--) {
        sum += parts[p];
        largest = parts[p];
      }
      if (k === classes || left <= 0 || full[k] === 0) continue;
      const vehicles = Math.min(left, full[k]);
      sum += vehicles * capacities[k];
      largest = capacities[k];
      left -= vehicles;
    }
    return [sum, largest];
  }
  return {
    uncounted: () => (serving > limits.totalFleetSize ? beyond()[0] : 0),
    threshold: () => (serving > limits.totalFleetSize ? beyond()[1] : 0),
    change(j: number, k: number, by: number): void {
      count(j, -1);
      at[k * n + j] += by;
      count(j, 1);
    },
  };
}

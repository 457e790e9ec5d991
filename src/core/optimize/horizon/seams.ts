/**
 * What vehicles are worth where a range of steps ends and the next begins. A range that knows nothing of later steps
 * leaves its vehicles anywhere, and the join has to plan most of them anew. The plan of a problem of fewer places
 * (`coarse-problem.ts`) says how many vehicles each of its places has when a step begins, and what one more is worth.
 * These are shared among the places in proportion to their demand. As many vehicles at a place are worth somewhat more
 * than that, all beyond them somewhat less. With one value for all of them, vehicles gather where it is highest.
 */
import type { FewerPlaces } from './coarse-problem.ts';
import type { EndValues, HorizonProblem } from './types.ts';

/** In radiuses of places of the coarse problem: values of near places differ by no more than a move between them. */
const LEEWAY = 0.5;

/** T × n each. */
export type Seams = { units: Float64Array; beyond: Float64Array; most: Float64Array };

/**
 * @param values what one more vehicle is worth in the coarse problem, T + 1 rows
 * @param vehicles of its plan, at least T rows
 */
export function seamsOf(
  { n, steps, demand }: HorizonProblem,
  { coarse, clusterOf, radius }: FewerPlaces,
  values: Float64Array,
  vehicles: Float64Array,
): Seams {
  const seams = {
    units: new Float64Array(steps * n),
    beyond: new Float64Array(steps * n),
    most: new Float64Array(steps * n),
  };
  for (let u = 0; u < steps * n; u++) {
    const at = Math.floor(u / n) * coarse.n + clusterOf[u % n];
    const share = coarse.demand[at] > 0 ? demand[u] / coarse.demand[at] : 0;
    seams.units[u] = values[at] + LEEWAY * radius;
    seams.beyond[u] = Math.max(0, values[at] - LEEWAY * radius);
    seams.most[u] = vehicles[at] * share;
  }
  return seams;
}

/** What vehicles are worth to the steps before `step`. */
export function seamAt({ units, beyond, most }: Seams, n: number, step: number): EndValues {
  const [from, to] = [step * n, (step + 1) * n];
  return {
    units: units.subarray(from, to),
    beyond: beyond.subarray(from, to),
    most: most.subarray(from, to),
  };
}

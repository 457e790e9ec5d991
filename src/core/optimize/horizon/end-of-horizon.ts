/**
 * What vehicles are worth when the last step has ended. Without that they are left anywhere. Either every location
 * wants back as many as it had at the beginning (a day that repeats itself), or a longer and coarser run tells their
 * worth.
 */
import type { DemandParts, EndValues, HorizonProblem } from './types.ts';

/** The horizon wraps: of each location's vehicles, up to as many as it has at the beginning are worth `units` each. */
export function wrapAround({ n, supply }: HorizonProblem, units: number): EndValues {
  return { units: new Float64Array(n).fill(units), most: Float64Array.from(supply.subarray(0, n)) };
}

/**
 * The worth of vehicles when a step begins, as another run over the same locations values them.
 * @param values (T + 1) × n of that run
 * @param step of that run, 0 … T
 */
export function worthAtStep(n: number, values: Float64Array, step: number): EndValues {
  return { units: values.slice(step * n, (step + 1) * n).map((units) => Math.max(0, units)) };
}

/**
 * The same problem in longer steps: `factor` steps become one, the last one may lack some. A vehicle serves as many
 * times the demand in such a step, and trips end where those of its last part do.
 */
export function coarsen(problem: HorizonProblem, factor: number): HorizonProblem {
  const { n, steps, supply, demand, parts, capacity, pairs, unmetUnits, required, end, flows } = problem;
  const coarse = Math.ceil(steps / factor);
  const sums = { supply: new Int32Array(coarse * n), demand: new Float64Array(coarse * n) };
  const unmet = unmetUnits && new Float64Array(coarse * n);
  for (let u = 0; u < steps * n; u++) {
    const at = Math.floor(u / n / factor) * n + (u % n);
    sums.supply[at] += supply[u];
    sums.demand[at] += demand[u];
    if (unmet) unmet[at] = Math.max(unmet[at], unmetUnits[u]);
  }
  return {
    n,
    steps: coarse,
    ...sums,
    parts: parts && { chances: parts.chances, sizes: coarseSizes(parts, coarse * n, n, steps * n, factor) },
    capacity: capacity * factor,
    pairs: { ...pairs, delay: pairs.delay.map((delay) => Math.ceil(delay / factor)) },
    unmetUnits: unmet,
    required,
    end,
    flows: flows && Array.from({ length: coarse }, (_, t) => flows[Math.min(steps, (t + 1) * factor) - 1]),
  };
}

function coarseSizes({ sizes }: DemandParts, nodes: number, n: number, fine: number, factor: number) {
  const sums = new Float64Array((sizes.length / fine) * nodes);
  for (let k = 0; k < sizes.length; k++) {
    const u = k % fine;
    sums[((k - u) / fine) * nodes + Math.floor(u / n / factor) * n + (u % n)] += sizes[k];
  }
  return sums;
}

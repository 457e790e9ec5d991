/** Converts the solver's doubles to whole vehicles. */

import type { Moves, Problem } from '../problem/model.ts';
import { movesOn } from '../problem/moves.ts';
import type { Formulation } from './formulation.ts';

/** A value farther than this from a whole number is fractional; the solver's own tolerance is at most 1e-7. */
const INTEGRALITY_TOLERANCE = 1e-5;

/** Whole steps of a solution; null if one is fractional. */
export function wholeSteps(f: Formulation, values: Float64Array): Float64Array | null {
  const steps = new Float64Array(f.variables.stepClass.length);
  for (let s = 0; s < steps.length; s++) {
    const value = values[f.variables.firstStep + s];
    steps[s] = Math.round(value);
    if (Math.abs(value - steps[s]) > INTEGRALITY_TOLERANCE) return null;
  }
  return steps;
}

/** Moves of a solution if its arcs are whole numbers and use up each source's supply exactly; otherwise null. */
export function wholeMoves(problem: Problem, f: Formulation, values: Float64Array): Moves | null {
  const v = f.variables;
  const n = problem.locationIds.length;
  const arcs: number[] = [];
  for (let r = 0; r < v.sourceClass.length; r++) {
    let left = problem.supply[v.sourceClass[r] * n + v.sourceLocation[r]];
    for (let a = v.sourceStart[r]; a < v.sourceStart[r + 1]; a++) {
      const count = Math.round(values[a]);
      if (Math.abs(values[a] - count) > INTEGRALITY_TOLERANCE || count < 0) return null;
      left -= count;
      if (count > 0 && v.arcTarget[a] !== v.arcSource[a]) arcs.push(a);
    }
    if (left !== 0) return null;
  }
  const { arcClass: capacityClass, arcSource: source, arcTarget: target } = v;
  return movesOn(arcs, { capacityClass, source, target }, (a) => Math.round(values[a]));
}

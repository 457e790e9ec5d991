/** What a bound proves of a plan of all steps. */
import { MIN_NOISE_UNITS } from '../problem/unmet-cost.ts';
import type { HorizonFigures } from './types.ts';

/** Relative error of sums of costs. */
const SUM_NOISE = 1e-13;

/** Of the gap of the cost: what may be missing of demand that is served, which counts more. */
const SERVED_SHARE = 0.1;
/** Relative, of total demand: plans whose service differs by less serve the same. Each wish that is kept adds noise. */
export const SAME_SERVED = 1e-7;
/** Relative: the solver's noise, and the gap to which branch and cut proves it. */
const MOST_NOISE = 3e-7;

/** Whether as much is served as is proved to be the most. @param gap relative, of the cost */
export function isMost(served: number, most: number, gap: number): boolean {
  return served >= most * (1 - SERVED_SHARE * gap - MOST_NOISE);
}

/** As costs of unmet demand are rounded up elsewhere (`../problem/unmet-cost.ts`). */
export function wholeUnits(units: number): number {
  return Math.ceil(units - MIN_NOISE_UNITS - Math.abs(units) * SUM_NOISE) + 0;
}

/** @param gap relative, that proves a plan @returns in whole cost units */
export function proofOf(
  plan: Pick<HorizonFigures, 'objectiveUnits' | 'movingUnits'> & { boundUnits: number },
  gap: number,
): { objectiveUnits: number; boundUnits: number; gap: number; proved: boolean } {
  const objectiveUnits = wholeUnits(plan.objectiveUnits);
  const boundUnits = Math.min(objectiveUnits, wholeUnits(plan.boundUnits));
  // What vehicles are worth at the end may make the objective 0 or negative.
  const scale = Math.max(1, Math.abs(objectiveUnits), plan.movingUnits);
  const reached = (objectiveUnits - boundUnits) / scale;
  // Parts of a load cost parts of a unit.
  return {
    objectiveUnits,
    boundUnits,
    gap: reached,
    proved: reached <= gap || objectiveUnits - boundUnits <= 1,
  };
}

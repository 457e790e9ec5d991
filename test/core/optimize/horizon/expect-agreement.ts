/** Whether a plan of fractional steps agrees with all moves as one programme (`horizon-formulation.ts`). */
import { expect } from 'vitest';
import type { FlowsOutcome } from '../../../../src/core/optimize/horizon/solve-with-flows.ts';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';
import { formulateHorizon } from './horizon-formulation.ts';

const sumOf = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0);

/** The level is reached or not as there, and bound and plan are equal to it but for noise. @returns the kind */
export function expectAgreement(problem: HorizonProblem, found: FlowsOutcome, where: string) {
  if (found.kind !== 'solved' && found.kind !== 'unserved') throw new Error(`${where}: ${found.kind}`);
  const { plan } = found;
  const total = sumOf(problem.demand);
  const most = formulateHorizon(problem, { isMost: true })?.served ?? 0;
  const isReached = found.kind === 'solved';
  expect(most >= problem.required - 1e-6 * total, where).toBe(isReached);
  const required = isReached ? problem.required : most * (1 - 1e-8);
  const expected = formulateHorizon(problem, { required })?.objectiveUnits ?? Number.NaN;
  const unmet = sumOf(problem.demand.map((value, u) => value * (problem.unmetUnits?.[u] ?? 0)));
  const noise =
    0.1 + plan.multiplier * 1e-7 * total + (isReached ? 1e-6 : 1e-4) * (Math.abs(expected) + unmet);
  expect(plan.boundUnits, where).toBeLessThanOrEqual(expected + noise);
  // Whole first moves may serve less: then it is a bound of plans that serve as much as they do.
  if (plan.figures.totalServed >= required - 1e-9 * total)
    expect(plan.boundUnits, where).toBeGreaterThanOrEqual(expected - noise);
  expect(Math.abs((plan.fractionalUnits ?? 0) - expected), where).toBeLessThanOrEqual(noise);
  return found.kind;
}

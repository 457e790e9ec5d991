/**
 * Decides whether a problem has a plan, and finds one: by reach alone if that suffices (`reachable.ts`,
 * `coverage.ts`), otherwise by solving.
 */

import { canReachMost, reachMost } from '../problem/distances/reachable.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Problem } from '../problem/model.ts';
import { hasPairLimits, withoutPairCost } from '../problem/pairs.ts';
import { leastServed, SERVICE_TOLERANCE, totalDemand } from '../problem/service-level.ts';
import { countVehicles, hasLocationBounds } from '../problem/variants.ts';
import { timeFor } from '../run/budget.ts';
import { checkOf, isOver, type Stopping, untilOutOfTime } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';
import type { AnyPlan, Feasibility } from './any-plan.ts';
import type { Quick } from './bisect.ts';
import { createReach } from './coverage/class-reach.ts';
import { type CoverageEffort, findCoverage } from './coverage/coverage.ts';

/** Sums of demand may be off by this share. */
const SUM_NOISE = 1e-11;
/** Any plan, whatever its cost. */
export async function findPlan(problem: Problem, control: Stopping): Promise<AnyPlan> {
  if (isOver(control)) return { verdict: 'unknown' };
  if (hasPairLimits(problem)) return await solve(problem, control);
  if (canReachMost(problem)) {
    const total = totalDemand(problem.demand);
    const mayMiss = total - leastServed(problem) + SUM_NOISE * total;
    const reached = reachMost(problem, () => isOver(control), mayMiss);
    if (!reached) return { verdict: 'unknown' };
    const { moves } = reached;
    const { served, costUnits } = evaluateMoves(problem, moves);
    if (served < leastServed(problem)) return { verdict: 'infeasible' };
    if (costUnits <= problem.limits.maxCostUnits) return { verdict: 'feasible', moves, served, costUnits };
  }
  if (canReachMost(problem) || countVehicles(problem) === 0) return await solve(problem, control);
  if (isAtAnyCost(problem)) {
    const covered = await cover(
      problem,
      timeFor(hasLocationBounds(problem) ? 'likelierAnswer' : 'coverageAnswer', control),
    );
    return covered.verdict === 'unknown' ? await solve(problem, control) : covered;
  }
  const solved = await solve(problem, timeFor('likelierAnswer', control));
  return solved.verdict === 'unknown' ? await cover(problem, control) : solved;
}

function isAtAnyCost({ limits }: Problem): boolean {
  return limits.maxCostUnits === Number.POSITIVE_INFINITY;
}

async function cover(problem: Problem, control: Stopping, effort: CoverageEffort = 'full'): Promise<AnyPlan> {
  const required = leastServed(problem);
  const { most, plan } = await findCoverage(problem, control, required, effort);
  if (isTooLittle(problem, most)) return { verdict: 'infeasible' };
  if (plan === null || plan.served < required) return { verdict: 'unknown' };
  const { served, costUnits } = evaluateMoves(problem, plan.moves);
  return costUnits <= problem.limits.maxCostUnits
    ? { verdict: 'feasible', moves: plan.moves, served, costUnits }
    : { verdict: 'unknown' };
}

/** A quick answer for variants of a problem; undefined if the full answer is quick, costs matter, or time is up. */
export function quickAnswer(
  problem: Problem,
  control: Stopping,
): (Omit<Quick, 'find'> & { find(problem: Problem, control: Stopping): Promise<AnyPlan> }) | undefined {
  if (
    hasPairLimits(problem) ||
    canReachMost(problem) ||
    countVehicles(problem) === 0 ||
    !isAtAnyCost(problem)
  )
    return undefined;
  let isByRelaxation = hasLocationBounds(problem);
  const isTold = untilOutOfTime(() => {
    isByRelaxation ||= createReach(problem, checkOf(control)).isComplete;
  });
  if (!isTold) return undefined;
  return {
    find: (variant, share) => cover(variant, share, 'glance'),
    // The relaxation rejects most infeasible variants. With limited reach, look for a plan first: most feasible
    // variants yield one quickly.
    otherwise: isByRelaxation ? 'feasible' : 'infeasible',
  };
}

/** Whether a proved bound of the demand served is below the service level by more than the tolerances. */
function isTooLittle(problem: Problem, most: number): boolean {
  return most < leastServed(problem) - SERVICE_TOLERANCE * totalDemand(problem.demand);
}

async function solve(problem: Problem, stopping: Stopping): Promise<AnyPlan> {
  // Every plan is within a gap of 1, so the first one ends the search.
  const outcome = await solveProblem(withoutPairCost(problem), 1, stopping);
  if (outcome.kind === 'solved') {
    const { moves, served, costUnits } = outcome.solution;
    return { verdict: 'feasible', moves, served, costUnits };
  }
  return { verdict: outcome.kind === 'infeasible' ? 'infeasible' : 'unknown' };
}

export async function findFeasibility(problem: Problem, control: Stopping): Promise<Feasibility> {
  return (await findPlan(problem, control)).verdict;
}

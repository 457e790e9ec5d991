/**
 * Decides whether a problem has a plan, and finds one: by reach alone if that suffices (`reachable.ts`), by the most
 * that can be served (`elastic.ts`), or by solving.
 */

import { canReachMost, reachMost } from '../problem/distances/reachable.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Problem } from '../problem/model.ts';
import { hasPairLimits, withoutPairCost } from '../problem/pairs.ts';
import { leastServed, SERVICE_TOLERANCE, totalDemand } from '../problem/service-level.ts';
import { countVehicles } from '../problem/variants.ts';
import { timeFor } from '../run/budget.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';
import type { AnyPlan, Feasibility } from './any-plan.ts';
import { findMostServed, isQuick } from './elastic.ts';

/** Sums of demand may be off by this share. */
const SUM_NOISE = 1e-11;

/** Any plan, whatever its cost. */
export async function findPlan(problem: Problem, control: Stopping): Promise<AnyPlan> {
  if (isOver(control)) return { verdict: 'unknown' };
  if (hasPairLimits(problem) || countVehicles(problem) === 0) return await solve(problem, control);
  if (canReachMost(problem)) {
    const total = totalDemand(problem.demand);
    const mayMiss = total - leastServed(problem) + SUM_NOISE * total;
    const reached = reachMost(problem, () => isOver(control), mayMiss);
    if (!reached) return { verdict: 'unknown' };
    const { moves } = reached;
    const { served, costUnits } = evaluateMoves(problem, moves);
    if (served < leastServed(problem)) return { verdict: 'infeasible' };
    if (costUnits <= problem.limits.maxCostUnits) return { verdict: 'feasible', moves, served, costUnits };
    return await solve(problem, control);
  }
  const [first, second] = isQuick(problem) ? [cover, solve] : [solve, cover];
  const found = await first(problem, timeFor('half', control));
  return found.verdict === 'unknown' ? await second(problem, control) : found;
}

async function cover(problem: Problem, control: Stopping): Promise<AnyPlan> {
  const required = leastServed(problem);
  const { most, plan } = await findMostServed(problem, control, { enough: required });
  if (most < required - SERVICE_TOLERANCE * totalDemand(problem.demand)) return { verdict: 'infeasible' };
  if (plan === null || plan.served < required) return { verdict: 'unknown' };
  const { costUnits } = evaluateMoves(problem, plan.moves);
  return costUnits <= problem.limits.maxCostUnits
    ? { verdict: 'feasible', ...plan, costUnits }
    : { verdict: 'unknown' };
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

/** Whether a problem has any plan, with one where it has: by reachability alone where that decides, else by solving. */
import { evaluateMoves } from '../evaluate.ts';
import type { Moves, Problem, SolveControl } from '../model.ts';
import { leastServed, totalDemand } from '../service-level.ts';
import { solveProblem } from '../solve.ts';
import { isOver } from '../stopping.ts';
import { canReachMost, reachMost } from './reachable.ts';

/** Sums of demand may be off by this share. */
const SUM_NOISE = 1e-11;

export type Feasibility = 'feasible' | 'infeasible' | 'unknown';

export type AnyPlan =
  | { verdict: 'feasible'; moves: Moves; served: number; costUnits: number }
  | { verdict: 'infeasible' | 'unknown' };

/** Any plan, be it dear. */
export async function findPlan(problem: Problem, control: SolveControl): Promise<AnyPlan> {
  if (isOver(control)) return { verdict: 'unknown' };
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
  // Every plan is within a gap of 1, so the first one ends the search.
  const outcome = await solveProblem(problem, 1, {
    deadlineMs: control.deadlineMs,
    stopFlag: control.stopFlag,
  });
  if (outcome.kind === 'solved') {
    const { moves, served, costUnits } = outcome.solution;
    return { verdict: 'feasible', moves, served, costUnits };
  }
  return { verdict: outcome.kind === 'infeasible' ? 'infeasible' : 'unknown' };
}

export async function findFeasibility(problem: Problem, control: SolveControl): Promise<Feasibility> {
  return (await findPlan(problem, control)).verdict;
}

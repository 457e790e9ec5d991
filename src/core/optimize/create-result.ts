/** The answer of a solved problem: plan, figures, certificate. */
import type { OptimizationResult, OptimizeRequest, Refinement } from '../../contracts/optimize.ts';
import type { Certificate } from '../../contracts/plans.ts';
import type { PipelineStage } from '../../contracts/service.ts';
import { computeKpis } from './answer/kpis.ts';
import { describeLocations } from './answer/locations.ts';
import { createPlan } from './answer/plan.ts';
import { VERIFIED } from './answer/verify.ts';
import { VERIFIED_STABILITY } from './answer/verify-stability.ts';
import { fromUnits } from './problem/costs.ts';
import { evaluateMoves } from './problem/evaluate.ts';
import type { LocationPoint, Problem, Solution } from './problem/model.ts';
import { hasPairRules, vehiclesByPair } from './problem/pairs.ts';
import type { Check } from './run/stopping.ts';

/** Plan and figures of a solution; O(vehicles + locations). @param names of the stored locations */
export function createResult(
  request: OptimizeRequest,
  problem: Problem,
  solution: Solution,
  names: ReadonlyMap<number, string>,
  check: Check,
): OptimizationResult {
  const { presence } = evaluateMoves(problem, solution.moves);
  return {
    allocation_plan: createPlan(request, problem, solution.moves, check),
    total_cost: fromUnits(solution.costUnits),
    kpis: computeKpis(problem, solution, presence),
    solver_status: solution.proved ? 'optimal' : 'feasible',
    ...(solution.proved ? {} : { gap: solution.gap }),
    locations: describeLocations(problem, names, presence),
    ...stagesOf(problem),
    ...(hasPairRules(problem) && { refinement: describeRefinement(problem, solution) }),
  };
}

/** The outcome of the rules about pairs of locations. */
function describeRefinement(problem: Problem, { moves, before }: Solution): Refinement {
  const { pairCostUnits = 0 } = problem;
  const pairs = vehiclesByPair(problem, moves).size;
  return {
    pairs,
    cost_per_pair: fromUnits(pairCostUnits),
    pair_cost: fromUnits(pairs * pairCostUnits),
    pairs_without: before?.pairs ?? null,
    cost_without: before ? fromUnits(before.costUnits) : null,
  };
}

/** Names of the stored locations by id; none if the request brings its own network. */
export function namesOf(
  { network }: OptimizeRequest,
  locations: readonly LocationPoint[],
): Map<number, string> {
  const names = new Map<number, string>();
  for (const { id, name } of network ? [] : locations) if (name !== undefined) names.set(id, name);
  return names;
}

/** The stages that ran, if others did than those that run for every request. */
function stagesOf(problem: Problem): Pick<OptimizationResult, 'stages'> {
  const ran: PipelineStage[] = ['min_cost_flow'];
  if (problem.priorities) ran.unshift('critical_demand');
  if (hasPairRules(problem)) ran.push('milp_refinement');
  return ran.length > 1 ? { stages: ran } : {};
}

/** The proof of a plan. @param isCompared whether it was compared with a previous plan */
export function createCertificate(solution: Solution, isCompared: boolean): Certificate {
  const { objectiveUnits, boundUnits, gap, figures } = solution;
  const { confirmedWithin, boundBy = ['no cost below 0'], ...sizes } = figures;
  const isConfirmed = confirmedWithin !== undefined;
  return {
    objective: fromUnits(objectiveUnits),
    bound: fromUnits(boundUnits),
    gap,
    ...sizes,
    ...(isConfirmed && { confirmed_within: confirmedWithin }),
    checks: [
      ...boundBy,
      ...(isConfirmed ? ['tree confirmed optimal by HiGHS'] : []),
      ...VERIFIED,
      ...(isCompared ? [VERIFIED_STABILITY] : []),
    ],
  };
}

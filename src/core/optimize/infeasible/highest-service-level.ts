/**
 * The highest service level that a plan reaches within the other constraints, including the cost ceiling.
 *
 *   one class                    by reach alone (`reachable.ts`), proved if its plan keeps the other constraints;
 *                                otherwise the flow that spends the ceiling (`most-within-ceiling.ts`)
 *   limits of pairs              a plan and a bound without solving (`most-within-pairs.ts`), then all moves and pairs
 *   otherwise                    the most that can be served (`elastic.ts`)
 *   what these leave open        bisection over the level: a plan raises the lower end to what it serves, a proof that
 *                                there is none lowers the upper end
 */

import { canReachMost, reachMost } from '../problem/distances/reachable.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Conflict, Moves, Problem } from '../problem/model.ts';
import { hasPairLimits, withoutPairRules } from '../problem/pairs.ts';
import { allDemand, leastServed, servedAt, serviceLevelOf, totalDemand } from '../problem/service-level.ts';
import { countVehicles, dropConstraint, withLimits } from '../problem/variants.ts';
import { mostWithinPairs } from '../refine/most-within-pairs.ts';
import { timeFor } from '../run/budget.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { findMostServed, isQuick, type MostServed } from './elastic.ts';
import { findPlan } from './feasibility.ts';
import { mostWithinCeiling } from './most-within-ceiling.ts';
import { findMostWithinPairLimits } from './most-within-pair-limits.ts';

/** Suggested service levels are rounded down to a multiple of 1 / this. */
const LEVEL_STEPS = 1e6;
/** Keeps 0.3 · 10⁶ from becoming 299999; a tenth of the service level's tolerance. */
const LEVEL_NOISE = 1e-4;

type Level = Pick<Conflict, 'relaxation' | 'insufficient' | 'proved'>;

export type HighestLevel = Level & {
  /** The plan found that serves the most demand. */
  plan: { moves: Moves; served: number } | null;
  /** Proved: no plan serves more demand. */
  most: number;
  /** Whether `relaxation` is proved to be the highest level to 10⁻⁶; `proved` asks for no more than the gap. */
  isNearest: boolean;
};

/** @param gap relative, at which the most demand counts as known; 0: to 10⁻⁶ of the total */
export async function findHighestServiceLevel(
  problem: Problem,
  control: Stopping,
  gap = 0,
): Promise<HighestLevel> {
  const free = dropConstraint(problem, 'min_service_level');
  const requested = Math.round(problem.limits.minServiceLevel * LEVEL_STEPS);
  let { most, plan } = await findMost(free, leastServed(problem), gap, control);
  let upper = requested;
  /** The level at which this much is served, rounded down, in steps. */
  const stepOf = (served: number) => Math.floor(serviceLevelOf(problem, served) * LEVEL_STEPS + LEVEL_NOISE);
  const lower = () => stepOf(plan?.served ?? 0);
  const ask = async (step: number, part: Stopping) => {
    const found = await findPlan(withLimits(problem, { minServiceLevel: step / LEVEL_STEPS }), part);
    if (found.verdict === 'infeasible') upper = Math.min(upper, step);
    if (found.verdict === 'feasible' && found.served > (plan?.served ?? -1)) plan = found;
    return found.verdict;
  };
  const isPossible = most > Number.NEGATIVE_INFINITY;
  if (isPossible && !plan) await ask(0, control);
  if (!plan) {
    const proved = !isPossible || upper === 0;
    return { relaxation: null, insufficient: null, proved, plan, most, isNearest: proved };
  }
  upper = Math.min(upper, stepOf(most) + 1);
  const enough = () => Math.max(1, Math.floor(gap * lower()));
  for (let unsettled = upper; unsettled - lower() > enough() && !isOver(control); ) {
    const middle = (lower() + unsettled) >> 1;
    if ((await ask(middle, timeFor('question', control))) !== 'feasible') unsettled = middle;
  }
  // Time may have left the last questions open. They are harder than the one whose proof is enough.
  while (gap > 0 && upper - lower() > enough() && !isOver(control)) {
    if ((await ask(lower() + enough(), control)) !== 'feasible') break;
  }
  const isNearest = upper - lower() <= 1;
  // The requested level itself may be within reach, if time alone ended the search for it.
  if (isNearest || upper < requested) most = Math.min(most, servedAt(problem, upper / LEVEL_STEPS));
  const { served } = plan;
  most = Math.max(most, served);
  return {
    relaxation: lower() / LEVEL_STEPS,
    insufficient: !isNearest && upper < requested ? upper / LEVEL_STEPS : null,
    proved: isNearest || most - served <= gap * most,
    plan,
    most,
    isNearest,
  };
}

/**
 * @param free its service level is 0
 * @param asked demand, out of reach
 * @returns what is known without questions about single levels
 */
async function findMost(free: Problem, asked: number, gap: number, control: Stopping): Promise<MostServed> {
  const total = totalDemand(free.demand);
  let known: MostServed = { most: total, plan: null };
  const join = ({ most, plan }: MostServed) => {
    const isPlan = plan && isWithin(free, plan.moves);
    const isBetter = isPlan && plan.served > (known.plan?.served ?? -1);
    known = { most: Math.min(known.most, most), plan: isBetter ? plan : known.plan };
    const tolerance = Math.max(gap * known.most, allDemand(free) / LEVEL_STEPS);
    return known.plan !== null && known.most - known.plan.served <= tolerance;
  };
  if (countVehicles(free) === 0) return known;
  const atAnyCost = withoutPairRules(free);
  if (canReachMost(atAnyCost)) {
    const reached = reachMost(atAnyCost, () => isOver(control));
    const served = reached ? evaluateMoves(free, reached.moves).served : total;
    if (join({ most: served, plan: reached && { moves: reached.moves, served } })) return known;
    const isDear = !hasPairLimits(free) && free.limits.maxCostUnits !== Number.POSITIVE_INFINITY;
    if (isDear && (join(mostWithinCeiling(free, known.most, asked, control)) || !isQuick(free))) return known;
  }
  if (hasPairLimits(free)) {
    if (join(mostWithinPairs(free, null, timeFor('half', control)))) return known;
    join(await findMostWithinPairLimits(free, timeFor('half', control)));
  } else {
    const part = timeFor('half', control);
    join(await findMostServed(free, part, { tolerance: isQuick(free) ? 0 : gap * total }));
  }
  return known;
}

function isWithin(problem: Problem, moves: Moves): boolean {
  const { costUnits, broken } = evaluateMoves(problem, moves);
  return costUnits <= problem.limits.maxCostUnits && broken.length === 0;
}

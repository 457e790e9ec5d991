/**
 * The highest service level that a plan reaches within the other constraints, including the cost ceiling.
 *
 *   the ceiling is high enough   by reach alone (`reachable.ts`, several classes `coverage.ts`), proved
 *   one class                    the flow that spends the ceiling (`most-within-ceiling.ts`)
 *   small problem                the most served demand by branch and cut (`most-served.ts`), proved
 *   otherwise, or out of time    bisection over the level: a plan raises the lower end to what it serves,
 *                                a proof that there is none lowers the upper end
 */

import { countArcs } from '../direct/variables.ts';
import { canReachMost, reachMost } from '../problem/distances/reachable.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Conflict, Moves, Problem } from '../problem/model.ts';
import { hasPairLimits, withoutPairRules } from '../problem/pairs.ts';
import { allDemand, leastServed, servedAt, serviceLevelOf, totalDemand } from '../problem/service-level.ts';
import { countVehicles, dropConstraint, hasLocationBounds, withLimits } from '../problem/variants.ts';
import { mostWithinPairs } from '../refine/most-within-pairs.ts';
import { timeFor } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { findCoverage } from './coverage/coverage.ts';
import type { Coverage } from './coverage/coverage-relaxation.ts';
import { findPlan } from './feasibility.ts';
import { findMostServed, MAX_SMALL_ARCS } from './most-served.ts';
import { canSearchCeiling, mostWithinCeiling } from './most-within-ceiling.ts';

/** Suggested service levels are rounded down to a multiple of 1 / this. */
const LEVEL_STEPS = 1e6;
/** Keeps 0.3 · 10⁶ from becoming 299999; a tenth of the service level's tolerance. */
const LEVEL_NOISE = 1e-4;
/** The same with limits of pairs, where nothing else is quick. */
const MAX_PAIR_ARCS = 20_000;

type Served = { moves: Moves; served: number };
type Level = Pick<Conflict, 'relaxation' | 'insufficient' | 'proved'>;
type Known = Pick<Level, 'relaxation' | 'insufficient'>;

export type HighestLevel = Level & {
  /** The plan found that serves the most demand. */
  plan: Served | null;
  /** Proved: no plan serves more demand. */
  most: number;
  /** Whether `relaxation` is proved to be the highest level to 10⁻⁶; `proved` asks for no more than the gap. */
  isNearest: boolean;
};

/**
 * @param known what an earlier search left open, to be continued
 * @param gap relative, at which the most demand counts as known; 0: to 10⁻⁶ of the total
 */
export async function findHighestServiceLevel(
  problem: Problem,
  control: Stopping,
  known: Known = { relaxation: null, insufficient: null },
  gap = 0,
): Promise<HighestLevel> {
  const found = await findLevel(problem, control, known, gap);
  const served = found.plan?.served ?? 0;
  const insufficient =
    found.proved && found.plan ? stepOf(problem, served) / LEVEL_STEPS + 1 / LEVEL_STEPS : found.insufficient;
  const most = Math.max(served, Math.min(found.most, servedAt(problem, insufficient ?? 1)));
  return { ...found, isNearest: found.proved, proved: found.proved || most - served <= gap * most, most };
}

async function findLevel(
  problem: Problem,
  control: Stopping,
  known: Known,
  gap: number,
): Promise<Omit<HighestLevel, 'isNearest'>> {
  const step = allDemand(problem) / LEVEL_STEPS;
  let plan: Served | null = null;
  let most = totalDemand(problem.demand);
  const proved = () => ({
    relaxation: stepOf(problem, reached()) / LEVEL_STEPS,
    insufficient: null,
    proved: true,
    plan,
    most,
  });
  const none = (isProved: boolean) => ({
    relaxation: null,
    insufficient: null,
    proved: isProved,
    plan: null,
    most,
  });
  const keep = (found: Served) => {
    if (!plan || found.served > plan.served) plan = { moves: found.moves, served: found.served };
  };
  const reached = () => Math.max(servedAt(problem, known.relaxation ?? 0), plan?.served ?? 0);
  const free = dropConstraint(problem, 'min_service_level');
  let upper = Math.round((known.insufficient ?? problem.limits.minServiceLevel) * LEVEL_STEPS);
  const hasCeiling = problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY;
  if (known.insufficient === null || !hasCeiling) {
    const atAnyCost = await mostAtAnyCost(free, control);
    if (atAnyCost.most === Number.NEGATIVE_INFINITY) return none(true);
    most = atAnyCost.most;
    upper = Math.min(upper, stepOf(problem, most) + 1);
    if (atAnyCost.plan && keepsAll(free, atAnyCost.plan.moves)) {
      keep(atAnyCost.plan);
      if (upper - stepOf(problem, reached()) <= 1) return proved();
      // This is the same question, and its time is used up.
      if (!hasCeiling && !hasPairLimits(free))
        return { ...openBetween(problem, stepOf(problem, reached()), upper), plan, most };
    }
  }
  if (hasPairLimits(free)) {
    const found = mostWithinPairs(free, null, timeFor('pairCoverage', control));
    if (found.plan) keep(found.plan);
    most = Math.min(most, found.most);
    upper = Math.min(upper, stepOf(problem, most) + 1);
    if (plan && upper - stepOf(problem, reached()) <= 1) return proved();
  }
  // What follows builds the matrix of all moves.
  if (isOver(control))
    return plan ? { ...openBetween(problem, stepOf(problem, reached()), upper), plan, most } : none(false);
  const isKnown = () => most - reached() <= Math.max(gap * most, step);
  if (hasCeiling && canSearchCeiling(free) && countVehicles(free) > 0) {
    const found = mostWithinCeiling(free, most, leastServed(problem), control);
    keep(found.plan);
    most = found.most;
    upper = Math.min(upper, stepOf(problem, most) + 1);
    if (isKnown()) return { ...proved(), proved: most - reached() <= step };
  }
  if (countArcs(problem, false) <= (hasPairLimits(free) ? MAX_PAIR_ARCS : MAX_SMALL_ARCS)) {
    const small = await findMostServed(problem, timeFor('serviceLevelModel', control));
    if (small.plan) keep(small.plan);
    if (small.proved) return small.plan ? proved() : none(true);
  }
  if (known.relaxation === null && !plan) {
    const any = await findPlan(free, control);
    if (any.verdict !== 'feasible') return none(any.verdict === 'infeasible');
    keep(any);
  }
  const level = await bisectLevel(problem, reached(), upper, gap, keep, control);
  return { ...level, plan, most };
}

/** Whether a plan is within the ceiling, and keeps limits that it was found without. */
function keepsAll(problem: Problem, moves: Moves): boolean {
  const { costUnits, broken } = evaluateMoves(problem, moves);
  return costUnits <= problem.limits.maxCostUnits && broken.length === 0;
}

/** By reach alone. Limits of pairs are left out: what is served without them bounds what is served with them. */
async function mostAtAnyCost(limited: Problem, control: Stopping): Promise<Coverage> {
  const free = withoutPairRules(limited);
  if (countVehicles(free) === 0) return { most: totalDemand(free.demand), plan: null };
  if (!canReachMost(free)) {
    const hasCeiling = free.limits.maxCostUnits !== Number.POSITIVE_INFINITY;
    const quick = hasCeiling
      ? await findCoverage(free, timeFor('serviceLevelGlance', control), undefined, 'quick')
      : null;
    const isTooDear =
      quick?.plan && evaluateMoves(free, quick.plan.moves).costUnits > free.limits.maxCostUnits;
    if (quick && isTooDear) return quick;
    return await findCoverage(
      free,
      hasCeiling || hasLocationBounds(free) ? timeFor('serviceLevelCoverage', control) : control,
    );
  }
  const found = reachMost(free, () => isOver(control));
  if (!found) return { most: totalDemand(free.demand), plan: null };
  const { served } = evaluateMoves(free, found.moves);
  return { most: served, plan: { moves: found.moves, served } };
}

/** The level at which this much is served, rounded down. */
function stepOf(problem: Problem, served: number): number {
  return Math.floor(serviceLevelOf(problem, served) * LEVEL_STEPS + LEVEL_NOISE);
}

/** @param upper step of the lowest level proved out of reach */
async function bisectLevel(
  problem: Problem,
  served: number,
  upper: number,
  gap: number,
  keep: (plan: Served) => void,
  control: Stopping,
): Promise<Level> {
  let lower = stepOf(problem, served);
  let outOfReach = upper;
  /** The lowest step tested so far, whatever the answer. */
  let unsettled = upper;
  const enough = () => Math.max(1, Math.floor(gap * lower));
  const ask = async (step: number, share: Stopping) => {
    const found = await findPlan(withLimits(problem, { minServiceLevel: step / LEVEL_STEPS }), share);
    if (found.verdict === 'feasible') {
      keep(found);
      lower = Math.max(step, stepOf(problem, found.served));
    } else if (found.verdict === 'infeasible') outOfReach = step;
    return found.verdict;
  };
  while (unsettled - lower > enough() && nowMs() < control.deadlineMs) {
    const middle = (lower + unsettled) >> 1;
    if ((await ask(middle, timeFor('serviceLevelQuestion', control))) !== 'feasible') unsettled = middle;
  }
  // Time may have left the last questions open. They are harder than the one whose proof is enough.
  while (gap > 0 && outOfReach - lower > enough() && nowMs() < control.deadlineMs) {
    if ((await ask(lower + enough(), control)) !== 'feasible') break;
  }
  return openBetween(problem, lower, outOfReach);
}

/** The result if steps up to `lower` are reached and `outOfReach` is not. */
function openBetween(problem: Problem, lower: number, outOfReach: number): Level {
  const requested = Math.round(problem.limits.minServiceLevel * LEVEL_STEPS);
  return {
    relaxation: lower / LEVEL_STEPS,
    insufficient: outOfReach < requested ? outOfReach / LEVEL_STEPS : null,
    proved: outOfReach - lower <= 1,
  };
}

/**
 * The highest service level that a plan within the other constraints reaches, the cost ceiling included.
 *
 *   one class, no bounds, enough money   by reachability alone (`reachable.ts`), proved
 *   small                                the most served demand by branch and cut (`most-served.ts`), proved
 *   else, or where that took too long    bisection over the level: a plan found lifts the lower end to what it serves,
 *                                        a proof that there is none lowers the upper end
 */
import { evaluateMoves } from '../evaluate.ts';
import type { Problem, SolveControl } from '../model.ts';
import { totalDemand } from '../service-level.ts';
import { isOver, shareOf } from '../stopping.ts';
import { countArcs } from '../variables.ts';
import { countVehicles, dropConstraint, withLimits } from '../variants.ts';
import { findCoverage } from './coverage.ts';
import { findPlan } from './feasibility.ts';
import { findMostServed } from './most-served.ts';
import { canReachMost, reachMost } from './reachable.ts';

/** Suggested service levels are rounded down to this many steps of the whole. */
const LEVEL_STEPS = 1e6;
/** Keeps 0.3 · 10⁶ from becoming 299999; a tenth of the service level's tolerance. */
const LEVEL_NOISE = 1e-4;
/** Possible moves up to which branch and cut is tried first, and its share of the time. */
const MOST_SMALL_ARCS = 2000;
const SMALL_SHARE = 0.5;
/** Share of the time for what can be served at any cost. */
const COVERAGE_SHARE = 0.6;
/** Share of the time that one question of the bisection may take. */
const QUESTION_SHARE = 0.3;

type HighestLevel = { relaxation: number | null; insufficient: number | null; proved: boolean };

export async function findHighestServiceLevel(
  problem: Problem,
  control: SolveControl,
): Promise<HighestLevel> {
  const free = dropConstraint(problem, 'min_service_level');
  const levelOf = (served: number) =>
    Math.floor((served / totalDemand(problem.demand)) * LEVEL_STEPS + LEVEL_NOISE) / LEVEL_STEPS;
  const proved = (served: number): HighestLevel => ({
    relaxation: levelOf(served),
    insufficient: null,
    proved: true,
  });
  let reached = 0;
  let upper = Math.round(problem.limits.minServiceLevel * LEVEL_STEPS);
  if (canReachMost(problem)) {
    const reached = reachMost(free, () => isOver(control));
    if (!reached) return { relaxation: null, insufficient: null, proved: false };
    const { served, costUnits } = evaluateMoves(free, reached.moves);
    if (costUnits <= problem.limits.maxCostUnits) return proved(served);
    upper = Math.min(upper, Math.round(levelOf(served) * LEVEL_STEPS) + 1);
  } else if (countVehicles(problem) > 0) {
    const { most, plan } = await findCoverage(free, shareOf(control, COVERAGE_SHARE));
    if (most === Number.NEGATIVE_INFINITY) return { relaxation: null, insufficient: null, proved: true };
    upper = Math.min(upper, Math.round(levelOf(most) * LEVEL_STEPS) + 1);
    if (plan && evaluateMoves(free, plan.moves).costUnits <= problem.limits.maxCostUnits) {
      reached = plan.served;
      if (upper - Math.round(levelOf(reached) * LEVEL_STEPS) <= 1) return proved(reached);
    }
  }
  if (countArcs(problem, false) <= MOST_SMALL_ARCS) {
    const most = await findMostServed(problem, shareOf(control, SMALL_SHARE));
    if (most.proved)
      return most.served === null
        ? { relaxation: null, insufficient: null, proved: true }
        : proved(most.served);
    if (most.served !== null) reached = Math.max(reached, most.served);
  }
  const any = await findPlan(free, control);
  if (any.verdict !== 'feasible') {
    return { relaxation: null, insufficient: null, proved: any.verdict === 'infeasible' };
  }
  return await bisectLevel(problem, Math.max(reached, any.served), upper, levelOf, control);
}

/** @param upper step of the level that is proved to be out of reach */
async function bisectLevel(
  problem: Problem,
  served: number,
  upper: number,
  levelOf: (served: number) => number,
  control: SolveControl,
): Promise<HighestLevel> {
  const stepOf = (demand: number) => Math.round(levelOf(demand) * LEVEL_STEPS);
  const requested = Math.round(problem.limits.minServiceLevel * LEVEL_STEPS);
  let lower = stepOf(served);
  let outOfReach = upper;
  /** The lowest step that was asked about, whatever the answer was. */
  let unsettled = upper;
  while (unsettled - lower > 1 && performance.now() < control.deadlineMs) {
    const middle = (lower + unsettled) >> 1;
    const found = await findPlan(
      withLimits(problem, { minServiceLevel: middle / LEVEL_STEPS }),
      shareOf(control, QUESTION_SHARE),
    );
    if (found.verdict === 'feasible') lower = Math.max(middle, stepOf(found.served));
    else {
      unsettled = middle;
      if (found.verdict === 'infeasible') outOfReach = middle;
    }
  }
  return {
    relaxation: lower / LEVEL_STEPS,
    insufficient: outOfReach < requested ? outOfReach / LEVEL_STEPS : null,
    proved: outOfReach - lower <= 1,
  };
}

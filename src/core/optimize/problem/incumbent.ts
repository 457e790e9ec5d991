/**
 * The result of a search so far: the plan of the least objective that satisfies every constraint except perhaps the
 * cost ceiling, recomputed from whole vehicles (`evaluate.ts`) before it counts, and a lower bound on the objective of
 * every plan. The objective is the cost of moving and what rules of the request add to it; the ceiling limits the cost
 * of moving alone.
 */

import { msOf } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import type { RunState, SolveControl } from '../run/control.ts';
import { createAllowance, isOver, isStopped } from '../run/stopping.ts';
import { fromUnits, UNITS_PER_COST } from './costs.ts';
import { evaluateMoves } from './evaluate.ts';
import type { BoundProof, Moves, Problem, SolveFigures, SolveOutcome } from './model.ts';
import { hasOtherCosts } from './moving-cost.ts';
import { withPinnedAtHome } from './pinned-places.ts';
import { hasUnmetCost, MIN_NOISE_UNITS } from './unmet-cost.ts';

/** Relative error of bounds, for our own sum of duals and for the solver's branching. */
export const DUAL_NOISE = 1e-13;
export const BRANCHING_NOISE = 1e-9;
/** A gap below this is rounding error. Below 10⁹ units (100,000 money) it is less than one whole unit. */
const MIN_GAP = 2e-9;

/**
 * Whether the bound proves a plan within the gap. Sums of costs of unmet demand are not whole: two plans that differ by
 * less than a unit may be ranked either way.
 */
export function isProvedWithin(
  problem: Problem,
  gap: number,
  objectiveUnits: number,
  boundUnits: number,
): boolean {
  const reached = relativeGap(objectiveUnits, boundUnits);
  return reached <= Math.max(gap, MIN_GAP) || (hasUnmetCost(problem) && objectiveUnits - boundUnits <= 1);
}

/** (objective − bound) / objective; 0 if the bound reaches the objective. */
export function relativeGap(objectiveUnits: number, boundUnits: number): number {
  return objectiveUnits <= boundUnits ? 0 : (objectiveUnits - boundUnits) / objectiveUnits;
}

export type Method = SolveFigures['method'];
type FoundPlan = { moves: Moves; costUnits: number; objectiveUnits: number; served: number; method: Method };
export type Ended = 'done' | 'stopped' | 'failed';

export type Incumbent = ReturnType<typeof createIncumbent>;

/**
 * What a bound in money proves in whole units of the objective: just above one unit it proves the next.
 * @param noise relative error of the bound's arithmetic
 */
function provedUnits(bound: number, noise: number): number {
  if (bound === Number.NEGATIVE_INFINITY || bound === Number.POSITIVE_INFINITY) return Math.max(0, bound);
  const units = bound * UNITS_PER_COST;
  return Math.max(0, Math.ceil(units - MIN_NOISE_UNITS - Math.abs(units) * noise));
}

/**
 * The distance between a plan and a bound, in money, that proves the plan. Plans cost whole units, so half a unit does.
 * Costs of unmet demand are not whole before they are rounded up.
 */
export function provedWithin(problem: Problem): number {
  return fromUnits(hasUnmetCost(problem) ? MIN_NOISE_UNITS : 0.5);
}

export function createIncumbent(problem: Problem, gap: number, control: SolveControl) {
  const ceiling = problem.limits.maxCostUnits;
  const figures = { columns: 0, rows: 0, iterations: 0, nodes: 0 };
  const startedMs = nowMs();
  /** The best plan found. It is above the ceiling only if no other plan is known. */
  let best: FoundPlan | null = null;
  let reserve: FoundPlan | null = null;
  let boundUnits = 0;
  const boundBy = new Set<BoundProof>();
  const isLateTimeSpent = createAllowance(msOf('latePlan'));

  const gapOf = (units: number) => relativeGap(units, boundUnits);
  const isWithin = (units: number) => isProvedWithin(problem, gap, units, boundUnits);
  const isBetter = (a: FoundPlan, b: FoundPlan) =>
    a.costUnits > ceiling === b.costUnits > ceiling
      ? a.objectiveUnits < b.objectiveUnits
      : a.costUnits <= ceiling;
  /** A bound on the cost of moving alone above the ceiling: then no plan exists. */
  const isCeilingProved = () => !hasOtherCosts(problem) && !problem.pairCostUnits && boundUnits > ceiling;

  /** The plan if it satisfies every constraint, the ceiling excepted. */
  function planOf(given: Moves | null, method: Method): FoundPlan | null {
    if (!given) return null;
    const moves = withPinnedAtHome(problem, given);
    const { costUnits, objectiveUnits, served, broken } = evaluateMoves(problem, moves);
    return broken.length > 0 ? null : { moves, costUnits, objectiveUnits, served, method };
  }

  function report(solver: RunState | null): void {
    if (!control.onProgress) return;
    const now = nowMs();
    // The solver's bound covers only the moves it knows; progress reports only what is proved for all moves.
    const found = solver?.incumbent == null ? Number.POSITIVE_INFINITY : provedUnits(solver.incumbent, 0);
    const least = Math.min(found, best?.objectiveUnits ?? Number.POSITIVE_INFINITY);
    const incumbentUnits = least === Number.POSITIVE_INFINITY ? null : least;
    const reached = incumbentUnits === null ? null : gapOf(incumbentUnits);
    const byTime = (now - startedMs) / Math.max(1, control.deadlineMs - startedMs);
    const byGap = reached === null ? 0 : gap / Math.max(gap, reached, MIN_GAP);
    control.onProgress({
      share: Math.min(1, Math.max(byTime, byGap)),
      incumbentUnits,
      boundUnits: boundUnits === 0 ? null : Math.min(boundUnits, least),
      gap: reached,
      iterations: figures.iterations + (solver?.iterations ?? 0),
    });
  }

  function raise(units: number, by: BoundProof): void {
    if (units <= boundUnits) return;
    boundUnits = units;
    boundBy.add(by);
  }

  return {
    ceiling,
    gap,
    deadlineMs: control.deadlineMs,
    stopFlag: control.stopFlag,
    onLook: control.onLook,
    isOver: () => isOver(control),
    /**
     * Whether to give up a plan that is made past the deadline because none exists: the caller cancelled, or the
     * CPU-time allowance is spent. The allowance starts with the first call.
     */
    isTooLate: () => isStopped(control.stopFlag) || isLateTimeSpent(),
    figures,
    best: () => best,
    isCancelled: () => isStopped(control.stopFlag),
    boundUnits: () => boundUnits,
    /** Whether the best plan is within the ceiling and the requested gap. */
    isProved: () => best !== null && best.costUnits <= ceiling && isWithin(best.objectiveUnits),
    isCeilingProved,
    raiseBound(bound: number, noise: typeof DUAL_NOISE | typeof BRANCHING_NOISE): void {
      if (!Number.isFinite(bound)) return;
      const by = noise === DUAL_NOISE ? 'bound from prices of all moves' : 'bound of branch and cut';
      raise(provedUnits(bound, noise), by);
    },
    /** Raises the bound to a proved value, in units. */
    raiseBoundUnits: (units: number, by: BoundProof = 'bound of branch and cut') => raise(units, by),
    /**
     * Keeps the plan if it satisfies every constraint (the ceiling excepted) and is the best so far.
     * @returns whether it satisfies them
     */
    consider(moves: Moves | null, method: Method): boolean {
      const plan = planOf(moves, method);
      if (plan && (best === null || isBetter(plan, best))) best = plan;
      return plan !== null;
    },
    /** Keeps a plan for the case that the search ends without one. It is too dear to guide the search. */
    keepInReserve(moves: Moves | null, method: Method): void {
      const plan = planOf(moves, method);
      if (plan && (reserve === null || isBetter(plan, reserve))) reserve = plan;
    },
    report: () => report(null),
    /** Reports progress from within the solver, which may know more. */
    reportSolver: (progress: RunState) => report(progress),
    finish(ended: Ended): SolveOutcome {
      if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
      if (isCeilingProved()) return { kind: 'infeasible' };
      const isWithinCeiling = (plan: FoundPlan | null) => plan !== null && plan.costUnits <= ceiling;
      const last = [best, reserve].find(isWithinCeiling);
      if (!last) {
        if (ended === 'stopped') return { kind: 'timeout' };
        return { kind: 'error', message: 'the solver ended without a plan that keeps every constraint' };
      }
      const { moves, costUnits, objectiveUnits, served, method } = last;
      return {
        kind: 'solved',
        solution: {
          moves,
          costUnits,
          objectiveUnits,
          boundUnits: Math.min(boundUnits, objectiveUnits),
          gap: gapOf(objectiveUnits),
          proved: isWithin(objectiveUnits),
          served,
          figures: { ...figures, method, ...(boundBy.size > 0 && { boundBy: [...boundBy] }) },
        },
      };
    },
  };
}

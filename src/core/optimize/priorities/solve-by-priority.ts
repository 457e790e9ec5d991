/**
 * Critical demand first: the demand of higher levels is served before that of lower ones, lexicographically, and only
 * then does the cost count.
 *
 *   1. An upper bound of what each level can get, by reach alone (`highest-levels.ts`). If a plan serves that much of
 *      all levels, the cheapest such plan is the answer.
 *   2. Otherwise each level, from the highest down: the most that can be served of it and of the higher ones, given
 *      what these get (`most-from.ts`). It becomes a floor.
 *   3. The cheapest plan that keeps the floors.
 *
 * All constraints come first, the service level included. If that is out of reach and the plan that serves most is
 * wanted, the service level is dropped, and all demand becomes the last level.
 */

import type { PriorityServed } from '../../../contracts/optimize.ts';
import { cheapened } from '../infeasible/cheapest-moves.ts';
import { findMostServed } from '../infeasible/elastic.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { criticalLevels, floorsOf, levelAt, serveFloors, withFloors } from '../problem/floors.ts';
import type { Problem, Solution, SolveOutcome } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { hasPairLimits, withoutPairCost } from '../problem/pairs.ts';
import { planningDemandOf } from '../problem/pinned.ts';
import { leastServed, requiredDemand } from '../problem/service-level.ts';
import { withoutUnmetCost } from '../problem/unmet-cost.ts';
import { withLimits } from '../problem/variants.ts';
import { evenPartOf, timeFor } from '../run/budget.ts';
import type { SolveControl } from '../run/control.ts';
import { isOver, isStopped } from '../run/stopping.ts';
import { firstPlan } from '../shortage/first-plan.ts';
import { isBeyondFleet, unproved } from '../shortage/serve-most.ts';
import { solveProblem } from '../solve.ts';
import { highestAlone, highestLevels } from './highest-levels.ts';
import { findMostFrom, servedFrom, toleranceOf, withFloor } from './most-from.ts';

/** Share of the requested gap for the levels: served demand counts more than its cost. */
const LEVEL_SHARE = 0.1;
/** Relative: a floor is served demand as a share of all demand, and read back from it. */
const ROUNDING = 1e-6;

/** Share of the tolerance of the most, with several classes, that is given up for a search that ends. */
const ENOUGH_SHARE = 0.9;

/** Proved: no plan serves more at the locations of at least this level, given what the higher levels get. */
type LevelBound = { level: number; most: number };

export type ServedByPriority = {
  kind: 'prioritized';
  /** With the floors, and without a service level out of reach: its plans are those among which cost decides. */
  problem: Problem;
  solution: Solution;
  /** The levels that have demand, the highest first; the last one is 0 if the service level is out of reach. */
  levels: readonly LevelBound[];
  /** Whether what every level gets is proved to be the most. */
  isMostProved: boolean;
};

export type PriorityControl = SolveControl & {
  /** Reports that the search for what the levels get begins (`critical_demand`), or that for the cheapest plan. */
  onStage(stage: 'critical_demand' | 'solve'): void;
};

/** @param serveMost whether to drop a service level that is out of reach */
export async function solveByPriority(
  problem: Problem,
  gap: number,
  serveMost: boolean,
  control: PriorityControl,
): Promise<ServedByPriority | SolveOutcome> {
  const levels = criticalLevels(problem);
  if (!serveMost) return await solveLevels(problem, levels, gap, control);
  const atLevel: ServedByPriority | SolveOutcome = isBeyondFleet(problem)
    ? { kind: 'infeasible' }
    : await solveLevels(problem, levels, gap, { ...control, ...timeFor('most', control) });
  if (atLevel.kind !== 'infeasible' && atLevel.kind !== 'timeout') return atLevel;
  const free = withLimits(problem, { minServiceLevel: 0 });
  const short = await solveLevels(free, [...levels, 0], gap, control);
  if (short.kind !== 'prioritized' || short.solution.served < leastServed(problem)) return short;
  // Time ended the search at the requested level, and this one found a plan that reaches it.
  const floors = floorsOf(short.problem);
  const solved = await finish(
    { ...problem, floors },
    short.levels.slice(0, -1),
    short.solution,
    gap,
    control,
  );
  return solved;
}

async function solveLevels(
  problem: Problem,
  levels: readonly number[],
  gap: number,
  control: PriorityControl,
): Promise<ServedByPriority | SolveOutcome> {
  control.onStage('critical_demand');
  const byReach = highestLevels(problem, levels, () => isOver(control));
  const covered = await coverAll(problem, byReach, gap, control);
  if (covered && !covered.isKnown) return await solveEach(problem, levels, covered.plan, gap, control);
  const tops = covered?.tops ?? byReach;
  const bounds = covered?.bounds ?? byReach;
  const atTops = tops.reduce((least, { level, most }) => withFloor(least, level, most), problem);
  control.onStage('solve');
  const share = covered ? control : { ...control, ...timeFor('half', control) };
  const atOnce = await solveProblem(atTops, gap, share, covered?.plan.moves);
  if (atOnce.kind === 'solved')
    return {
      kind: 'prioritized',
      problem: atTops,
      solution: atOnce.solution,
      levels: bounds,
      isMostProved: true,
    };
  if (atOnce.kind !== 'infeasible' && atOnce.kind !== 'timeout') return atOnce;
  control.onStage('critical_demand');
  const known = levels.at(-1) === 0 ? firstPlan(problem, control) : null;
  if (known) return await solveEach(problem, levels, known, gap, control);
  const any = await solveProblem(withoutPrices(problem), 1, timeFor('most', control));
  if (any.kind !== 'solved') return any;
  return await solveEach(problem, levels, any.solution, gap, control);
}

/**
 * Several classes whose fleet may be short of all demand: what is left for it once the levels have got what they can,
 * at any cost (`infeasible/elastic.ts`). By the capacity of the fleet alone it would be out of reach, since vehicles at
 * critical demand are rarely full.
 * @param byReach upper bounds, the last one of all demand
 * @returns null if the last level is not all demand, or no plan is found; `isKnown`: within the share of the gap
 */
async function coverAll(
  problem: Problem,
  byReach: readonly LevelBound[],
  gap: number,
  control: SolveControl,
): Promise<{
  tops: LevelBound[];
  bounds: LevelBound[];
  plan: Pick<Solution, 'moves'>;
  isKnown: boolean;
} | null> {
  const last = byReach.at(-1);
  const isBound = last?.level === 0 && problem.capacities.length > 1;
  if (!isBound || hasPairLimits(problem) || problem.locationIds.length > MAX_MATRIX_LOCATIONS) return null;
  const critical = byReach.slice(0, -1);
  const floors = critical.map(({ level, most }) => ({ level, served: most }));
  const { most, plan } = await findMostServed(withFloors(problem, floors), timeFor('question', control), {
    tolerance: toleranceOf(problem, last.most, gap * LEVEL_SHARE),
  });
  if (!plan) return null;
  const { costUnits } = evaluateMoves(problem, plan.moves);
  if (costUnits > problem.limits.maxCostUnits) return null;
  const isKnown = most - plan.served <= toleranceOf(problem, most, gap * LEVEL_SHARE);
  const enough = Math.min(plan.served, enoughOf(problem, most, gap));
  return {
    tops: [...critical, { level: 0, most: enough }],
    bounds: [...critical, { level: 0, most: Math.max(most, plan.served) }],
    plan,
    isKnown,
  };
}

/**
 * What counts as the most of all demand with several classes: to fill the last vehicle, the puzzle of which fits where
 * would have to be solved again, for the least cost.
 */
function enoughOf(problem: Problem, most: number, gap: number): number {
  return most - toleranceOf(problem, most, gap * LEVEL_SHARE) * ENOUGH_SHARE;
}

/** The demand served of a level does not depend on the cost of unmet demand or of pairs of locations. */
function withoutPrices(problem: Problem): Problem {
  return withoutPairCost(withoutUnmetCost(problem));
}

/** @param any a plan */
async function solveEach(
  problem: Problem,
  all: readonly number[],
  any: Pick<Solution, 'moves'>,
  gap: number,
  control: PriorityControl,
): Promise<ServedByPriority | SolveOutcome> {
  const { onProgress: _, ...silent } = control;
  const stage = { ...silent, ...timeFor('most', control) };
  let least = withoutPrices(problem);
  let { moves } = any;
  const levels: LevelBound[] = [];
  for (const [at, level] of all.entries()) {
    // Alone: the bounds of all levels together hold only if every higher level gets its own.
    const part = { ...stage, ...evenPartOf(stage, all.length - at) };
    // A plan that serves most of one level may leave vehicles where lower ones lack them.
    if (all.at(-1) === 0) moves = firstPlan(least, part, moves)?.moves ?? moves;
    const start = { moves, served: servedFrom(least, moves, level) };
    const tolerance = toleranceOf(least, start.served, gap * LEVEL_SHARE);
    const share = timeFor('question', part);
    const top = await highestAlone(problem, least, level, start, tolerance, share);
    const found = await findMostFrom(least, level, top.plan, top.most, gap * LEVEL_SHARE, part);
    if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
    moves = found.plan.moves;
    const isPuzzle = level === 0 && problem.capacities.length > 1;
    const enough = isPuzzle ? enoughOf(least, found.most, gap) : Number.POSITIVE_INFINITY;
    least = withFloor(least, level, Math.min(found.plan.served, enough));
    levels.push({ level, most: found.most });
  }
  const { served } = evaluateMoves(least, moves);
  const { floors = [], limits } = least;
  const planned = { ...problem, floors, limits };
  return await finish(planned, levels, { moves, served }, gap, control);
}

/** The cheapest plan that keeps the floors. @param plan that keeps them, for the case that time ends the search */
async function finish(
  problem: Problem,
  levels: readonly LevelBound[],
  plan: Pick<Solution, 'moves' | 'served'>,
  gap: number,
  control: PriorityControl,
): Promise<ServedByPriority | SolveOutcome> {
  control.onStage('solve');
  const moves = await cheapened(problem, plan.moves, control);
  const solved = await solveProblem(problem, gap, control, moves);
  if (solved.kind === 'cancelled') return solved;
  const solution = solved.kind === 'solved' ? solved.solution : unproved(problem, { ...plan, moves });
  const isKnown = levels.every(({ level, most }) => {
    const floor = level === 0 ? undefined : floorsOf(problem).find((one) => one.level === level);
    const served = floor ? floor.served : requiredDemand(problem);
    return most - served <= toleranceOf(problem, most, gap * LEVEL_SHARE) * (1 + ROUNDING);
  });
  return {
    kind: 'prioritized',
    problem,
    solution: { ...solution, proved: solution.proved && isKnown },
    levels,
    isMostProved: isKnown,
  };
}

/** The figures of the levels above 0 that have demand, the highest first. */
export function levelFigures({ problem, solution, levels }: ServedByPriority): PriorityServed[] {
  const { presence } = evaluateMoves(problem, solution.moves);
  const { byLevel } = serveFloors(problem, presence, problem.limits.totalFleetSize);
  const planned = planningDemandOf(problem);
  let higher = 0;
  const figures: PriorityServed[] = [];
  for (const { level, most } of levels) {
    if (level === 0) break;
    const at = [...planned.keys()].filter((j) => levelAt(problem, j) === level);
    const demand = at.reduce((sum, j) => sum + planned[j], 0);
    const open = at.reduce((sum, j) => sum + problem.demand[j], 0);
    const moving = Math.min(open, byLevel.get(level) ?? 0);
    const pinned = problem.pinned ? demand - open : 0;
    figures.push({
      level,
      demand,
      served: moving + pinned,
      served_at_most: Math.min(open, Math.max(moving, most - higher)) + pinned,
    });
    higher += moving;
  }
  return figures;
}

/**
 * Insights for a problem that is not a network: bounds of each changed problem from both sides, first cheaply for all,
 * then by solving the least known ones within a time budget. Ends as soon as all figures are exact.
 *
 * Error: with V the optimum, V' that of the changed problem,  B ≤ V ≤ P  and  L ≤ V' ≤ U  give  L − P ≤ V' − V ≤ U − B.
 * The figure lies in that range; its distance to the farther end is its `error_at_most`, 0 if both are solved to
 * optimality. A figure whose error is not smaller than itself is omitted.
 */

import { type BindingConstraint, LOCATION_FIGURES } from '../../../contracts/optimize.ts';
import type { Problem, Solution } from '../problem/model.ts';
import { sparePinned } from '../problem/pinned.ts';
import { insightsMs, shareOf, timeFor } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import type { SolveControl } from '../run/control.ts';
import { byClock, untilOutOfTime } from '../run/stopping.ts';
import { effortOf } from './effort.ts';
import { difference, type Estimate, isWithin, NOT_KNOWN } from './estimate.ts';
import { emptyFigures, type Figures } from './figures.ts';
import {
  boundDemand,
  boundFewer,
  boundMore,
  boundMove,
  boundUnchanged,
  createParametricFlow,
  type FlowBounds,
  type ParametricFlow,
  repairDemand,
  repairFewer,
  repairMore,
  repairMove,
} from './parametric-flow.ts';
import { learnFromRepairs } from './repairs.ts';
import { askAll, byWidth, learn, type Sensitivities, type Sensitivity, widthOf } from './sensitivity.ts';
import { learnConstraints, tightenEach, tightenOptimum } from './tighten.ts';
import { relaxedValue, requestedLimit } from './units.ts';

/** @param load demand that counts as one more; the problem has at least one class */
export async function explainByBounds(
  problem: Problem,
  solution: Solution,
  load: number,
  outer: SolveControl,
): Promise<Figures> {
  const now = nowMs();
  const isSingle = problem.capacities.length === 1;
  const budgetMs = insightsMs(problem.capacities.length, outer.deadlineMs - now);
  const control = byClock(outer, now + budgetMs);
  const forBounds = { ...control, deadlineMs: now + shareOf('most') * budgetMs };
  const sensitivities = askAll(problem, solution, load);
  await learnConstraints(problem, sensitivities, timeFor('glance', control));
  const effort = effortOf(forBounds);
  const flows: ParametricFlow[] = [];
  untilOutOfTime(() => {
    if (isSingle) {
      const flow = createParametricFlow(problem, solution, effort);
      flows.push(flow);
      learnFromLagrangian(flow, sensitivities);
    }
    learnFromRepairs(problem, solution, load, sensitivities, effort);
  });
  const closer = timeFor('half', control);
  const best = await tightenOptimum(problem, solution, sensitivities, closer);
  untilOutOfTime(() => {
    if (best.moves !== solution.moves) learnFromRepairs(problem, best, load, sensitivities, effort);
    for (const flow of flows) learnFromLagrangianRepairs(flow, sensitivities);
  });
  await tightenEach(problem, sensitivities, control);
  return figuresOf(problem, solution, sensitivities);
}

/** The same without flows and repairs, which know the cost of moving alone: each figure is solved for. */
export async function explainBySolving(
  problem: Problem,
  solution: Solution,
  load: number,
  outer: SolveControl,
): Promise<Figures> {
  const now = nowMs();
  const budgetMs = insightsMs(problem.capacities.length, outer.deadlineMs - now);
  const control = byClock(outer, now + budgetMs);
  const sensitivities = askAll(problem, solution, load);
  await learnConstraints(problem, sensitivities, timeFor('glance', control));
  await tightenOptimum(problem, solution, sensitivities, timeFor('half', control));
  await tightenEach(problem, sensitivities, control);
  return figuresOf(problem, solution, sensitivities);
}

/** One class: lower bounds for all, from the flow at the best Lagrangian multiplier. @throws OutOfTime */
export function learnFromLagrangian(flow: ParametricFlow, sensitivities: Sensitivities): void {
  const { optimum, more, fewer, moves, demand } = sensitivities;
  const { range: base } = boundUnchanged(flow);
  optimum.least = Math.max(optimum.least, base.least);
  optimum.most = Math.min(optimum.most, base.most);
  const note = (sensitivity: Sensitivity | null, { range }: FlowBounds) => {
    if (!sensitivity) return;
    learn(sensitivity, range);
    sensitivity.guess = range.least - base.least;
  };
  for (const [i, sensitivity] of more.entries()) note(sensitivity, boundMore(flow, i));
  for (const [i, sensitivity] of fewer.entries()) note(sensitivity, boundFewer(flow, i));
  for (const [j, sensitivity] of demand.entries()) {
    if (sparePinned(flow.problem, j) === 0) note(sensitivity, boundDemand(flow, j));
  }
  for (const sensitivity of moves) note(sensitivity, boundMove(flow, sensitivity.move!));
}

/** Bounds from both sides: that flow, changed and repaired, the least known first. @throws OutOfTime */
export function learnFromLagrangianRepairs(flow: ParametricFlow, sensitivities: Sensitivities): void {
  const { more, fewer, moves, demand } = sensitivities;
  const open: { sensitivity: Sensitivity; look: () => FlowBounds }[] = [
    ...more.map((sensitivity, i) => ({ sensitivity, look: () => repairMore(flow, i) })),
    ...fewer.flatMap((sensitivity, i) =>
      sensitivity ? [{ sensitivity, look: () => repairFewer(flow, i) }] : [],
    ),
    ...demand.flatMap((sensitivity, j) =>
      sparePinned(flow.problem, j) === 0 ? [{ sensitivity, look: () => repairDemand(flow, j) }] : [],
    ),
    ...moves.map((sensitivity) => ({ sensitivity, look: () => repairMove(flow, sensitivity.move!) })),
  ];
  for (const { sensitivity, look } of open.sort((a, b) => byWidth(a.sensitivity, b.sensitivity))) {
    if (widthOf(sensitivity) === 0) continue;
    const { range, next } = look();
    learn(sensitivity, range, next);
  }
}

export function figuresOf(problem: Problem, solution: Solution, sensitivities: Sensitivities): Figures {
  const figures = emptyFigures(problem, solution);
  const { optimum } = sensitivities;
  let exact = true;
  let complete = true;
  const estimate = ({ isKnown, guess, range, sign }: Sensitivity): Estimate | typeof NOT_KNOWN => {
    const found = isKnown ? difference(guess, range, optimum, sign) : NOT_KNOWN;
    if (found === NOT_KNOWN) complete = false;
    if (found?.error !== 0) exact = false;
    return found;
  };
  const absent: Estimate = { value: null, error: 0 };
  figures.locations.forEach((insight, i) => {
    const fewerSensitivity = sensitivities.fewer[i];
    const found = {
      one_more_saves: estimate(sensitivities.more[i]),
      one_fewer_costs: fewerSensitivity ? estimate(fewerSensitivity) : absent,
      more_demand_costs: estimate(sensitivities.demand[i]),
    };
    const error = commonError(Object.values(found));
    const given = LOCATION_FIGURES.filter((name) => error !== null && isWithin(found[name], error));
    for (const name of given) insight[name] = found[name]!.value;
    insight.one_more_saves = negated(insight.one_more_saves);
    insight.not_known = LOCATION_FIGURES.filter((name) => !given.includes(name));
    insight.error_at_most = error;
    if (insight.not_known.length > 0) complete = false;
  });
  figures.moves.forEach((insight, m) => {
    const found = estimate(sensitivities.moves[m]);
    const { next, range } = sensitivities.moves[m];
    insight.forbidding_costs = found?.value ?? null;
    const hasNext =
      insight.forbidding_costs !== null && next !== null && range.most < Number.POSITIVE_INFINITY;
    insight.next_best_location = hasNext ? problem.locationIds[next] : null;
    insight.error_at_most = found?.error ?? null;
  });
  const { binding, isCertain, isComplete } = bindingOf(problem, sensitivities);
  figures.binding = binding;
  figures.exact = exact && isCertain;
  figures.complete = complete && isComplete;
  return figures;
}

/** The smallest common error with which the most figures may be given; null if none may. */
function commonError(figures: readonly (Estimate | typeof NOT_KNOWN)[]): number | null {
  const errors = figures.flatMap((figure) => figure?.error ?? []).sort((a, b) => a - b);
  let best: number | null = null;
  let most = 0;
  for (const error of errors) {
    const count = figures.filter((figure) => isWithin(figure, error)).length;
    if (count > most) [best, most] = [error, count];
  }
  return best;
}

/** The cost saved if that much is added. */
function negated(added: number | null): number | null {
  return added === null ? null : 0 - added + 0;
}

/**
 * A constraint binds if the cheapest plan without it is cheaper, as far as is known.
 * @returns `isCertain`: all of them are known exactly; `isComplete`: all about the binding ones is known
 */
export function bindingOf(
  problem: Problem,
  { optimum, constraints }: Sensitivities,
): { binding: BindingConstraint[]; isCertain: boolean; isComplete: boolean } {
  const binding: BindingConstraint[] = [];
  let isCertain = true;
  let isComplete = true;
  for (const { name, unit, all } of constraints) {
    if (all.range.most >= optimum.most) {
      if (all.range.least < optimum.most) isCertain = false;
      continue;
    }
    if (all.range.most > optimum.least) isCertain = false;
    const range = { least: Math.max(unit.range.least, all.range.least), most: unit.range.most };
    const saved = difference(unit.guess, range, optimum, -1);
    if (saved === NOT_KNOWN) isComplete = false;
    if (saved?.error !== 0) isCertain = false;
    binding.push({
      constraint: name,
      value: requestedLimit(problem, name),
      relaxed_value: relaxedValue(problem, name),
      saves: negated(saved?.value ?? null),
      error_at_most: saved?.error ?? null,
    });
  }
  return { binding, isCertain, isComplete };
}

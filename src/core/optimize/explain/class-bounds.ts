/**
 * Bounds of changed problems of several classes, from one warm linear relaxation and one plan:
 *   from below   the relaxation, solved again with the change (`relaxation.ts`)
 *   from above   the plan, repaired with its serving vehicles held where they are (`repairs.ts`, `move-figures.ts`)
 */
import type { Problem, Solution, SolveControl } from '../model.ts';
import { type ClassFlow, createFixedFlow } from './class-flow.ts';
import { type Range, UNKNOWN } from './estimate.ts';
import { rerouteMove } from './move-figures.ts';
import { learn, type Question, type Questions } from './questions.ts';
import { type RelaxedCost, withRelaxation } from './relaxation.ts';
import { createRepairs } from './repairs.ts';
import { classToTake, mostCommonClass, servingVehicles } from './serving.ts';

/** The solver's arithmetic in a bound, units. */
const NOISE_UNITS = 1;

/** A plan's flows with its serving vehicles held, which may make it cheaper than it was. */
type FixedPlan = { flows: ClassFlow[]; serving: Float64Array[]; costUnits: number };

/** @param best the cheapest plan known; `solution` is the one that is explained */
export async function learnFromRelaxation(
  problem: Problem,
  solution: Solution,
  best: Solution,
  load: number,
  questions: Questions,
  control: SolveControl,
): Promise<void> {
  const plan = fixPlan(problem, solution);
  const cheapest = best === solution ? plan : fixPlan(problem, best);
  const { optimum } = questions;
  optimum.most = Math.min(optimum.most, cheapest.costUnits);
  const repairs = createRepairs(problem, best.moves, cheapest.flows, cheapest.serving);
  const ceiling = problem.limits.maxCostUnits;
  await withRelaxation(problem, load, control, (relaxation) => {
    const base = relaxation.cost();
    if (typeof base !== 'number') return;
    const note = (
      question: Question,
      relaxed: RelaxedCost,
      costUnits: number,
      next: number | null = null,
    ) => {
      const most = costUnits <= ceiling ? costUnits : Number.POSITIVE_INFINITY;
      const least =
        relaxed === null || (relaxed !== 'stopped' && relaxed > ceiling + NOISE_UNITS)
          ? Number.POSITIVE_INFINITY
          : relaxed === 'stopped'
            ? 0
            : Math.max(0, Math.ceil(relaxed - NOISE_UNITS));
      const range: Range = least === Number.POSITIVE_INFINITY ? { least, most: least } : { least, most };
      if (range.least === UNKNOWN.least && range.most === UNKNOWN.most) return;
      learn(question, range, next);
      if (typeof relaxed === 'number') question.guess = relaxed - base;
    };
    const common = mostCommonClass(problem) ?? 0;
    questions.more.forEach((question, i) => {
      const repaired = cheapest.costUnits + repairs.withOneMore(common, i);
      note(question, relaxation.costWithVehicle(common, i, 1), repaired);
    });
    questions.fewer.forEach((question, i) => {
      const k = classToTake(problem, common, i);
      if (!question || k === null) return;
      const repaired = cheapest.costUnits + repairs.withOneFewer(k, i);
      note(question, relaxation.costWithVehicle(k, i, -1), repaired);
    });
    const restore = plan.flows.map(({ network }) => network.mark());
    for (const question of questions.moves) {
      const { source, target } = question.move!;
      const { units, next } = rerouteMove(problem, plan.flows, restore, question.move!);
      const rerouted = units === null ? Number.POSITIVE_INFINITY : plan.costUnits + units;
      note(question, relaxation.costWithoutMove(source, target), rerouted, next);
      if (units !== null) question.guess = units;
    }
    questions.demand.forEach((question, j) => {
      note(question, relaxation.costWithDemand(j), cheapest.costUnits + repairs.withServing(j, load));
    });
  });
}

/** From above alone: the plan, repaired with its serving vehicles held; a few shortest paths for all, one or few per move. */
export function learnFromRepairs(
  problem: Problem,
  solution: Solution,
  load: number,
  questions: Questions,
  shouldStop: () => boolean,
): void {
  const { flows, serving, costUnits } = fixPlan(problem, solution);
  questions.optimum.most = Math.min(questions.optimum.most, costUnits);
  const repairs = createRepairs(problem, solution.moves, flows, serving);
  const note = (question: Question | null, added: number | null, next: number | null = null) => {
    const most = added === null ? Number.POSITIVE_INFINITY : costUnits + added;
    if (!question || most > problem.limits.maxCostUnits) return;
    learn(question, { least: 0, most }, next);
    question.guess = added;
  };
  const common = mostCommonClass(problem) ?? 0;
  for (const [i, question] of questions.more.entries()) note(question, repairs.withOneMore(common, i));
  for (const [i, question] of questions.fewer.entries()) {
    const k = classToTake(problem, common, i);
    if (k !== null) note(question, repairs.withOneFewer(k, i));
  }
  for (const [j, question] of questions.demand.entries()) note(question, repairs.withServing(j, load));
  const restore = flows.map(({ network }) => network.mark());
  for (const question of questions.moves) {
    if (shouldStop()) return;
    const { units, next } = rerouteMove(problem, flows, restore, question.move!);
    note(question, units, next);
  }
}

function fixPlan(problem: Problem, { moves, costUnits }: Solution): FixedPlan {
  const serving = servingVehicles(problem, moves);
  const flows = serving.map((vehicles, k) => createFixedFlow(problem, k, moves, vehicles));
  return {
    flows,
    serving,
    costUnits: flows.reduce((cost, { network }) => cost - network.improved, costUnits),
  };
}

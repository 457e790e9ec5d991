/**
 * Bounds of changed problems, cheap ones for all of them:
 *   from above   a plan, repaired with its serving vehicles held where they are (`repairs.ts`, `move-figures.ts`)
 *   from below   several classes: the linear relaxation's duals, and where there is time the relaxation solved again
 *                with the change (`relaxation.ts`)
 */
import type { Problem, Solution, SolveControl } from '../model.ts';
import { OutOfTime } from '../stopping.ts';
import { createFixedFlow } from './class-flow.ts';
import type { Effort } from './effort.ts';
import { rerouteMove } from './move-figures.ts';
import { learn, type Question, type Questions } from './questions.ts';
import { type Relaxation, type RelaxedCost, withRelaxation } from './relaxation.ts';
import { createRepairs } from './repairs.ts';
import { classToTake, mostCommonClass, servingVehicles } from './serving.ts';

/** The solver's arithmetic in a bound, units. */
const NOISE_UNITS = 1;

/** From below, of several classes. */
export async function learnFromRelaxation(
  problem: Problem,
  load: number,
  questions: Questions,
  control: SolveControl,
): Promise<void> {
  const ceiling = problem.limits.maxCostUnits;
  const common = mostCommonClass(problem) ?? 0;
  const learnFrom = (relaxation: Relaxation) => {
    const base = relaxation.cost();
    if (typeof base !== 'number') return;
    const note = (question: Question, cost: RelaxedCost) => {
      if (cost === 'stopped') return;
      const bound = cost === null ? Number.POSITIVE_INFINITY : Math.max(0, Math.ceil(cost - NOISE_UNITS));
      if (bound > ceiling)
        learn(question, { least: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY });
      else learn(question, { least: bound, most: Number.POSITIVE_INFINITY });
      // Of a move, what its vehicles sent again cost says more.
      if (cost !== null && !question.move) question.guess = cost - base;
    };
    const changes: { question: Question; bound: number; solve: () => RelaxedCost }[] = [];
    for (const [i, question] of questions.more.entries()) {
      const bound = relaxation.boundWithVehicle(common, i, 1);
      changes.push({ question, bound, solve: () => relaxation.costWithVehicle(common, i, 1) });
    }
    for (const [i, question] of questions.fewer.entries()) {
      const k = classToTake(problem, common, i);
      if (!question || k === null) continue;
      const bound = relaxation.boundWithVehicle(k, i, -1);
      changes.push({ question, bound, solve: () => relaxation.costWithVehicle(k, i, -1) });
    }
    for (const question of questions.moves) {
      const { source, target } = question.move!;
      changes.push({ question, bound: base, solve: () => relaxation.costWithoutMove(source, target) });
    }
    for (const [j, question] of questions.demand.entries()) {
      const bound = relaxation.boundWithDemand(j);
      changes.push({ question, bound, solve: () => relaxation.costWithDemand(j) });
    }
    for (const { question, bound } of changes) note(question, bound);
    for (const { question, solve } of changes) {
      const cost = solve();
      if (cost === 'stopped') return;
      note(question, cost);
    }
  };
  try {
    await withRelaxation(problem, load, control, learnFrom);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
  }
}

/**
 * From above: a few shortest paths for all, one or few per move.
 * @param plan any plan, be it another than the one that is explained
 * @throws OutOfTime, with what was learnt before
 */
export function learnFromRepairs(
  problem: Problem,
  plan: Solution,
  load: number,
  questions: Questions,
  effort: Effort,
): void {
  const serving = servingVehicles(problem, plan.moves);
  const flows = serving.map((vehicles, k) => createFixedFlow(problem, k, plan.moves, vehicles, effort));
  // With its serving vehicles where they are, the plan may be cheaper than it was.
  const costUnits = flows.reduce((cost, { network }) => cost - network.improved, plan.costUnits);
  questions.optimum.most = Math.min(questions.optimum.most, costUnits);
  const repairs = createRepairs(problem, plan.moves, flows, serving);
  const note = (question: Question | null, added: number | null, next: number | null = null) => {
    const most = added === null ? Number.POSITIVE_INFINITY : costUnits + added;
    if (!question || most > problem.limits.maxCostUnits) return;
    learn(question, { least: 0, most }, next);
    question.guess ??= added;
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
    const { units, next } = rerouteMove(problem, flows, restore, question.move!);
    note(question, units, next);
  }
}

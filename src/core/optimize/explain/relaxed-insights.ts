/**
 * Insights where the problem is no network and too large to be solved to the optimum many times.
 *
 *   vehicles, demand, constraints  differences of the linear relaxation, solved again with the change (`relaxation.ts`)
 *   moves                          the plan's own vehicles sent again with its serving vehicles held where they are
 *
 * Error: with V the optimum, V' that of the changed problem, L ≤ V and L' ≤ V' the relaxations, B the proved bound, P the plan
 * and U' a plan of the changed problem (the plan at hand, repaired with the serving vehicles held):
 *   B ≤ V ≤ P  and  L' ≤ V' ≤ U',  so  L' − P ≤ V' − V ≤ U' − B.
 * The figure's distance to the farther end is its `error_at_most`; where no U' is known it is null.
 */
import type { MoveInsight } from '../../../contracts/optimize.ts';
import type { Problem, Solution, SolveControl } from '../model.ts';
import { solveProblem } from '../solve.ts';
import { dropConstraint } from '../variants.ts';
import { type ClassFlow, createFixedFlow } from './class-flow.ts';
import { difference, type Estimate, type Range } from './estimate.ts';
import { emptyFigures, type Figures } from './figures.ts';
import { groupMoves, type MoveGroup, rerouteMove } from './move-figures.ts';
import { type Relaxation, type RelaxedCost, withRelaxation } from './relaxation.ts';
import { createRepairs, type Repairs } from './repairs.ts';
import { classToTake, mostCommonClass, servingVehicles } from './serving.ts';
import {
  type RelaxableName,
  relaxableConstraints,
  relaxByOne,
  relaxedValue,
  requestedValue,
} from './units.ts';

/** Less than this, in units, is no difference of two relaxations. */
const LEAST_DIFFERENCE = 0.5;
/** A problem with a relaxed constraint is solved to this gap. */
const ROUGH_GAP = 0.005;
/** For the error's sake nothing is solved for longer, or for more than this share of the time left. */
const MOST_ROUGH_MS = 1000;
const CLOSER_SHARE = 0.2;

/** A plan's flows with its serving vehicles held, which may make it cheaper than it was. */
type FixedPlan = { flows: ClassFlow[]; serving: number; costUnits: number };

type Context = {
  problem: Problem;
  plan: FixedPlan;
  /** Of the problem as it is: its relaxation, and what is known of its optimum. */
  base: number;
  optimum: Range;
  repairs: Repairs;
  load: number;
};

/** @param load demand that counts as one more; the problem has at least one class */
export async function explainRelaxed(
  problem: Problem,
  solution: Solution,
  load: number,
  control: SolveControl,
): Promise<Figures> {
  const plan = fixPlan(problem, solution);
  const closer = await solveCloser(problem, solution, control);
  const best = closer === solution ? plan : fixPlan(problem, closer);
  const boundUnits = Math.max(closer.boundUnits, solution.boundUnits);
  const figures = emptyFigures(problem, solution);
  const costOf = (variant: Problem) =>
    withRelaxation(variant, load, control, (relaxation) => relaxation.cost());
  const relaxed: RelaxedConstraint[] = [];
  const context = await withRelaxation(problem, load, control, (relaxation) => {
    const base = relaxation.cost();
    if (typeof base !== 'number') return null;
    const found: Context = {
      problem,
      plan,
      base,
      optimum: { least: Math.min(boundUnits, best.costUnits), most: best.costUnits },
      repairs: createRepairs(problem, best.flows, best.serving),
      load,
    };
    explainEach(found, relaxation, figures, groupMoves(solution.moves, problem.locationIds.length), control);
    for (const name of relaxableConstraints(problem)) {
      if (name === 'max_distance' || base < LEAST_DIFFERENCE) continue;
      const [unit, all] = [relaxation.costRelaxed(name, 'unit'), relaxation.costRelaxed(name, 'all')];
      relaxed.push({ name, unit, all });
    }
    return found;
  });
  if (!context) return figures;
  if (context.base >= LEAST_DIFFERENCE && relaxableConstraints(problem).includes('max_distance')) {
    const unit = await costOf(relaxByOne(problem, 'max_distance'));
    const all = await costOf(dropConstraint(problem, 'max_distance'));
    relaxed.push({ name: 'max_distance', unit, all });
  }
  for (const costs of relaxed) await addBinding(context, figures, costs, control);
  return figures;
}

function fixPlan(problem: Problem, { moves, costUnits }: Solution): FixedPlan {
  const serving = servingVehicles(problem, moves);
  const flows = serving.map((vehicles, k) => createFixedFlow(problem, k, moves, vehicles));
  return {
    flows,
    serving: serving.reduce((sum, vehicles) => sum + vehicles.reduce((a, b) => a + b, 0), 0),
    costUnits: flows.reduce((cost, { network }) => cost - network.improved, costUnits),
  };
}

/** The optimum, or as near to it as a moment brings: the nearer, the less the figures may be off. */
async function solveCloser(problem: Problem, solution: Solution, control: SolveControl): Promise<Solution> {
  if (solution.gap === 0) return solution;
  const now = performance.now();
  const deadlineMs = now + Math.min(MOST_ROUGH_MS, CLOSER_SHARE * Math.max(0, control.deadlineMs - now));
  const closer = await solveProblem(problem, 0, { deadlineMs, stopFlag: control.stopFlag });
  return closer.kind === 'solved' && closer.solution.costUnits <= solution.costUnits
    ? closer.solution
    : solution;
}

/** Vehicles first, then moves, then demand: where the time limit cuts it short, the most asked for is there. */
function explainEach(
  context: Context,
  relaxation: Relaxation,
  figures: Figures,
  groups: readonly MoveGroup[],
  control: SolveControl,
): void {
  const { flows } = context.plan;
  const { locations } = figures;
  let done = 0;
  const tell = () => {
    const share = ++done / (2 * locations.length + groups.length);
    control.onProgress?.({ share, incumbentUnits: null, boundUnits: null, gap: null });
  };
  const errors = new Float64Array(locations.length);
  let complete = true;
  const vehicles = createVehicleFigures(context, relaxation);
  locations.forEach((insight, i) => {
    const more = vehicles.more(i);
    const fewer = vehicles.fewer(i);
    if (more === 'stopped' || fewer === 'stopped') complete = false;
    insight.one_more_saves = figureOf(more);
    insight.one_fewer_costs = figureOf(fewer);
    errors[i] = Math.max(errorOf(more), errorOf(fewer));
    tell();
  });
  const restore = flows.map(({ network }) => network.mark());
  groups.forEach((group, at) => {
    if (!explainMove(context, relaxation, restore, group, figures.moves[at])) complete = false;
    tell();
  });
  locations.forEach((insight, i) => {
    const demand = vehicles.demand(i);
    if (demand === 'stopped') complete = false;
    insight.more_demand_costs = figureOf(demand);
    insight.error_at_most = finiteOrNull(Math.max(errors[i], errorOf(demand)));
    tell();
  });
  figures.complete = complete;
}

/** An estimate; null: no plan is left (or no vehicle to take); `stopped`: not found in time. */
type Found = Estimate | null | 'stopped';

const figureOf = (found: Found) => (found === null || found === 'stopped' ? null : found.value);
const errorOf = (found: Found) =>
  found === null ? 0 : found === 'stopped' ? Number.POSITIVE_INFINITY : found.error;
const finiteOrNull = (error: number) => (Number.isFinite(error) ? error : null);

function createVehicleFigures(context: Context, relaxation: Relaxation) {
  const { problem, base, optimum, repairs, load } = context;
  const common = mostCommonClass(problem) ?? 0;
  // More room can only help, unless vehicles may not stand where they are.
  const sign = problem.limits.maxVehiclesPerLocation === Number.POSITIVE_INFINITY ? 1 : 0;
  const found = (relaxed: RelaxedCost, repair: number, isSaving: boolean, signOf: 0 | 1): Found => {
    const range = rangeOf(context, relaxed, repair);
    if (range === null || range === 'stopped') return range;
    return isSaving
      ? difference(base - range.least, optimum, range, signOf)
      : difference(range.least - base, range, optimum, signOf);
  };
  return {
    more: (i: number) =>
      found(relaxation.costWithVehicle(common, i, 1), repairs.withOneMore(common, i), true, sign),
    fewer(i: number): Found {
      const k = classToTake(problem, common, i);
      if (k === null) return null;
      return found(relaxation.costWithVehicle(k, i, -1), repairs.withOneFewer(k, i), false, sign);
    },
    /** One vehicle more that serves at j makes up for its load more of demand. */
    demand: (j: number) => found(relaxation.costWithDemand(j), repairs.withServing(j, load), false, 0),
  };
}

/** What is known of a changed problem's optimum. @param repair units by which the plan, repaired, is dearer */
function rangeOf(
  { problem, optimum }: Context,
  relaxed: RelaxedCost,
  repair: number,
): Range | null | 'stopped' {
  const ceiling = problem.limits.maxCostUnits;
  if (relaxed === null || relaxed === 'stopped') return relaxed;
  if (relaxed > ceiling + LEAST_DIFFERENCE) return null;
  const most = optimum.most + repair;
  return { least: relaxed, most: most <= ceiling ? most : Number.POSITIVE_INFINITY };
}

/** @returns whether all of it was found */
function explainMove(
  context: Context,
  relaxation: Relaxation,
  restore: readonly (() => void)[],
  group: MoveGroup,
  insight: MoveInsight,
): boolean {
  const { problem, plan, base, optimum } = context;
  const { units, next } = rerouteMove(problem, plan.flows, restore, group);
  const rerouted = units === null ? Number.POSITIVE_INFINITY : plan.costUnits + units;
  const range = rangeOf(
    context,
    relaxation.costWithoutMove(group.source, group.target),
    rerouted - optimum.most,
  );
  if (range === null) {
    insight.error_at_most = 0;
    return true;
  }
  const known = range === 'stopped' ? { least: 0, most: Number.POSITIVE_INFINITY } : range;
  if (units !== null && rerouted <= problem.limits.maxCostUnits) {
    const { value, error } = difference(units, known, optimum, 1);
    insight.forbidding_costs = value;
    insight.next_best_location = next === null ? null : problem.locationIds[next];
    insight.error_at_most = finiteOrNull(error);
  } else if (range !== 'stopped') {
    insight.forbidding_costs = difference(range.least - base, known, optimum, 1).value;
  }
  return range !== 'stopped';
}

type RelaxedConstraint = { name: RelaxableName; unit: RelaxedCost; all: RelaxedCost };

/** The relaxed problem is solved too, roughly, which tells how far the relaxation's figure may be off. */
async function addBinding(
  { problem, base, optimum }: Context,
  figures: Figures,
  { name, unit, all }: RelaxedConstraint,
  control: SolveControl,
): Promise<void> {
  if (typeof unit !== 'number' || typeof all !== 'number') {
    figures.complete = false;
    return;
  }
  if (base - all < LEAST_DIFFERENCE) return;
  const deadlineMs = Math.min(control.deadlineMs, performance.now() + MOST_ROUGH_MS);
  const rough = await solveProblem(relaxByOne(problem, name), ROUGH_GAP, {
    deadlineMs,
    stopFlag: control.stopFlag,
  });
  const known: Range = { least: unit, most: optimum.most };
  if (rough.kind === 'solved') {
    known.least = Math.max(unit, rough.solution.boundUnits);
    known.most = Math.min(known.most, rough.solution.costUnits);
  }
  const { value, error } = difference(base - unit, optimum, known, 1);
  figures.binding.push({
    constraint: name,
    value: requestedValue(problem, name),
    relaxed_value: relaxedValue(problem, name),
    saves: value,
    error_at_most: finiteOrNull(error),
  });
}

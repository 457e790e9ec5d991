/** All steps of a request that looks ahead: what it says of each, and their plan by the engine that knows its rules. */
import type { OptimizeRequest } from '../../contracts/optimize.ts';
import type { AllSteps } from './answer/outlook.ts';
import { buildRules, dearestStep, withRules } from './horizon/build-rules.ts';
import { partsFromOutcomes } from './horizon/demand-parts.ts';
import type { MoveColumn } from './horizon/flow-master.ts';
import type { HorizonOutcome, HorizonSolution } from './horizon/outcome.ts';
import { planHorizon } from './horizon/plan-horizon.ts';
import { planWithRules } from './horizon/plan-with-rules.ts';
import { SAME_SERVED } from './horizon/proof-of.ts';
import type { RuledHorizon } from './horizon/rules.ts';
import { stepFlows } from './horizon/step-flows.ts';
import type { DemandParts, HorizonProblem, TripFlows } from './horizon/types.ts';
import { hasFewMoves } from './horizon/whole-moves.ts';
import type { OptimizeInput, Problem } from './problem/model.ts';
import { countPinnedChanged, hasChangeCost } from './problem/previous.ts';
import { isOperational, readCapacity } from './request/capacity.ts';
import { firstStepRequest, freeFrom, type HorizonSteps } from './request/horizon.ts';
import { readPriorities } from './request/priorities.ts';
import type { Cache } from './run/cache.ts';
import type { SolveControl } from './run/control.ts';
import { isOver } from './run/stopping.ts';

/** `parts`: of demand that is not certain. */
export type StepsAhead = AllSteps<readonly TripFlows[]> & { parts?: DemandParts };

/** Demand, vehicles on the way and trips of all steps. O(vehicles + demand values) */
export function readAllSteps(
  { request, locations, settings, tripCounts, outcomes }: OptimizeInput,
  problem: Problem,
  horizon: HorizonSteps,
): StepsAhead {
  const { locationIds } = problem;
  const n = locationIds.length;
  const position = new Map(Array.from(locationIds, (id, j) => [id, j]));
  const size = horizon.steps * n;
  const rowsOf = (forecast: OptimizeRequest['demand_forecast']) => {
    const rows = new Float64Array(size);
    for (const [id, steps] of Object.entries(forecast))
      for (const [t, value] of steps.entries()) rows[t * n + position.get(Number(id))!] = value;
    return rows;
  };
  const demand = rowsOf(request.demand_forecast);
  const capacity = readCapacity(firstStepRequest(request, horizon), settings);
  const arriving = request.fleet_state.vehicles
    .filter((vehicle) => isOperational(vehicle) && freeFrom(vehicle, horizon) > 0)
    .map((vehicle) => ({
      step: freeFrom(vehicle, horizon),
      served: capacity.of(vehicle),
      j: position.get((vehicle.location ?? vehicle.location_id)!)!,
    }));
  const capacities = Float64Array.from(
    new Set([...problem.capacities, ...arriving.map(({ served }) => served)]),
  ).sort();
  const onTheWay = new Int32Array(size);
  const byClass = new Int32Array(capacities.length * size);
  let later = 0;
  for (const { step, served, j } of arriving) {
    if (step >= horizon.steps) later++;
    else {
      onTheWay[step * n + j]++;
      byClass[capacities.indexOf(served) * size + step * n + j]++;
    }
  }
  const wanted = new Float64Array(n);
  for (let u = 0; u < size; u++) wanted[u % n] = Math.max(wanted[u % n], demand[u]);
  const levels = readPriorities(request, locations, locationIds, wanted);
  const isStored = (request.options?.horizon?.trip_flows ?? 'stored') === 'stored' && !request.network;
  const counts = isStored && tripCounts && tripCounts.trips.length > 0 ? tripCounts : null;
  return {
    demand,
    onTheWay,
    classes: { capacities, onTheWay: byClass },
    levels,
    later,
    ...(counts && { flows: stepFlows(locationIds, counts, horizon) }),
    ...(outcomes && { parts: partsFromOutcomes(outcomes.map(rowsOf)) }),
  };
}

type PlanOptions = {
  /** Relative, that proves a plan. */
  gap: number;
  control: SolveControl;
  cache: Cache;
  /** The most that the moves of one step cost. */
  maxCostUnits: number;
  /** Moves that are likely to be used, such as those of the plan before. */
  known?: readonly MoveColumn[];
};

/**
 * The plan of all steps. If it costs more in a step than it may, it is planned again with the ceiling as a rule: most
 * plans stay below theirs.
 * @param problem of the first step
 * @param ahead of all steps, the first of which has no demand
 */
export async function planAll(
  problem: Problem,
  ahead: HorizonProblem,
  { classes, levels }: Pick<StepsAhead, 'classes' | 'levels'>,
  { gap, control, cache, maxCostUnits, known }: PlanOptions,
): Promise<HorizonOutcome> {
  const input = { ...classes, levels };
  const ruled = buildRules(problem, ahead, input);
  // Only the first moves are carried out.
  const rules = ruled && { ...ruled, isWhole: false };
  const found = rules
    ? await planWithRules(rules, gap, control, cache, known)
    : await planHorizon(ahead, gap, control, cache, known);
  if (found.kind !== 'solved') return found;
  const dearestUnits = dearestStep(ahead, found.solution);
  if (dearestUnits <= maxCostUnits)
    return {
      ...found,
      solution: rules ? inProblem(problem, rules.capacities, found.solution) : found.solution,
    };
  const limited = { ...(rules ?? withRules(problem, ahead, input)), ceilingUnits: maxCostUnits };
  const within = await planWithRules(limited, gap, control, cache, columnsOf(ahead, found.solution));
  const withoutCeiling = { dearestUnits: found.solution.isShort ? null : dearestUnits };
  if (within.kind === 'infeasible') return { ...within, withoutCeiling };
  if (within.kind !== 'solved') return within;
  const solution = { ...inProblem(problem, limited.capacities, within.solution), withoutCeiling };
  return { ...within, solution };
}

/**
 * The plan of all steps as an answer has it. Where all moves are few, branch and cut goes on until the gap is proved;
 * else it looks for whole first moves that serve the level if, with trip flows, only fractional ones do.
 */
export async function planToAnswer(
  problem: Problem,
  ahead: HorizonProblem,
  all: Pick<StepsAhead, 'classes' | 'levels'>,
  options: PlanOptions,
): Promise<HorizonOutcome> {
  const { gap, control, cache, maxCostUnits } = options;
  const input = { ...all.classes, levels: all.levels };
  const hasRules = buildRules(problem, ahead, input) !== null || (ahead.flows && (ahead.least || ahead.most));
  const rules = withRules(problem, ahead, input);
  const limited =
    maxCostUnits === Number.POSITIVE_INFINITY ? rules : { ...rules, ceilingUnits: maxCostUnits };
  const plan = async (asked: RuledHorizon, isExact = false): Promise<HorizonOutcome> => {
    const found = await planWithRules(asked, gap, control, cache, [], isExact);
    const { capacities } = asked;
    return found.kind === 'solved'
      ? { ...found, solution: inProblem(problem, capacities, found.solution) }
      : found;
  };
  if (!hasFewMoves(limited)) {
    const found = await planAll(problem, ahead, all, options);
    const { isShort = false, mostServed = 0, withoutCeiling } = found.kind === 'solved' ? found.solution : {};
    const isByRounding = ahead.flows && isShort && mostServed >= ahead.required;
    if (!isByRounding || hasRules || withoutCeiling || isOver(control)) return found;
    return betterOf(ahead, found, await plan(limited));
  }
  const quick = hasRules ? null : await planHorizon(ahead, gap, control, cache);
  if (quick && quick.kind !== 'solved') return quick;
  const isWithin = quick && dearestStep(ahead, quick.solution) <= maxCostUnits;
  if (isWithin && quick.solution.proved) return quick;
  const exact = await plan(limited, true);
  const found = isWithin ? betterOf(ahead, quick, exact) : exact;
  const isReached = found.kind === 'solved' && !found.solution.isShort;
  if (isReached || limited === rules || (found.kind !== 'solved' && found.kind !== 'infeasible'))
    return found;
  // Whether the ceiling is in the way.
  const free = await plan(rules);
  if (free.kind !== 'solved') return found;
  const withoutCeiling = { dearestUnits: free.solution.isShort ? null : dearestStep(ahead, free.solution) };
  if (found.kind === 'infeasible') return { ...found, withoutCeiling };
  const isMore = free.solution.figures.totalServed > found.solution.figures.totalServed + noiseOf(ahead);
  return isMore ? { ...found, solution: { ...found.solution, withoutCeiling } } : found;
}

/** The plan that serves more, as far as that is required, or else costs less; the first one knows no levels. */
function betterOf(ahead: HorizonProblem, one: HorizonOutcome, other: HorizonOutcome): HorizonOutcome {
  if (one.kind !== 'solved') return other;
  if (other.kind !== 'solved') return other.kind === 'timeout' ? one : other;
  const servedOf = ({ solution: { figures } }: typeof one) => Math.min(ahead.required, figures.totalServed);
  const more = servedOf(one) - servedOf(other);
  const isFirst =
    Math.abs(more) > noiseOf(ahead)
      ? more > 0
      : one.solution.objectiveUnits < other.solution.objectiveUnits - 1;
  return isFirst ? one : other;
}

/** Plans whose service differs by less serve the same. */
function noiseOf({ demand }: HorizonProblem): number {
  return SAME_SERVED * demand.reduce((sum, value) => sum + value, 0);
}

/** With the classes of the first step's problem, and the changes of its pinned vehicles. */
function inProblem(problem: Problem, capacities: Float64Array, solution: HorizonSolution): HorizonSolution {
  const { moves, objectiveUnits, boundUnits } = solution;
  const pinned = hasChangeCost(problem) ? countPinnedChanged(problem) * problem.previous!.changeUnits : 0;
  const capacityClass = moves.capacityClass.map((k) => problem.capacities.indexOf(capacities[k]));
  return {
    ...solution,
    moves: { ...moves, capacityClass },
    objectiveUnits: objectiveUnits + pinned,
    boundUnits: boundUnits + pinned,
  };
}

function columnsOf({ pairs }: HorizonProblem, { outlook }: HorizonSolution): MoveColumn[] {
  return outlook.flatMap(({ moves }, step) =>
    moves.map(({ from, to }) => {
      const arcs = pairs.targets.subarray(pairs.starts[from], pairs.starts[from + 1]);
      return { step, arc: pairs.starts[from] + arcs.indexOf(to) };
    }),
  );
}

/**
 * What the plan is worth where: per location what one vehicle more saves and one fewer costs, and which constraints
 * make the plan dearer. All by solving again with the change made: duals of a degenerate network mislead (a location
 * of dual 0 may cost 50 when it loses a vehicle). Two-sided, exact, within what the time limit has left.
 *
 * A network is kept open and solved again from the last basis; anything else is built and solved to gap 0 each time.
 */
import type { Insights } from '../../contracts/optimize.ts';
import { fromUnits, UNITS_PER_COST } from './costs.ts';
import { wholeSteps } from './extract.ts';
import { type Formulation, formulate } from './formulation.ts';
import { isStopped, MOST_COLUMNS, type SolverModel, withSolverModel } from './highs.ts';
import type { Problem, Solution, SolveControl } from './model.ts';
import { solveProblem } from './solve.ts';
import { countArcs } from './variables.ts';
import { type DroppableName, dropConstraint, isSet, withVehicle } from './variants.ts';

/** The ceiling does not change which plan is cheapest, and what a forbidden move would cost is not known. */
const MAY_BIND: DroppableName[] = [
  'min_service_level',
  'max_distance',
  'min_vehicles_per_location',
  'max_vehicles_per_location',
  'total_fleet_size',
];

type LocationInsight = Insights['locations'][number];

/**
 * Insights for a problem's solution. The vehicle added is of the fleet's most common capacity (the smaller one of
 * two); the one taken away too where the location has one, otherwise of the location's most common capacity.
 */
export async function computeInsights(
  problem: Problem,
  solution: Solution,
  control: SolveControl,
): Promise<Insights> {
  const locations: LocationInsight[] = Array.from(problem.locationIds, (id) => ({
    location_id: id,
    one_more_saves: null,
    one_fewer_costs: null,
  }));
  const insights: Insights = {
    bound: fromUnits(solution.boundUnits),
    binding_constraints: [],
    locations,
    complete: false,
  };
  const optimum = solution.gap === 0 ? solution.costUnits : await findOptimum(problem, control);
  if (optimum === undefined || optimum === null) return insights;
  const binding = await findBinding(problem, optimum, control);
  insights.binding_constraints = binding.names;
  const differences = await findDifferences(problem, optimum, locations, control);
  insights.complete = binding.complete && differences;
  return insights;
}

/** Least cost in units, null where there is no plan, undefined where the time limit came first. */
async function findOptimum(problem: Problem, control: SolveControl): Promise<number | null | undefined> {
  if (performance.now() >= control.deadlineMs || isStopped(control.stopFlag)) return undefined;
  const outcome = await solveProblem(problem, 0, {
    deadlineMs: control.deadlineMs,
    stopFlag: control.stopFlag,
  });
  if (outcome.kind === 'infeasible') return null;
  return outcome.kind === 'solved' && outcome.solution.proved ? outcome.solution.costUnits : undefined;
}

/** A constraint binds where the cheapest plan without it is cheaper. */
async function findBinding(
  problem: Problem,
  optimum: number,
  control: SolveControl,
): Promise<{ names: string[]; complete: boolean }> {
  const names: string[] = [];
  let complete = true;
  for (const name of MAY_BIND) {
    if (!isSet(problem, name)) continue;
    // Nothing is cheaper than free.
    const cost = optimum === 0 ? 0 : await findOptimum(dropConstraint(problem, name), control);
    if (cost === undefined) complete = false;
    else if (cost !== null && cost < optimum) names.push(name);
  }
  return { names, complete };
}

/** Fills in the locations' figures. @returns whether all were found */
async function findDifferences(
  problem: Problem,
  optimum: number,
  locations: LocationInsight[],
  control: SolveControl,
): Promise<boolean> {
  const common = mostCommonClass(problem);
  if (common === null) return false;
  const costs = await openCosts(problem, control);
  return await costs(async (costWith) => {
    for (let i = 0; i < locations.length; i++) {
      const more = await costWith(common, i, 1);
      const taken = classToTake(problem, common, i);
      const fewer = taken === null ? null : await costWith(taken, i, -1);
      if (more === undefined || fewer === undefined) return false;
      locations[i].one_more_saves = more === null ? null : fromUnits(optimum - more);
      locations[i].one_fewer_costs = fewer === null ? null : fromUnits(fewer - optimum);
      const share = (i + 1) / locations.length;
      control.onProgress?.({ share, incumbentUnits: null, boundUnits: null, gap: null });
    }
    return true;
  });
}

/** Least cost in units with one vehicle more or fewer; null: no plan; undefined: not found in time. */
type CostWith = (capacityClass: number, location: number, by: 1 | -1) => Promise<number | null | undefined>;

/** @returns a scope in which such costs can be asked for */
async function openCosts(
  problem: Problem,
  control: SolveControl,
): Promise<<T>(use: (costWith: CostWith) => Promise<T>) => Promise<T>> {
  const bySolving: CostWith = (k, i, by) => findOptimum(withVehicle(problem, k, i, by), control);
  if (problem.capacities.length > 1 || countArcs(problem, true) > MOST_COLUMNS) {
    return (use) => use(bySolving);
  }
  const f = formulate(problem, { keepEmptySources: true });
  if (!f.isNetwork) return (use) => use(bySolving);
  const runControl = { deadlineMs: control.deadlineMs, stopFlag: control.stopFlag };
  return (use) =>
    withSolverModel(f.model, f.tolerance, runControl, (model) => {
      model.runLinear();
      return use(async (k, i, by) => {
        const units = resolveWith(problem, f, model, i, by);
        return units === 'not whole' ? bySolving(k, i, by) : units;
      });
    });
}

/** Solves the open network again with supply changed at one location. Every location has its supply row. */
function resolveWith(
  problem: Problem,
  f: Formulation,
  model: SolverModel,
  location: number,
  by: 1 | -1,
): number | null | undefined | 'not whole' {
  const v = f.variables;
  const supply = problem.supply[location];
  const from = v.sourceStart[location];
  const arcs = v.sourceStart[location + 1] - from;
  const set = (count: number) => {
    model.setRowBounds(location, count, count);
    model.setColumnBounds(from, new Float64Array(arcs), new Float64Array(arcs).fill(count));
  };
  set(supply + by);
  const linear = model.runLinear();
  set(supply);
  if (linear.status === 'infeasible') return null;
  if (linear.status === 'stopped') return undefined;
  const units = linear.objective * UNITS_PER_COST;
  const isWhole = Math.abs(units - Math.round(units)) < 0.01 && wholeSteps(f, linear.values) !== null;
  if (linear.status === 'failed' || !isWhole) return 'not whole';
  return Math.round(units) > problem.limits.maxCostUnits ? null : Math.round(units);
}

function mostCommonClass(problem: Problem): number | null {
  const n = problem.locationIds.length;
  let best: number | null = null;
  let most = 0;
  for (let k = 0; k < problem.capacities.length; k++) {
    let count = 0;
    for (let i = 0; i < n; i++) count += problem.supply[k * n + i];
    if (count > most) {
      most = count;
      best = k;
    }
  }
  return best;
}

function classToTake(problem: Problem, common: number, location: number): number | null {
  const n = problem.locationIds.length;
  if (problem.supply[common * n + location] > 0) return common;
  let best: number | null = null;
  for (let k = 0; k < problem.capacities.length; k++) {
    const count = problem.supply[k * n + location];
    if (count > 0 && (best === null || count > problem.supply[best * n + location])) best = k;
  }
  return best;
}

/**
 * The marginal values of a plan: per location, what one more vehicle saves and one fewer costs and what more demand
 * costs; per move, the cost of forbidding it; and the constraints that make the plan dearer. Two-sided, within the time
 * left.
 *
 *   one class, whole demand   exact, along residual paths of the plan's flow          `flow-insights.ts`
 *   otherwise                 bounded from both sides, as closely as time allows      `bounded-insights.ts`
 *   unmet demand at a cost, critical demand, rules about pairs, changes at a cost
 *                             the same, each from solving the changed problem alone
 *
 * Bare duals are not used: a location of dual 0 may cost 50 when it loses a vehicle.
 */

import type { Insights } from '../../../contracts/optimize.ts';
import { countArcs } from '../direct/variables.ts';
import { fromUnits } from '../problem/costs.ts';
import { hasFloors } from '../problem/floors.ts';
import type { Problem, Solution } from '../problem/model.ts';
import { hasPairRules } from '../problem/pairs.ts';
import { withPinnedAtHome } from '../problem/pinned-places.ts';
import { hasChangeCost } from '../problem/previous.ts';
import { mostCommonClass } from '../problem/serving.ts';
import { hasUnmetCost } from '../problem/unmet-cost.ts';
import { nowMs } from '../run/clock.ts';
import type { SolveControl } from '../run/control.ts';
import { checkOf, untilOutOfTime } from '../run/stopping.ts';
import { bindingOf, explainByBounds, explainBySolving } from './bounded-insights.ts';
import { emptyFigures, type Figures } from './figures.ts';
import { explainPureFlow } from './flow-insights.ts';
import { hasOnlyFullLoads } from './residual/class-flow.ts';
import { askConstraints, NO_SENSITIVITIES } from './sensitivity.ts';
import { learnConstraints } from './tighten.ts';

/** More possible moves than this do not fit in memory as a flow. */
const MAX_EXPLAINED_ARCS = 5_000_000;
/**
 * Insights for a problem's solution; without figures if finding them fails. The added vehicle has the fleet's most
 * common capacity (the smaller one of a tie), and so has the removed one if the location has such a vehicle; otherwise
 * it has the location's most common capacity.
 */
export async function computeInsights(
  problem: Problem,
  solution: Solution,
  control: SolveControl,
): Promise<Insights> {
  const whole = withSomeClass(problem);
  const plan = { ...solution, moves: withPinnedAtHome(problem, solution.moves) };
  const load = whole.capacities[mostCommonClass(whole) ?? 0];
  // The plan stands even if its explanation fails.
  const { exact, locations, moves, binding, complete } = await explain(whole, plan, load, control).catch(() =>
    emptyFigures(whole, plan),
  );
  return {
    bound: fromUnits(solution.boundUnits),
    exact,
    demand_step: load,
    binding_constraints: binding,
    locations,
    moves,
    complete,
  };
}

/** A fleet without operational vehicles also has one class, of the default capacity. */
function withSomeClass(problem: Problem): Problem {
  if (problem.capacities.length > 0) return problem;
  return {
    ...problem,
    capacities: Float64Array.of(problem.capacityPerVehicle),
    supply: new Int32Array(problem.locationIds.length),
  };
}

/** No figure is known; the binding constraints may still be. */
async function explainBinding(problem: Problem, solution: Solution, control: SolveControl): Promise<Figures> {
  const figures = emptyFigures(problem, solution);
  const { boundUnits: least, objectiveUnits: most } = solution;
  const sensitivities = {
    ...NO_SENSITIVITIES,
    optimum: { least, most },
    constraints: askConstraints(problem, most),
  };
  await learnConstraints(problem, sensitivities, { ...control, deadlineMs: nowMs() });
  return { ...figures, binding: bindingOf(problem, sensitivities).binding };
}

async function explain(problem: Problem, solution: Solution, load: number, control: SolveControl) {
  let arcs = Number.POSITIVE_INFINITY;
  untilOutOfTime(() => {
    arcs = countArcs(problem, true, checkOf(control));
  });
  if (arcs > MAX_EXPLAINED_ARCS) return await explainBinding(problem, solution, control);
  const isSolvedAlone =
    hasUnmetCost(problem) || hasFloors(problem) || hasPairRules(problem) || hasChangeCost(problem);
  if (isSolvedAlone) return await explainBySolving(problem, solution, load, control);
  if (hasOnlyFullLoads(problem)) return await explainPureFlow(problem, solution, control);
  return await explainByBounds(problem, solution, load, control);
}

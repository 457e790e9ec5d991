/**
 * The everyday case goes to the network simplex with the service level priced (`priced/`): one capacity class, demand that is not whole
 * in vehicles, no bounds of vehicles per location. What it finds and proves is kept in the incumbent; where that is not within the gap
 * asked for, the search over few moves goes on from it.
 */
import { fromUnits } from './costs.ts';
import type { Flow } from './flow/types.ts';
import { flowCosts } from './flow-costs.ts';
import { DUAL_NOISE, type Incumbent } from './incumbent.ts';
import type { Moves, Problem, SolveControl } from './model.ts';
import { solvePriced } from './priced/solve-priced.ts';
import type { PricedProblem } from './priced/types.ts';
import { leastServed } from './service-level.ts';

/** `open`: the problem is another one, or not proved within the gap. */
export type FractionalOutcome = 'done' | 'infeasible' | 'stopped' | 'open';

/** The priced problem, or null where the problem is more than one. */
export function asPricedProblem(problem: Problem): PricedProblem | null {
  const { capacities, limits, supply, demand, locationIds } = problem;
  if (capacities.length !== 1 || limits.minVehiclesPerLocation > 0) return null;
  if (limits.maxVehiclesPerLocation !== Number.POSITIVE_INFINITY) return null;
  return {
    n: locationIds.length,
    supply,
    demand,
    capacity: capacities[0],
    required: leastServed(problem),
    fleetSize: limits.totalFleetSize,
    cost: flowCosts(problem),
  };
}

export function solveFractional(
  problem: Problem,
  incumbent: Incumbent,
  control: SolveControl,
): FractionalOutcome {
  const priced = asPricedProblem(problem);
  if (!priced) return 'open';
  const { figures } = incumbent;
  const flowControl = {
    stopFlag: control.stopFlag,
    deadlineMs: control.deadlineMs,
    onProgress: ({ pivots }: { pivots: number }) => {
      figures.iterations = pivots;
      incumbent.report();
    },
  };
  try {
    const { kind, counts } = solvePriced(priced, flowControl, {
      onBound: (units) => incumbent.raiseBound(fromUnits(units), DUAL_NOISE),
      onPlan: (flow) => void incumbent.consider(toMoves(flow), 'network_simplex'),
    });
    figures.iterations = counts.pivots;
    figures.columns = counts.candidates;
    figures.rows = 2 * priced.n;
    if (kind === 'infeasible' || incumbent.boundUnits() > incumbent.ceiling) return 'infeasible';
    if (kind === 'stopped') return 'stopped';
  } catch (error) {
    // Numbers beyond exact sums are left to HiGHS.
    if (!(error instanceof RangeError)) throw error;
  }
  return incumbent.isProved() ? 'done' : 'open';
}

function toMoves({ from, to, units }: Flow): Moves {
  return { capacityClass: new Int32Array(units.length), source: from, target: to, count: units };
}

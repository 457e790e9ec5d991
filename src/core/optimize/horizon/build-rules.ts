/** The rules of a request that tie vehicles of several kinds, or several steps, to each other. */
import type { Problem } from '../problem/model.ts';
import { hasPairRules } from '../problem/pairs.ts';
import { hasChangeCost, targetGroups } from '../problem/previous.ts';
import type { HorizonSolution } from './outcome.ts';
import type { FirstPairRules, RuledHorizon } from './rules.ts';
import type { HorizonProblem } from './types.ts';

/** What all steps of a request add to the problem of its first one. */
export type RulesInput = {
  /** Ascending, those of vehicles on the way included: demand that a vehicle serves in a step. */
  capacities: Float64Array;
  /** K × T × n: vehicles on the way, by class and the step from which they are free; no row for the lead. */
  onTheWay: Int32Array;
  /** n; null if no demand is critical. */
  levels: Uint8Array | null;
};

/**
 * @param ahead the problem of all steps, whose first step has no demand
 * @returns null if no rule needs more than that problem
 */
export function buildRules(
  problem: Problem,
  ahead: HorizonProblem,
  { capacities, onTheWay, levels }: RulesInput,
): RuledHorizon | null {
  const rules = withRules(problem, ahead, { capacities, onTheWay, levels });
  const { fleetSize, firstPairs } = rules;
  const isTied = levels || hasChangeCost(problem) || fleetSize !== undefined || firstPairs;
  return capacities.length < 2 && !isTied ? null : rules;
}

/** The same with rules, whether it needs them or not. */
export function withRules(
  problem: Problem,
  ahead: HorizonProblem,
  { capacities: stated, onTheWay, levels }: RulesInput,
): RuledHorizon {
  const { n, steps } = ahead;
  const { totalFleetSize } = problem.limits;
  const size = n * steps;
  const capacities = stated.length > 0 ? stated : Float64Array.of(ahead.capacity);
  const supply = new Int32Array(capacities.length * size);
  for (const [k, capacity] of capacities.entries()) {
    const own = problem.capacities.indexOf(capacity);
    if (own >= 0) supply.set(problem.supply.subarray(own * n, (own + 1) * n), k * size);
    const arriving = onTheWay.subarray(k * (size - n), (k + 1) * (size - n));
    for (const [u, vehicles] of arriving.entries()) supply[k * size + n + u] += vehicles;
  }
  const vehicles = supply.reduce((sum, count) => sum + count, 0);
  const groups = hasChangeCost(problem) ? targetGroups(problem) : [];
  return {
    base: ahead,
    capacities,
    supply,
    isWhole: !ahead.flows,
    ...(levels && { levels }),
    ...(totalFleetSize < vehicles && { fleetSize: totalFleetSize }),
    ...(hasPairRules(problem) && { firstPairs: pairRulesOf(problem) }),
    ...(groups.length > 0 && {
      previous: {
        changeUnits: problem.previous!.changeUnits,
        groups: groups.map(({ capacityClass, ...group }) => {
          return { ...group, capacityClass: capacities.indexOf(problem.capacities[capacityClass]) };
        }),
      },
    }),
  };
}

function pairRulesOf({ limits, pairCostUnits = 0 }: Problem): FirstPairRules {
  const { minVehiclesPerMove: minVehicles, maxPairs, maxMovesFrom: maxFrom } = limits;
  return { costUnits: pairCostUnits, minVehicles, maxPairs, maxFrom };
}

/** What the moves of the dearest step cost, in cost units. */
export function dearestStep({ pairs }: HorizonProblem, { outlook }: HorizonSolution): number {
  let dearest = 0;
  for (const { moves } of outlook) {
    let units = 0;
    for (const { from, to, vehicles } of moves) {
      const arcs = pairs.targets.subarray(pairs.starts[from], pairs.starts[from + 1]);
      units += vehicles * pairs.units[pairs.starts[from] + arcs.indexOf(to)];
    }
    dearest = Math.max(dearest, units);
  }
  // Of fractional moves, less than a unit of cost is noise.
  return Math.ceil(dearest - 0.5);
}

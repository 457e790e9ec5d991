/**
 * Insights as sensitivities: the cost of the cheapest plan after a change. Each has a range that is proved so far and
 * that solving narrows, so figures can be given at any time with their maximum error.
 */
import type { Moves, Problem, Solution } from '../problem/model.ts';
import { withMoreDemand } from '../problem/pinned.ts';
import { countRequestLocations } from '../problem/pinned-places.ts';
import { hasChangeCost, withoutOneVehicle } from '../problem/previous.ts';
import { classToTake, mostCommonClass } from '../problem/serving.ts';
import { dropConstraint, withNetwork, withVehicle } from '../problem/variants.ts';
import { both, type Range, UNKNOWN } from './estimate.ts';
import { groupMoves, type MoveGroup, mostGained } from './move-figures.ts';
import { type RelaxableName, relaxableConstraints, relaxByOne } from './units.ts';

export type Sensitivity = {
  /** The changed problem; of several, the cheapest plan counts. */
  variants: () => readonly Problem[];
  /** Effect on the cost: 1 can only raise it, −1 can only lower it. */
  sign: 1 | 0 | -1;
  range: Range;
  /** Approximate change of the cost; units. */
  guess: number | null;
  /** Destination of the vehicles of a forbidden move in the plan of `range.most`. */
  next: number | null;
  /** The move that is forbidden, and the plan that has it. */
  move: MoveGroup | null;
  plan: Moves | null;
  /** Whether anything beyond the trivial bounds is known. */
  isKnown: boolean;
};

export type Sensitivities = {
  /** The problem as it is. */
  optimum: Range;
  more: Sensitivity[];
  /** Null if there is no vehicle to remove. */
  fewer: (Sensitivity | null)[];
  demand: Sensitivity[];
  moves: Sensitivity[];
  /** One unit looser, and without the constraint. */
  constraints: { name: RelaxableName; unit: Sensitivity; all: Sensitivity }[];
};

export function askAll(problem: Problem, solution: Solution, load: number): Sensitivities {
  const places = Array.from({ length: countRequestLocations(problem) }, (_, i) => i);
  const common = mostCommonClass(problem) ?? 0;
  // More room can only help, unless vehicles may not stay where they are.
  const isFree = problem.limits.maxVehiclesPerLocation === Number.POSITIVE_INFINITY;
  const { boundUnits: least, objectiveUnits: most } = solution;
  const raised = (variant: () => Problem) => ask(variant, 1, { least, most: Number.POSITIVE_INFINITY });
  const lowered = (variant: () => Problem) => ask(variant, -1, { least: 0, most });
  const open = (variant: () => Problem) => ask(variant, 0, UNKNOWN);
  return {
    optimum: { least, most },
    more: places.map((i) => (isFree ? lowered : open)(() => withVehicle(problem, common, i, 1))),
    fewer: places.map((i) => {
      const k = classToTake(problem, common, i);
      if (k === null) return null;
      const fewer = () => withoutOneVehicle(problem, k, i);
      // With a vehicle goes what it costs to keep to its target, or to leave it.
      const isDearer = isFree && !hasChangeCost(problem);
      return isDearer
        ? askAny(fewer, 1, { least, most: Number.POSITIVE_INFINITY })
        : askAny(fewer, 0, UNKNOWN);
    }),
    demand: places.map((j) => open(() => withMoreDemand(problem, j, load))),
    moves: groupMoves(problem, solution.moves).map((move) => ({
      ...raised(() => withoutMove(problem, move)),
      move,
      plan: solution.moves,
    })),
    constraints: askConstraints(problem, most),
  };
}

export const NO_SENSITIVITIES = { more: [], fewer: [], demand: [], moves: [] };

/** @param most cost of a plan */
export function askConstraints(problem: Problem, most: number): Sensitivities['constraints'] {
  const lowered = (variant: () => Problem) => ask(variant, -1, { least: 0, most });
  return relaxableConstraints(problem).map((name) => ({
    name,
    unit: lowered(() => relaxByOne(problem, name)),
    all: lowered(() => dropConstraint(problem, name)),
  }));
}

function ask(variant: () => Problem, sign: 1 | 0 | -1, range: Range): Sensitivity {
  return askAny(() => [variant()], sign, range);
}

function askAny(variants: () => readonly Problem[], sign: 1 | 0 | -1, range: Range): Sensitivity {
  return {
    variants,
    sign,
    range: { ...range },
    guess: null,
    next: null,
    move: null,
    plan: null,
    isKnown: range.least === range.most,
  };
}

/** Narrows the range of a sensitivity. @param next of the plan of the range's upper end */
export function learn(sensitivity: Sensitivity, range: Range, next: number | null = null): void {
  if (next !== null && (range.most <= sensitivity.range.most || sensitivity.next === null))
    sensitivity.next = next;
  sensitivity.range = both(sensitivity.range, range);
  sensitivity.isKnown = true;
}

/** The width of the known range; 0 if it is known that there is no plan. */
export function widthOf({ range }: Sensitivity): number {
  return range.least === Number.POSITIVE_INFINITY ? 0 : range.most - range.least;
}

/** The least known first. */
export function byWidth(a: Sensitivity, b: Sensitivity): number {
  const [first, second] = [widthOf(b), widthOf(a)];
  return first === second ? 0 : first - second;
}

/** Every sensitivity, those shared by several figures first. */
export function listAll({ constraints, more, fewer, moves, demand }: Sensitivities): Sensitivity[] {
  return [
    ...constraints.flatMap(({ unit, all }) => [unit, all]),
    ...moves,
    ...more,
    ...fewer.filter((sensitivity) => sensitivity !== null),
    ...demand,
  ];
}

function withoutMove(problem: Problem, { source, target }: MoveGroup): Problem {
  const costUnits = problem.network.costUnits.slice();
  costUnits[source * problem.locationIds.length + target] = Number.POSITIVE_INFINITY;
  return withNetwork(problem, { ...problem.network, costUnits });
}

/** The location where more vehicles of the source go than in the plan; staying counts. */
export function nextBest(
  problem: Problem,
  plan: Moves,
  without: Moves,
  { source, target }: MoveGroup,
): number | null {
  const gained = new Float64Array(problem.locationIds.length);
  for (const [moves, sign] of [
    [plan, -1],
    [without, 1],
  ] as const) {
    for (let m = 0; m < moves.count.length; m++) {
      if (moves.source[m] !== source) continue;
      gained[moves.target[m]] += sign * moves.count[m];
      gained[source] -= sign * moves.count[m];
    }
  }
  return mostGained(problem, gained, source, target);
}

/**
 * The cost of forbidding each move of a plan, and where its vehicles then go: the move's arc is closed and its vehicles
 * are rerouted.
 */
import type { MoveInsight } from '../../../contracts/optimize.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { withoutPinnedMoves } from '../problem/pinned-places.ts';
import type { ClassFlow } from './residual/class-flow.ts';
import { closeArc } from './residual/flow-changes.ts';
import { flowOn } from './residual/residual-network.ts';

/** The vehicles that go from one location to another, over all classes. */
export type MoveGroup = { source: number; target: number; count: number };

/** Moves by source and target, in that order, without those of pinned vehicles to their location. */
export function groupMoves(problem: Problem, all: Moves): MoveGroup[] {
  const n = problem.locationIds.length;
  const moves = withoutPinnedMoves(problem, all);
  const groups = new Map<number, MoveGroup>();
  for (let m = 0; m < moves.count.length; m++) {
    const key = moves.source[m] * n + moves.target[m];
    const group = groups.get(key) ?? { source: moves.source[m], target: moves.target[m], count: 0 };
    group.count += moves.count[m];
    groups.set(key, group);
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}

/** An insight of a group without figures. */
export function emptyMove(problem: Problem, { source, target, count }: MoveGroup): MoveInsight {
  const n = problem.locationIds.length;
  return {
    source_location: problem.locationIds[source],
    target_location: problem.locationIds[target],
    vehicles: count,
    cost: fromUnits(count * problem.network.costUnits[source * n + target]),
    forbidding_costs: null,
    next_best_location: null,
    error_at_most: null,
  };
}

/**
 * Closes the move in every class's flow and reroutes. The flows are restored.
 * @returns units of cost added (null: there is no other way), and the location that takes most of the vehicles instead
 */
export function rerouteMove(
  problem: Problem,
  flows: readonly ClassFlow[],
  restore: readonly (() => void)[],
  { source, target }: MoveGroup,
): { units: number | null; next: number | null } {
  const n = problem.locationIds.length;
  const gained = new Float64Array(n);
  let units: number | null = 0;
  for (const [at, flow] of flows.entries()) {
    const arc = flow.moveArc(source, target);
    const count = arc < 0 ? 0 : flowOn(flow.network, arc);
    if (count === 0) continue;
    for (let j = 0; j < n; j++) gained[j] -= flowTo(flow, source, j);
    const added = closeArc(flow.network, arc, count);
    for (let j = 0; j < n; j++) gained[j] += flowTo(flow, source, j);
    restore[at]();
    if (added === null || units === null) units = null;
    else units += added;
  }
  return { units, next: units === null ? null : mostGained(problem, gained, source, target) };
}

function flowTo(flow: ClassFlow, source: number, j: number): number {
  const arc = flow.moveArc(source, j);
  return arc < 0 ? 0 : flowOn(flow.network, arc);
}

/** The location that gains most; the nearest in cost of several. */
export function mostGained(
  problem: Problem,
  gained: ArrayLike<number>,
  source: number,
  target: number,
): number | null {
  const n = problem.locationIds.length;
  let best: number | null = null;
  for (let j = 0; j < n; j++) {
    if (j === target || gained[j] <= 0) continue;
    const isBetter =
      best === null ||
      gained[j] > gained[best] ||
      (gained[j] === gained[best] && costTo(problem, source, j) < costTo(problem, source, best));
    if (isBetter) best = j;
  }
  return best;
}

function costTo(problem: Problem, source: number, j: number): number {
  return source === j ? 0 : problem.network.costUnits[source * problem.locationIds.length + j];
}

/** Number of vehicles that go, or stay, from a source to a target in a plan. */
export function flowsOf(problem: Problem, moves: Moves): (source: number, target: number) => number {
  const n = problem.locationIds.length;
  const going = new Map<number, number>();
  const leaving = new Float64Array(n);
  for (let m = 0; m < moves.count.length; m++) {
    const at = moves.source[m] * n + moves.target[m];
    going.set(at, (going.get(at) ?? 0) + moves.count[m]);
    leaving[moves.source[m]] += moves.count[m];
  }
  return (source, target) =>
    source === target ? problem.supply[source] - leaving[source] : (going.get(source * n + target) ?? 0);
}

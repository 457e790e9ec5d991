/**
 * Bounds of vehicles per location that a request states by location: at which locations to loosen them, and to what, so
 * that a plan exists. The change in total is the smallest (`elastic.ts`); the cheapest moves to where vehicles then are
 * show that it is sufficient.
 */
import { evaluateMoves } from '../problem/evaluate.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { LocationChange, Moves, Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { countVehicles } from '../problem/variants.ts';
import type { Stopping } from '../run/stopping.ts';
import { cheapestMoves } from './cheapest-moves.ts';
import { type BoundSide, findLeastChange } from './elastic.ts';

export type LooserBounds = {
  /** By ascending id. */
  changes: LocationChange[];
  /** Proved: bounds loosened by less in total allow no plan. */
  least: number;
};

/**
 * @param problem infeasible, with vehicles and with bounds by location on this side
 * @returns `none`: proved, no change of these bounds is sufficient; null: nothing was found in time, or only plans
 * above the ceiling
 */
export async function findLooserBounds(
  problem: Problem,
  side: BoundSide,
  control: Stopping,
): Promise<LooserBounds | 'none' | null> {
  if (countVehicles(problem) === 0) return loosenForPinned(problem, side);
  const { least, presences } = await findLeastChange(problem, side, control);
  if (least === Number.POSITIVE_INFINITY) return 'none';
  for (const presence of presences) {
    const changes = changesFor(problem, side, presence);
    const changed = withLooserBounds(problem, side, changes);
    const moves = await cheapestMoves(changed, presence, control);
    if (!moves) break;
    const { broken, costUnits } = evaluateMoves(changed, moves);
    if (broken.length === 0 && costUnits <= problem.limits.maxCostUnits) return { changes, least };
  }
  return null;
}

/** Without vehicles that may move there is one plan. */
function loosenForPinned(problem: Problem, side: BoundSide): LooserBounds | 'none' {
  const { changes } = looserBoundsOf(problem, side, NO_MOVES);
  const { broken } = evaluateMoves(withLooserBounds(problem, side, changes), NO_MOVES);
  return broken.length > 0 ? 'none' : { changes, least: totalChange(changes) };
}

/** The changes that a plan of the problem with looser bounds needs. */
export function looserBoundsOf(problem: Problem, side: BoundSide, moves: Moves): LooserBounds {
  return { changes: changesFor(problem, side, evaluateMoves(problem, moves).presence), least: 1 };
}

/** The problem with other bounds at some locations. */
export function withLooserBounds(
  problem: Problem,
  side: BoundSide,
  changes: readonly LocationChange[],
): Problem {
  const bounds = { ...problem.bounds!, [side]: problem.bounds![side].slice() };
  for (const { location_id, to } of changes) bounds[side][problem.locationIds.indexOf(location_id)] = to;
  return { ...problem, bounds };
}

/** How much bounds change in total. */
export function totalChange(changes: readonly LocationChange[]): number {
  return changes.reduce((sum, { from, to }) => sum + Math.abs(to - from), 0);
}

/** @param presence K × n, after the moves */
function changesFor(problem: Problem, side: BoundSide, presence: ArrayLike<number>): LocationChange[] {
  const n = problem.locationIds.length;
  const pinned = problem.pinned?.vehicles;
  const changes: LocationChange[] = [];
  const stated = problem.bounds![side];
  for (let j = 0; j < stated.length; j++) {
    let present = 0;
    for (let at = j; at < presence.length; at += n) present += presence[at];
    const isBroken = side === 'least' ? present < leastAt(problem, j) : present > mostAt(problem, j);
    if (!isBroken) continue;
    const to = Math.round(present) + (pinned?.[j] ?? 0);
    changes.push({ location_id: problem.locationIds[j], from: stated[j], to });
  }
  return changes;
}

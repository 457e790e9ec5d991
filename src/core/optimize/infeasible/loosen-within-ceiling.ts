/**
 * By how much bounds by location have to be loosened in total for a plan within the cost ceiling: all moves as one
 * integer programme, for small problems.
 */
import { wholeMoves } from '../direct/extract.ts';
import { costCeilingRow, formulate } from '../direct/formulation.ts';
import { countArcs } from '../direct/variables.ts';
import { withSolverModel } from '../highs/highs.ts';
import type { LinearModel } from '../highs/linear-model.ts';
import type { NewRow } from '../highs/solver-model.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { hasPairLimits } from '../problem/pairs.ts';
import { homeOf } from '../problem/pinned-places.ts';
import { countVehicles } from '../problem/variants.ts';
import type { Stopping } from '../run/stopping.ts';
import { type BoundSide, withRows } from './coverage/coverage-model.ts';
import { leastWhole, WHOLE_GAP } from './least-whole.ts';
import { MAX_SMALL_ARCS } from './most-served.ts';

/** @returns moves that need the smallest change in total, and its proved bound; null: none were found */
export async function loosenWithinCeiling(
  problem: Problem,
  side: BoundSide,
  control: Stopping,
): Promise<{ moves: Moves; least: number } | null> {
  // The limit stays: without bounds of either side the model has no moves to locations without demand.
  const any = side === 'least' ? 0 : Number.POSITIVE_INFINITY;
  const bounds = { ...problem.bounds!, [side]: problem.bounds![side].map(() => any) };
  const free = { ...problem, bounds };
  if (hasPairLimits(problem) || countArcs(free, false) > MAX_SMALL_ARCS) return null;
  const f = formulate(free);
  const n = problem.locationIds.length;
  const { columnCount } = f.model;
  const fleet = countVehicles(problem);
  const longer = (values: Float64Array, rest: number) =>
    Float64Array.from({ length: columnCount + n }, (_, c) => values[c] ?? rest);
  const wider: LinearModel = {
    ...f.model,
    columnCount: columnCount + n,
    cost: longer(new Float64Array(columnCount), 1),
    costScale: 1,
    lower: longer(f.model.lower, 0),
    upper: longer(f.model.upper, 0).map((most, c) => {
      if (c < columnCount) return most;
      const j = c - columnCount;
      if (side === 'least') return leastAt(problem, j);
      return homeOf(problem, j) >= 0 ? 0 : Math.max(0, fleet - mostAt(problem, j));
    }),
  };
  const rows: NewRow[] = [];
  for (let j = 0; j < n; j++) {
    if (mostAt(problem, j) === Number.POSITIVE_INFINITY && leastAt(problem, j) === 0) continue;
    const into: number[] = [];
    for (let k = 0; k < problem.capacities.length; k++) {
      const { targetStart, byTarget } = f.variables;
      into.push(...byTarget.subarray(targetStart[k * n + j], targetStart[k * n + j + 1]));
    }
    rows.push({
      indices: Int32Array.from([...into, columnCount + j]),
      values: Float64Array.from([...into.map(() => 1), side === 'least' ? 1 : -1]),
      lower: side === 'least' ? leastAt(problem, j) : Number.NEGATIVE_INFINITY,
      upper: side === 'least' ? Number.POSITIVE_INFINITY : mostAt(problem, j),
    });
  }
  if (problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY) rows.push(costCeilingRow(free, f));
  const model = withRows(wider, rows);
  return await withSolverModel(problem.caches.thread, model, f.tolerance, control, (solver) => {
    const { firstStep, stepClass } = f.variables;
    const integerTo = firstStep + stepClass.length;
    const mixed = solver.runMixed({ integerFrom: 0, integerTo, gap: 0, absoluteGap: WHOLE_GAP });
    const moves = mixed.values && wholeMoves(free, f, mixed.values);
    return moves && { moves, least: Math.max(1, leastWhole(mixed.bound)) };
  });
}

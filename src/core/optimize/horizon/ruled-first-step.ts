/** Whole moves of the first step, from fractional ones, of a horizon problem with rules. */
import type { SolverModel } from '../highs/highs.ts';
import { roundInPairs } from './round-moves.ts';
import { addRuledColumns, keyOf, type RuledColumn, type RuledMaster } from './ruled-master.ts';
import { createRuledMoves, freeSupply, type RuledHorizon, type RuledMoves } from './rules.ts';

/**
 * The moves of the first step in whole vehicles, of each class and group as many as there are; those that stay are
 * rounded with them. At each location arrive as many as in the fractional plan, but for less than a vehicle: of each
 * class, or of all classes together if bounds count these. With a ceiling the whole moves cost no more.
 */
export function wholeFirstStep(problem: RuledHorizon, moves: RuledMoves): RuledMoves {
  const { base, capacities, previous, ceilingUnits } = problem;
  const { n, steps, pairs, least, most } = base;
  const classes = capacities.length;
  const isBounded = least !== undefined || most !== undefined;
  const rows: number[] = [];
  const columns: number[] = [];
  const amounts: number[] = [];
  const costs: number[] = [];
  const add = (row: number, k: number, delay: number, to: number, amount: number, cost: number) => {
    rows.push(row);
    columns.push((Math.min(delay, steps) * n + to) * classes + (isBounded ? 0 : k));
    amounts.push(amount);
    costs.push(cost);
  };
  const groups = previous?.groups ?? [];
  const free = freeSupply(problem);
  const staying = Float64Array.from({ length: classes * n + groups.length }, (_, row) =>
    row < classes * n ? free[Math.floor(row / n) * n * steps + (row % n)] : groups[row - classes * n].count,
  );
  let first = 0;
  for (; moves.step[first] === 0; first++) {
    const k = moves.capacityClass[first];
    const group = moves.group[first];
    const row = group < 0 ? k * n + moves.from[first] : classes * n + group;
    const a = arcOf(problem, moves.from[first], moves.to[first]);
    add(row, k, pairs.delay[a], moves.to[first], moves.vehicles[first], pairs.units[a]);
    staying[row] -= moves.vehicles[first];
  }
  for (const [row, left] of staying.entries()) {
    const group = groups[row - classes * n];
    const k = group ? group.capacityClass : Math.floor(row / n);
    add(row, k, 1, group ? group.location : row % n, Math.max(0, left), 0);
  }
  const hasCeiling = ceilingUnits !== undefined && ceilingUnits !== Number.POSITIVE_INFINITY;
  const rounded = roundInPairs(rows, columns, Float64Array.from(amounts), hasCeiling ? costs : undefined);
  const whole = createRuledMoves();
  for (let m = 0; m < first; m++) if (rounded[m] > 0) push(whole, moves, m, rounded[m]);
  return whole;
}

function push(to: RuledMoves, from: RuledMoves, m: number, vehicles: number): void {
  to.step.push(from.step[m]);
  to.capacityClass.push(from.capacityClass[m]);
  to.group.push(from.group[m]);
  to.from.push(from.from[m]);
  to.to.push(from.to[m]);
  to.vehicles.push(vehicles);
}

function arcOf({ base: { pairs } }: RuledHorizon, from: number, to: number): number {
  for (let a = pairs.starts[from]; a < pairs.starts[from + 1]; a++) if (pairs.targets[a] === to) return a;
  throw new Error(`no pair from ${from} to ${to}`);
}

/** Fixes the columns of the first step's moves. */
export function setFirstStep(
  { problem, moves, columns }: RuledMaster,
  model: SolverModel,
  first: RuledMoves,
): void {
  const vehicles = new Map<number, number>();
  for (let m = 0; m < first.step.length; m++)
    vehicles.set(keyOf(problem, columnOf(problem, first, m)), first.vehicles[m]);
  for (const [m, move] of moves.entries()) {
    if (move.step > 0) continue;
    const key = keyOf(problem, move);
    const fixed = Float64Array.of(vehicles.get(key) ?? 0);
    // A second column of the same move stays empty.
    vehicles.delete(key);
    model.setColumnBounds(columns.firstMove + m, fixed, fixed);
  }
  if (vehicles.size > 0) throw new Error('a move of the first step is no column');
}

/** Moves of the first step that are no columns yet become some. */
export function addMissing(master: RuledMaster, model: SolverModel, first: RuledMoves): void {
  const { problem, isColumn } = master;
  const { n } = problem.base;
  const missing = new Map<number, RuledColumn>();
  for (let m = 0; m < first.step.length; m++) {
    const column = columnOf(problem, first, m);
    const key = keyOf(problem, column);
    if (!isColumn.has(key)) missing.set(key, column);
  }
  const weights = { cost: 0, served: new Float64Array(n), beyond: Number.POSITIVE_INFINITY };
  if (missing.size > 0) addRuledColumns(master, model, [...missing.values()], weights);
}

function columnOf(problem: RuledHorizon, moves: RuledMoves, m: number): RuledColumn {
  const from = moves.from[m];
  const arc = arcOf(problem, from, moves.to[m]);
  return { capacityClass: moves.capacityClass[m], group: moves.group[m], step: moves.step[m], from, arc };
}

/** The first step of one plan, the later steps of another. */
export function joinSteps(first: RuledMoves, later: RuledMoves): RuledMoves {
  const joined = createRuledMoves();
  for (let m = 0; m < first.step.length; m++) push(joined, first, m, first.vehicles[m]);
  for (let m = 0; m < later.step.length; m++)
    if (later.step[m] > 0) push(joined, later, m, later.vehicles[m]);
  return joined;
}

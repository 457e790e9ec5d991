/** Whole moves of the first step, from fractional ones, of a horizon problem with rules. */
import type { SolverModel } from '../highs/highs.ts';
import { timeFor } from '../run/budget.ts';
import type { SolveControl } from '../run/control.ts';
import { roundInPairs } from './round-moves.ts';
import { addRuledColumns, costsOf, keyOf, type RuledColumn, type RuledMaster } from './ruled-master.ts';
import { createRuledMoves, freeSupply, type RuledHorizon, type RuledMoves } from './rules.ts';
import { latestArrival } from './types.ts';

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

/** Moves of later steps that are no columns; none if all are too many. */
function laterMoves({ problem, isColumn }: RuledMaster): RuledColumn[] {
  const { base, capacities } = problem;
  const { n, steps, pairs } = base;
  if (capacities.length * (steps - 1) * pairs.targets.length > MAX_FIRST_COLUMNS) return [];
  const missing: RuledColumn[] = [];
  for (let k = 0; k < capacities.length; k++) {
    for (let u = n; u < n * steps; u++) {
      const [from, step] = [u % n, Math.floor(u / n)];
      for (let arc = pairs.starts[from]; arc < pairs.starts[from + 1]; arc++) {
        const column = { capacityClass: k, group: -1, step, from, arc };
        const isLate = step + pairs.delay[arc] > latestArrival(base);
        if (!isLate && !isColumn.has(keyOf(problem, column))) missing.push(column);
      }
    }
  }
  return missing;
}

/** The first step of one plan, the later steps of another. */
export function joinSteps(first: RuledMoves, later: RuledMoves): RuledMoves {
  const joined = createRuledMoves();
  for (let m = 0; m < first.step.length; m++) push(joined, first, m, first.vehicles[m]);
  for (let m = 0; m < later.step.length; m++)
    if (later.step[m] > 0) push(joined, later, m, later.vehicles[m]);
  return joined;
}

/** All moves of the first step become columns if they are no more than this, and so do all later ones. */
const MAX_FIRST_COLUMNS = 5_000;
const BRANCH_GAP = 0.01;

/**
 * Whole moves of the first step that keep the bounds per location and serve as much as is required, by branch and cut:
 * rounding found none. If none do, whole moves that keep the bounds and serve as much as they can.
 * @returns `infeasible`: proved for the moves that are columns; null if time was up
 */
export function branchFirstStep(
  master: RuledMaster,
  model: SolverModel,
  control: SolveControl,
  required: number,
): RuledMoves | 'infeasible' | null {
  const { problem, columns, moves, rows } = master;
  const { base, capacities, previous } = problem;
  const { n, steps, pairs } = base;
  const infinity = Number.POSITIVE_INFINITY;
  for (let r = rows.floors; r < rows.service; r++) model.setRowBounds(r, -infinity, infinity);
  model.setRowBounds(rows.service, required, infinity);
  if (rows.ceilings >= 0) model.setRowBounds(rows.ceilings, -infinity, (problem.ceilingUnits ?? 0) / 1e4);
  const empty = new Float64Array(columns.firstMove - columns.few);
  if (empty.length > 0) model.setColumnBounds(columns.few, empty, empty);
  const sources = [
    ...Array.from({ length: capacities.length * n }, (_, row) => ({
      capacityClass: Math.floor(row / n),
      group: -1,
      from: row % n,
    })),
    ...(previous?.groups ?? []).map(({ capacityClass, location }, group) => ({
      capacityClass,
      group,
      from: location,
    })),
  ];
  const amounts = [...pairs.units, ...(base.end?.units ?? [])];
  const dearest = amounts.reduce((most, units) => Math.max(most, units), 1) / 1e4;
  const worth = (4 * steps * dearest) / capacities[0];
  const served = Float64Array.from({ length: n }, (_, j) => worth * 10 ** (problem.levels?.[j] ?? 0));
  const weights = { cost: 1, served, beyond: infinity };
  // What whole first moves lead to may take later moves that fractional ones do not.
  addRuledColumns(master, model, laterMoves(master), weights);
  const used = moves.filter(({ step }) => step === 0);
  const all = sources.flatMap((source) =>
    Array.from({ length: pairs.starts[source.from + 1] - pairs.starts[source.from] }, (_, a): RuledColumn => {
      return { ...source, step: 0, arc: pairs.starts[source.from] + a };
    }).filter(({ arc }) => pairs.delay[arc] <= latestArrival(base)),
  );
  // Second columns of the same moves, one after the other: these are whole, and the first ones stay empty.
  const copies = all.length <= MAX_FIRST_COLUMNS ? all : used;
  for (const [m, { step }] of moves.entries())
    if (step === 0) model.setColumnBounds(columns.firstMove + m, Float64Array.of(0), Float64Array.of(0));
  const from = columns.firstMove + moves.length;
  addRuledColumns(master, model, copies, weights);
  model.setCosts(costsOf(master, weights));
  const run = () =>
    model.runMixed({
      integerFrom: from,
      integerTo: from + copies.length,
      gap: BRANCH_GAP,
      absoluteGap: 0,
      untilMs: timeFor('wholeFirstStep', control).deadlineMs,
    });
  let result = run();
  if (result.status === 'infeasible' && required > 0) {
    model.setRowBounds(rows.service, -infinity, infinity);
    result = run();
  }
  if (result.status === 'infeasible') return 'infeasible';
  if (!result.values || result.status === 'failed') return null;
  const whole = createRuledMoves();
  // Columns are found by their keys: the copies come last, and stand for their moves from now on.
  for (const [m, move] of [...master.moves.entries()].slice(from - columns.firstMove)) {
    const vehicles = Math.round(result.values[columns.firstMove + m]);
    if (vehicles === 0) continue;
    const one = createRuledMoves();
    one.step.push(0);
    one.capacityClass.push(move.capacityClass);
    one.group.push(move.group);
    one.from.push(move.from);
    one.to.push(pairs.targets[move.arc]);
    push(whole, one, 0, vehicles);
  }
  return whole;
}

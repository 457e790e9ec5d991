/**
 * Takes back the changes that do not pay for themselves: a plan within the gap may have some. Every vehicle goes where
 * the plan sends it or to its previous target, in the best of these ways: a mixed-integer programme whose columns are
 * fixed but for vehicles that change, x_ijk between what the plan has and the vehicles that should go there.
 */
import { wholeMoves } from '../direct/extract.ts';
import { costCeilingRow, formulate } from '../direct/formulation.ts';
import { withSolverModel } from '../highs/highs.ts';
import { withRow } from '../highs/linear-model.ts';
import { provedWithin } from '../problem/incumbent.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { targetGroups } from '../problem/previous.ts';
import { msOf, timeFor } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import type { SolveControl } from '../run/control.ts';
import { checkOf, isOver, OutOfTime } from '../run/stopping.ts';
import { withFewColumns } from './few-columns.ts';

/**
 * @param problem with a change cost, without rules about pairs
 * @returns moves that may be better than these; null if nothing is changed, or if time is up
 */
export async function takeBack(problem: Problem, moves: Moves, control: SolveControl): Promise<Moves | null> {
  const share = timeFor('half', control);
  const stopping = { ...share, deadlineMs: Math.min(share.deadlineMs, nowMs() + msOf('brief')) };
  const choices = choicesOf(problem, moves);
  if (choices.changing.size === 0 || isOver(stopping)) return null;
  try {
    const f = formulate(problem, { check: checkOf(stopping), targetsOf: targetsIn(problem, choices) });
    const { arcClass, arcSource, arcTarget, firstStep } = f.variables;
    const model = { ...f.model, lower: f.model.lower.slice(), upper: f.model.upper.slice() };
    for (let a = 0; a < firstStep; a++) {
      const key = choices.keyOf(arcClass[a], arcSource[a], arcTarget[a]);
      const planned = choices.planned.get(key) ?? 0;
      const isChanging = choices.changing.has(choices.rowOf(key));
      const before = isChanging ? (choices.before.get(key) ?? 0) : planned;
      model.lower[a] = Math.min(planned, before);
      model.upper[a] = Math.max(planned, before);
    }
    const hasCeiling = problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY;
    const all = hasCeiling ? withRow(model, costCeilingRow(problem, f)) : model;
    const open = withFewColumns(problem, f, all);
    const values = await withSolverModel(
      problem.caches.thread,
      open.model,
      f.tolerance,
      stopping,
      (solver) =>
        solver.runMixed({
          // Whole vehicles serve in whole steps.
          integerFrom: 0,
          integerTo: open.moves,
          gap: 0,
          absoluteGap: provedWithin(problem),
        }).values,
    );
    return values && wholeMoves(problem, f, open.whole(values));
  } catch (error) {
    if (error instanceof OutOfTime) return null;
    throw error;
  }
}

/** Vehicles by class, source and target, staying included: where the plan sends them, and the previous one. */
function choicesOf(problem: Problem, moves: Moves) {
  const n = problem.locationIds.length;
  const keyOf = (k: number, i: number, j: number) => (k * n + i) * n + j;
  const rowOf = (key: number) => Math.floor(key / n);
  const planned = new Map<number, number>();
  const staying = problem.supply.slice();
  for (let m = 0; m < moves.count.length; m++) {
    const [k, i] = [moves.capacityClass[m], moves.source[m]];
    const key = keyOf(k, i, moves.target[m]);
    planned.set(key, (planned.get(key) ?? 0) + moves.count[m]);
    staying[k * n + i] -= moves.count[m];
  }
  for (const [row, count] of staying.entries()) if (count > 0) planned.set(row * n + (row % n), count);
  const before = new Map<number, number>();
  /** Class and source (k · n + i) of vehicles that the plan sends elsewhere. */
  const changing = new Set<number>();
  for (const { capacityClass, location, target, count } of targetGroups(problem)) {
    const key = keyOf(capacityClass, location, target);
    before.set(key, count);
    if ((planned.get(key) ?? 0) < count) changing.add(rowOf(key));
  }
  return { keyOf, rowOf, planned, before, changing };
}

/** By source, the targets of the plan and of the previous one, and the source. */
function targetsIn(problem: Problem, { planned, before }: ReturnType<typeof choicesOf>) {
  const n = problem.locationIds.length;
  const targets = Array.from({ length: n }, (_, i) => new Set([i]));
  for (const arcs of [planned, before])
    for (const key of arcs.keys()) targets[Math.floor(key / n) % n].add(key % n);
  const sorted = targets.map((set) => Int32Array.from(set).sort());
  return (source: number) => sorted[source];
}

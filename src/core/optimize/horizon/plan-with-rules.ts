/** A plan that looks ahead, of a problem with rules (`rules.ts`), in the shape of every such plan. */
import type { Moves } from '../problem/model.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { solverFault } from '../run/solver-fault.ts';
import type { MoveColumn } from './flow-master.ts';
import type { HorizonOutcome, OutlookStep } from './outcome.ts';
import { proofOf, wholeUnits } from './proof-of.ts';
import { keyOf, type RuledColumn } from './ruled-master.ts';
import type { RuledHorizon, RuledMoves } from './rules.ts';
import { isProved, type RuledOutcome, type RuledPlan, solveWithRules } from './solve-with-rules.ts';
import { latestArrival } from './types.ts';
import { hasFewMoves } from './whole-moves.ts';

/**
 * @param gap relative, that proves a plan
 * @param isExact whether branch and cut goes on until it is proved, if all moves are few enough
 * @param known moves that are likely to be used, of any class
 */
export async function planWithRules(
  problem: RuledHorizon,
  gap: number,
  control: SolveControl,
  cache: Cache,
  known: readonly MoveColumn[] = [],
  isExact = false,
): Promise<HorizonOutcome> {
  const { base, capacities } = problem;
  const sourceOf = sourcesOf(problem);
  const all = [...capacities.keys()].flatMap((capacityClass) =>
    known
      .filter(({ step, arc }) => step + base.pairs.delay[arc] <= latestArrival(base))
      .map(({ step, arc }) => ({ capacityClass, group: -1, step, from: sourceOf[arc], arc })),
  );
  let found: RuledOutcome;
  try {
    found = await solveWithRules(problem, control, cache, withoutDoubles(problem, all), { gap, isExact });
  } catch (error) {
    return solverFault(error);
  }
  if (!('plan' in found)) return found;
  const { plan, counts } = found;
  const { moves, figures, fractionalUnits, boundUnits } = plan;
  const first = firstMoves(moves);
  const objective = figures.objectiveUnits - figures.changeUnits + changesOf(problem, first);
  const proof = proofOf({ ...figures, objectiveUnits: objective, boundUnits }, gap);
  const total = base.demand.reduce((sum, demand) => sum + demand, 0);
  // Plans of fractional vehicles are no part of such a problem.
  const isWholeAlone = problem.isWhole && !problem.firstPairs && hasFewMoves(problem);
  const isShort = figures.totalServed < base.required - 2e-9 * total;
  return {
    kind: 'solved',
    solution: {
      moves: first,
      outlook: outlookOf(problem, plan),
      figures,
      ...proof,
      proved: proof.proved && found.kind !== 'stopped' && isProved(problem, plan, gap),
      roundingUnits:
        fractionalUnits === null || isWholeAlone ? 0 : Math.max(0, wholeUnits(objective - fractionalUnits)),
      isShort,
      mostServed: plan.mostServed,
      values: new Float64Array(0),
      method: plan.isBranched ? 'mixed_integer' : 'linear',
      iterations: counts.iterations,
      columns: counts.columns,
      ...(plan.levels.length > 0 && { levels: plan.levels }),
      ...(plan.withoutPairs && { withoutPairs: firstMoves(plan.withoutPairs) }),
      isBranched: plan.isBoundBranched,
    },
  };
}

function withoutDoubles(problem: RuledHorizon, columns: readonly RuledColumn[]): RuledColumn[] {
  return [...new Map(columns.map((column) => [keyOf(problem, column), column])).values()];
}

function sourcesOf({ base: { n, pairs } }: RuledHorizon): Int32Array {
  const source = new Int32Array(pairs.targets.length);
  for (let i = 0; i < n; i++) source.fill(i, pairs.starts[i], pairs.starts[i + 1]);
  return source;
}

/** The moves of the first step, by class, source and target: which vehicle of a group goes is then free. */
function firstMoves({ step, capacityClass, from, to, vehicles }: RuledMoves): Moves {
  const first = new Map<string, { k: number; source: number; target: number; count: number }>();
  for (let m = 0; step[m] === 0; m++) {
    const key = `${capacityClass[m]} ${from[m]} ${to[m]}`;
    const known = first.get(key) ?? { k: capacityClass[m], source: from[m], target: to[m], count: 0 };
    first.set(key, { ...known, count: known.count + Math.round(vehicles[m]) });
  }
  const all = [...first.values()].sort((a, b) => a.k - b.k || a.source - b.source || a.target - b.target);
  return {
    capacityClass: Int32Array.from(all, ({ k }) => k),
    source: Int32Array.from(all, ({ source }) => source),
    target: Int32Array.from(all, ({ target }) => target),
    count: Int32Array.from(all, ({ count }) => count),
  };
}

/** What changes of the previous plan cost at least if any vehicle of a class may make any of its moves. */
function changesOf({ base: { n, steps }, supply, previous }: RuledHorizon, moves: Moves): number {
  const there = new Map<number, number>();
  const keyAt = (k: number, source: number, target: number) => (k * n + source) * n + target;
  const add = (key: number, count: number) => there.set(key, (there.get(key) ?? 0) + count);
  for (const { capacityClass: k, location } of previous?.groups ?? [])
    there.set(keyAt(k, location, location), supply[k * n * steps + location]);
  for (const [m, count] of moves.count.entries()) {
    const [k, source] = [moves.capacityClass[m], moves.source[m]];
    add(keyAt(k, source, moves.target[m]), count);
    add(keyAt(k, source, source), -count);
  }
  let changed = 0;
  for (const { capacityClass, location, target, count } of previous?.groups ?? [])
    changed += Math.max(0, count - (there.get(keyAt(capacityClass, location, target)) ?? 0));
  return changed * (previous?.changeUnits ?? 0);
}

function outlookOf(
  { base: { n, steps, demand } }: RuledHorizon,
  { moves, figures }: RuledPlan,
): OutlookStep[] {
  const outlook = Array.from({ length: steps }, (_, t): OutlookStep => {
    const row = (values: Float64Array) => values.slice(t * n, (t + 1) * n);
    return { vehicles: row(figures.vehicles), demand: row(demand), served: row(figures.served), moves: [] };
  });
  const byPair = new Map<number, OutlookStep['moves'][number]>();
  for (let m = 0; m < moves.step.length; m++) {
    const [from, to] = [moves.from[m], moves.to[m]];
    const key = (moves.step[m] * n + from) * n + to;
    const known = byPair.get(key);
    if (known) known.vehicles += moves.vehicles[m];
    else {
      const move = { from, to, vehicles: moves.vehicles[m] };
      byPair.set(key, move);
      outlook[moves.step[m]].moves.push(move);
    }
  }
  for (const step of outlook) step.moves.sort((a, b) => a.from - b.from || a.to - b.to);
  return outlook;
}

/**
 * The cheapest plan by choosing a configuration per location (`configurations.ts`):
 *
 *   minimise  Σ cost · x
 *   location j        Σ_c λ_jc = 1
 *   presence (k, j)   Σ_c vehicles_jck λ_jc = s_jk + Σ_i x_ijk − Σ_i x_jik
 *   leaving (k, i)    Σ_j x_ijk ≤ s_ik
 *   service level     Σ unmet_jc λ_jc ≤ ΣD − served demand required
 *   floor             the same over the locations of a priority level or a higher one
 *
 * A relaxation by columns of moves halves the largest vehicles between locations; here it would have to halve whole
 * configurations, and branching decides a few of them instead of many vehicles. Every allowed move is a column, so the
 * bound holds for all plans. The cost ceiling is no row: the cheapest plan decides it.
 * Units: money, and demand in units of the largest capacity.
 * Reference: Vanderbeck, On Dantzig-Wolfe decomposition in integer programming (2000).
 */
import { feasibilityTolerance, leastUnits } from '../direct/formulation.ts';
import { type RunControl, withSolverModel } from '../highs/highs.ts';
import { createRowBuilder, type LinearModel } from '../highs/linear-model.ts';
import { fromUnits } from '../problem/costs.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { demandFrom, floorsOf, levelAt } from '../problem/floors.ts';
import { BRANCHING_NOISE, type Incumbent, provedWithin } from '../problem/incumbent.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { movesOn } from '../problem/moves.ts';
import { isAllowed } from '../problem/network.ts';
import { requiredDemand } from '../problem/service-level.ts';
import type { Configuration } from './configurations.ts';

/** With more, a tree takes longer than branch and cut among few moves. */
const MAX_MOVES = 5000;

/** The moves that are columns. */
type Arcs = { capacityClass: Int32Array; source: Int32Array; target: Int32Array };

/**
 * Raises the bound, and considers the plan found.
 * @param configurations every plan of the problem has one of them at each location
 * @param control ends it early
 * @returns `infeasible`: no plan exists, whatever the cost ceiling; `open`: the incumbent says what is known
 */
export async function solveByConfigurations(
  problem: Problem,
  configurations: readonly Configuration[],
  incumbent: Incumbent,
  control: RunControl,
): Promise<'infeasible' | 'open'> {
  const arcs = allowedMoves(problem);
  if (arcs.source.length > MAX_MOVES) return 'open';
  const none = () => (incumbent.best() === null ? 'infeasible' : 'open');
  if (new Set(configurations.map(({ location }) => location)).size < problem.demand.length) return none();
  const first = configurations.length;
  const demandScale = problem.capacities[problem.capacities.length - 1];
  const model = createModel(problem, configurations, arcs, demandScale);
  const tolerance = feasibilityTolerance(problem, demandScale);
  const start = incumbent.best()?.moves;
  return await withSolverModel(problem.caches.thread, model, tolerance, control, (solver) => {
    const mixed = solver.runMixed({
      integerFrom: 0,
      integerTo: model.columnCount,
      gap: incumbent.gap,
      absoluteGap: provedWithin(problem),
      ...(start && { start: pointOf(problem, configurations, arcs, start) }),
    });
    incumbent.figures.iterations += mixed.iterations;
    incumbent.figures.nodes += mixed.nodes;
    if (mixed.status === 'optimal' || mixed.status === 'stopped')
      incumbent.raiseBound(mixed.bound, BRANCHING_NOISE);
    const { values } = mixed;
    if (values) {
      const count = (a: number) => Math.round(values[first + a]);
      const used = [...arcs.source.keys()].filter((a) => count(a) > 0);
      incumbent.consider(movesOn(used, arcs, count), 'mixed_integer');
    }
    return mixed.status === 'infeasible' ? none() : 'open';
  });
}

function allowedMoves({ network, limits, supply, capacities, demand }: Problem): Arcs {
  const n = demand.length;
  const [capacityClass, source, target]: number[][] = [[], [], []];
  for (let at = 0; at < capacities.length * n; at++) {
    for (let j = 0; supply[at] > 0 && j < n; j++) {
      const i = at % n;
      if (i === j || !isAllowed(network, n, limits.maxDistanceKm, i, j)) continue;
      capacityClass.push(Math.floor(at / n));
      source.push(i);
      target.push(j);
    }
  }
  return {
    capacityClass: Int32Array.from(capacityClass),
    source: Int32Array.from(source),
    target: Int32Array.from(target),
  };
}

/** A known plan as values of all columns. */
function pointOf(
  problem: Problem,
  configurations: readonly Configuration[],
  { capacityClass, source, target }: Arcs,
  moves: Moves,
): Float64Array {
  const n = problem.demand.length;
  const { presence } = evaluateMoves(problem, moves);
  const isThere = ({ location, vehicles }: Configuration) =>
    vehicles.every((count, k) => presence[k * n + location] === count);
  const keyOf = (k: number, i: number, j: number) => (k * n + i) * n + j;
  const counts = new Map<number, number>();
  for (const [m, count] of moves.count.entries())
    counts.set(keyOf(moves.capacityClass[m], moves.source[m], moves.target[m]), count);
  return Float64Array.from([
    ...configurations.map((one) => (isThere(one) ? 1 : 0)),
    ...Array.from(source, (i, a) => counts.get(keyOf(capacityClass[a], i, target[a])) ?? 0),
  ]);
}

function createModel(
  problem: Problem,
  configurations: readonly Configuration[],
  { capacityClass, source, target }: Arcs,
  demandScale: number,
): LinearModel {
  const { supply, demand, capacities, network } = problem;
  const n = demand.length;
  const size = capacities.length * n;
  const first = configurations.length;
  const columnCount = first + source.length;
  const rows = createRowBuilder(first * (capacities.length + 2) + 3 * source.length);
  const at = Array.from({ length: n }, (): number[] => []);
  for (const [c, { location }] of configurations.entries()) at[location].push(c);
  const leaving = Array.from({ length: size }, (): number[] => []);
  const arriving = Array.from({ length: size }, (): number[] => []);
  for (let a = 0; a < source.length; a++) {
    leaving[capacityClass[a] * n + source[a]].push(first + a);
    arriving[capacityClass[a] * n + target[a]].push(first + a);
  }
  for (const all of at) {
    for (const c of all) rows.add(c, 1);
    rows.end(1, 1);
  }
  for (let p = 0; p < size; p++) {
    for (const c of at[p % n]) {
      const count = configurations[c].vehicles[Math.floor(p / n)];
      if (count > 0) rows.add(c, count);
    }
    for (const a of leaving[p]) rows.add(a, 1);
    for (const a of arriving[p]) rows.add(a, -1);
    rows.end(supply[p], supply[p]);
  }
  for (let p = 0; p < size; p++) {
    if (leaving[p].length === 0) continue;
    for (const a of leaving[p]) rows.add(a, 1);
    rows.end(Number.NEGATIVE_INFINITY, supply[p]);
  }
  for (const { level, served } of [...floorsOf(problem), { level: 0, served: requiredDemand(problem) }]) {
    for (const [c, { location, unmet }] of configurations.entries())
      if (unmet > 0 && levelAt(problem, location) >= level) rows.add(c, unmet / demandScale);
    const least = leastUnits(problem, served, demandScale, false);
    rows.end(Number.NEGATIVE_INFINITY, demandFrom(problem, level) / demandScale - least);
  }
  const cost = new Float64Array(columnCount);
  const upper = new Float64Array(columnCount).fill(1);
  for (let a = 0; a < source.length; a++) {
    cost[first + a] = fromUnits(network.costUnits[source[a] * n + target[a]]);
    upper[first + a] = supply[capacityClass[a] * n + source[a]];
  }
  return { columnCount, cost, lower: new Float64Array(columnCount), upper, ...rows.finish() };
}

/**
 * One class and whole loads with bounds on the vehicles per location: a balanced transportation problem.
 *
 * Location j has U_j places for vehicles. L_j of them must be taken, the others that have demand serve (D_j at most),
 * the rest are bays. Demand beyond U_j can never be served. With M = Σ L_j and R' = R − Σ min(L_j, D_j):
 *
 *   sources   vehicles at i: s_i     unserved: Σ serve − R'    empty: what is left, so that the sums are equal
 *   sinks     must_j: L_j            serve_j: D_j − min(L_j, D_j)             bay_j: U_j − max(L_j, D_j)
 *             free: all vehicles, shared by the locations without a maximum
 *   arcs      i → must_j, serve_j, bay_j at c_ij, i → free at the least c_ij of these locations (its own: 0);
 *             unserved → serve_j at what a load costs that is not served; unserved and empty → bay_j, free at 0
 *
 * Vehicles at j serve while demand is open, so `must_j` serves min(L_j, D_j). If more is served than R', units of
 * "unserved" fill bays. O(n) sinks, up to 3 n² arcs.
 */

import type { FlowCosts } from '../problem/distances/move-costs.ts';
import { createIncumbent } from '../problem/incumbent.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem, SolveOutcome } from '../problem/model.ts';
import { movesOfFlow } from '../problem/moves.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import type { SolveControl } from '../run/control.ts';
import { isStopped } from '../run/stopping.ts';
import { flowCosts, forEachMove } from './flow-costs.ts';
import { loadAmounts, MAX_UNITS } from './load-amounts.ts';
import { provedPlan, reportTo, unprovedPlan } from './pure-flow.ts';
import { totalUnits } from './solve-flow.ts';
import { solveTransport, type Transport } from './transport.ts';
import type { Flow, FlowAmounts } from './types.ts';

/**
 * Solves one class and whole loads with bounds per location. Null if the problem is not of this kind, or is not solved
 * here. When time is up, the best plan so far, unproved, if one exists.
 */
export async function solvePlaceFlow(
  problem: Problem,
  control: SolveControl,
  incumbent = createIncumbent(problem, 0, control),
): Promise<SolveOutcome | null> {
  const amounts = hasLocationBounds(problem) ? loadAmounts(problem) : null;
  if (!amounts) return null;
  const infeasible: SolveOutcome = { kind: 'infeasible', boundUnits: null };
  if (amounts.required > problem.limits.totalFleetSize) return infeasible;
  // More pinned vehicles than places.
  if (amounts.demand.some((_, j) => mostAt(problem, j) < 0)) return infeasible;
  const places = countPlaces(problem, amounts);
  if (places.total > MAX_UNITS) return null;
  if (places.unserved < 0 || places.empty < 0) return infeasible;
  const layout = layOut(amounts, places, flowCosts(problem, control));
  const { transport } = layout;
  const outcome = await solveTransport(
    transport,
    { ...control, onProgress: reportTo(control) },
    problem.caches.thread,
  );
  if (!outcome) return null;
  if (outcome.kind === 'infeasible') return infeasible;
  if (outcome.kind === 'stopped') {
    if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
    return outcome.plan && unprovedPlan(problem, movesBetween(layout, outcome.plan.flow), outcome.counts);
  }
  if (outcome.cost > problem.limits.maxCostUnits) return { kind: 'infeasible', boundUnits: outcome.cost };
  return provedPlan(problem, incumbent, {
    moves: movesBetween(layout, outcome.flow),
    boundUnits: outcome.cost + places.unreachableCost,
    counts: outcome.counts,
    confirmedWithin: outcome.confirmedWithin,
  });
}

type Places = {
  /** n each. */
  must: Int32Array;
  serve: Int32Array;
  bay: Int32Array;
  /** Locations without a maximum, and the places of all of them together. */
  isFree: Uint8Array;
  free: number;
  /** Units of demand that may stay unserved, and places that stay empty beside them; negative: no plan exists. */
  unserved: number;
  empty: number;
  /** All places. */
  total: number;
  /** Cost units of the demand beyond the places of its location. */
  unreachableCost: number;
};

function countPlaces(problem: Problem, { n, supply, demand, required, unservedCost }: FlowAmounts): Places {
  const vehicles = totalUnits(supply);
  const must = new Int32Array(n);
  const serve = new Int32Array(n);
  const bay = new Int32Array(n);
  const isFree = new Uint8Array(n);
  let free = 0;
  let toServe = required;
  let serving = 0;
  let total = 0;
  let unreachableCost = 0;
  for (let j = 0; j < n; j++) {
    const most = Math.min(Math.floor(mostAt(problem, j)), vehicles);
    // Above the number of vehicles, a minimum is out of reach.
    const least = Math.min(Math.ceil(leastAt(problem, j)), vehicles + 1);
    const demanded = Math.min(demand[j], most);
    if (unservedCost) unreachableCost += unservedCost[j] * (demand[j] - demanded);
    must[j] = least;
    serve[j] = Math.max(0, demanded - least);
    if (most === vehicles) {
      isFree[j] = 1;
      free = vehicles;
    } else bay[j] = most - Math.max(least, demanded);
    toServe -= Math.min(least, demanded);
    serving += serve[j];
    total += must[j] + serve[j] + bay[j];
  }
  total += free;
  let unserved = serving - Math.max(0, toServe);
  let empty = total - vehicles - unserved;
  if (empty < 0 && unserved >= 0) {
    // Too few bays: more has to be served than the service level asks for.
    unserved += empty;
    empty = 0;
  }
  return { must, serve, bay, isFree, free, unserved, empty, total, unreachableCost };
}

type Layout = {
  transport: Transport;
  /** Location of each sink; −1: that of `freeTarget`. */
  column: Int32Array;
  /** n: where vehicles of a location go for a place without a maximum. */
  freeTarget: Int32Array;
};

/** Sources: the n locations, unserved, empty. */
function layOut({ n, supply, unservedCost }: FlowAmounts, places: Places, costs: FlowCosts): Layout {
  const { must, serve, bay, isFree, free, unserved, empty } = places;
  const sources = Int32Array.from([...supply, unserved, empty]);
  const sinks: number[] = [];
  const column: number[] = [];
  /** Sinks that a unit of "unserved" or "empty" may fill. */
  const forUnserved: number[] = [];
  const unservedUnits: number[] = [];
  const forEmpty: number[] = [];
  const add = (j: number, amount: number, unservedAt: number | null, mayStayEmpty: boolean) => {
    if (amount === 0) return;
    if (unservedAt !== null) {
      forUnserved.push(sinks.length);
      unservedUnits.push(unservedAt);
    }
    if (mayStayEmpty) forEmpty.push(sinks.length);
    sinks.push(amount);
    column.push(j);
  };
  for (let j = 0; j < n; j++) {
    add(j, must[j], null, false);
    add(j, serve[j], unservedCost?.[j] ?? 0, false);
    add(j, bay[j], 0, true);
  }
  const freeSink = sinks.length;
  add(-1, free, 0, true);
  const starts = new Int32Array(n + 3);
  const targets: number[] = [];
  const units: number[] = [];
  const freeTarget = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    let least = isFree[i] === 1 ? 0 : Number.POSITIVE_INFINITY;
    if (least === 0) freeTarget[i] = i;
    else if (free > 0 && supply[i] > 0) {
      forEachMove(costs, i, n, (j, cost) => {
        if (isFree[j] === 0 || cost >= least) return;
        least = cost;
        freeTarget[i] = j;
      });
    }
    if (freeTarget[i] >= 0) {
      targets.push(freeSink);
      units.push(least);
    }
    starts[i + 1] = targets.length;
  }
  targets.push(...forUnserved);
  units.push(...unservedUnits);
  starts[n + 1] = targets.length;
  targets.push(...forEmpty);
  starts[n + 2] = targets.length;
  const listed = {
    kind: 'sparse' as const,
    starts,
    targets: Int32Array.from(targets),
    units: Float64Array.from(targets, (_, a) => units[a] ?? 0),
  };
  const row = Int32Array.from(sources, (_, i) => (i < n ? i : -1));
  const columns = Int32Array.from(column);
  return {
    transport: { sources, sinks: Int32Array.from(sinks), moves: { costs, row, column: columns }, listed },
    column: columns,
    freeTarget,
  };
}

/** The flow between locations, without the vehicles that stay. */
function movesBetween({ column, freeTarget }: Layout, { from, to, units }: Flow): Moves {
  const n = freeTarget.length;
  const going = new Map<number, number>();
  for (let m = 0; m < units.length; m++) {
    const i = from[m];
    if (i >= n) continue;
    const j = column[to[m]] >= 0 ? column[to[m]] : freeTarget[i];
    if (i !== j) going.set(i * n + j, (going.get(i * n + j) ?? 0) + units[m]);
  }
  const pairs = [...going.keys()].sort((a, b) => a - b);
  return movesOfFlow(
    Int32Array.from(pairs, (pair) => Math.floor(pair / n)),
    Int32Array.from(pairs, (pair) => pair % n),
    Int32Array.from(pairs, (pair) => going.get(pair)!),
  );
}

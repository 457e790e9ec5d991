/**
 * One class and whole loads with bounds on the vehicles per location, floors, or both: a balanced transportation
 * problem.
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
 * Vehicles at i begin at the larger of must_i and serve_i, their home (`transport.ts`).
 * Vehicles at j serve while demand is open, so `must_j` serves min(L_j, D_j). If more is served than R', units of
 * "unserved" fill bays. O(n) sinks, up to 3 n² arcs.
 *
 * With floors there is a source "unserved" for each, and one for the service level, the floor of all locations. Floors
 * are nested: what may stay unserved of the highest level may also stay unserved of the lower ones, so a source has
 * only what its floor allows beyond the one before it, and reaches the serving places of lower levels than that.
 */

import type { FlowCosts } from '../problem/distances/move-costs.ts';
import { floorSlack, floorsOf, hasFurtherRules, levelAt } from '../problem/floors.ts';
import { createIncumbent } from '../problem/incumbent.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem, SolveOutcome } from '../problem/model.ts';
import { movesOfFlow } from '../problem/moves.ts';
import type { SolveControl } from '../run/control.ts';
import { isStopped } from '../run/stopping.ts';
import { flowCosts, forEachMove } from './flow-costs.ts';
import { loadAmounts, loadsToServe, MAX_UNITS } from './load-amounts.ts';
import { provedPlan, reportTo, unprovedPlan } from './pure-flow.ts';
import { totalUnits } from './solve-flow.ts';
import { solveTransport, type Transport } from './transport.ts';
import type { Flow, FlowAmounts } from './types.ts';

/**
 * Solves one class and whole loads with bounds per location or floors. Null if the problem is not of this kind, or is
 * not solved here. When time is up, the best plan so far, unproved, if one exists.
 */
export async function solvePlaceFlow(
  problem: Problem,
  control: SolveControl,
  incumbent = createIncumbent(problem, 0, control),
): Promise<SolveOutcome | null> {
  const amounts = hasFurtherRules(problem) ? loadAmounts(problem) : null;
  if (!amounts) return null;
  const infeasible: SolveOutcome = { kind: 'infeasible' };
  const floors = floorLoads(problem, amounts);
  // Any vehicles at demand may be those that count, so nested floors need as many as the largest one.
  if (floors.some(({ loads }) => loads > problem.limits.totalFleetSize)) return infeasible;
  // More pinned vehicles than places.
  if (amounts.demand.some((_, j) => mostAt(problem, j) < 0)) return infeasible;
  const places = countPlaces(problem, amounts, floors);
  if (places.total > MAX_UNITS) return null;
  if (places.empty < 0 || places.unserved.some(({ amount }) => amount < 0)) return infeasible;
  const layout = layOut(problem, amounts, places, flowCosts(problem, control));
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
  if (outcome.cost > problem.limits.maxCostUnits) return { kind: 'infeasible' };
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
  /** Per floor: units of demand that may stay unserved at locations below a level; negative: no plan exists. */
  unserved: { amount: number; below: number }[];
  /** Places that stay empty beside them; negative: no plan exists. */
  empty: number;
  /** All places. */
  total: number;
  /** Cost units of the demand beyond the places of its location. */
  unreachableCost: number;
};

type FloorLoads = { level: number; loads: number };

/** The floors in loads, the highest level first; the last one is the service level. */
function floorLoads(problem: Problem, { required }: FlowAmounts): FloorLoads[] {
  const floors = floorsOf(problem).map(({ level, served }) => ({
    level,
    loads: loadsToServe(served - floorSlack(problem), problem.capacities[0]),
  }));
  return [...floors, { level: 0, loads: required }];
}

function countPlaces(
  problem: Problem,
  { n, supply, demand, unservedCost }: FlowAmounts,
  floors: readonly FloorLoads[],
): Places {
  const vehicles = totalUnits(supply);
  const must = new Int32Array(n);
  const serve = new Int32Array(n);
  const bay = new Int32Array(n);
  const isFree = new Uint8Array(n);
  let free = 0;
  /** Per floor: what still has to be served, and the places for that. */
  const toServe = floors.map(({ loads }) => loads);
  const serving = floors.map(() => 0);
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
    for (const [f, { level }] of floors.entries()) {
      if (levelAt(problem, j) < level) continue;
      toServe[f] -= Math.min(least, demanded);
      serving[f] += serve[j];
    }
    total += must[j] + serve[j] + bay[j];
  }
  total += free;
  const mayMiss = serving.map((amount, f) => amount - Math.max(0, toServe[f]));
  const last = floors.length - 1;
  let empty = total - vehicles - mayMiss[last];
  if (empty < 0 && mayMiss[last] >= 0) {
    // Too few bays: more has to be served than the service level asks for.
    mayMiss[last] += empty;
    empty = 0;
  }
  for (let f = last; f > 0; f--) mayMiss[f - 1] = Math.min(mayMiss[f - 1], mayMiss[f]);
  const unserved = mayMiss.map((amount, f) =>
    f === 0
      ? { amount, below: Number.POSITIVE_INFINITY }
      : { amount: amount - Math.max(0, mayMiss[f - 1]), below: floors[f - 1].level },
  );
  return { must, serve, bay, isFree, free, unserved, empty, total, unreachableCost };
}

type Layout = {
  transport: Transport;
  /** Location of each sink; −1: that of `freeTarget`. */
  column: Int32Array;
  /** n: where vehicles of a location go for a place without a maximum. */
  freeTarget: Int32Array;
};

/** Sources: the n locations, unserved per floor, empty. */
function layOut(
  problem: Problem,
  { n, supply, unservedCost }: FlowAmounts,
  places: Places,
  costs: FlowCosts,
): Layout {
  const { must, serve, bay, isFree, free, unserved, empty } = places;
  const sources = Int32Array.from([...supply, ...unserved.map(({ amount }) => amount), empty]);
  const sinks: number[] = [];
  const column: number[] = [];
  /** Sinks that a unit of each "unserved", or of "empty", may fill, and what the former costs. */
  const forUnserved = unserved.map((): { sink: number; cost: number }[] => []);
  const forEmpty: number[] = [];
  /** @param level of demand that may stay unserved; a bay is below all levels */
  const add = (j: number, amount: number, level: number, cost: number, mayStayEmpty: boolean) => {
    if (amount === 0) return;
    for (const [f, { below }] of unserved.entries())
      if (level < below) forUnserved[f].push({ sink: sinks.length, cost });
    if (mayStayEmpty) forEmpty.push(sinks.length);
    sinks.push(amount);
    column.push(j);
  };
  const homes = new Int32Array(sources.length).fill(-1);
  for (let j = 0; j < n; j++) {
    if (must[j] > serve[j]) homes[j] = sinks.length;
    add(j, must[j], Number.POSITIVE_INFINITY, 0, false);
    if (serve[j] > 0 && serve[j] >= must[j]) homes[j] = sinks.length;
    add(j, serve[j], levelAt(problem, j), unservedCost?.[j] ?? 0, false);
    add(j, bay[j], -1, 0, true);
  }
  const freeSink = sinks.length;
  add(-1, free, -1, 0, true);
  const starts = new Int32Array(sources.length + 1);
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
  for (const [f, reached] of forUnserved.entries()) {
    for (const { sink, cost } of reached) {
      targets.push(sink);
      units.push(cost);
    }
    starts[n + f + 1] = targets.length;
  }
  for (const sink of forEmpty) targets.push(sink);
  starts[sources.length] = targets.length;
  const listed = {
    kind: 'sparse' as const,
    starts,
    targets: Int32Array.from(targets),
    units: Float64Array.from(targets, (_, a) => units[a] ?? 0),
  };
  const row = Int32Array.from(sources, (_, i) => (i < n ? i : -1));
  const columns = Int32Array.from(column);
  return {
    transport: {
      sources,
      sinks: Int32Array.from(sinks),
      moves: { costs, row, column: columns },
      listed,
      homes,
    },
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

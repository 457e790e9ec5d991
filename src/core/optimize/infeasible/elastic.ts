/**
 * How far a rule has to be loosened before a plan keeps all others: the rules as a mixed-integer programme with columns
 * for what is loosened, whose sum is minimised.
 *
 *   whole       p_jk   vehicles of class k at j; without bounds per location only those that serve
 *               z_jk   those of them that serve: only with bounds per location and a fleet size, otherwise z = p
 *   loosened    u_j    demand that is not served: for the service level, or for a priority level
 *               e_j    by how much the bound of location j is loosened
 *   moves       y_gjk  vehicles of class k from the sources of group g; not needed for one group, where y = p
 *
 *   demand j         u_j + Σ_k min(cap_k, D_j) z_jk ≥ D_j, also rounded to loads of each class
 *   vehicles of g, k Σ_j y_gjk ≤ its vehicles; with bounds per location =, as every vehicle is somewhere
 *   arrivals         Σ_g y_gjk = p_jk
 *   vehicles at j    least_j − e_j ≤ Σ_k p_jk ≤ most_j + e_j
 *   fleet size       Σ z ≤ total_fleet_size
 *   floor            Σ u_j ≤ what may stay unserved of a priority level and all higher ones
 *   ceiling          Σ cost · y ≤ max_rebalancing_cost
 *
 * Sources with the same targets are one group, so there are no moves where every vehicle may go anywhere. Under a
 * ceiling each source is a group of its own. With more than `MAX_PAID_MOVES` moves the ceiling is left out, and what
 * is proved then holds at any cost. For whole p there are whole moves that cost no more (a flow per class), so only p
 * and z are integer. Units: demand by `demandScale`.
 */
import { dualBound } from '../direct/bound.ts';
import { feasibilityTolerance } from '../direct/formulation.ts';
import { MAX_COLUMNS, withSolverModel } from '../highs/highs.ts';
import { createRowBuilder, type LinearModel, type RowBuilder } from '../highs/linear-model.ts';
import type { NewRow, SolverModel } from '../highs/solver-model.ts';
import { fromUnits } from '../problem/costs.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { demandFrom, floorSlack, floorsOf, levelAt } from '../problem/floors.ts';
import { BRANCHING_NOISE } from '../problem/incumbent.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { movingCost } from '../problem/moving-cost.ts';
import { isAllowed } from '../problem/network.ts';
import { homeOf } from '../problem/pinned-places.ts';
import { requiredDemand, totalDemand } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';
import { countVehicles, hasLocationBounds } from '../problem/variants.ts';
import { timeFor } from '../run/budget.ts';
import { type Check, checkOf, OutOfTime, type Stopping } from '../run/stopping.ts';
import { cheapestMoves } from './cheapest-moves.ts';

/** With more moves of vehicles that cost something the ceiling is left out: the solver decides sooner. */
const MAX_PAID_MOVES = 2000;
/** With more moves the programme is no longer quick. */
const MAX_MOVES = 20_000;
/** With more, looking for groups takes longer than a few milliseconds. */
const MAX_QUICK_LOCATIONS = 1000;
/** Share of total demand to which the most is found; suggested service levels have six decimals. */
const PRECISION = 1e-7;
/** The same, by which the bound of the linear programme may be off. */
const SUM_NOISE = 1e-9;
/** A smaller gap than this proves a whole objective. */
const WHOLE_GAP = 0.999;
const WHOLE_NOISE = 1e-6;

/** Bounds per location: the minimums or the maximums. */
export type BoundSide = 'least' | 'most';

/** What is minimised: the demand that locations of at least this level miss (0: all), or the change of bounds. */
type Loosened = { level: number; isServiceFree: boolean } | { side: BoundSide };

type Elastic = {
  model: LinearModel;
  tolerance: number;
  demandScale: number;
  /** Whole columns come first: p by k · n + j, then z. */
  integerTo: number;
  /** First of the n columns that are minimised. */
  firstLoosened: number;
};

/** Sources with the same targets. `vehicles` by class. `from`: the only source; −1: costs do not matter. */
type Group = { targets: Int32Array; vehicles: Int32Array; from: number };

/** Whether the programme is quick and knows all rules. */
export function isQuick(problem: Problem): boolean {
  const { demand, limits } = problem;
  if (limits.maxCostUnits !== Number.POSITIVE_INFINITY) return knowsCeiling(problem);
  if (demand.length > MAX_QUICK_LOCATIONS) return false;
  const groups = findGroups(problem, () => {});
  return groups.length <= 1 || countMoves(groups) <= MAX_MOVES;
}

function knowsCeiling({ supply, demand, limits }: Problem): boolean {
  const sources = supply.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  return limits.maxCostUnits !== Number.POSITIVE_INFINITY && sources * demand.length <= MAX_PAID_MOVES;
}

/** @throws what `check` throws, and OutOfTime if the programme does not fit in the solver's memory */
function createElastic(problem: Problem, loosened: Loosened, check: Check): Elastic {
  const { capacities, demand, limits } = problem;
  const n = demand.length;
  const size = capacities.length * n;
  const isBounded = hasLocationBounds(problem);
  const groups = findGroups(problem, check);
  if (countMoves(groups) * capacities.length > MAX_COLUMNS) throw new OutOfTime();
  const hasServing = isBounded && limits.totalFleetSize !== Number.POSITIVE_INFINITY;
  const firstServing = hasServing ? size : 0;
  const firstUnmet = firstServing + size;
  const side = 'side' in loosened ? loosened.side : null;
  const firstLoosened = side ? firstUnmet + n : firstUnmet;
  const firstMove = firstLoosened + n;
  const demandScale = capacities[capacities.length - 1];
  const rows = createRowBuilder(8 * size);
  const { near, upper: moveUpper } = addVehicleRows(rows, problem, groups, firstMove);
  const upper = Float64Array.from(
    { length: firstMove + moveUpper.length },
    (_, c) => moveUpper[c - firstMove] ?? 0,
  );
  for (const [k, capacity] of capacities.entries()) {
    for (let j = 0; j < n; j++) {
      const { full, rest } = splitDemand(demand[j], capacity);
      const loads = full + (rest > 0 ? 1 : 0);
      if (isBounded) upper[k * n + j] = near[k * n + j];
      if (!isBounded || hasServing) upper[firstServing + k * n + j] = Math.min(near[k * n + j], loads);
    }
  }
  for (let at = 0; hasServing && at < size; at++) {
    rows.add(at, 1);
    rows.add(size + at, -1);
    rows.end(0, Number.POSITIVE_INFINITY);
  }
  for (let j = 0; j < n; j++) {
    upper[firstUnmet + j] = demand[j] / demandScale;
    if (side) upper[firstLoosened + j] = mostChange(problem, side, j);
  }
  const { level, isServiceFree } = 'level' in loosened ? loosened : { level: 0, isServiceFree: false };
  addDemandRows(rows, problem, { firstServing, firstUnmet, demandScale, isServiceFree });
  if (isBounded) addBoundRows(rows, problem, side, firstLoosened);
  const cost = new Float64Array(upper.length);
  for (let j = 0; j < n; j++) if (levelAt(problem, j) >= level) cost[firstLoosened + j] = 1;
  return {
    model: {
      columnCount: upper.length,
      cost,
      lower: new Float64Array(upper.length),
      upper,
      ...rows.finish(),
    },
    tolerance: feasibilityTolerance(problem, demandScale),
    demandScale,
    integerTo: firstUnmet,
    firstLoosened,
  };
}

/** @throws what `check` throws */
function findGroups(problem: Problem, check: Check): Group[] {
  const { capacities, supply, demand, network, limits } = problem;
  const n = demand.length;
  const isByCost = knowsCeiling(problem);
  const groups = new Map<string | number, Group>();
  const useful = Int32Array.from(demand.keys()).filter((j) => demand[j] > 0 || hasLocationBounds(problem));
  for (let i = 0; i < n; i++) {
    check();
    const vehicles = Int32Array.from(capacities, (_, k) => supply[k * n + i]);
    if (vehicles.every((count) => count === 0)) continue;
    const targets = useful.filter((j) => i === j || isAllowed(network, n, limits.maxDistanceKm, i, j));
    const key = isByCost ? i : targets.length === useful.length ? 'all' : targets.join();
    const group = groups.get(key);
    if (!group) groups.set(key, { targets, vehicles, from: isByCost ? i : -1 });
    else for (const [k, count] of vehicles.entries()) group.vehicles[k] += count;
  }
  return [...groups.values()];
}

/** Of one class. */
function countMoves(groups: readonly Group[]): number {
  return groups.reduce((sum, { targets }) => sum + targets.length, 0);
}

/**
 * The vehicles of the groups, their arrivals and what these cost.
 * @returns per (k, j) the vehicles that may be there, and the upper bounds of the columns of moves
 */
function addVehicleRows(
  rows: RowBuilder,
  problem: Problem,
  groups: readonly Group[],
  firstMove: number,
): { near: Float64Array; upper: number[] } {
  const n = problem.demand.length;
  const size = problem.capacities.length * n;
  const isFixed = hasLocationBounds(problem);
  const hasMoves = groups.length > 1 || knowsCeiling(problem);
  const near = new Float64Array(size);
  const into: number[][] = Array.from({ length: size }, () => []);
  const upper: number[] = [];
  const paid: { column: number; cost: number }[] = [];
  for (const { targets, vehicles, from } of groups) {
    for (const [k, count] of vehicles.entries()) {
      if (count === 0) continue;
      for (const j of targets) {
        near[k * n + j] += count;
        const column = hasMoves ? firstMove + upper.push(count) - 1 : k * n + j;
        rows.add(column, 1);
        into[k * n + j].push(column);
        if (from >= 0) paid.push({ column, cost: movingCost(problem, from, j) });
      }
      rows.end(isFixed ? count : Number.NEGATIVE_INFINITY, count);
    }
  }
  for (let at = 0; hasMoves && at < size; at++) {
    for (const column of into[at]) rows.add(column, 1);
    rows.add(at, -1);
    rows.end(0, 0);
  }
  if (knowsCeiling(problem)) {
    for (const { column, cost } of paid) if (cost > 0) rows.add(column, fromUnits(cost));
    // Plans cost whole units, so half of one admits no dearer plan.
    rows.end(Number.NEGATIVE_INFINITY, fromUnits(problem.limits.maxCostUnits + 0.5));
  }
  return { near, upper };
}

/** Demand, the fleet size that serves it, floors and the service level. */
function addDemandRows(
  rows: RowBuilder,
  problem: Problem,
  at: { firstServing: number; firstUnmet: number; demandScale: number; isServiceFree: boolean },
): void {
  const { capacities, demand, limits } = problem;
  const { firstServing, firstUnmet, demandScale } = at;
  const n = demand.length;
  /** What loads of this size leave of demand, the last vehicle serves: mixed-integer rounding of the row of demand. */
  const addRoundedRow = (load: number, j: number) => {
    const { full, rest } = splitDemand(demand[j], load);
    if (full === 0 || rest === 0) return;
    for (const [k, capacity] of capacities.entries()) {
      const part = splitDemand(Math.min(capacity, demand[j]), load);
      const loads = part.full + Math.min(1, part.rest / rest);
      if (loads > 0) rows.add(firstServing + k * n + j, (rest * loads) / demandScale);
    }
    rows.add(firstUnmet + j, 1);
    rows.end((rest * (full + 1)) / demandScale, Number.POSITIVE_INFINITY);
  };
  for (let j = 0; j < n; j++) {
    if (demand[j] === 0) continue;
    for (const [k, capacity] of capacities.entries())
      rows.add(firstServing + k * n + j, Math.min(capacity, demand[j]) / demandScale);
    rows.add(firstUnmet + j, 1);
    rows.end(demand[j] / demandScale, Number.POSITIVE_INFINITY);
    for (const load of capacities) addRoundedRow(load, j);
  }
  if (limits.totalFleetSize !== Number.POSITIVE_INFINITY) {
    for (let c = firstServing; c < firstUnmet; c++) rows.add(c, 1);
    rows.end(Number.NEGATIVE_INFINITY, limits.totalFleetSize);
  }
  const mayMiss = floorsOf(problem).map(({ level, served }) => ({
    level,
    missed: demandFrom(problem, level) - served,
  }));
  if (!at.isServiceFree) mayMiss.push({ level: 0, missed: totalDemand(demand) - requiredDemand(problem) });
  for (const { level, missed } of mayMiss) {
    for (let j = 0; j < n; j++) if (levelAt(problem, j) >= level) rows.add(firstUnmet + j, 1);
    // The model uses half of the tolerance; the other half is left to the solver's arithmetic.
    rows.end(Number.NEGATIVE_INFINITY, (missed + floorSlack(problem) / 2) / demandScale);
  }
}

function addBoundRows(
  rows: RowBuilder,
  problem: Problem,
  side: BoundSide | null,
  firstLoosened: number,
): void {
  const { demand, capacities } = problem;
  for (let j = 0; j < demand.length; j++) {
    for (const bound of ['least', 'most'] as const) {
      const [least, most] = [leastAt(problem, j), mostAt(problem, j)];
      if (bound === 'least' ? least === 0 : most === Number.POSITIVE_INFINITY) continue;
      for (let k = 0; k < capacities.length; k++) rows.add(k * demand.length + j, 1);
      if (side === bound) rows.add(firstLoosened + j, side === 'least' ? 1 : -1);
      if (bound === 'least') rows.end(least, Number.POSITIVE_INFINITY);
      else rows.end(Number.NEGATIVE_INFINITY, most);
    }
  }
}

/** By how much a bound may change: a minimum to 0, a maximum to all vehicles; those of pinned vehicles' places stay. */
function mostChange(problem: Problem, side: BoundSide, location: number): number {
  if (side === 'least') return leastAt(problem, location);
  const isPlace = homeOf(problem, location) >= 0 || mostAt(problem, location) === Number.POSITIVE_INFINITY;
  return isPlace ? 0 : Math.max(0, countVehicles(problem) - mostAt(problem, location));
}

/** @returns null if time ran out before the programme was solved */
async function withElastic<T>(
  problem: Problem,
  loosened: Loosened,
  control: Stopping,
  operation: (solver: SolverModel, elastic: Elastic) => T,
): Promise<T | null> {
  try {
    const check = checkOf(control);
    problem.greatCircle?.buildCosts(check);
    problem.greatCircle?.buildDistances(check);
    const elastic = createElastic(problem, loosened, check);
    const { model, tolerance } = elastic;
    return await withSolverModel(problem.caches.thread, model, tolerance, control, (solver) =>
      operation(solver, elastic),
    );
  } catch (error) {
    if (error instanceof OutOfTime) return null;
    throw error;
  }
}

export type MostServed = {
  /** Proved: no plan serves more. −Infinity: no plan keeps the other rules. */
  most: number;
  /** A plan that keeps all rules but the service level, perhaps the ceiling, and what it serves. */
  plan: { moves: Moves; served: number } | null;
};

type MostOptions = {
  /** The search ends as soon as a plan serves this much, or it is proved that none does. */
  enough?: number;
  /** Demand within which the most counts as found. */
  tolerance?: number;
  /** Only demand of at least this priority level counts, and the service level is kept. */
  level?: number;
};

/** The most demand served. @param problem with vehicles, without limits of pairs */
export async function findMostServed(
  problem: Problem,
  control: Stopping,
  { enough, tolerance = 0, level }: MostOptions = {},
): Promise<MostServed> {
  const total = demandFrom(problem, level ?? 0);
  const loosened = { level: level ?? 0, isServiceFree: level === undefined };
  let most = total;
  let best = Number.NEGATIVE_INFINITY;
  let presence: Int32Array | null = null;
  await withElastic(problem, loosened, timeFor('most', control), (solver, elastic) => {
    const { demandScale, integerTo } = elastic;
    const unmetOf = (served: number) => (total - served) / demandScale;
    const isDecided = () => enough !== undefined && (best >= enough || most < enough);
    const consider = (values: Float64Array) => {
      let unmet = 0;
      for (let c = 0; c < elastic.model.columnCount; c++) unmet += elastic.model.cost[c] * values[c];
      if (total - unmet * demandScale <= best) return;
      best = total - unmet * demandScale;
      presence = Int32Array.from(values.subarray(0, problem.supply.length), Math.round);
    };
    const linear = solver.runLinear();
    if (linear.status === 'infeasible') most = Number.NEGATIVE_INFINITY;
    if (linear.rowDual.length === 0) return;
    const bound = dualBound(elastic.model, linear.rowDual) * demandScale;
    most = Math.min(most, total - bound + SUM_NOISE * total);
    if (linear.status !== 'optimal' || isDecided()) return;
    const isWhole = (v: number) => Math.abs(v - Math.round(v)) < WHOLE_NOISE;
    if (linear.values.subarray(0, integerTo).every(isWhole)) return consider(linear.values);
    const least = Math.max(PRECISION * total, tolerance) / demandScale;
    // Until the bound rises, a point within the first gap serves enough.
    for (let gap = Math.max(least, enough ? unmetOf(enough) - unmetOf(most) : 0); ; gap = least) {
      const mixed = solver.runMixed({ integerFrom: 0, integerTo, gap: 0, absoluteGap: gap });
      if (mixed.status === 'infeasible') most = Number.NEGATIVE_INFINITY;
      if (Number.isFinite(mixed.bound))
        most = Math.min(most, total - (mixed.bound - BRANCHING_NOISE * unmetOf(0)) * demandScale);
      if (mixed.values) consider(mixed.values);
      if (mixed.status !== 'optimal' || gap === least || isDecided()) return;
    }
  });
  const moves = presence && (await cheapestMoves(problem, presence, control));
  if (!moves) return { most, plan: null };
  const { served, broken } = evaluateMoves(problem, moves);
  const isPlan = broken.every((name) => name === 'min_service_level' && level === undefined);
  return { most, plan: isPlan ? { moves, served: level === undefined ? served : best } : null };
}

/** `least` Infinity: proved, there is none. `presences`: K × n vehicles that change the least, the best first. */
type LeastChange = { least: number; presences: Int32Array[] };

/** Where vehicles are if bounds per location are loosened as little as possible in total, at few locations. */
export async function findLeastChange(
  problem: Problem,
  side: BoundSide,
  control: Stopping,
): Promise<LeastChange> {
  const found: LeastChange = { least: 0, presences: [] };
  await withElastic(problem, { side }, timeFor('most', control), (solver, elastic) => {
    const { firstLoosened, integerTo, model } = elastic;
    const n = problem.demand.length;
    const options = { integerFrom: 0, integerTo, gap: 0, absoluteGap: WHOLE_GAP };
    const presenceOf = (values: Float64Array) =>
      Int32Array.from(values.subarray(0, problem.supply.length), Math.round);
    const mixed = solver.runMixed(options);
    if (mixed.status === 'infeasible') found.least = Number.POSITIVE_INFINITY;
    else if (Number.isFinite(mixed.bound))
      found.least = Math.max(1, Math.ceil(mixed.bound * (1 - BRANCHING_NOISE) - WHOLE_NOISE));
    if (!mixed.values) return;
    found.presences.push(presenceOf(mixed.values));
    const by = mixed.values.subarray(firstLoosened, firstLoosened + n);
    const change = by.reduce((sum, amount) => sum + Math.round(amount), 0);
    askForFewLocations(solver, elastic, change, n);
    const few = solver.runMixed({ ...options, moreIntegersFrom: model.columnCount });
    if (few.values) found.presences.unshift(presenceOf(few.values));
  });
  return found;
}

/** Minimises instead how many bounds change, with as large a change in total. */
function askForFewLocations(
  solver: SolverModel,
  { model, firstLoosened }: Elastic,
  change: number,
  n: number,
): void {
  const { columnCount, upper } = model;
  const each = Array.from({ length: n }, (_, j) => j);
  solver.addColumns({
    cost: new Float64Array(n).fill(1),
    lower: new Float64Array(n),
    upper: new Float64Array(n).fill(1),
    starts: new Int32Array(n + 1),
    indices: new Int32Array(0),
    values: new Float64Array(0),
  });
  solver.setCosts(Float64Array.from({ length: columnCount + n }, (_, c) => (c < columnCount ? 0 : 1)));
  const rows: NewRow[] = each.map((j) => ({
    indices: Int32Array.of(firstLoosened + j, columnCount + j),
    values: Float64Array.of(1, -Math.min(change, upper[firstLoosened + j])),
    lower: Number.NEGATIVE_INFINITY,
    upper: 0,
  }));
  solver.addRows([
    {
      indices: Int32Array.from(each, (j) => firstLoosened + j),
      values: new Float64Array(n).fill(1),
      lower: Number.NEGATIVE_INFINITY,
      upper: change,
    },
    ...rows,
  ]);
}

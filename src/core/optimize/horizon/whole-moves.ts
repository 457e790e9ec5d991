/**
 * Whole moves by branch and cut over the programme of all steps (`ruled-master.ts`): those of the first step, and those
 * of all steps where trips end where they began. With rules about pairs of locations (`FirstPairRules`) each pair p
 * that some first moves use has a column z_p of 0 or 1:
 *
 *   m · z_p ≤ Σ its first moves ≤ M_p · z_p        of all classes and groups; M_p: vehicles at its source
 *   Σ z ≤ most pairs,  Σ_{p from i} z_p ≤ most pairs from i
 *   cost                                           + cost of a pair · Σ z
 *
 * What fractional vehicles serve is asked for first. If no whole ones serve it, one thing after the other is found in
 * the same way: whether they serve what is required, the most of each priority level, the most in all, the least cost.
 */
import { type SolverModel, withSolverModel } from '../highs/highs.ts';
import type { MixedResult } from '../highs/solver-model.ts';
import { fromUnits, UNITS_PER_COST } from '../problem/costs.ts';
import { BRANCHING_NOISE } from '../problem/incumbent.ts';
import { msOf, timeFor } from '../run/budget.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { isOver } from '../run/stopping.ts';
import type { RulePrices, Weights } from './ruled-bound.ts';
import {
  addRuledColumns,
  costsOf,
  createRuledMaster,
  keyOf,
  type RuledColumn,
  type RuledMaster,
  readRuledPoint,
} from './ruled-master.ts';
import { createRuledMoves, pairsOfFirstStep, type RuledHorizon, type RuledMoves } from './rules.ts';
import { latestArrival } from './types.ts';

const TOLERANCE = 1e-9;
/** Relative, of total demand, as in `../problem/service-level.ts`. */
const SERVED_NOISE = 1e-9;
/** Vehicles below this are none. */
const VEHICLE_NOISE = 1e-9;
/** All moves of all steps are columns if they are no more than this, and what is proved holds for all plans. */
const MAX_COLUMNS = 8_000;
/** Otherwise of each source of the first step those that cost least at prices of the programme. */
const FIRST_PER_SOURCE = 12;
/** Of what is served: how close to the most it has to be, relative; at least, and of the gap of the cost. */
const SERVED_GAP = 1e-7;
const SERVED_SHARE = 0.1;

/** What fractional vehicles serve; `floors` in the order of the master's levels. */
export type AskedServed = { floors: readonly number[]; required: number };

export type WholeMoves = {
  /** Of all steps, if all moves are columns, else of the first one; null: none were found in time. */
  moves: RuledMoves | null;
  /** As of `measureRuled`, of the moves of all steps. */
  serving: Float64Array | null;
  /** Cost units: no plan that serves as much costs less; −Infinity if that is not known. */
  boundUnits: number;
  /** No plan of whole moves serves more of the levels, and in all; Infinity if that is not known. */
  levels: number[];
  mostServed: number;
};

/** Whether all moves of all steps can be columns. */
export function hasFewMoves({ base: { steps, pairs }, capacities, previous }: RuledHorizon): boolean {
  const sources = capacities.length * steps + (previous?.groups.length ?? 0);
  return sources * pairs.targets.length <= MAX_COLUMNS;
}

/**
 * @param known moves of all steps that the programme of fractional vehicles uses, and its prices
 * @param whole `draft`: first moves that keep the rules about pairs, where the search begins; `withoutPairs`: those of
 *   the plan without these rules
 * @param gap relative, of the cost
 * @returns `infeasible`: no whole moves keep rules and bounds per location
 */
export async function findWholeMoves(
  problem: RuledHorizon,
  { columns, prices }: { columns: readonly RuledColumn[]; prices: RulePrices },
  whole: { draft: RuledMoves; withoutPairs: RuledMoves },
  asked: AskedServed,
  gap: number,
  outer: SolveControl,
  cache: Cache,
): Promise<WholeMoves | 'infeasible'> {
  const control = { ...outer, ...timeFor('most', outer) };
  const master = createRuledMaster(problem);
  const { deadlineMs, stopFlag, onLook } = control;
  const run = { deadlineMs, stopFlag, onLook };
  return await withSolverModel(cache, master.model, TOLERANCE, run, (model) => {
    const chosen = chooseColumns(problem, columns, prices);
    const search = createSearch(master, model, chosen, whole);
    return searchMoves(search, asked, gap, control);
  });
}

/** The largest pairs of whole first moves that the rules allow. */
export function keepPairs({ base: { n }, firstPairs }: RuledHorizon, first: RuledMoves): RuledMoves {
  if (!firstPairs) return first;
  const { minVehicles, maxPairs, maxFrom } = firstPairs;
  const from = new Int32Array(n);
  const kept = new Set<number>();
  const largest = [...pairsOfFirstStep(n, first)].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  for (const [pair, vehicles] of largest) {
    const source = Math.floor(pair / n);
    if (vehicles < minVehicles || kept.size >= maxPairs || from[source] >= maxFrom) continue;
    kept.add(pair);
    from[source]++;
  }
  const moves = createRuledMoves();
  for (let m = 0; first.step[m] === 0; m++) {
    if (!kept.has(first.from[m] * n + first.to[m])) continue;
    for (const key of ['step', 'capacityClass', 'group', 'from', 'to', 'vehicles'] as const)
      moves[key].push(first[key][m]);
  }
  return moves;
}

/** `first` are the moves of the first step; `isAll`: these are all moves. */
type Chosen = { later: RuledColumn[]; first: RuledColumn[]; isAll: boolean };

function chooseColumns(problem: RuledHorizon, known: readonly RuledColumn[], prices: RulePrices): Chosen {
  const { base, capacities, previous } = problem;
  const { n, steps, pairs } = base;
  const groups = previous?.groups ?? [];
  const isAll = hasFewMoves(problem);
  const movesOf = (source: Omit<RuledColumn, 'arc'>) =>
    Array.from({ length: pairs.starts[source.from + 1] - pairs.starts[source.from] }, (_, a): RuledColumn => {
      return { ...source, arc: pairs.starts[source.from] + a };
    }).filter(({ arc }) => source.step + pairs.delay[arc] <= latestArrival(base));
  const classes = [...capacities.keys()];
  const stepMoves = (step: number) =>
    classes.map((capacityClass) =>
      Array.from({ length: n }, (_, from) => movesOf({ capacityClass, group: -1, step, from })),
    );
  const groupMoves = groups.map(({ capacityClass, location: from }, group) =>
    movesOf({ capacityClass, group, step: 0, from }),
  );
  const sources = [...stepMoves(0).flat(), ...groupMoves];
  if (isAll) {
    const later = Array.from({ length: steps - 1 }, (_, t) => stepMoves(t + 1).flat(2)).flat();
    return { later, first: sources.flat(), isAll };
  }
  /** What a move costs less what its vehicle is worth where it arrives: comparable among those of a source. */
  const reducedCost = ({ capacityClass: k, group, arc }: RuledColumn) => {
    const arrival = pairs.delay[arc];
    const to = pairs.targets[arc];
    const there = prices.values[(k * steps + arrival) * n + to];
    const change = groups[group] && groups[group].target !== to ? previous!.changeUnits : 0;
    return fromUnits(pairs.units[arc] + change) + prices.ceiling[0] * fromUnits(pairs.units[arc]) - there;
  };
  const first = new Map<number, RuledColumn>();
  const add = (column: RuledColumn) => first.set(keyOf(problem, column), column);
  for (const all of sources) {
    const cheapest = all.map((column) => ({ column, cost: reducedCost(column) }));
    cheapest.sort((a, b) => a.cost - b.cost || a.column.arc - b.column.arc);
    for (const { column } of cheapest.slice(0, FIRST_PER_SOURCE)) add(column);
  }
  for (const column of known) if (column.step === 0) add(column);
  return { later: known.filter(({ step }) => step > 0), first: [...first.values()], isAll };
}

type WholeSearch = {
  master: RuledMaster;
  model: SolverModel;
  isAll: boolean;
  /** Columns: the first integer one, z, and one that is always 1, which costs what unmet demand costs in all. */
  columns: { integers: number; firstMoves: number; used: number; one: number };
  /** The best point so far; before there is one (`hasPoint`), the first moves of the draft. */
  start: Float64Array;
  hasPoint: boolean;
  /** Per pair: those of the draft, then those that the programme without the rules uses. */
  fewer: Uint8Array[];
};

const NO_BOUND = Number.POSITIVE_INFINITY;

function createSearch(
  master: RuledMaster,
  model: SolverModel,
  { later, first, isAll }: Chosen,
  { draft, withoutPairs }: { draft: RuledMoves; withoutPairs: RuledMoves },
): WholeSearch {
  const { problem } = master;
  const { base, supply, capacities } = problem;
  const { n, steps, pairs } = base;
  const { minVehicles = 1, maxPairs = NO_BOUND, maxFrom = NO_BOUND } = problem.firstPairs ?? {};
  const ofPair = new Map<number, { source: number; columns: number[] }>();
  // Moves of the first step come last, so that they and z are one range of integers.
  const firstMoves = master.columns.firstMove + later.length;
  const drafted = new Map<string, number>();
  const nameOf = (k: number, group: number, pair: number) => `${k} ${group} ${pair}`;
  for (let m = 0; draft.step[m] === 0; m++)
    drafted.set(
      nameOf(draft.capacityClass[m], draft.group[m], draft.from[m] * n + draft.to[m]),
      draft.vehicles[m],
    );
  const vehicles = first.map(({ capacityClass, group, from, arc }, m) => {
    const pair = from * n + pairs.targets[arc];
    const known = ofPair.get(pair) ?? { source: from, columns: [] };
    known.columns.push(firstMoves + m);
    if (problem.firstPairs) ofPair.set(pair, known);
    return drafted.get(nameOf(capacityClass, group, pair)) ?? 0;
  });
  addRuledColumns(master, model, [...later, ...first], NOTHING(n));
  // HiGHS 1.15 called points optimal that were not, of integers without an upper bound.
  const fleet = supply.reduce((sum, count) => sum + count, 0);
  const bounds = new Float64Array(later.length + first.length);
  model.setColumnBounds(
    master.columns.firstMove,
    bounds,
    bounds.map(() => fleet),
  );
  const used = firstMoves + first.length;
  const count = ofPair.size + 1;
  const one = used + ofPair.size;
  const lower = new Float64Array(count);
  lower[count - 1] = 1;
  model.addColumns({
    cost: new Float64Array(count),
    lower,
    upper: new Float64Array(count).fill(1),
    starts: new Int32Array(count + 1),
    indices: new Int32Array(0),
    values: new Float64Array(0),
  });
  const artificial = new Float64Array(master.columns.firstMove - master.columns.few);
  if (artificial.length > 0) model.setColumnBounds(master.columns.few, artificial, artificial);
  const rows: Parameters<SolverModel['addRows']>[0][number][] = [];
  const addRow = (terms: readonly (readonly [number, number])[], least: number, most: number) =>
    rows.push({
      indices: Int32Array.from(terms, ([column]) => column),
      values: Float64Array.from(terms, ([, value]) => value),
      lower: least,
      upper: most,
    });
  const all = [...ofPair.values()];
  const start = new Float64Array(one + 1);
  start.set(vehicles, firstMoves);
  start[one] = 1;
  for (const [p, { source, columns }] of all.entries()) {
    let most = 0;
    for (let k = 0; k < capacities.length; k++) most += supply[k * n * steps + source];
    const terms = columns.map((column) => [column, 1] as const);
    addRow([...terms, [used + p, -most]], Number.NEGATIVE_INFINITY, 0);
    addRow([...terms, [used + p, -minVehicles]], 0, Number.POSITIVE_INFINITY);
    if (columns.some((column) => start[column] > 0)) start[used + p] = 1;
  }
  if (maxPairs < all.length)
    addRow(
      all.map((_, p) => [used + p, 1] as const),
      0,
      maxPairs,
    );
  for (let i = 0; i < n && maxFrom < n; i++) {
    const terms = all.flatMap(({ source }, p) => (source === i ? [[used + p, 1] as const] : []));
    if (terms.length > maxFrom) addRow(terms, 0, maxFrom);
  }
  model.addRows(rows);
  const isIn = (moves: RuledMoves) => {
    const byPair = pairsOfFirstStep(n, moves);
    return Uint8Array.from(ofPair.keys(), (pair) => (byPair.has(pair) ? 1 : 0));
  };
  return {
    master,
    model,
    isAll,
    columns: {
      integers: isAll && problem.isWhole ? master.columns.firstMove : firstMoves,
      firstMoves,
      used,
      one,
    },
    start,
    hasPoint: false,
    fewer: problem.firstPairs && !isAll ? [isIn(draft), isIn(withoutPairs)] : [],
  };
}

const NOTHING = (n: number): Weights => ({ cost: 0, served: new Float64Array(n), beyond: NO_BOUND });

function searchMoves(
  search: WholeSearch,
  { floors, required }: AskedServed,
  gap: number,
  control: SolveControl,
): WholeMoves | 'infeasible' {
  const { master, model, isAll } = search;
  const { problem, rows, levels } = master;
  const { n, demand } = problem.base;
  const noise = SERVED_NOISE * demand.reduce((sum, value) => sum + value, 0);
  const found: WholeMoves = {
    moves: null,
    serving: null,
    boundUnits: Number.NEGATIVE_INFINITY,
    levels: levels.map(() => NO_BOUND),
    mostServed: NO_BOUND,
  };
  const ask = (row: number, least: number) => model.setRowBounds(row, least, NO_BOUND);
  const free = Number.NEGATIVE_INFINITY;
  const run = (weights: Partial<Weights>) =>
    minimise(search, { ...NOTHING(n), ...weights }, weights.cost ? gap : servedGap(gap), control);
  const cheapest = () => {
    const result = run({ cost: 1 });
    if (isAll && result.status !== 'failed') found.boundUnits = boundOf(search, result);
    return result;
  };
  for (const [l, floor] of floors.entries()) ask(rows.floors + l, floor - noise);
  ask(rows.service, required - noise);
  if (cheapest().values || isOver(control)) return withMoves(search, found);
  found.boundUnits = free;
  for (let r = rows.floors; r <= rows.service; r++) ask(r, free);
  let isReached = required >= problem.base.required - noise;
  if (isReached && required > 0) {
    ask(rows.service, required - noise);
    isReached = run({}).status !== 'infeasible';
    if (!isReached) ask(rows.service, free);
  }
  for (const [l, level] of [...levels, ...(isReached ? [] : [0])].entries()) {
    const served = Float64Array.from({ length: n }, (_, j) => ((problem.levels?.[j] ?? 0) >= level ? 1 : 0));
    const most = run({ served });
    if (most.status === 'infeasible') return 'infeasible';
    if (!most.values) return withMoves(search, found);
    const amount = 0 - weightOf(search, { ...NOTHING(n), served }, most.values);
    const atMost = isAll && Number.isFinite(most.bound) ? Math.max(amount, 0 - most.bound) : NO_BOUND;
    if (level === 0) found.mostServed = atMost;
    else found.levels[l] = atMost;
    ask(level === 0 ? rows.service : rows.floors + l, amount - noise);
    if (most.status !== 'optimal') return withMoves(search, found);
  }
  return cheapest().status === 'infeasible' ? 'infeasible' : withMoves(search, found);
}

function servedGap(gap: number): number {
  return Math.max(SERVED_GAP, SERVED_SHARE * gap);
}

/** With the moves of the last point: the integer ones exactly so, and the others for these. */
function withMoves(search: WholeSearch, found: WholeMoves): WholeMoves {
  const { master, model, isAll, columns, start, hasPoint } = search;
  if (!hasPoint) return found;
  if (!isAll) return { ...found, moves: firstMovesOf(search, start) };
  const whole = start.slice(columns.integers, columns.one).map(Math.round);
  start.set(whole, columns.integers);
  model.setColumnBounds(columns.integers, whole, whole);
  const exact = model.runLinear(msOf('lateMoves'));
  const point = exact.status === 'optimal' ? exact.values : start;
  return { ...found, ...readRuledPoint(master, point, VEHICLE_NOISE) };
}

function minimise(search: WholeSearch, weights: Weights, gap: number, control: SolveControl): MixedResult {
  const { master, model, columns, start, fewer } = search;
  const keep = ({ values }: MixedResult) => {
    if (!values) return;
    start.set(values);
    search.hasPoint = true;
  };
  model.setCosts(costsWith(master, weights, columns));
  const run = (untilMs: number) =>
    model.runMixed({
      integerFrom: columns.integers,
      integerTo: columns.one,
      gap,
      absoluteGap: weights.cost > 0 ? 0.5 / UNITS_PER_COST : 0,
      // HiGHS 1.15 completes the draft's first moves, and then may call that optimal although it is not.
      ...((!search.isAll || search.hasPoint) && { start }),
      untilMs,
    });
  // Among few pairs a plan is found soon; branch and cut among all begins with it.
  for (const isFew of fewer) {
    limitPairs(search, isFew);
    keep(run(timeFor('question', control).deadlineMs));
  }
  if (fewer.length > 0) limitPairs(search, null);
  const result = run(control.deadlineMs);

  keep(result);
  // Without integer columns it is a linear programme, of which the solver states no bound.
  if (columns.integers === columns.one) result.bound = Number.NEGATIVE_INFINITY;
  return isOver(control) && result.status === 'failed' ? { ...result, status: 'stopped' } : result;
}

/** Closes the columns of all other pairs. @param isChosen per pair; null: all */
function limitPairs({ model, columns: { used, one } }: WholeSearch, isChosen: Uint8Array | null): void {
  const upper = new Float64Array(one - used).fill(1);
  if (isChosen) upper.set(isChosen);
  model.setColumnBounds(used, new Float64Array(one - used), upper);
}

/** Costs of all columns, in money or demand. */
function costsWith(
  master: RuledMaster,
  weights: Weights,
  { used, one }: WholeSearch['columns'],
): Float64Array {
  const { base, firstPairs } = master.problem;
  const cost = new Float64Array(one + 1);
  cost.set(costsOf(master, weights));
  cost.fill(weights.cost * fromUnits(firstPairs?.costUnits ?? 0), used, one);
  const unmet = base.unmetUnits?.reduce((sum, units, u) => sum + units * base.demand[u], 0) ?? 0;
  cost[one] = weights.cost * fromUnits(unmet);
  return cost;
}

function weightOf({ master, columns }: WholeSearch, weights: Weights, values: Float64Array): number {
  return costsWith(master, weights, columns).reduce((sum, cost, c) => sum + cost * values[c], 0);
}

/** Reduced by the error of the sums that it comes from. */
function boundOf(
  {
    master: {
      problem: { base },
    },
  }: WholeSearch,
  { bound }: MixedResult,
): number {
  if (!Number.isFinite(bound)) return Number.NEGATIVE_INFINITY;
  const unmet = base.unmetUnits?.reduce((sum, units, u) => sum + units * base.demand[u], 0) ?? 0;
  const units = bound * UNITS_PER_COST;
  return units - BRANCHING_NOISE * (Math.abs(units) + unmet);
}

function firstMovesOf({ master, columns }: WholeSearch, values: Float64Array): RuledMoves {
  const { base } = master.problem;
  const moves = createRuledMoves();
  const first = master.columns.firstMove;
  for (let c = columns.firstMoves; c < columns.used; c++) {
    const vehicles = Math.round(values[c]);
    if (vehicles === 0) continue;
    const { capacityClass, group, from, arc } = master.moves[c - first];
    moves.step.push(0);
    moves.capacityClass.push(capacityClass);
    moves.group.push(group);
    moves.from.push(from);
    moves.to.push(base.pairs.targets[arc]);
    moves.vehicles.push(vehicles);
  }
  return moves;
}

/**
 * A plan without a solver: the whole part of a relaxed solution (or no moves), then one vehicle after the other along
 * the move of least cost per demand that it adds, until the floors, the highest first, and the service level hold.
 * Before that, vehicles move until the bounds on vehicles per location hold (`keep-bounds.ts`); later moves keep them.
 * A vehicle that leaves takes along what it served. Where unmet demand has a cost, a move is worth what it saves of
 * that, and moves that save more than they cost follow once the service level holds. Only moves that already are
 * columns are used. The cheapest move into each location is kept. After a move, the moves out of its source and into
 * its target are worth less, those out of its target and into its source more: O(locations + moves around those two,
 * and around locations whose cheapest move was one of the former) per move added. A heuristic: it proves nothing.
 */
import { floorSlack, floorsOf, levelAt } from '../../problem/floors.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { movesOn } from '../../problem/moves.ts';
import { withoutPinnedMoves } from '../../problem/pinned-places.ts';
import { leastServed } from '../../problem/service-level.ts';
import { hasLocationBounds } from '../../problem/variants.ts';
import type { Master } from '../master.ts';
import {
  createGreedySearch,
  type GreedySearch,
  isTooLong,
  sendAlong,
  sendWholePart,
} from './greedy-search.ts';
import { keepBounds, keepsBounds } from './keep-bounds.ts';

/** The plan of `draftGreedily`; null if its moves do not suffice. */
export function planGreedily(...given: Parameters<typeof draftGreedily>): Moves | null {
  const draft = draftGreedily(...given);
  return draft?.isPlan ? draft.moves : null;
}

/**
 * @param values column values of a relaxed solution, or null to start without moves
 * @param price cost units that a unit of served demand is worth, to weigh it where bounds per location are broken
 * @returns `isPlan`: whether the moves reach the service level and keep the bounds per location; null if they do not
 *   keep the floors, or `isOver` ended the search
 */
export function draftGreedily(
  problem: Problem,
  master: Master,
  values: Float64Array | null,
  isOver: () => boolean,
  price = 0,
): { moves: Moves; isPlan: boolean } | null {
  if (isOver()) return null;
  const { arcs } = master.columns;
  const search = createGreedySearch(problem, arcs, isOver);
  if (isTooLong(search, arcs.source.length)) return null;
  if (values) sendWholePart(search, values, master.firstArc);
  const keepsAll = !hasLocationBounds(problem) || keepBounds(search, price);
  for (const { level, served } of floorsOf(problem)) {
    search.level = level;
    search.required = served - floorSlack(problem);
    if (!serveMore(search, false)) return null;
    search.keptLevel = level;
  }
  search.level = 0;
  search.required = leastServed(problem);
  const isServed = serveMore(search, search.unmetUnits !== undefined);
  const { moved } = search;
  const chosen = [...moved.keys()].filter((a) => moved[a] > 0);
  return { moves: movesOn(chosen, arcs, (a) => moved[a]), isPlan: isServed && keepsAll };
}

/**
 * Adds moves until as much is served as required, then those that save more than they cost.
 * @returns false if the moves do not suffice, or `isOver` ended the search before they did
 */
function serveMore(search: GreedySearch, isSaving: boolean): boolean {
  const { problem, arcs } = search;
  search.served = servedBy(search);
  if (isTooLong(search, arcs.source.length)) return false;
  const largest = problem.capacities.reduce((most, size) => Math.max(most, size), 0);
  let isServing = search.served < search.required;
  if (!isServing && !isSaving) return true;
  if (!findAllCheapest(search)) return false;
  while (isServing || isSaving) {
    if (isTooLong(search, problem.demand.length)) return !isServing;
    // Near the end no move counts for more than the demand still missing.
    const isNear = isServing && search.required - search.served < largest;
    if (isNear && !findAllCheapest(search)) return false;
    const to = findBestTarget(search);
    if (to < 0) return !isServing;
    const best = search.cheapest[to];
    const from = arcs.source[best];
    sendAlike(search, best);
    findCheapest(search, from);
    findCheapest(search, to);
    updateTargets(search, from, to);
    if (!isServing || search.served < search.required) continue;
    isServing = false;
    if (isSaving && !findAllCheapest(search)) break;
  }
  return true;
}

function servedBy({ problem, capacity, level }: GreedySearch): number {
  const { demand } = problem;
  let served = 0;
  for (let j = 0; j < demand.length; j++) {
    if (levelAt(problem, j) >= level) served += Math.min(capacity[j], demand[j]);
  }
  return served;
}

/**
 * Demand that one vehicle more on a move serves at its target, and leaves at its source, as far as it counts; Infinity
 * if that must not be lost.
 */
function effectOf(search: GreedySearch, a: number): { gain: number; lost: number } {
  const { problem, arcs, capacity, level, keptLevel } = search;
  const { capacities, demand } = problem;
  const from = arcs.source[a];
  const to = arcs.target[a];
  const size = capacities[arcs.capacityClass[a]];
  const gain = levelAt(problem, to) >= level ? Math.max(0, Math.min(size, demand[to] - capacity[to])) : 0;
  const leaves = gain > 0 ? Math.max(0, Math.min(size, demand[from] - capacity[from] + size)) : 0;
  if (leaves > 0 && levelAt(problem, from) >= keptLevel && levelAt(problem, to) < levelAt(problem, from))
    return { gain, lost: Number.POSITIVE_INFINITY };
  return { gain, lost: levelAt(problem, from) >= level ? leaves : 0 };
}

/** Demand that one vehicle more on a move adds. */
function addedBy(search: GreedySearch, a: number): number {
  const { gain, lost } = effectOf(search, a);
  return gain - lost;
}

/**
 * Cost per demand that a move adds; Infinity if it adds none. Once the service level holds, what the move saves, as a
 * negative number; Infinity if it saves nothing.
 */
function priceOf(search: GreedySearch, a: number): number {
  const { problem, arcs, free, isMove } = search;
  const n = problem.demand.length;
  const from = arcs.source[a];
  if (free[arcs.capacityClass[a] * n + from] === 0 || isMove[a] === 0) return Number.POSITIVE_INFINITY;
  if (!keepsBounds(search, a)) return Number.POSITIVE_INFINITY;
  const to = arcs.target[a];
  const { gain, lost } = effectOf(search, a);
  if (lost === Number.POSITIVE_INFINITY) return lost;
  const net = gain - lost;
  const { unmetUnits, served, required } = search;
  const saved = unmetUnits ? unmetUnits[to] * gain - unmetUnits[from] * lost : 0;
  const cost = problem.network.costUnits[from * n + to] - saved;
  if (served < required)
    return net <= 1e-9 ? Number.POSITIVE_INFINITY : cost / Math.min(net, required - served);
  // A saving of less than a unit could be that of the sums' rounding.
  return gain > 0 && net >= -1e-9 && cost <= -1 ? cost : Number.POSITIVE_INFINITY;
}

function findCheapest(search: GreedySearch, j: number): void {
  const { into, cheapest, price } = search;
  cheapest[j] = -1;
  price[j] = Number.POSITIVE_INFINITY;
  for (let e = into.starts[j]; e < into.starts[j + 1]; e++) {
    const perUnit = priceOf(search, into.arcs[e]);
    if (perUnit >= price[j]) continue;
    price[j] = perUnit;
    cheapest[j] = into.arcs[e];
  }
  search.unseen += into.starts[j + 1] - into.starts[j];
}

/** @returns false if `isOver` ended the search */
function findAllCheapest(search: GreedySearch): boolean {
  for (let j = 0; j < search.cheapest.length; j++) {
    findCheapest(search, j);
    if (isTooLong(search, 1)) return false;
  }
  return true;
}

/** The location whose cheapest move is the cheapest of all; −1: no move adds demand. */
function findBestTarget({ cheapest, price }: GreedySearch): number {
  let to = -1;
  for (let j = 0; j < cheapest.length; j++) {
    if (cheapest[j] < 0) continue;
    const ahead = to < 0 ? -1 : price[j] - price[to] || cheapest[j] - cheapest[to];
    if (ahead < 0) to = j;
  }
  return to;
}

/** Sends one vehicle along a move, or as many as are sure to follow it there. */
function sendAlike(search: GreedySearch, best: number): void {
  const { problem, arcs, free, capacity, here, least, most } = search;
  const { capacities, demand } = problem;
  const k = arcs.capacityClass[best];
  const from = arcs.source[best];
  const to = arcs.target[best];
  const size = capacities[k];
  // While vehicles are idle at the source and serve fully at the target, the next vehicle's best move is the same.
  const alike = Math.min(
    free[k * demand.length + from],
    most[to] - here[to],
    here[from] - least[from],
    Math.floor((demand[to] - capacity[to]) / size),
    Math.floor((capacity[from] - demand[from]) / size),
    search.served < search.required
      ? Math.floor((search.required - search.served) / size)
      : Number.POSITIVE_INFINITY,
  );
  search.served += alike > 1 ? alike * size : addedBy(search, best);
  sendAlong(search, best, Math.max(1, alike));
}

/** The cheapest moves into the other locations, after a move between these two. */
function updateTargets(search: GreedySearch, from: number, to: number): void {
  const { arcs, outOf, cheapest, price } = search;
  const { target } = arcs;
  for (let e = outOf.starts[from]; e < outOf.starts[from + 1]; e++) {
    const a = outOf.arcs[e];
    if (cheapest[target[a]] === a) findCheapest(search, target[a]);
  }
  for (let e = outOf.starts[to]; e < outOf.starts[to + 1]; e++) {
    const a = outOf.arcs[e];
    const j = target[a];
    const perUnit = priceOf(search, a);
    const ahead = perUnit - price[j] || a - cheapest[j];
    if (perUnit === Number.POSITIVE_INFINITY || ahead >= 0) continue;
    price[j] = perUnit;
    cheapest[j] = a;
  }
  search.unseen += outOf.starts[from + 1] - outOf.starts[from] + outOf.starts[to + 1] - outOf.starts[to];
}

/** Integer columns (arriving and leaving vehicles) of moves, in the form of `classes.ts` without idle vehicles. */
export function integerColumnsOf(problem: Problem, given: Moves): Float64Array {
  const moves = withoutPinnedMoves(problem, given);
  const size = problem.supply.length;
  const n = problem.demand.length;
  const whole = new Float64Array(2 * size);
  for (let m = 0; m < moves.count.length; m++) {
    whole[moves.capacityClass[m] * n + moves.target[m]] += moves.count[m];
    whole[size + moves.capacityClass[m] * n + moves.source[m]] += moves.count[m];
  }
  return whole;
}

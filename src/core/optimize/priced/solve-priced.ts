/**
 * The everyday case: one capacity class, demand that is not whole in vehicles, no bounds of vehicles per location. Network simplex
 * with the service level priced (`types.ts`), a bound that is proved of all moves (`bound.ts`), a plan within about one move of it.
 *
 *   1. vehicles serve full loads where they stand, greedy tree on candidate arcs, simplex on them, then on all arcs
 *   2. the price at which L is largest, from tree to tree (`best-price.ts`), and all arcs priced again until none improves
 *   3. the bound that the prices prove; where it shows that vehicles had better not serve where they stand first, 1 without that
 *   4. a plan (`whole-units.ts`)
 *
 * Complexity: as `flow/solve-flow.ts`, and some ten prices of few pivots each. One pass over all arcs proves the bound.
 */
import { createArcSet } from '../flow/arcs.ts';
import { createCandidates } from '../flow/candidates.ts';
import { isOver, pivotCandidates, pivotToOptimum } from '../flow/network-simplex.ts';
import { totalUnits } from '../flow/solve-flow.ts';
import { createTree, sinkNode } from '../flow/spanning-tree.ts';
import type { Flow, FlowControl } from '../flow/types.ts';
import { findBestPrice, pointOf } from './best-price.ts';
import { pricedBound, vehicleValues } from './bound.ts';
import {
  addStays,
  measure,
  type PricedSearch,
  pricedAmounts,
  splitLoads,
  startPricedTree,
  setPrice,
} from './priced-tree.ts';
import type { PricedProblem, ServicePrices } from './types.ts';
import { leaveLess, readMoves, serveEnough } from './whole-units.ts';

/** Cheapest arcs per source and per sink that the search starts with. */
const NEAREST = 6;
/** Share of itself by which the proved bound may fall short of what the search has found. */
const BOUND_TOLERANCE = 1e-6;
/** Passes over all arcs at most, after the first price. */
const MOST_ROUNDS = 20;
const MOST_REPAIRS = 8;
/** Share of the total demand by which sums of what is served may be off. */
const SERVED_NOISE = 1e-12;

export type PricedHooks = {
  /** A proved lower bound of the cost of every plan, cost units. */
  onBound(units: number): void;
  /** Moves that serve what is required, cheaper and cheaper. */
  onPlan(flow: Flow): void;
};

/** `solved`: bound and plan were told, whatever the gap. `infeasible`: proved. `open`: nothing certain is known. */
export type PricedOutcome = {
  kind: 'solved' | 'infeasible' | 'stopped' | 'open';
  counts: PricedSearch['counts'];
};

/** @throws RangeError where numbers are too large for exact sums */
export function solvePriced(problem: PricedProblem, control: FlowControl, hooks: PricedHooks): PricedOutcome {
  const netted = run(problem, control, hooks, true);
  if (netted.kind !== 'unproved') return { ...netted, kind: netted.kind };
  const plain = run(problem, control, hooks, false, netted.price);
  const counts = {
    pivots: netted.counts.pivots + plain.counts.pivots,
    pricingRounds: netted.counts.pricingRounds + plain.counts.pricingRounds,
    candidates: plain.counts.candidates,
    prices: netted.counts.prices + plain.counts.prices,
  };
  return { kind: plain.kind === 'unproved' ? 'open' : plain.kind, counts };
}

type RunOutcome = { kind: PricedOutcome['kind'] | 'unproved'; counts: PricedSearch['counts']; price: number };

function run(
  problem: PricedProblem,
  control: FlowControl,
  hooks: PricedHooks,
  isNetted: boolean,
  knownPrice?: number,
): RunOutcome {
  const { n, required, capacity } = problem;
  const loads = splitLoads(problem);
  const amounts = pricedAmounts(problem, loads, isNetted);
  const { sources, sinks } = amounts;
  let totalDemand = 0;
  let open = 0;
  for (let j = 0; j < n; j++) {
    totalDemand += loads.full[j] * capacity + loads.rest[j];
    open += amounts.full[j] * capacity + loads.rest[j];
  }
  const s: PricedSearch = {
    tree: createTree(n, true),
    list: createCandidates(24 * n),
    arcs: createArcSet(n, problem.cost),
    counts: { pivots: 0, pricingRounds: 0, candidates: 0, prices: 0 },
    control,
    problem,
    loads,
    price: 0,
    partPrice: new Float64Array(n),
    firstSlack: 0,
    endSlack: 0,
    totalDemand,
  };
  const ended = (kind: RunOutcome['kind']): RunOutcome => ({ kind, counts: s.counts, price: s.price });
  s.arcs.addNearest(s.list, sources, sinks, NEAREST);
  addStays(s.list, n, amounts);
  const dearest = startPricedTree(s, amounts, totalDemand - open);
  const noise = SERVED_NOISE * totalDemand;
  const least = required + noise;
  let atHand: { flow: Flow; cost: number } | null = null;
  const keep = () => {
    const { cost, served } = measure(s);
    if (served >= least && (atHand === null || cost < atHand.cost)) atHand = { flow: readMoves(s), cost };
  };
  const stopped = () => {
    if (atHand) hooks.onPlan(atHand.flow);
    return ended('stopped');
  };
  keep();
  setPrice(s, knownPrice ?? dearest);
  if (!pivotToOptimum(s, sources, sinks)) return stopped();
  keep();

  const limitOf = () => totalUnits(problem.supply) * s.arcs.largestCost() + 1;
  let proved = 0;
  for (let round = 0; ; round++) {
    const found = findBestPrice(s, s.price, limitOf);
    if (found === 'stopped') return stopped();
    keep();
    const { value } = pointOf(s);
    proved = pricedBound(problem, pricesOf(s, isNetted));
    if (found === 'short' && proved > limitOf()) return ended('infeasible');
    if (proved >= value - BOUND_TOLERANCE * value - 1) {
      if (found === 'short') return ended('open');
      break;
    }
    s.counts.pricingRounds++;
    const first = s.list.count;
    const added = s.arcs.addViolated(s.list, s.tree, sources, sinks);
    s.counts.candidates = s.list.count;
    if (added === 0 || round === MOST_ROUNDS) {
      if (found === 'met') hooks.onBound(proved);
      return isNetted ? ended('unproved') : ended('open');
    }
    if (!pivotCandidates(s, first, 'all_arcs') || isOver(control)) return stopped();
  }
  hooks.onBound(proved);
  const best = s.price;
  const beside = serveEnough(s, least);
  if (!beside) return stopped();
  setPrice(s, best);
  hooks.onPlan(readMoves(s, beside));
  for (let r = 0; r < MOST_REPAIRS && !isOver(control) && leaveLess(s, beside, least, noise); r++) {
    hooks.onPlan(readMoves(s, beside));
  }
  return ended('solved');
}

/** What the potentials say a vehicle is worth at each location. */
function pricesOf({ tree, problem, loads, price }: PricedSearch, isNetted: boolean): ServicePrices {
  const { n, supply, capacity } = problem;
  const { potential } = tree;
  const atLocation = new Float64Array(n);
  const balanced = new Int32Array(n);
  let isAnyBalanced = false;
  for (let j = 0; j < n; j++) {
    atLocation[j] = Math.max(0, potential[sinkNode(n, j)]);
    if (!isNetted || supply[j] === 0 || loads.full[j] === 0) continue;
    // Vehicles that serve where they stand are worth the same wherever they are needed.
    atLocation[j] = Math.max(atLocation[j], potential[j]);
    if (supply[j] === loads.full[j]) {
      balanced[j] = 1;
      isAnyBalanced = true;
    }
  }
  if (isAnyBalanced) {
    const values = vehicleValues({ ...problem, supply: balanced }, atLocation);
    for (let j = 0; j < n; j++) atLocation[j] = Math.max(atLocation[j], values[j]);
  }
  return { perDemand: price / capacity, atLocation };
}

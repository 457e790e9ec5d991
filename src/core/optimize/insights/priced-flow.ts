/**
 * One class and fractional demand: the flow of the problem with the service level priced instead of required.
 *
 *   L(λ) = min over plans that may serve any amount of  cost + λ (R − served)  ≤  V      for every λ ≥ 0
 *
 * A step (`variables.ts`) of gain g serves for the price λg. Prices are raised and lowered, with the flow kept optimal
 * along residual paths, until L is maximal: there the flow serves about R.
 *
 * Units: cost units × `scale`, whole, so that prices are nearly proportional to gains: rounded up, which keeps L a
 * bound; the price of a full step is exact.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §16 (Lagrangian relaxation).
 */

import type { Problem, Solution } from '../problem/model.ts';
import { leastServed, totalDemand } from '../problem/service-level.ts';
import { stepsServed } from '../problem/serving.ts';
import { splitDemand } from '../problem/steps.ts';
import type { Effort } from './effort.ts';
import { type ClassFlow, createHeldFlow } from './residual/class-flow.ts';
import { widenArc } from './residual/flow-changes.ts';
import { residualOf, setArcCost, shutArc } from './residual/residual-network.ts';
import { distances } from './residual/shortest-paths.ts';

/** Costs keep this many digits beyond a unit where numbers stay exact. */
const MAX_SCALE = 1024;
const MAX_PATH = 2 ** 50;
const MAX_PRICE = 2 ** 46;
/** Relative error of sums of gains, as a share of total demand. */
const GAIN_NOISE = 1e-12;
/** Safety margin for rounding whole units: sums of doubles below 2⁵³. */
const UNIT_NOISE = 0.01;
/** Relative precision of the best bound. */
const PRICE_PRECISION = 1e-8;
const MAX_PRICES = 60;

/** The flow with its prices. Steps: `full` of j at j, `part` of j at n + j. */
export type PricedFlow = ClassFlow & {
  readonly n: number;
  readonly capacity: number;
  /** Cost of the dearest move, units. */
  readonly dearest: number;
  readonly scale: number;
  readonly required: number;
  readonly noise: number;
  /** Demand that the part of a vehicle serves, per location. */
  readonly rest: Float64Array;
  /** The most units of each step, and its price. */
  readonly most: Float64Array;
  readonly price: Float64Array;
  /** Units of the closed steps. */
  readonly amount: Float64Array;
  readonly isFixed: Uint8Array;
  /** Price of a full step. */
  fullPrice: number;
  /** Cost − Σ prices of the current flow. */
  value: number;
};

/**
 * @param solution a plan to start from
 * @throws OutOfTime
 */
export function createPricedFlow(problem: Problem, solution: Solution, effort: Effort): PricedFlow {
  const n = problem.locationIds.length;
  const [capacity] = problem.capacities;
  const dearest = dearestUnits(problem.network);
  let scale = MAX_SCALE;
  while (scale > 1 && 4 * n * dearest * scale > MAX_PATH) scale /= 2;

  const full = Float64Array.from(problem.demand, (d) => splitDemand(d, capacity).full);
  const rest = Float64Array.from(problem.demand, (d) => splitDemand(d, capacity).rest);
  const held = stepsServed(problem, solution.moves, full, rest);
  const flow = createHeldFlow(problem, solution.moves, held, scale, effort);
  const priced: PricedFlow = {
    ...flow,
    n,
    capacity,
    dearest,
    scale,
    required: leastServed(problem),
    noise: GAIN_NOISE * totalDemand(problem.demand),
    rest,
    most: Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? full[s] : rest[s - n] > 0 ? 1 : 0)),
    price: new Float64Array(2 * n),
    amount: Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? held.full[s] : held.part[s - n])),
    isFixed: new Uint8Array(2 * n).fill(1),
    fullPrice: 0,
    value: (solution.costUnits - flow.network.improved) * scale,
  };
  for (let s = 0; s < 2 * n; s++) shutArc(flow.network, arcOf(priced, s));
  findBestPrice(priced);
  return priced;
}

/** The arc of a step. */
export function arcOf(flow: PricedFlow, s: number): number {
  return s < flow.n ? flow.demandArc(s) : flow.partArc(s - flow.n);
}

/** Demand served by a unit of a step. */
export function gainOf({ n, capacity, rest }: PricedFlow, s: number): number {
  return s < n ? capacity : rest[s - n];
}

/** Demand served by a unit of an arc; 0 if it is no step. */
export function gainAt(flow: PricedFlow, arc: number): number {
  const firstStep = flow.demandArc(0);
  const firstPart = flow.partArc(0);
  if (arc < firstStep || arc >= flow.servedArc) return 0;
  if (arc >= firstPart) return flow.rest[arc - firstPart];
  return (arc - firstStep) % 2 === 0 ? flow.capacity : 0;
}

/** Price of a unit of demand. */
export function perGain({ fullPrice, capacity }: PricedFlow): number {
  return fullPrice / capacity;
}

/** Demand that the flow serves. */
export function gainOfFlow(flow: PricedFlow): number {
  return sumOver(flow, (s) => gainOf(flow, s));
}

/** Sum of the prices of the flow. */
export function priceOfFlow(flow: PricedFlow): number {
  return sumOver(flow, (s) => flow.price[s]);
}

/** A bound in units of the flow's value if `least` must be served. */
export function lagrangianBound(flow: PricedFlow, lagrangian: number, least: number): number {
  const { noise, scale } = flow;
  return Math.max(
    0,
    Math.ceil((lagrangian + perGain(flow) * Math.max(0, least - noise)) / scale - UNIT_NOISE),
  );
}

/** Opens the steps that are held. */
export function reopenSteps({ isFixed }: PricedFlow): void {
  isFixed.fill(0);
}

function sumOver(flow: PricedFlow, weightOf: (s: number) => number): number {
  let total = 0;
  for (let s = 0; s < 2 * flow.n; s++) total += weightOf(s) * stepFlow(flow, s);
  return total;
}

/** Closed steps keep `amount`. */
function stepFlow(flow: PricedFlow, s: number): number {
  return flow.isFixed[s] ? flow.amount[s] : residualOf(flow.network, 2 * arcOf(flow, s) + 1);
}

/** Changes the step by `by` units and holds it there. */
export function holdStep(flow: PricedFlow, step: number, by: number): void {
  flow.amount[step] = stepFlow(flow, step) + by;
  shutArc(flow.network, arcOf(flow, step));
  flow.isFixed[step] = 1;
}

/** Makes the flow optimal again for another price of a full step. */
function setPrice(flow: PricedFlow, next: number): void {
  const { n, network, capacity, price, most, amount } = flow;
  flow.value += priceOfFlow(flow);
  for (let s = 0; s < 2 * n; s++) holdStep(flow, s, 0);
  flow.fullPrice = next;
  for (let s = 0; s < 2 * n; s++) {
    price[s] = s < n ? next : Math.ceil((next * gainOf(flow, s)) / capacity - 1e-9);
    setArcCost(network, arcOf(flow, s), 0 - price[s]);
  }
  flow.value -= priceOfFlow(flow);
  for (let s = 0; s < 2 * n; s++) {
    flow.isFixed[s] = 0;
    const arc = arcOf(flow, s);
    flow.value -= widenArc(network, 2 * arc, most[s] - amount[s]);
    flow.value -= widenArc(network, 2 * arc + 1, amount[s]);
  }
}

/** Moves to where the tangents of both bounds meet, until that is one of the two. */
function findBestPrice(flow: PricedFlow): void {
  const { n, capacity, dearest, scale, rest, required } = flow;
  /** A price of a full step, the bound there and its slope in the price; scaled units. */
  type Point = { at: number; bound: number; slope: number };
  const highest = Math.min(
    MAX_PRICE,
    8 * n * dearest * scale * Math.max(1, capacity / smallestGain(rest, capacity)),
  );
  let low: Point | null = null;
  let high: Point | null = null;
  let next = Math.min(highest, Math.round(firstPrice(flow)));
  let step = Math.max(1, Math.round(0.01 * next));
  for (let tries = 0; tries < MAX_PRICES; tries++) {
    setPrice(flow, next);
    const short = required - gainOfFlow(flow);
    const point = { at: next, bound: flow.value + (next / capacity) * required, slope: short / capacity };
    if (short > 0) low = point;
    else high = point;
    if (!high) {
      if (next === highest) return;
      next = Math.min(highest, next + step);
    } else if (!low) {
      if (next === 0) return;
      next = Math.max(0, next - step);
    } else {
      const run = low.slope - high.slope;
      const meeting = (high.bound - low.bound + low.slope * low.at - high.slope * high.at) / run;
      next = Math.round(meeting);
      const peak = low.bound + low.slope * (meeting - low.at);
      const isMet = peak - Math.max(low.bound, high.bound) < PRICE_PRECISION * peak;
      if (isMet || next <= low.at || next >= high.at) break;
    }
    step *= 4;
  }
  if (!high) return;
  let best: number = high.at;
  if (flow.fullPrice !== best) setPrice(flow, best);
  // At the price itself both are equally good; slightly above it, enough is served.
  for (let more = 1; gainOfFlow(flow) < required && best < highest; more *= 4) {
    best = Math.min(highest, best + more);
    setPrice(flow, best);
  }
}

/** The cost of the dearest served vehicle: about the price at which the current plan would be optimal. */
function firstPrice(flow: PricedFlow): number {
  const { n, capacity, dearest, scale, amount, most } = flow;
  const from = distances(flow.network, flow.served);
  let least = Number.POSITIVE_INFINITY;
  for (let s = 0; s < 2 * n; s++) {
    const cost = from[flow.departure(s % n)];
    if (amount[s] < most[s]) least = Math.min(least, Math.max(0, (cost * capacity) / gainOf(flow, s)));
  }
  return Number.isFinite(least) ? least : dearest * scale;
}

/** Cost of the dearest move, at least 1. */
function dearestUnits({ costUnits }: Problem['network']): number {
  let dearest = 1;
  // An index loop: an iterator over a million costs takes milliseconds.
  for (let a = 0; a < costUnits.length; a++) {
    if (costUnits[a] > dearest && costUnits[a] !== Number.POSITIVE_INFINITY) dearest = costUnits[a];
  }
  return dearest;
}

function smallestGain(rest: Float64Array, capacity: number): number {
  let least = capacity;
  for (const r of rest) if (r > 0 && r < least) least = r;
  return least;
}

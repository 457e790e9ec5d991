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
import { createHeldFlow } from './residual/class-flow.ts';
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

/**
 * @param solution a plan to start from
 * @throws OutOfTime
 */
export function createPricedFlow(problem: Problem, solution: Solution, effort: Effort) {
  const n = problem.locationIds.length;
  const [capacity] = problem.capacities;
  let dearest = 1;
  const { costUnits } = problem.network;
  // An index loop: an iterator over a million costs takes milliseconds.
  for (let a = 0; a < costUnits.length; a++) {
    if (costUnits[a] > dearest && costUnits[a] !== Number.POSITIVE_INFINITY) dearest = costUnits[a];
  }
  let scale = MAX_SCALE;
  while (scale > 1 && 4 * n * dearest * scale > MAX_PATH) scale /= 2;

  const full = Float64Array.from(problem.demand, (d) => splitDemand(d, capacity).full);
  const rest = Float64Array.from(problem.demand, (d) => splitDemand(d, capacity).rest);
  const held = stepsServed(problem, solution.moves, full, rest);
  const flow = createHeldFlow(problem, solution.moves, held, scale, effort);
  const { network, served } = flow;
  const firstStep = flow.demandArc(0);
  const firstPart = flow.partArc(0);
  /** Steps: `full` of j at j, `part` of j at n + j. */
  const arcOf = (s: number) => (s < n ? flow.demandArc(s) : flow.partArc(s - n));
  const gainOf = (s: number) => (s < n ? capacity : rest[s - n]);
  /** Demand served by a unit of an arc; 0 if it is no step. */
  const gainAt = (arc: number) => {
    if (arc < firstStep || arc >= flow.servedArc) return 0;
    if (arc >= firstPart) return rest[arc - firstPart];
    return (arc - firstStep) % 2 === 0 ? capacity : 0;
  };
  const most = Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? full[s] : rest[s - n] > 0 ? 1 : 0));
  const price = new Float64Array(2 * n);
  const amount = Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? held.full[s] : held.part[s - n]));
  const isFixed = new Uint8Array(2 * n).fill(1);
  for (let s = 0; s < 2 * n; s++) shutArc(network, arcOf(s));

  /** Closed steps keep `amount`. */
  const stepFlow = (s: number) => (isFixed[s] ? amount[s] : residualOf(network, 2 * arcOf(s) + 1));
  const sumOver = (weightOf: (s: number) => number) => {
    let total = 0;
    for (let s = 0; s < 2 * n; s++) total += weightOf(s) * stepFlow(s);
    return total;
  };
  const required = leastServed(problem);
  const noise = GAIN_NOISE * totalDemand(problem.demand);
  /** Cost − Σ prices of the current flow. */
  let value = (solution.costUnits - network.improved) * scale;
  let fullPrice = 0;
  findBestPrice();

  /** Changes the step by `by` units and holds it there. */
  function hold(step: number, by: number): void {
    amount[step] = stepFlow(step) + by;
    shutArc(network, arcOf(step));
    isFixed[step] = 1;
  }

  /** Makes the flow optimal again for another price of a full step. */
  function setPrice(next: number): void {
    value += sumOver((s) => price[s]);
    for (let s = 0; s < 2 * n; s++) hold(s, 0);
    fullPrice = next;
    for (let s = 0; s < 2 * n; s++) {
      price[s] = s < n ? next : Math.ceil((next * gainOf(s)) / capacity - 1e-9);
      setArcCost(network, arcOf(s), 0 - price[s]);
    }
    value -= sumOver((s) => price[s]);
    for (let s = 0; s < 2 * n; s++) {
      isFixed[s] = 0;
      const arc = arcOf(s);
      value -= widenArc(network, 2 * arc, most[s] - amount[s]);
      value -= widenArc(network, 2 * arc + 1, amount[s]);
    }
  }

  /** Moves to where the tangents of both bounds meet, until that is one of the two. */
  function findBestPrice(): void {
    /** A price of a full step, the bound there and its slope in the price; scaled units. */
    type Point = { at: number; bound: number; slope: number };
    const highest = Math.min(
      MAX_PRICE,
      8 * n * dearest * scale * Math.max(1, capacity / smallestGain(rest, capacity)),
    );
    let low: Point | null = null;
    let high: Point | null = null;
    let next = Math.min(highest, Math.round(firstPrice()));
    let step = Math.max(1, Math.round(0.01 * next));
    for (let tries = 0; tries < MAX_PRICES; tries++) {
      setPrice(next);
      const short = required - sumOver(gainOf);
      const point = { at: next, bound: value + (next / capacity) * required, slope: short / capacity };
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
    if (fullPrice !== best) setPrice(best);
    // At the price itself both are equally good; slightly above it, enough is served.
    for (let more = 1; sumOver(gainOf) < required && best < highest; more *= 4) {
      best = Math.min(highest, best + more);
      setPrice(best);
    }
  }

  /** The cost of the dearest served vehicle: about the price at which the current plan would be optimal. */
  function firstPrice(): number {
    const from = distances(network, served);
    let least = Number.POSITIVE_INFINITY;
    for (let s = 0; s < 2 * n; s++) {
      const cost = from[flow.departure(s % n)];
      if (amount[s] < most[s]) least = Math.min(least, Math.max(0, (cost * capacity) / gainOf(s)));
    }
    return Number.isFinite(least) ? least : dearest * scale;
  }

  return {
    ...flow,
    capacity,
    scale,
    /** Of a full step, and of demand. */
    fullPrice,
    perGain: fullPrice / capacity,
    value,
    required,
    noise,
    price,
    arcOf,
    gainOf,
    gainAt,
    isFixed,
    sumOver,
    hold,
    /** Opens what is held. */
    reopen: () => isFixed.fill(0),
    /** A bound in units of the flow's value if `least` must be served. */
    boundOf: (lagrangian: number, least: number) =>
      Math.max(
        0,
        Math.ceil((lagrangian + (fullPrice / capacity) * Math.max(0, least - noise)) / scale - UNIT_NOISE),
      ),
  };
}

function smallestGain(rest: Float64Array, capacity: number): number {
  let least = capacity;
  for (const r of rest) if (r > 0 && r < least) least = r;
  return least;
}

/**
 * One class and fractional demand: the flow of the Lagrangian relaxation of the service level.
 *
 *   L(λ) = min over plans that may serve any amount of  cost + λ (R − served)  ≤  V      for every λ ≥ 0
 *
 * A step (`steps.ts`) of gain g is worth λg. The multiplier is raised and lowered, with the flow kept optimal along
 * residual paths, until L is maximal: there the flow serves about R.
 *
 * Units: cost units × `scale`, whole. The worth of a step is rounded up, which keeps L a bound; that of a full step
 * is exact and called the multiplier.
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

/** Costs keep this many digits beyond a unit if numbers stay exact. */
const MAX_SCALE = 1024;
const MAX_PATH = 2 ** 50;
const MAX_MULTIPLIER = 2 ** 46;
/** Relative error of sums of gains, as a share of total demand. */
const GAIN_NOISE = 1e-12;
/** Safety margin for rounding whole units: sums of doubles below 2⁵³. */
const UNIT_NOISE = 0.01;
/** Relative precision of the best bound. */
const BOUND_PRECISION = 1e-8;
const MAX_MULTIPLIERS = 60;

/** The flow at a multiplier. Steps: `full` of j at j, `part` of j at n + j. */
export type LagrangianFlow = ClassFlow & {
  readonly n: number;
  readonly capacity: number;
  /** Cost of the dearest move, units. */
  readonly dearest: number;
  readonly scale: number;
  readonly required: number;
  readonly noise: number;
  /** Demand that the part of a vehicle serves, per location. */
  readonly rest: Float64Array;
  /** The most units of each step, and its worth. */
  readonly most: Float64Array;
  readonly worth: Float64Array;
  /** Units of the closed steps. */
  readonly amount: Float64Array;
  readonly isFixed: Uint8Array;
  /** λ times the capacity: the worth of a full step. */
  multiplier: number;
  /** Cost − Σ worth of the steps of the current flow. */
  value: number;
};

/**
 * @param solution a plan to start from
 * @throws OutOfTime
 */
export function createLagrangianFlow(problem: Problem, solution: Solution, effort: Effort): LagrangianFlow {
  const n = problem.locationIds.length;
  const [capacity] = problem.capacities;
  const dearest = dearestUnits(problem.network);
  let scale = MAX_SCALE;
  while (scale > 1 && 4 * n * dearest * scale > MAX_PATH) scale /= 2;

  const full = Float64Array.from(problem.demand, (d) => splitDemand(d, capacity).full);
  const rest = Float64Array.from(problem.demand, (d) => splitDemand(d, capacity).rest);
  const held = stepsServed(problem, solution.moves, full, rest);
  const flow = createHeldFlow(problem, solution.moves, held, scale, effort);
  const lagrangian: LagrangianFlow = {
    ...flow,
    n,
    capacity,
    dearest,
    scale,
    required: leastServed(problem),
    noise: GAIN_NOISE * totalDemand(problem.demand),
    rest,
    most: Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? full[s] : rest[s - n] > 0 ? 1 : 0)),
    worth: new Float64Array(2 * n),
    amount: Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? held.full[s] : held.part[s - n])),
    isFixed: new Uint8Array(2 * n).fill(1),
    multiplier: 0,
    value: solution.costUnits * scale - flow.network.improved,
  };
  for (let s = 0; s < 2 * n; s++) shutArc(flow.network, arcOf(lagrangian, s));
  maximizeBound(lagrangian);
  return lagrangian;
}

/** The arc of a step. */
export function arcOf(flow: LagrangianFlow, s: number): number {
  return s < flow.n ? flow.demandArc(s) : flow.partArc(s - flow.n);
}

/** Demand served by a unit of a step. */
export function gainOf({ n, capacity, rest }: LagrangianFlow, s: number): number {
  return s < n ? capacity : rest[s - n];
}

/** Demand served by a unit of an arc; 0 if it is no step. */
export function gainAt(flow: LagrangianFlow, arc: number): number {
  const firstStep = flow.demandArc(0);
  const firstPart = flow.partArc(0);
  if (arc < firstStep || arc >= flow.servedArc) return 0;
  if (arc >= firstPart) return flow.rest[arc - firstPart];
  return (arc - firstStep) % 2 === 0 ? flow.capacity : 0;
}

/** λ: the multiplier per unit of demand. */
export function perGain({ multiplier, capacity }: LagrangianFlow): number {
  return multiplier / capacity;
}

/** Demand that the flow serves. */
export function gainOfFlow(flow: LagrangianFlow): number {
  return sumOver(flow, (s) => gainOf(flow, s));
}

/** Sum of the worth of the steps of the flow. */
export function worthOfFlow(flow: LagrangianFlow): number {
  return sumOver(flow, (s) => flow.worth[s]);
}

/** A bound in units of the flow's value if `least` must be served. */
export function lagrangianBound(flow: LagrangianFlow, lagrangian: number, least: number): number {
  const { noise, scale } = flow;
  return Math.max(
    0,
    Math.ceil((lagrangian + perGain(flow) * Math.max(0, least - noise)) / scale - UNIT_NOISE),
  );
}

/** Opens the steps that are held. */
export function reopenSteps({ isFixed }: LagrangianFlow): void {
  isFixed.fill(0);
}

function sumOver(flow: LagrangianFlow, weightOf: (s: number) => number): number {
  let total = 0;
  for (let s = 0; s < 2 * flow.n; s++) total += weightOf(s) * stepFlow(flow, s);
  return total;
}

/** Closed steps keep `amount`. */
function stepFlow(flow: LagrangianFlow, s: number): number {
  return flow.isFixed[s] ? flow.amount[s] : residualOf(flow.network, 2 * arcOf(flow, s) + 1);
}

/** Changes the step by `by` units and holds it there. */
export function holdStep(flow: LagrangianFlow, step: number, by: number): void {
  flow.amount[step] = stepFlow(flow, step) + by;
  shutArc(flow.network, arcOf(flow, step));
  flow.isFixed[step] = 1;
}

/** Makes the flow optimal again for another multiplier. */
function setMultiplier(flow: LagrangianFlow, next: number): void {
  const { n, network, capacity, worth, most, amount } = flow;
  flow.value += worthOfFlow(flow);
  for (let s = 0; s < 2 * n; s++) holdStep(flow, s, 0);
  flow.multiplier = next;
  for (let s = 0; s < 2 * n; s++) {
    worth[s] = s < n ? next : Math.ceil((next * gainOf(flow, s)) / capacity - 1e-9);
    setArcCost(network, arcOf(flow, s), 0 - worth[s]);
  }
  flow.value -= worthOfFlow(flow);
  for (let s = 0; s < 2 * n; s++) {
    flow.isFixed[s] = 0;
    const arc = arcOf(flow, s);
    flow.value -= widenArc(network, 2 * arc, most[s] - amount[s]);
    flow.value -= widenArc(network, 2 * arc + 1, amount[s]);
  }
}

/** Moves to the multiplier where the tangents of both sides meet, until that is one of the two. */
function maximizeBound(flow: LagrangianFlow): void {
  const { n, capacity, dearest, scale, rest, required } = flow;
  /** A multiplier, the bound there and its slope; scaled units. */
  type Point = { at: number; bound: number; slope: number };
  const highest = Math.min(
    MAX_MULTIPLIER,
    8 * n * dearest * scale * Math.max(1, capacity / smallestGain(rest, capacity)),
  );
  let low: Point | null = null;
  let high: Point | null = null;
  let next = Math.min(highest, Math.round(firstMultiplier(flow)));
  let step = Math.max(1, Math.round(0.01 * next));
  for (let tries = 0; tries < MAX_MULTIPLIERS; tries++) {
    setMultiplier(flow, next);
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
      const isMet = peak - Math.max(low.bound, high.bound) < BOUND_PRECISION * peak;
      if (isMet || next <= low.at || next >= high.at) break;
    }
    step *= 4;
  }
  if (!high) return;
  let best: number = high.at;
  if (flow.multiplier !== best) setMultiplier(flow, best);
  // At the multiplier itself both are equally good; slightly above it, enough is served.
  for (let more = 1; gainOfFlow(flow) < required && best < highest; more *= 4) {
    best = Math.min(highest, best + more);
    setMultiplier(flow, best);
  }
}

/** The cost of the dearest served vehicle: about the multiplier at which the current plan would be optimal. */
function firstMultiplier(flow: LagrangianFlow): number {
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

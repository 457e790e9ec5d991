/**
 * One class and fractional demand: the problem with the service level priced instead of asked for, which is a network. Bounds of
 * the cheapest plan's cost from both sides, as it is and after a change, from a few shortest paths each.
 *
 *   L(λ) = min over plans that may serve any amount of  cost + λ (R − served)  ≤  V      for every λ ≥ 0
 *
 * A step (`variables.ts`) of gain g serves for the price λg. At the λ that is best the flow serves about R; vehicles and demand that come
 * or go and moves that are closed change L along residual paths, which bounds what they do to V from below. From above: the
 * flow, changed, is repaired into a plan by steps more or fewer along cycles of least reduced cost, one at a time, until R is
 * reached with little to spare. Demand of many sizes leaves little, so the two are near each other.
 *
 * Units: cost units × `scale`, whole, so that prices are nearly proportional to gains: rounded up, which keeps L a bound; that of
 * a full step exactly. O(m log n) per exploration at worst, m moves; much less, because they end nearby.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §16 (Lagrangian relaxation).
 */
import type { Problem, Solution } from '../model.ts';
import { leastServed, SERVICE_TOLERANCE, totalDemand } from '../service-level.ts';
import { splitDemand } from '../variables.ts';
import { createHeldFlow } from './class-flow.ts';
import type { Range } from './estimate.ts';
import { flowsOf, type MoveGroup, mostGained } from './move-figures.ts';
import { stepsServed } from './serving.ts';
import { type Change, chooseChanges } from './step-changes.ts';

/** Costs keep this many digits beyond a unit where numbers stay exact. */
const MOST_SCALE = 1024;
const LARGEST_PATH = 2 ** 50;
/** Share of the total demand by which sums of gains may be off. */
const GAIN_NOISE = 1e-12;
/** Whole units are rounded with this care: sums of doubles below 2⁵³. */
const UNIT_NOISE = 0.01;
/** The best bound is looked for to this share of itself. */
const PRICE_PRECISION = 1e-8;
const MOST_PRICES = 60;
/** Share of the cost that is not worth another repair. */
const LEAST_SLACK = 5e-6;
const MOST_REPAIRS = 6;
/** Steps more, and steps fewer, that are looked at. */
const MOST_CHANGES = 48;
/** A cycle must be better by this much, scaled units, to be taken. */
const LEAST_BETTER = 1;

/** What is known of a changed problem, and the location that takes most of the vehicles of a forbidden move. */
export type Bounds = { range: Range; next: number | null };

export type ParametricFlow = NonNullable<ReturnType<typeof createParametricFlow>>;

/**
 * @param solution a plan to start from
 * @param shouldStop asked about every few milliseconds
 * @returns null where it took too long
 */
export function createParametricFlow(problem: Problem, solution: Solution, shouldStop: () => boolean) {
  const n = problem.locationIds.length;
  const [capacity] = problem.capacities;
  const { limits, network: costs } = problem;
  let dearest = 1;
  for (const cost of costs.costUnits) if (cost > dearest && Number.isFinite(cost)) dearest = cost;
  let scale = MOST_SCALE;
  while (scale > 1 && 4 * n * dearest * scale > LARGEST_PATH) scale /= 2;

  const full = Float64Array.from(problem.demand, (d) => splitDemand(d, capacity).full);
  const rest = Float64Array.from(problem.demand, (d) => splitDemand(d, capacity).rest);
  const held = stepsServed(problem, solution.moves, full, rest);
  const flow = createHeldFlow(problem, solution.moves, held, scale);
  const { network, served, sink } = flow;
  const firstStep = flow.demandArc(0);
  /** Steps: `full` of j at j, `part` of j at n + j. */
  const arcOf = (s: number) => (s < n ? flow.demandArc(s) : flow.partArc(s - n));
  const gainOf = (s: number) => (s < n ? capacity : rest[s - n]);
  const most = Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? full[s] : rest[s - n] > 0 ? 1 : 0));
  const isStep = (arc: number) =>
    arc >= firstStep && arc < flow.servedArc && (arc >= flow.partArc(0) || (arc - firstStep) % 2 === 0);
  const stepAt = (arc: number) =>
    arc >= flow.partArc(0) ? n + arc - flow.partArc(0) : (arc - firstStep) / 2;
  const gainAt = (arc: number) => (isStep(arc) ? gainOf(stepAt(arc)) : 0);
  const price = new Float64Array(2 * n);
  const amount = Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? held.full[s] : held.part[s - n]));
  for (let s = 0; s < 2 * n; s++) network.shut(arcOf(s));

  /** Cost of the flow without prices, and what the steps serve. Steps that are shut keep `amount`. */
  const isShut = new Uint8Array(2 * n).fill(1);
  const stepFlow = (s: number) => (isShut[s] ? amount[s] : network.residual(2 * arcOf(s) + 1));
  const sumOver = (weightOf: (s: number) => number) => {
    let total = 0;
    for (let s = 0; s < 2 * n; s++) total += weightOf(s) * stepFlow(s);
    return total;
  };
  /** Cost − Σ prices of the flow at hand. */
  let value = (solution.costUnits - network.improved) * scale;
  let fullPrice = 0;

  /** Makes the flow optimal for another price of a full step. */
  function setPrice(next: number): void {
    value += sumOver((s) => price[s]);
    for (let s = 0; s < 2 * n; s++) {
      amount[s] = stepFlow(s);
      network.shut(arcOf(s));
      isShut[s] = 1;
    }
    fullPrice = next;
    for (let s = 0; s < 2 * n; s++) {
      price[s] = s < n ? next : Math.ceil((next * gainOf(s)) / capacity - 1e-9);
      network.setCost(arcOf(s), 0 - price[s]);
    }
    value -= sumOver((s) => price[s]);
    for (let s = 0; s < 2 * n; s++) {
      isShut[s] = 0;
      const arc = arcOf(s);
      value -= network.widen(2 * arc, most[s] - amount[s]);
      value -= network.widen(2 * arc + 1, amount[s]);
    }
  }

  const required = leastServed(problem);
  const noise = GAIN_NOISE * totalDemand(problem.demand);
  const boundOf = (lagrangian: number, least: number) =>
    Math.max(
      0,
      Math.ceil((lagrangian + (fullPrice / capacity) * Math.max(0, least - noise)) / scale - UNIT_NOISE),
    );

  const highest = Math.min(2 ** 46, 8 * n * dearest * scale * Math.max(1, capacity / smallestGain()));
  const isPriced = findBestPrice();
  if (!isPriced) return null;
  const back = network.mark();
  const base = value;
  /** What is left open of the problem as it is, scaled. */
  let slack = 0;

  /** Where the bounds' tangents from both sides meet, until that is one of the two. @returns whether there was time */
  function findBestPrice(): boolean {
    /** A price of a full step, the bound there and by what it grows with the price; scaled units. */
    type Point = { at: number; bound: number; slope: number };
    let low: Point | null = null;
    let high: Point | null = null;
    let next = Math.round(firstPrice());
    let step = Math.max(1, Math.round(0.01 * next));
    for (let tries = 0; tries < MOST_PRICES && next <= highest; tries++) {
      if (shouldStop()) return false;
      setPrice(next);
      const short = required - sumOver(gainOf);
      const point = { at: next, bound: value + (next / capacity) * required, slope: short / capacity };
      if (short > 0) low = point;
      else high = point;
      if (!high) {
        if (next === highest) return true;
        next = Math.min(highest, next + step);
      } else if (!low) {
        if (next === 0) return true;
        next = Math.max(0, next - step);
      } else {
        const run = low.slope - high.slope;
        const meeting = (high.bound - low.bound + low.slope * low.at - high.slope * high.at) / run;
        next = Math.round(meeting);
        const most = low.bound + low.slope * (meeting - low.at);
        const isMet = most - Math.max(low.bound, high.bound) < PRICE_PRECISION * most;
        if (isMet || next <= low.at || next >= high.at) break;
      }
      step *= 4;
    }
    if (!high) return true;
    let best: number = high.at;
    if (fullPrice !== best) setPrice(best);
    // At the price itself either is as good; a little above, enough is served.
    for (let more = 1; sumOver(gainOf) < required && best < highest; more *= 4) {
      if (shouldStop()) return false;
      best = Math.min(highest, best + more);
      setPrice(best);
    }
    return true;
  }

  function smallestGain(): number {
    let least = capacity;
    for (const r of rest) if (r > 0 && r < least) least = r;
    return least;
  }

  /** What the dearest served vehicle costs: about the price at which the plan at hand would be best. */
  function firstPrice(): number {
    const from = network.distances(served);
    const thresholds: number[] = [];
    for (let s = 0; s < 2 * n; s++) {
      const j = s % n;
      const cost = from[flow.departure(j)];
      if (amount[s] < most[s] && Number.isFinite(cost))
        thresholds.push(Math.max(0, (cost * capacity) / gainOf(s)));
    }
    thresholds.sort((a, b) => a - b);
    return thresholds[0] ?? dearest * scale;
  }

  /** Steps that can change, those of least reduced cost, with what each adds by cost and by what is served. */
  function findChanges(limit: number): Change[] {
    const first = flow.departure(0);
    const look = (by: 1 | -1): Change[] => {
      const found: Change[] = [];
      let within = limit;
      network.explore(by > 0 ? served : sink, by < 0, (node, reduced) => {
        const j = node - first;
        if (j < 0 || j >= n) return within;
        for (const step of [j, n + j]) {
          const half = 2 * arcOf(step) + (by > 0 ? 0 : 1);
          if (isShut[step] || network.residual(half) <= 0) continue;
          const closing = reduced + network.reducedCost(half);
          if (closing > within) continue;
          const gain = by * gainOf(step) + network.weighPath(node, by < 0, gainAt);
          if (Math.abs(gain) <= noise) continue;
          found.push({ step, by, reduced: closing, gain });
          if (found.length < 2 * MOST_CHANGES) continue;
          found.sort((a, b) => a.reduced - b.reduced).length = MOST_CHANGES;
          within = found[MOST_CHANGES - 1].reduced;
        }
        return within;
      });
      return found;
    };
    return [...look(1), ...look(-1)].sort((a, b) => a.reduced - b.reduced);
  }

  function findRepair(least: number, have: number): Change[] | null {
    const perGain = fullPrice / capacity;
    const limit = have >= least ? perGain * (have - least) - LEAST_BETTER : Number.POSITIVE_INFINITY;
    const changes = findChanges(Math.min(limit, fullPrice));
    const best = chooseChanges(changes, have - least, perGain, limit);
    if (best || have >= least) return best;
    const [most] = changes.filter(({ gain }) => gain > 0).sort((a, b) => b.gain - a.gain);
    return most ? [most] : null;
  }

  /** The step changed for good: what that costs beyond prices; null where there is no way. */
  function apply({ step, by }: Change): number | null {
    if (isShut[step] || network.residual(2 * arcOf(step) + (by > 0 ? 0 : 1)) <= 0) return null;
    const arc = arcOf(step);
    amount[step] = stepFlow(step) + by;
    isShut[step] = 1;
    network.shut(arc);
    const node = flow.departure(step % n);
    if (by > 0) {
      const sent = network.send(served, node, 1);
      return sent === null ? null : sent - price[step];
    }
    const sent = network.send(node, sink, 1);
    const closed = sent === null ? null : network.send(sink, served, 1);
    return closed === null ? null : sent! + closed + price[step];
  }

  /** The cost of a plan of the flow as it is changed, in units; Infinity where none was found. */
  function repair(changedValue: number, least: number): number {
    let cheapest = Number.POSITIVE_INFINITY;
    let at = changedValue;
    let before = Number.NaN;
    for (let r = 0; r <= MOST_REPAIRS; r++) {
      const have = sumOver(gainOf);
      if (have >= least + noise) {
        cheapest = Math.min(cheapest, (at + sumOver((s) => price[s])) / scale);
        // No figure is better known than the problem itself.
        if ((fullPrice / capacity) * (have - least) + at - changedValue <= slack) break;
      }
      if (r === MOST_REPAIRS) break;
      for (const change of findRepair(least + noise, have) ?? []) {
        const added = apply(change);
        if (added === null) return cheapest;
        at += added;
      }
      if (at === before) break;
      before = at;
    }
    return cheapest;
  }

  /** What is known after a change; from above only where it is repaired. @param change makes it, and says what it adds to the value; null: no plan is left */
  function after(
    change: () => number | null,
    least: number,
    isRepaired: boolean,
    observe?: () => number | null,
  ): Bounds {
    const added = change();
    let range: Range = { least: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY };
    let next: number | null = null;
    if (added !== null) {
      range = {
        least: boundOf(base + added, least),
        most: isRepaired ? repair(base + added, least) : Number.POSITIVE_INFINITY,
      };
      if (isRepaired) next = observe?.() ?? null;
    }
    isShut.fill(0);
    back();
    if (range.most > limits.maxCostUnits) range.most = Number.POSITIVE_INFINITY;
    if (range.least > limits.maxCostUnits) range.least = Number.POSITIVE_INFINITY;
    return { range, next };
  }

  const goingBefore = flowsOf(problem, solution.moves);

  return {
    /** The problem as it is. */
    unchanged(): Bounds {
      const found = after(() => 0, required, true);
      if (Number.isFinite(found.range.most))
        slack = Math.max(scale * (found.range.most - found.range.least), LEAST_SLACK * Math.abs(base));
      return found;
    },
    withOneMore: (i: number, isRepaired = true) =>
      after(() => network.send(flow.source(i), sink, 1), required, isRepaired),
    withOneFewer: (i: number, isRepaired = true) =>
      after(() => network.send(sink, flow.source(i), 1), required, isRepaired),
    /** A vehicle's load of demand more at j. */
    withDemand: (j: number, isRepaired = true) =>
      after(
        () => 0 - network.widen(2 * arcOf(j), 1),
        (limits.minServiceLevel - SERVICE_TOLERANCE) * (totalDemand(problem.demand) + capacity),
        isRepaired,
      ),
    /** Without moves from a location to another. */
    withoutMove({ source, target }: MoveGroup, isRepaired = true): Bounds {
      const arc = flow.moveArc(source, target);
      return after(
        () => network.close(arc, network.flowOn(arc)),
        required,
        isRepaired,
        () => {
          const gained = new Float64Array(n);
          for (let j = 0; j < n; j++) {
            const to = flow.moveArc(source, j);
            gained[j] = (to < 0 ? 0 : network.flowOn(to)) - goingBefore(source, j);
          }
          return mostGained(problem, gained, source, target);
        },
      );
    },
  };
}

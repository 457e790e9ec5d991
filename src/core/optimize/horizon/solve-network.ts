/**
 * Horizon plans without trip flows: a vehicle is free where it served, so the plan of all steps is a flow on the
 * time-expanded network, and whole. A price of unmet demand is part of the arcs' costs: the flow is then the optimum. A
 * service level is a Lagrangian multiplier λ on served demand:
 *
 *   L(λ) = min over plans that may serve any amount of  objective + λ (R − served)  ≤  the objective of a plan
 *
 *   1. the flow at λ = 0; if it serves R, it is the optimum
 *   2. the λ that maximizes L, from tree to tree: the tree stays feasible if only λ changes
 *   3. the bound that the potentials prove, over all moves of all steps (`value-bound.ts`)
 *   4. from the flow just below the best λ, pivots until R is served, the last one only as far as needed
 *
 * Bounds per location hold in every step. If R is out of reach, the flow at a prohibitive λ serves the most.
 */
import type { SolveControl } from '../run/control.ts';
import { UNKNOWN_PROGRESS } from '../run/control.ts';
import { measureHorizon } from './horizon-figures.ts';
import {
  createLayeredSearch,
  type Entering,
  type LayeredCounts,
  type LayeredSearch,
  pivotLayered,
} from './layered-simplex.ts';
import { cycleOf, readStepMoves, renewCosts, sendAround, startStaying, stayingAt } from './layered-tree.ts';
import { createSegments, setSlopes } from './segments.ts';
import type { HorizonFigures, HorizonProblem, StepMoves } from './types.ts';
import { boundFromValues } from './value-bound.ts';

/** Relative, of total demand: a plan may miss what is required by this much (`../problem/service-level.ts`). */
const SERVED_NOISE = 1e-9;
/** Relative: two values of L that are the same. */
const VALUE_NOISE = 1e-9;
const MAX_MULTIPLIERS = 200;
const MULTIPLIER_FACTOR = 8;
/** The highest multiplier per load, in costs of the dearest plan: the smallest part of a load that it shows. */
const HIGHEST_FACTOR = 2 ** 14;
/** Relative distance from the best multiplier of those at which its flows serve less and more. */
const ASIDE = 1e-7;

type NetworkPlan = {
  moves: StepMoves;
  figures: HorizonFigures;
  /** A lower bound on the objective of every plan that serves as much as is asked for, in cost units. */
  boundUnits: number;
  /** (T + 1) × n: what one more vehicle is worth. */
  values: Float64Array;
  /** Cost units per unit of demand. */
  multiplier: number;
  /** No plan serves more than this; Infinity if that is not known. */
  mostServed: number;
};

export type NetworkOutcome = { counts: LayeredCounts } & (
  | { kind: 'solved'; plan: NetworkPlan }
  /** Proved. `unserved`: the plan serves the most, less than required; `mostServed` proves it. */
  | { kind: 'unserved'; plan: NetworkPlan }
  /** No plan keeps the bounds per location. */
  | { kind: 'infeasible' }
  /** By the flag or the deadline: the best plan so far that keeps the bounds per location; it may serve too little. */
  | { kind: 'stopped'; plan: NetworkPlan | null }
);

/** @throws RangeError if numbers are too large for exact sums */
export function solveNetwork(problem: HorizonProblem, control: Partial<SolveControl> = {}): NetworkOutcome {
  return new NetworkSearch(problem, control).run();
}

/** A flow at a multiplier. `value`: L there. */
type Point = { multiplier: number; objective: number; served: number; value: number };

class NetworkSearch {
  #problem: HorizonProblem;
  readonly #search: LayeredSearch;
  readonly #largest: number;
  #least: number;
  readonly #hasBounds: boolean;
  readonly #quantum: number;
  #multiplier = 0;
  #best: { moves: StepMoves; figures: HorizonFigures } | null = null;
  #bound = Number.NEGATIVE_INFINITY;
  #values = new Float64Array(0);
  #mostServed = Number.POSITIVE_INFINITY;

  constructor(problem: HorizonProblem, control: Partial<SolveControl>) {
    this.#problem = problem;
    const largestOf = (values: Iterable<number>) => {
      let most = 0;
      for (const value of values) if (value > most) most = value;
      return most;
    };
    const { pairs, unmetUnits, capacity } = problem;
    this.#largest = Math.ceil(Math.max(largestOf(pairs.units), capacity * largestOf(unmetUnits ?? [])));
    const segments = createSegments(problem, this.#largest);
    this.#quantum = segments.quantum;
    this.#hasBounds = segments.side.some((side) => side !== 0);
    const total = problem.demand.reduce((sum, demand) => sum + demand, 0);
    this.#least = problem.required - SERVED_NOISE * total;
    setSlopes(segments, 0, this.#penalty(0));
    this.#search = createLayeredSearch(problem, startStaying(problem, segments), control);
    this.#search.onProgress = () => this.#report(control);
  }

  run(): NetworkOutcome {
    const { least, most } = this.#problem;
    // Pinned vehicles may need more places than there are.
    if (most?.some((high, u) => high < Math.max(0, least?.[u] ?? 0)))
      return { kind: 'infeasible', counts: this.#search.counts };
    const first = this.#solveAt(0);
    if (!first) return this.#stopped();
    if (this.#hasBounds && this.#missing() > 0) return { kind: 'infeasible', counts: this.#search.counts };
    if (first.served >= this.#least) return this.#solved();
    return this.#searchMultiplier(first);
  }

  #searchMultiplier(first: Point): NetworkOutcome {
    const { capacity } = this.#problem;
    const points = [first];
    const highest = this.#highestMultiplier();
    let multiplier = Math.min(highest, (2 * this.#largest + 1) / capacity);
    for (;;) {
      const found = this.#solveAt(multiplier);
      if (!found) return this.#stopped();
      points.push(found);
      if (found.served >= this.#least) break;
      if (multiplier >= highest) {
        this.#askForLess(found);
        break;
      }
      multiplier = Math.min(highest, MULTIPLIER_FACTOR * multiplier);
    }
    const enough = points.findIndex(({ served }) => served >= this.#least);
    let high = points[enough];
    let low = points[Math.max(0, enough - 1)];
    if (high.multiplier !== this.#multiplier && !this.#solveAt(high.multiplier)) return this.#stopped();
    if (enough === 0) return this.#solved();
    for (let round = 0; round < MAX_MULTIPLIERS; round++) {
      const crossing = (high.objective - low.objective) / (high.served - low.served);
      if (!(crossing > low.multiplier && crossing < high.multiplier)) break;
      const found = this.#solveAt(crossing);
      if (!found) return this.#stopped();
      const tangent = low.objective + crossing * (this.#problem.required - low.served);
      if (found.value >= tangent - VALUE_NOISE * (Math.abs(tangent) + this.#largest)) break;
      if (found.served >= this.#least) high = found;
      else low = found;
    }
    const best = this.#multiplier;
    if (!this.#solveAt(best * (1 - ASIDE) - this.#quantum / capacity)) return this.#stopped();
    return this.#serveJustEnough(best * (1 + ASIDE) + this.#quantum / capacity);
  }

  /** Pivots from a flow that serves too little towards one that serves enough, and no further than needed. */
  #serveJustEnough(multiplier: number): NetworkOutcome {
    const { tree } = this.#search;
    let { served } = this.#measure();
    if (served >= this.#least) return this.#solved();
    this.#setMultiplier(multiplier);
    let extra: { tail: number; head: number; amount: number } | undefined;
    const ended = pivotLayered(this.#search, ({ tail, head, sign }: Entering) => {
      const [from, to] = sign > 0 ? [tail, head] : [head, tail];
      const { amount, gain } = cycleOf(tree, tail, head, sign);
      if (gain > 0 && served + gain * amount >= this.#least) {
        const needed = Math.min(amount, Math.ceil((this.#least - served) / gain));
        sendAround(tree, from, to, needed);
        extra = { tail, head, amount: needed };
        return true;
      }
      served += gain * amount;
      return false;
    });
    if (ended === 'stopped') return this.#stopped();
    if (ended === 'enough') this.#keep(readStepMoves(tree, extra));
    return this.#solved();
  }

  /** @returns null if time is up */
  #solveAt(multiplier: number): Point | null {
    this.#setMultiplier(Math.max(0, multiplier));
    if (pivotLayered(this.#search) === 'stopped') return null;
    const { objective, served } = this.#measure();
    this.#keep(readStepMoves(this.#search.tree));
    this.#prove();
    const value = objective + this.#multiplier * (this.#problem.required - served);
    return { multiplier: this.#multiplier, objective, served, value };
  }

  /** What the potentials of the tree prove, whether or not it is optimal. */
  #prove(): void {
    const { root, potential } = this.#search.tree;
    this.#values = potential.slice(0, root);
    this.#bound = Math.max(this.#bound, boundFromValues(this.#problem, this.#values, this.#multiplier));
  }

  #setMultiplier(multiplier: number): void {
    this.#multiplier = multiplier;
    setSlopes(this.#search.tree.segments, multiplier, this.#penalty(multiplier));
    renewCosts(this.#search.tree);
  }

  /** Of the tree's flow, whether or not it keeps the bounds per location. */
  #measure(): { objective: number; served: number } {
    const { tree } = this.#search;
    const { starts, capacity, gain, fixed } = tree.segments;
    let served = 0;
    let objective =
      this.#problem.unmetUnits?.reduce((sum, p, u) => sum + p * this.#problem.demand[u], 0) ?? 0;
    for (let u = 0; u < tree.root; u++) {
      let left = stayingAt(tree, u);
      for (let s = starts[u]; s < starts[u + 1] && left > 0; s++) {
        const vehicles = Math.min(left, capacity[s]);
        served += vehicles * gain[s];
        objective += vehicles * fixed[s];
        left -= vehicles;
      }
    }
    for (let v = 0; v < tree.root; v++) {
      const p = tree.parent[v];
      if (Math.abs(p - v) !== tree.n && p !== tree.root) objective += tree.flow[v] * tree.cost[v];
    }
    return { objective, served };
  }

  /** Vehicles by which the tree's flow breaks the bounds per location. */
  #missing(): number {
    const { tree } = this.#search;
    const { starts, capacity, side } = tree.segments;
    let missing = 0;
    for (let u = 0; u < tree.root; u++) {
      let left = stayingAt(tree, u);
      for (let s = starts[u]; s < starts[u + 1]; s++) {
        const vehicles = Math.min(left, capacity[s]);
        if (side[s] < 0) missing += capacity[s] - vehicles;
        if (side[s] > 0) missing += vehicles;
        left -= vehicles;
      }
    }
    return missing;
  }

  /** Keeps the moves if they are the best so far: cheapest of those that serve enough, else those that serve most. */
  #keep(moves: StepMoves): void {
    const figures = measureHorizon(this.#problem, moves);
    if (typeof figures === 'string') return;
    const isEnough = (served: number) => served >= this.#least;
    const before = this.#best?.figures;
    const isBetter =
      !before ||
      (isEnough(figures.totalServed)
        ? !isEnough(before.totalServed) || figures.objectiveUnits < before.objectiveUnits
        : !isEnough(before.totalServed) && figures.totalServed > before.totalServed);
    if (isBetter) this.#best = { moves, figures };
  }

  #solved(): NetworkOutcome {
    const plan = this.#plan();
    if (!plan) return this.#stopped();
    const kind = this.#mostServed === Number.POSITIVE_INFINITY ? 'solved' : 'unserved';
    return { kind, plan, counts: this.#search.counts };
  }

  /** From here on, what is required is what this flow serves, the most. */
  #askForLess(most: Point): void {
    // Every plan has objective − λ · served ≥ L(λ) − λR; none costs more than all vehicles on the dearest moves.
    const atZero = boundFromValues({ ...this.#problem, required: 0 }, this.#values, most.multiplier);
    this.#mostServed = (this.#dearestPlan() - atZero) / most.multiplier;
    const slack = this.#problem.required - this.#least;
    this.#problem = { ...this.#problem, required: most.served };
    this.#least = most.served - slack;
    this.#bound = Number.NEGATIVE_INFINITY;
    this.#best = null;
    this.#keep(readStepMoves(this.#search.tree));
  }

  #stopped(): NetworkOutcome {
    if (this.#search.tree.root > 0) this.#keep(readStepMoves(this.#search.tree));
    if (this.#bound === Number.NEGATIVE_INFINITY) this.#prove();
    return { kind: 'stopped', plan: this.#plan(), counts: this.#search.counts };
  }

  #plan(): NetworkPlan | null {
    if (!this.#best) return null;
    return {
      ...this.#best,
      boundUnits: this.#bound,
      values: this.#values,
      multiplier: this.#multiplier,
      mostServed: this.#mostServed,
    };
  }

  /** More than any cycle of the network saves otherwise. @throws RangeError */
  #penalty(multiplier: number): number {
    if (!this.#hasBounds) return 0;
    const { n, steps, capacity } = this.#problem;
    const arcs = 2 * (steps + 2) * n;
    const penalty = Math.ceil(arcs * (this.#largest + multiplier * capacity + 1));
    if ((penalty / this.#quantum) * (steps + 2) > Number.MAX_SAFE_INTEGER) {
      throw new RangeError(`costs of ${this.#largest} units are too large for exact sums over ${arcs} arcs`);
    }
    return penalty;
  }

  /** As high as exact sums allow, and no higher than what a small part of a load can be worth. */
  #highestMultiplier(): number {
    const { n, steps, capacity } = this.#problem;
    const exact =
      (Number.MAX_SAFE_INTEGER * this.#quantum) / (4 * (steps + 2) * (this.#hasBounds ? 4 * n * steps : 1));
    const cycle = 2 * n * (steps + 1) * (this.#largest + 1);
    const highest = Math.min(exact, Math.min(cycle, this.#dearestPlan() + 1) * HIGHEST_FACTOR);
    return highest / capacity;
  }

  #dearestPlan(): number {
    const { steps, supply, unmetUnits, demand } = this.#problem;
    const vehicles = supply.reduce((sum, count) => sum + count, 0);
    const unmet = unmetUnits?.reduce((sum, units, u) => sum + units * demand[u], 0) ?? 0;
    return vehicles * (steps + 1) * this.#largest + unmet;
  }

  #report({ onProgress }: Partial<SolveControl>): void {
    onProgress?.({
      ...UNKNOWN_PROGRESS,
      iterations: this.#search.counts.pivots,
      incumbentUnits: this.#best?.figures.objectiveUnits ?? null,
      boundUnits: this.#bound > 0 ? this.#bound : null,
    });
  }
}

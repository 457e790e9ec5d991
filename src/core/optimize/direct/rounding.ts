/**
 * Whole steps from fractional ones: keeps the whole part of a relaxed solution, then adds vehicles in order of cost
 * per demand served until the service level holds. The plan is a start or a fallback; it proves nothing. From zeros
 * it is the plain greedy plan. O(A log A) with A arcs.
 */

import { KeyHeap } from '../problem/key-heap.ts';
import type { Problem } from '../problem/model.ts';
import { leastServed } from '../problem/service-level.ts';
import type { Formulation } from './formulation.ts';

/** Values this close below a whole number count as that number. */
const ROUNDING_NOISE = 1e-6;
/** Arcs between two looks at the clock. */
const ARCS_PER_LOOK = 4096;

/** Whole vehicles: `arcs` per arc column (idle vehicles stay), `steps` per step. */
export type Rounded = { arcs: Float64Array; steps: Float64Array };

/**
 * @param values column values of a relaxed solution, or zeros
 * @param isOver whether to give up; a million arcs take some tenths of a second
 * @returns null if the remaining vehicles cannot reach the service level this way, or not in time. Bounds per
 * location are not checked here but in the transportation programme of the steps or in the evaluation.
 */
export function roundSteps(
  problem: Problem,
  f: Formulation,
  values: Float64Array,
  isOver: () => boolean = () => false,
): Rounded | null {
  const state = wholePart(problem, f, values);
  const required = leastServed(problem);
  serveWithIdle(problem, f, state);
  if (state.served < required) addCheapest(problem, f, state, required, isOver);
  if (state.served < required) return null;
  letFreeOnesStay(f, state);
  return { arcs: state.arcs, steps: state.steps };
}

type State = {
  /** Vehicles per arc. */
  arcs: Float64Array;
  /** Vehicles per source row that are not placed yet. */
  free: Int32Array;
  /** K × n: vehicles placed but not counted as serving. */
  idle: Int32Array;
  /** n: demand not served. */
  open: Float64Array;
  steps: Float64Array;
  counted: number;
  served: number;
};

function wholePart(problem: Problem, f: Formulation, values: Float64Array): State {
  const v = f.variables;
  const n = problem.locationIds.length;
  const state: State = {
    arcs: new Float64Array(v.firstStep),
    free: new Int32Array(v.sourceClass.length),
    idle: new Int32Array(problem.supply.length),
    open: problem.demand.slice(),
    steps: new Float64Array(v.stepClass.length),
    counted: 0,
    served: 0,
  };
  for (let r = 0; r < v.sourceClass.length; r++) {
    let left = problem.supply[v.sourceClass[r] * n + v.sourceLocation[r]];
    for (let a = v.sourceStart[r]; a < v.sourceStart[r + 1]; a++) {
      const whole = Math.min(left, Math.floor(values[a] + ROUNDING_NOISE));
      state.arcs[a] = whole;
      state.idle[v.arcClass[a] * n + v.arcTarget[a]] += whole;
      left -= whole;
    }
    state.free[r] = left;
  }
  for (let s = 0; s < v.stepClass.length; s++) {
    place(problem, f, state, s, Math.floor(values[v.firstStep + s] + ROUNDING_NOISE));
  }
  return state;
}

/** Counts up to `count` idle vehicles of step s as serving. */
function place(problem: Problem, f: Formulation, state: State, s: number, count: number): void {
  const v = f.variables;
  const at = v.stepClass[s] * problem.locationIds.length + v.stepLocation[s];
  const allowed = Math.min(
    count,
    state.idle[at],
    v.stepUpper[s] - state.steps[s],
    problem.limits.totalFleetSize - state.counted,
  );
  if (allowed <= 0) return;
  const gain = Math.min(allowed * v.stepGain[s], state.open[v.stepLocation[s]]);
  state.steps[s] += allowed;
  state.idle[at] -= allowed;
  state.counted += allowed;
  state.open[v.stepLocation[s]] -= gain;
  state.served += gain;
}

function serveWithIdle(problem: Problem, f: Formulation, state: State): void {
  const v = f.variables;
  for (let s = 0; s < v.stepClass.length; s++) {
    if (state.open[v.stepLocation[s]] > 0) place(problem, f, state, s, Number.POSITIVE_INFINITY);
  }
}

/**
 * Places free vehicles, cheapest demand first. The price per demand of an arc only rises, so a heap with late updates
 * is exact.
 */
function addCheapest(
  problem: Problem,
  f: Formulation,
  state: State,
  required: number,
  isOver: () => boolean,
): void {
  const v = f.variables;
  const n = problem.locationIds.length;
  const stepsOf = firstSteps(f, n);
  const sourceOf = new Int32Array(v.firstStep);
  for (let r = 0; r < v.sourceClass.length; r++) sourceOf.fill(r, v.sourceStart[r], v.sourceStart[r + 1]);
  const gainOf = (a: number) => Math.min(problem.capacities[v.arcClass[a]], state.open[v.arcTarget[a]]);
  const heap = new KeyHeap(v.firstStep);
  for (let a = 0; a < v.firstStep; a++) {
    if (a % ARCS_PER_LOOK === 0 && isOver()) return;
    if (state.free[sourceOf[a]] > 0 && gainOf(a) > 0) heap.push(a, f.columnCost[a] / gainOf(a));
  }
  for (let looked = 1; state.served < required && state.counted < problem.limits.totalFleetSize; looked++) {
    if (looked % ARCS_PER_LOOK === 0 && isOver()) return;
    const a = heap.pop();
    if (a < 0) return;
    const gain = gainOf(a);
    if (state.free[sourceOf[a]] === 0 || gain <= 0) continue;
    const price = f.columnCost[a] / gain;
    if (price > heap.keyOf(a)) {
      heap.push(a, price);
      continue;
    }
    const at = v.arcClass[a] * n + v.arcTarget[a];
    for (let s = stepsOf[at]; s >= 0 && s < v.stepClass.length && sameStep(f, s, at, n); s++) {
      if (state.steps[s] >= v.stepUpper[s]) continue;
      state.free[sourceOf[a]]--;
      state.arcs[a]++;
      state.idle[at]++;
      place(problem, f, state, s, 1);
      heap.push(a, price);
      break;
    }
  }
}

function letFreeOnesStay(f: Formulation, state: State): void {
  const v = f.variables;
  for (let r = 0; r < v.sourceClass.length; r++) {
    let stay = v.sourceStart[r];
    while (v.arcTarget[stay] !== v.sourceLocation[r]) stay++;
    state.arcs[stay] += state.free[r];
  }
}

function sameStep(f: Formulation, s: number, at: number, n: number): boolean {
  return f.variables.stepClass[s] * n + f.variables.stepLocation[s] === at;
}

/** First step of each (class, location), or −1. */
function firstSteps(f: Formulation, n: number): Int32Array {
  const v = f.variables;
  const first = new Int32Array(v.targetStart.length - 1).fill(-1);
  for (let s = v.stepClass.length - 1; s >= 0; s--) first[v.stepClass[s] * n + v.stepLocation[s]] = s;
  return first;
}

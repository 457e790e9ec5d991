/**
 * A plan for a large city from a relaxed solution: first how many vehicles of each class serve at each location, then
 * the cheapest moves for that, over all moves. Columns of the relaxation do not suffice where vehicles are scarce: they
 * reach only some places of each vehicle.
 *
 * A vehicle of class k more at j costs about m_jk = min_i (value at i + c_ij), a vehicle fewer saves it. These costs
 * hold for few vehicles only, so the classes that the relaxation uses in a quarter have to stay the same: locations
 * are rounded in an order in which neighbours follow each other, and what one has more of a class the next have less.
 * Then vehicles are added, the least cost per demand served first, until the service level holds, and on while they
 * save more than they cost. O(n (n K + 2^K)). A heuristic: it proves nothing.
 * Reference: Floyd, Steinberg, An adaptive algorithm for spatial greyscale (1976), error diffusion.
 */
import { halved, placesOf } from '../../flow/halving.ts';
import { UNITS_PER_COST } from '../../problem/costs.ts';
import { KeyHeap } from '../../problem/key-heap.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { isAllowed } from '../../problem/network.ts';
import { leastServed, totalDemand } from '../../problem/service-level.ts';
import { checkOf, type Stopping } from '../../run/stopping.ts';
import { cheapestMovesTo } from './transports.ts';

const ROUNDING_NOISE = 1e-6;
/** What the square of a deviation of one vehicle costs, as a share of what it serves. */
const DEVIATION = 0.1;
/** Classes that are rounded together; the others to the nearest number. */
const MAX_TOGETHER = 6;
/** Rows of costs between two looks at the clock: some milliseconds. */
const ROWS_PER_LOOK = 256;

/**
 * @param values column values of a relaxed solution, in the form of `classes.ts`
 * @param atSource K × n: what a vehicle is worth where it is, in money
 * @param price cost units that a unit of served demand is worth
 * @returns null if the fleet does not suffice so, or time is up while moves are found
 * @throws OutOfTime
 */
export function planByNumbers(
  problem: Problem,
  values: Float64Array,
  atSource: Float64Array,
  price: number,
  stopping: Stopping,
): Moves | null {
  const size = problem.supply.length;
  const present = Float64Array.from(problem.supply, (count, at) => count + values[at] - values[size + at]);
  const inUnits = atSource.map((money) => money * UNITS_PER_COST);
  const serving = roundNumbers(problem, present, costOfOneMore(problem, inUnits, checkOf(stopping)), price);
  return serving && cheapestMovesTo(problem, serving, stopping);
}

/**
 * K × n: what a vehicle more at a location costs, min_i (price at i + c_ij), in units; Infinity where none can go.
 * O(n² K).
 * @param atSource K × n: the price of a vehicle where it is, in units
 * @throws what `check` throws
 */
function costOfOneMore(problem: Problem, atSource: Float64Array, check: () => void): Float64Array {
  const { supply, demand, network, limits } = problem;
  const n = demand.length;
  const { costUnits } = network;
  const least = new Float64Array(supply.length).fill(Number.POSITIVE_INFINITY);
  for (let at = 0; at < supply.length; at++) {
    if (at % ROWS_PER_LOOK === 0) check();
    if (supply[at] === 0) continue;
    const i = at % n;
    const own = atSource[at];
    const first = at - i;
    const row = i * n;
    const before = Math.min(least[at], own);
    for (let j = 0; j < n; j++) {
      const cost = own + costUnits[row + j];
      if (cost < least[first + j] && (j === i || isAllowed(network, n, limits.maxDistanceKm, i, j)))
        least[first + j] = cost;
    }
    least[at] = before;
  }
  return least;
}

/** K × n: vehicles that serve at each location; null if the fleet does not suffice so. */
function roundNumbers(
  problem: Problem,
  present: Float64Array,
  cost: Float64Array,
  price: number,
): Int32Array | null {
  const { capacities, demand, supply, unmetCost } = problem;
  const n = demand.length;
  const classes = capacities.length;
  const serving = roundInOrder(problem, present, cost, price);
  const left = new Int32Array(classes);
  const open = demand.slice();
  for (let at = 0; at < present.length; at++) {
    const k = Math.floor(at / n);
    const j = at % n;
    left[k] += supply[at];
    open[j] -= capacities[k] * serving[at];
  }
  for (let j = 0; j < n; j++) if (open[j] < 0) takeAway(problem, serving, open, cost, j);
  for (let at = 0; at < serving.length; at++) left[Math.floor(at / n)] -= serving[at];
  for (let k = 0; k < classes; k++) {
    for (; left[k] < 0; left[k]++) takeOneAway(problem, serving, open, cost, price, k);
  }

  /** The class of the vehicle that serves more at j at the least cost per demand; −1: none is left. */
  const choose = (j: number): { k: number; perDemand: number } => {
    let best = { k: -1, perDemand: Number.POSITIVE_INFINITY };
    for (let k = 0; k < classes; k++) {
      const perDemand = cost[k * n + j] / Math.min(capacities[k], open[j]);
      if (left[k] > 0 && perDemand < best.perDemand) best = { k, perDemand };
    }
    return best;
  };
  const heap = new KeyHeap(n);
  const offer = (j: number) => {
    if (open[j] <= ROUNDING_NOISE) return;
    const { k, perDemand } = choose(j);
    if (k >= 0) heap.push(j, perDemand);
  };
  for (let j = 0; j < n; j++) offer(j);
  let missing = leastServed(problem) - totalDemand(demand);
  for (const unmet of open) missing += Math.max(0, unmet);
  while (heap.size() > 0) {
    const j = heap.pop();
    const { k, perDemand } = choose(j);
    if (k < 0) continue;
    if (perDemand > heap.keyOf(j)) {
      // The class of the offer has run out.
      heap.push(j, perDemand);
      continue;
    }
    if (missing <= 0 && !(unmetCost && perDemand < unmetCost[j] * UNITS_PER_COST)) {
      if (!unmetCost) break;
      continue;
    }
    serving[k * n + j]++;
    left[k]--;
    missing -= Math.min(capacities[k], open[j]);
    open[j] -= capacities[k];
    offer(j);
  }
  return missing <= 0 ? serving : null;
}

/** K × n: the numbers rounded, locations that stand together one after the other. */
function roundInOrder(
  { capacities, demand, network }: Problem,
  present: Float64Array,
  cost: Float64Array,
  price: number,
): Int32Array {
  const n = demand.length;
  const classes = capacities.length;
  const rounded = new Int32Array(present.length);
  const all = Int32Array.from(demand.keys());
  const { ordered } = halved(all, placesOf(n, network.costUnits, all, all), 1);
  /** Vehicles that the locations so far have more than the relaxation, by class; and demand that they leave unmet. */
  const more = new Float64Array(classes);
  let unmet = 0;
  const weights = capacities.map((capacity) => DEVIATION * price * capacity);
  for (const j of ordered) {
    if (demand[j] === 0) continue;
    const split: number[] = [];
    let open = demand[j];
    let relaxedOpen = demand[j];
    let chosen = 0;
    for (let k = 0; k < classes; k++) {
      const value = present[k * n + j];
      const floor = Math.floor(value + ROUNDING_NOISE);
      const isSplit = value - floor > ROUNDING_NOISE && split.length < MAX_TOGETHER;
      if (isSplit) split.push(k);
      rounded[k * n + j] = isSplit ? floor : Math.round(value);
      relaxedOpen -= capacities[k] * value;
      open -= capacities[k] * rounded[k * n + j];
    }
    let best = Number.POSITIVE_INFINITY;
    for (let choice = 0; choice < 1 << split.length; choice++) {
      let served = 0;
      let score = 0;
      for (let s = 0; s < split.length; s++) {
        const k = split[s];
        const up = (choice >> s) & 1;
        const deviation = more[k] + rounded[k * n + j] + up - present[k * n + j];
        if (up === 1) score += cost[k * n + j];
        score += weights[k] * deviation ** 2;
        served += up * capacities[k];
      }
      const left = unmet + Math.max(0, open - served) - Math.max(0, relaxedOpen);
      score += price * (left + (DEVIATION * Math.max(0, left) ** 2) / capacities[classes - 1]);
      if (score >= best) continue;
      best = score;
      chosen = choice;
    }
    for (let s = 0; s < split.length; s++) {
      if (((chosen >> s) & 1) === 0) continue;
      rounded[split[s] * n + j]++;
      open -= capacities[split[s]];
    }
    for (let k = 0; k < classes; k++) more[k] += rounded[k * n + j] - present[k * n + j];
    unmet += Math.max(0, open) - Math.max(0, relaxedOpen);
  }
  return rounded;
}

/** Takes vehicles away from j that are not needed, those worth most first. */
function takeAway(
  { capacities, demand }: Problem,
  serving: Int32Array,
  open: Float64Array,
  cost: Float64Array,
  j: number,
): void {
  const n = demand.length;
  for (;;) {
    let most = -1;
    for (let k = 0; k < capacities.length; k++) {
      const at = k * n + j;
      if (serving[at] === 0 || open[j] + capacities[k] > ROUNDING_NOISE) continue;
      if (most < 0 || cost[at] >= cost[most * n + j]) most = k;
    }
    if (most < 0) return;
    serving[most * n + j]--;
    open[j] += capacities[most];
  }
}

/** Takes one vehicle of class k away, where that saves most. */
function takeOneAway(
  { capacities, demand }: Problem,
  serving: Int32Array,
  open: Float64Array,
  cost: Float64Array,
  price: number,
  k: number,
): void {
  const n = demand.length;
  let best = -1;
  let most = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < n; j++) {
    if (serving[k * n + j] === 0) continue;
    const lost = Math.max(0, open[j] + capacities[k]) - Math.max(0, open[j]);
    const saved = cost[k * n + j] - price * lost;
    if (saved <= most) continue;
    most = saved;
    best = j;
  }
  serving[k * n + best]--;
  open[best] += capacities[k];
}

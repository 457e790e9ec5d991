/**
 * Local search for the most demand served with limited reach, by simulated annealing. Two locations, or one location
 * and the idle vehicles, exchange up to two vehicles for up to two others. With bounds per location every vehicle is at
 * a location, and no exchange breaks a bound. A better exchange is always made, a worse one with a probability that
 * falls over time. Most exchanges change nothing in value, but lead to states where a
 * better one exists.
 *
 * Served demand is Σ_j min(D_j, capacity at j), so an exchange is valued in O(K). Flows decide whether the vehicles can
 * come. Demand of floors counts more (`level-weights.ts`). The other location is one that a vehicle able to come here
 * can also reach. The search is deterministic.
 * Reference: Kirkpatrick, Gelatt, Vecchi, Optimization by simulated annealing (1983).
 */
import { leastAt, mostAt } from '../../problem/location-bounds.ts';
import type { Problem } from '../../problem/model.ts';
import { randomFrom } from '../../problem/random.ts';
import { hasLocationBounds } from '../../problem/variants.ts';
import type { Check } from '../../run/stopping.ts';
import type { Reach, ReachFlow } from './class-reach.ts';
import { levelWeights, weightOf } from './level-weights.ts';

const MAX_EXCHANGED = 2;
/** Loss accepted with probability 1/e at the start and at the end, in units of the smallest capacity. */
const FIRST_LOSS = 0.2;
const LAST_LOSS = 0.01;
/** Share of exchanges that involve idle vehicles. */
const UNUSED_SHARE = 0.2;
const PROPOSALS_PER_LOOK = 256;
/** Minimum gain of an improvement, as a share of total demand. */
const MIN_GAIN = 1e-12;

export type Annealing = {
  /** K × n vehicles that serve; replaced by the best state found, also when `check` throws. */
  serving: Int32Array;
  /** Flows of these vehicles by class. Their final state is unspecified. */
  flows: readonly ReachFlow[];
  /** Exchanges to try. */
  proposals: number;
  /** Stops once this much demand is served. */
  enough: number;
  seed: number;
};

/** @throws what `check` throws */
export function anneal(
  problem: Problem,
  { sourcesOf }: Reach,
  { serving, flows, proposals, enough, seed }: Annealing,
  check: Check,
): void {
  const { capacities, supply, demand, limits } = problem;
  const n = demand.length;
  const weights = levelWeights(problem);
  const classes = capacities.length;
  const random = randomFrom(seed);
  const pick = (list: ArrayLike<number>) => list[Math.floor(random() * list.length)];
  const isBounded = hasLocationBounds(problem);
  const unusedShare = isBounded ? 0 : UNUSED_SHARE;
  const { targets, targetsOf } = findTargets(demand, sourcesOf, isBounded, check);
  if (targets.length === 0) return;
  const unused = new Int32Array(classes);
  const here = new Int32Array(n);
  const capacityAt = new Float64Array(n);
  let used = 0;
  let total = 0;
  let served = 0;
  for (let j = 0; j < n; j++) {
    for (let k = 0; k < classes; k++) {
      unused[k] += supply[k * n + j] - serving[k * n + j];
      used += serving[k * n + j];
      here[j] += serving[k * n + j];
      capacityAt[j] += capacities[k] * serving[k * n + j];
    }
    total += demand[j];
    served += weights[j] * Math.min(demand[j], capacityAt[j]);
  }
  const gainAt = (j: number, capacity: number) =>
    weights[j] * (Math.min(demand[j], capacityAt[j] + capacity) - Math.min(demand[j], capacityAt[j]));
  const keepsBounds = (j: number, more: number) =>
    more === 0 || (here[j] + more >= leastAt(problem, j) && here[j] + more <= mostAt(problem, j));
  const give = new Int32Array(classes);
  const take = new Int32Array(classes);

  /** Draws up to this many vehicles of the existing classes. @returns whether there are any to draw */
  function draw(count: number, into: Int32Array, has: (k: number) => number): boolean {
    into.fill(0);
    for (let v = 0; v < count; v++) {
      const k = Math.floor(random() * classes);
      if (has(k) <= into[k]) return false;
      into[k]++;
    }
    return true;
  }

  /**
   * Moves the vehicles, to b if it is a location; otherwise leaves everything unchanged. @returns whether they can move
   */
  function canCome(a: number, b: number): boolean {
    const change = (k: number, sign: 1 | -1): boolean => {
      const [fewer, more] = sign > 0 ? [give[k], take[k]] : [take[k], give[k]];
      if (fewer > 0) flows[k].take(a, fewer);
      if (b >= 0 && more > 0) flows[k].take(b, more);
      const toA = more > 0 ? flows[k].put(a, more) : 0;
      const toB = b >= 0 && fewer > 0 && toA === more ? flows[k].put(b, fewer) : 0;
      if (toA === more && (b < 0 || toB === fewer)) return true;
      if (toA > 0) flows[k].take(a, toA);
      if (toB > 0) flows[k].take(b, toB);
      if (fewer > 0) flows[k].put(a, fewer);
      if (b >= 0 && more > 0) flows[k].put(b, more);
      return false;
    };
    for (let k = 0; k < classes; k++) {
      if (change(k, 1)) continue;
      for (k--; k >= 0; k--) change(k, -1);
      return false;
    }
    return true;
  }

  const best = serving.slice();
  let mostServed = served;
  const enoughWeight = weightOf(problem, enough);
  const coldest = LAST_LOSS * capacities[0];
  const cooling = LAST_LOSS / FIRST_LOSS;
  try {
    for (let p = 0; p < proposals && mostServed < enoughWeight; p++) {
      if (p % PROPOSALS_PER_LOOK === 0) check();
      const a = pick(targets);
      const isWithUnused = random() < unusedShare;
      const b = isWithUnused ? -1 : pick(targetsOf[pick(sourcesOf[a])]);
      if (a === b) continue;
      if (!draw(Math.floor(random() * (MAX_EXCHANGED + 1)), give, (k) => serving[k * n + a])) continue;
      const count = Math.floor(random() * (MAX_EXCHANGED + 1));
      if (!draw(count, take, (k) => (isWithUnused ? unused[k] : serving[k * n + b]))) continue;
      let capacity = 0;
      let vehicles = 0;
      for (let k = 0; k < classes; k++) {
        const same = Math.min(give[k], take[k]);
        give[k] -= same;
        take[k] -= same;
        vehicles += take[k] - give[k];
        capacity += capacities[k] * (take[k] - give[k]);
      }
      if (isWithUnused && used + vehicles > limits.totalFleetSize) continue;
      if (isBounded && !(keepsBounds(a, vehicles) && keepsBounds(b, -vehicles))) continue;
      const gain = gainAt(a, capacity) + (isWithUnused ? 0 : gainAt(b, -capacity));
      if (gain < 0 && random() >= Math.exp(gain / (coldest * cooling ** (p / proposals - 1)))) continue;
      check();
      if (!canCome(a, b)) continue;
      capacityAt[a] += capacity;
      here[a] += vehicles;
      if (isWithUnused) used += vehicles;
      else {
        capacityAt[b] -= capacity;
        here[b] -= vehicles;
      }
      for (let k = 0; k < classes; k++) {
        serving[k * n + a] += take[k] - give[k];
        if (isWithUnused) unused[k] += give[k] - take[k];
        else serving[k * n + b] += give[k] - take[k];
      }
      served += gain;
      if (served <= mostServed + MIN_GAIN * total) continue;
      mostServed = served;
      best.set(serving);
    }
  } finally {
    serving.set(best);
  }
}

/**
 * @param isBounded vehicles also wait where there is no demand
 * @returns the locations that exchange vehicles; by source, those of them that its vehicles can reach
 */
function findTargets(
  demand: Float64Array,
  sourcesOf: Reach['sourcesOf'],
  isBounded: boolean,
  check: Check,
): { targets: Int32Array; targetsOf: number[][] } {
  const targets = Int32Array.from(demand.keys()).filter(
    (j) => (demand[j] > 0 || isBounded) && sourcesOf[j].length > 0,
  );
  const targetsOf = Array.from(demand, (): number[] => []);
  for (const j of targets) {
    check();
    for (const i of sourcesOf[j]) targetsOf[i].push(j);
  }
  return { targets, targetsOf };
}

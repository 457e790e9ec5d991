/**
 * Local search for the most demand served where not everything is in reach, by simulated annealing: two locations, or one and the vehicles that serve nowhere, exchange up to
 * two vehicles for up to two others. What serves more is done, what serves less with a probability that falls; most exchanges on the way
 * change nothing, and lead on to places where one serves more.
 *
 * Served demand is Σ_j min(D_j, capacity at j), so an exchange is valued in O(K). Flows tell whether the vehicles can come; the other location is
 * one to which a vehicle that may come here may go. The same input takes the same way.
 * Reference: Kirkpatrick, Gelatt, Vecchi, Optimization by simulated annealing (1983).
 */
import type { Problem } from '../../problem/model.ts';
import type { Check } from '../../run/stopping.ts';
import type { Reach, ReachFlow } from './class-reach.ts';

const MAX_EXCHANGED = 2;
/** Loss that is taken with probability 1/e at first and in the end, by the smallest capacity. */
const FIRST_LOSS = 0.2;
const LAST_LOSS = 0.01;
/** Exchanges that are with vehicles that serve nowhere. */
const UNUSED_SHARE = 0.2;
const PROPOSALS_PER_LOOK = 256;
/** Share of the total demand that an improvement gains at least. */
const MIN_GAIN = 1e-12;

export type Annealing = {
  /** K × n vehicles that serve; changed to the best found, also where `check` throws. */
  serving: Int32Array;
  /** Of these vehicles, by class. What they are in the end is not told. */
  flows: readonly ReachFlow[];
  /** Exchanges looked at. */
  proposals: number;
  /** Ends once so much is served. */
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
  const classes = capacities.length;
  const random = createRandom(seed);
  const pick = (list: ArrayLike<number>) => list[Math.floor(random() * list.length)];
  const targets = Int32Array.from(demand.keys()).filter((j) => demand[j] > 0 && sourcesOf[j].length > 0);
  if (targets.length === 0) return;
  const targetsOf = Array.from({ length: n }, (): number[] => []);
  for (const j of targets) {
    check();
    for (const i of sourcesOf[j]) targetsOf[i].push(j);
  }
  const unused = new Int32Array(classes);
  const capacityAt = new Float64Array(n);
  let used = 0;
  let total = 0;
  let served = 0;
  for (let j = 0; j < n; j++) {
    for (let k = 0; k < classes; k++) {
      unused[k] += supply[k * n + j] - serving[k * n + j];
      used += serving[k * n + j];
      capacityAt[j] += capacities[k] * serving[k * n + j];
    }
    total += demand[j];
    served += Math.min(demand[j], capacityAt[j]);
  }
  const gainAt = (j: number, capacity: number) =>
    Math.min(demand[j], capacityAt[j] + capacity) - Math.min(demand[j], capacityAt[j]);
  const give = new Int32Array(classes);
  const take = new Int32Array(classes);

  /** Up to so many vehicles of classes that there are. @returns whether there are any to draw */
  function draw(count: number, into: Int32Array, has: (k: number) => number): boolean {
    into.fill(0);
    for (let v = 0; v < count; v++) {
      const k = Math.floor(random() * classes);
      if (has(k) <= into[k]) return false;
      into[k]++;
    }
    return true;
  }

  /** Lets the vehicles come, at b where it is a location; else all is as before. @returns whether they can */
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
  const coldest = LAST_LOSS * capacities[0];
  const cooling = LAST_LOSS / FIRST_LOSS;
  try {
    for (let p = 0; p < proposals && mostServed < enough; p++) {
      if (p % PROPOSALS_PER_LOOK === 0) check();
      const a = pick(targets);
      const isWithUnused = random() < UNUSED_SHARE;
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
      const gain = gainAt(a, capacity) + (isWithUnused ? 0 : gainAt(b, -capacity));
      if (gain < 0 && random() >= Math.exp(gain / (coldest * cooling ** (p / proposals - 1)))) continue;
      check();
      if (!canCome(a, b)) continue;
      capacityAt[a] += capacity;
      if (isWithUnused) used += vehicles;
      else capacityAt[b] -= capacity;
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

/** Numbers from 0 to below 1, of a linear congruential generator. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

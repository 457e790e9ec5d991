/** Random horizon problems that are small enough to try every plan, and larger ones for a solver. */
import { expectedDemand } from '../../../../src/core/optimize/horizon/demand-parts.ts';
import type {
  DemandParts,
  HorizonProblem,
  TravelPairs,
  TripFlows,
} from '../../../../src/core/optimize/horizon/types.ts';
import { createRandom, type Random } from '../instances.ts';

export type HorizonShape = {
  n: number;
  steps: number;
  vehicles: number;
  isFractional: boolean;
  hasFlows?: boolean;
  /** Demand comes in two or three parts, with chances that are no even steps. */
  isUncertain?: boolean;
};

/** 1 to 3 locations, 1 to 4 steps, at most 5 vehicles. */
export function tinyHorizon(seed: number, hasFlows = false, isUncertain = false): HorizonProblem {
  const random = createRandom(seed);
  const n = random.pick([1, 2, 2, 3, 3]);
  const steps = n === 3 ? random.pick([1, 2, 2, 3, 3]) : random.pick([1, 2, 3, 4]);
  const vehicles = random.integer(0, n === 3 && steps === 3 ? 3 : 5);
  return randomHorizon(random, {
    n,
    steps,
    vehicles,
    isFractional: random.chance(0.5),
    hasFlows,
    isUncertain,
  });
}

export function randomHorizon(random: Random, shape: HorizonShape): HorizonProblem {
  const { n, steps, vehicles, isFractional, hasFlows, isUncertain } = shape;
  const capacity = isFractional ? random.pick([1, 2.5, 0.7]) : random.pick([1, 2, 3]);
  const supply = new Int32Array(steps * n);
  const isLate = random.chance(0.4);
  for (let v = 0; v < vehicles; v++)
    supply[
      (isLate && random.chance(0.3) ? random.integer(0, steps - 1) : 0) * n + random.integer(0, n - 1)
    ]++;
  const most = (random.pick([0.5, 1, 2]) * vehicles) / n + 1;
  const certain = Float64Array.from({ length: steps * n }, () =>
    random.chance(0.2)
      ? 0
      : isFractional
        ? Number((capacity * most * random.next()).toFixed(2))
        : capacity * random.integer(0, Math.ceil(most)),
  );
  const parts = isUncertain ? randomParts(random, certain) : undefined;
  const demand = parts ? expectedDemand(parts) : certain;
  const total = demand.reduce((sum, value) => sum + value, 0);
  const goal = random.pick(['price', 'prices', 'level', 'level', 'both', 'none'] as const);
  const price = () => random.integer(0, 30_000);
  const same = price();
  const hasPrice = goal === 'price' || goal === 'prices' || goal === 'both';
  return {
    n,
    steps,
    supply,
    demand,
    parts,
    capacity,
    pairs: randomPairs(random, n),
    unmetUnits: hasPrice ? demand.map(() => (goal === 'prices' ? price() : same)) : undefined,
    required: goal === 'level' || goal === 'both' ? random.pick([0.3, 0.6, 0.8, 1]) * total : 0,
    ...(!hasFlows && randomBounds(random, n * steps, vehicles)),
    ...(hasFlows &&
      random.chance(0.25) && {
        endUnits: Float64Array.from({ length: n }, () => random.integer(0, 20_000)),
      }),
    ...(hasFlows && { flows: randomFlows(random, n, steps) }),
  };
}

function randomParts(random: Random, most: Float64Array): DemandParts {
  const chances = random.pick([
    [1, 0.5],
    [0.9, 0.3],
    [1, 2 / 3, 1 / 3],
    [1, 0.4, 0.4],
  ]);
  const sizes = new Float64Array(chances.length * most.length);
  for (let u = 0; u < most.length; u++) {
    const borders = chances.slice(1).map(() => Number((most[u] * random.next()).toFixed(2)));
    borders.sort((a, b) => a - b);
    const ends = [...borders, most[u]];
    for (const [p, end] of ends.entries()) sizes[p * most.length + u] = end - (p === 0 ? 0 : ends[p - 1]);
  }
  return { chances: Float64Array.from(chances), sizes };
}

function randomPairs(random: Random, n: number): TravelPairs {
  const starts = new Int32Array(n + 1);
  const targets: number[] = [];
  const units: number[] = [];
  const delay: number[] = [];
  const allowed = random.pick([1, 1, 0.6]);
  const dearest = random.pick([0, 5, 20_000]);
  const longest = random.pick([1, 1, 2, 3]);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i === j || !random.chance(allowed)) continue;
      targets.push(j);
      units.push(random.integer(0, dearest));
      delay.push(random.integer(1, longest));
    }
    starts[i + 1] = targets.length;
  }
  return {
    starts,
    targets: Int32Array.from(targets),
    units: Float64Array.from(units),
    delay: Uint8Array.from(delay),
  };
}

function randomBounds(
  random: Random,
  size: number,
  vehicles: number,
): Pick<HorizonProblem, 'least' | 'most'> {
  const some = (value: () => number) => Array.from({ length: size }, value);
  return {
    ...(random.chance(0.2) && { least: Int32Array.from(some(() => random.pick([0, 0, 1]))) }),
    ...(random.chance(0.25) && {
      most: Float64Array.from(some(() => random.pick([1, 2, vehicles, Number.POSITIVE_INFINITY]))),
    }),
  };
}

/** A table for all steps, or one per step. */
function randomFlows(random: Random, n: number, steps: number): TripFlows[] {
  const table = (): TripFlows => {
    const starts = new Int32Array(n + 1);
    const targets: number[] = [];
    const shares: number[] = [];
    for (let i = 0; i < n; i++) {
      const ends = random.shuffle(Array.from({ length: n }, (_, j) => j)).slice(0, random.integer(1, n));
      const counts = ends.map(() => random.integer(1, 9));
      const sum = counts.reduce((a, b) => a + b, 0);
      for (const [e, j] of ends.entries()) {
        targets.push(j);
        shares.push(counts[e] / sum);
      }
      starts[i + 1] = targets.length;
    }
    return { starts, targets: Int32Array.from(targets), shares: Float64Array.from(shares) };
  };
  const all = table();
  const isSame = random.chance(0.5);
  return Array.from({ length: steps }, () => (isSame ? all : table()));
}

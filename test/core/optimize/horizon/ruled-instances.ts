/** Random horizon problems with rules, small enough for every oracle. */
import type {
  FirstGroup,
  FirstPairRules,
  RuledHorizon,
} from '../../../../src/core/optimize/horizon/rules.ts';
import type { DemandParts } from '../../../../src/core/optimize/horizon/types.ts';
import { createRandom, type Random } from '../instances.ts';
import { tinyHorizon } from './horizon-instances.ts';

export type TinyRules = Partial<
  Record<
    'classes' | 'bounds' | 'levels' | 'ceiling' | 'previous' | 'flows' | 'fleet' | 'parts' | 'pairs',
    boolean
  >
>;

/** Every combination of rules in turn, apart from those about pairs. */
export function tinyRulesOf(seed: number): TinyRules {
  const has = (bit: number) => ((seed >> bit) & 1) === 1;
  return {
    classes: has(0),
    bounds: has(1),
    levels: has(2),
    ceiling: has(3),
    previous: has(4),
    flows: has(5),
    fleet: has(6),
    parts: has(7),
  };
}

/** 1 to 3 locations, 2 to 5 steps of which the first has no demand; the rules that are named. */
export function tinyRuled(seed: number, rules: TinyRules): RuledHorizon {
  const random = createRandom(seed * 7 + 1);
  const { endUnits: _, least, most, parts, ...plain } = tinyHorizon(seed, rules.flows, rules.parts);
  const { n, steps: before } = plain;
  const steps = before + 1;
  const later = <A extends Float64Array | Int32Array>(rows: A, free: number): A => {
    const all = new (rows.constructor as new (size: number) => A)(n * steps);
    all.fill(free, 0, n);
    all.set(rows, n);
    return all;
  };
  const size = n * steps;
  const classes = rules.classes ? random.integer(2, 3) : 1;
  const capacities = rules.classes
    ? Float64Array.from([1, random.pick([1.5, 2, 3]), 5].slice(0, classes), (c) => c * plain.capacity)
    : Float64Array.of(plain.capacity);
  const supply = new Int32Array(classes * size);
  for (let u = 0; u < plain.supply.length; u++)
    for (let v = 0; v < plain.supply[u]; v++)
      supply[random.integer(0, classes - 1) * size + (u < n ? u : u + n)]++;
  const vehicles = supply.reduce((a, b) => a + b, 0);
  const bounds = rules.bounds ? randomPlaces(random, n * before, vehicles) : {};
  return {
    base: {
      ...plain,
      steps,
      supply: new Int32Array(size),
      demand: later(plain.demand, 0),
      ...(parts && { parts: withLead(parts, n) }),
      ...(plain.unmetUnits && { unmetUnits: later(plain.unmetUnits, 0) }),
      ...(plain.flows && { flows: [plain.flows[0], ...plain.flows] }),
      ...(bounds.least && { least: later(bounds.least, 0) }),
      ...(bounds.most && { most: later(bounds.most, Number.POSITIVE_INFINITY) }),
    },
    capacities,
    supply,
    ...(rules.levels && { levels: Uint8Array.from({ length: n }, () => random.pick([0, 0, 1, 4])) }),
    ...(rules.fleet && { fleetSize: random.integer(0, vehicles) }),
    ...(rules.ceiling && { ceilingUnits: random.pick([0, 4, 9_000, 30_000]) }),
    ...(rules.previous && {
      previous: {
        changeUnits: random.pick([1, 3_000, 15_000]),
        groups: randomGroups(random, supply, n, steps, classes),
      },
    }),
    ...(rules.pairs && { firstPairs: randomPairs(random) }),
  };
}

function randomPairs(random: Random): FirstPairRules {
  const infinity = Number.POSITIVE_INFINITY;
  return {
    costUnits: random.pick([0, 0, 2, 7_000, 25_000]),
    minVehicles: random.pick([1, 1, 2, 3]),
    maxPairs: random.pick([0, 1, 1, 2, infinity, infinity]),
    maxFrom: random.pick([0, 1, 1, 2, infinity, infinity]),
  };
}

/** The parts with a step without demand before the first one. */
function withLead({ chances, sizes }: DemandParts, n: number): DemandParts {
  const own = sizes.length / chances.length;
  const rows = Array.from(chances, (_, p) => [
    ...new Array<number>(n).fill(0),
    ...sizes.subarray(p * own, (p + 1) * own),
  ]);
  return { chances, sizes: Float64Array.from(rows.flat()) };
}

function randomPlaces(random: Random, size: number, vehicles: number) {
  const some = (value: () => number) => Array.from({ length: size }, value);
  return {
    ...(random.chance(0.5) && { least: Int32Array.from(some(() => random.pick([0, 0, 1]))) }),
    ...(random.chance(0.8) && {
      most: Float64Array.from(some(() => random.pick([1, 2, vehicles, Number.POSITIVE_INFINITY]))),
    }),
  };
}

function randomGroups(
  random: Random,
  supply: Int32Array,
  n: number,
  steps: number,
  classes: number,
): FirstGroup[] {
  const groups: FirstGroup[] = [];
  for (let k = 0; k < classes; k++) {
    for (let i = 0; i < n; i++) {
      let left = supply[k * n * steps + i];
      for (let target = 0; target < n; target++) {
        const count = random.integer(0, left);
        if (count === 0) continue;
        groups.push({ capacityClass: k, location: i, target, count });
        left -= count;
      }
    }
  }
  return groups;
}

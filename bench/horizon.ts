/**
 * What plans that look ahead take: the engines alone, from the problem to the first step's moves and the bound, in
 * processor time.
 *
 *   npm run bench:horizon -- [--only TEXT] [--repeats 5] [--limit 60] [--family usual] [--seeds 1,2,3] [--json FILE]
 *
 * The sample: 73 zones of New York on Thursday 27 April 2017 from 8:00 local time on, as observed; 8,000 vehicles in
 * proportion to the demand of the day, two trips per vehicle and hour, a trip that is not served costs 6 km. Trips end
 * as those of 2017 did. A re-plan starts from the moves of a plan an hour before. Cities: `horizon-cities.ts`.
 * `--family hard` plans its hard kinds instead, a city per seed.
 */
import { loadSolver } from '../src/core/optimize/highs/highs.ts';
import type { HorizonSolution } from '../src/core/optimize/horizon/outcome.ts';
import { planHorizon } from '../src/core/optimize/horizon/plan-horizon.ts';
import { planWithRules } from '../src/core/optimize/horizon/plan-with-rules.ts';
import type { RuledHorizon } from '../src/core/optimize/horizon/rules.ts';
import type { HorizonProblem } from '../src/core/optimize/horizon/types.ts';
import { createCache } from '../src/core/optimize/run/cache.ts';
import { nowMs } from '../src/core/optimize/run/clock.ts';
import { cpuMs, digits, percentile, readArguments, reportTable, spread, whole } from './cli.ts';
import {
  HARD_KINDS,
  hardProblem,
  problemOf,
  randomCity,
  sampleCity,
  UNITS_PER_KM,
} from './horizon-cities.ts';

const { only, repeats, limit, family, seeds, json } = readArguments({
  only: '',
  repeats: 5,
  limit: 60,
  family: 'usual',
  seeds: [1, 2, 3],
});
if (!['usual', 'hard'].includes(family)) throw new Error(`--family: usual or hard, not ${family}`);

const GAP = 0.01;

/** Rules that tie vehicles of several kinds, or several steps, to each other. */
const RULES = {
  'three capacities': ({ n, steps, supply, capacity }) => {
    const size = n * steps;
    const split = new Int32Array(3 * size);
    for (let u = 0; u < size; u++) {
      split[u] = Math.floor(supply[u] / 2);
      split[size + u] = Math.floor(supply[u] / 4);
      split[2 * size + u] = supply[u] - split[u] - split[size + u];
    }
    return { capacities: Float64Array.of(capacity / 2, capacity, 2 * capacity), supply: split };
  },
  docks: (problem) => {
    const { n, supply } = problem;
    // Room for half as many vehicles again as stand there, and for fifty.
    const most = Float64Array.from(problem.demand, (_, u) => (u < n ? Infinity : 50 + 1.5 * supply[u % n]));
    return { base: { ...problem, most: most.map(Math.floor) } };
  },
  'priority levels': ({ n }) => ({
    levels: Uint8Array.from({ length: n }, (_, j) => [0, 0, 0, 1, 2][j % 5]),
  }),
  'a ceiling of 100 km': () => ({ ceilingUnits: 100 * UNITS_PER_KM }),
  'a change costs 3 km': ({ n, supply }) => {
    const groups = Array.from({ length: n }, (_, location) => {
      return { capacityClass: 0, location, target: location, count: Math.floor(supply[location] / 2) };
    });
    return { previous: { changeUnits: 3 * UNITS_PER_KM, groups: groups.filter(({ count }) => count > 0) } };
  },
} satisfies Record<string, (problem: HorizonProblem) => Partial<RuledHorizon>>;

/** A step without demand comes first, in which the vehicles of the previous plan may move. */
function ruledOf(problem: HorizonProblem, rule: keyof typeof RULES): RuledHorizon {
  const { n, steps, supply, demand, unmetUnits, flows } = problem;
  const later = (rows: Float64Array) => Float64Array.from([...new Float64Array(n), ...rows]);
  const base: HorizonProblem = {
    ...problem,
    steps: steps + 1,
    supply: Int32Array.from([...supply, ...new Int32Array(n)]),
    demand: later(demand),
    ...(unmetUnits && { unmetUnits: later(unmetUnits) }),
    ...(flows && { flows: [flows[0], ...flows] }),
  };
  return { base, capacities: Float64Array.of(base.capacity), supply: base.supply, ...RULES[rule](base) };
}

/** The moves of a plan as columns for the plan an hour later. */
function knownMoves({ pairs }: HorizonProblem, { outlook }: HorizonSolution) {
  return outlook.flatMap(({ moves }, step) =>
    moves.map(({ from, to }) => {
      const arcs = pairs.targets.subarray(pairs.starts[from], pairs.starts[from + 1]);
      return { step: Math.max(0, step - 1), arc: pairs.starts[from] + arcs.indexOf(to) };
    }),
  );
}

const sample = { name: '73 zones of the sample', make: sampleCity };
const city = (n: number, vehicles: number, load: number) => {
  const name = `${whole(n)} places, ${whole(vehicles)} vehicles`;
  return { name, make: () => randomCity({ n, vehicles, load }) };
};
type Case = {
  of: typeof sample;
  steps: number;
  vehicles: number;
  hasFlows: boolean;
  price: number;
  level?: number;
  crowded?: number;
  isReplan?: boolean;
  rule?: keyof typeof RULES;
};
const ruled = (Object.keys(RULES) as (keyof typeof RULES)[]).flatMap((rule): Case[] =>
  [true, false].map((hasFlows) => ({ of: sample, steps: 6, vehicles: 8_000, hasFlows, price: 6, rule })),
);
const CASES: Case[] = [
  { of: sample, steps: 6, vehicles: 8_000, hasFlows: true, price: 6, isReplan: true },
  { of: sample, steps: 6, vehicles: 8_000, hasFlows: true, price: 6 },
  { of: sample, steps: 24, vehicles: 8_000, hasFlows: true, price: 6 },
  { of: sample, steps: 6, vehicles: 8_000, hasFlows: false, price: 6 },
  { of: city(263, 12_000, 0.8), steps: 24, vehicles: 12_000, hasFlows: false, crowded: 50, price: 6 },
  {
    of: city(263, 12_000, 0.8),
    steps: 24,
    vehicles: 12_000,
    hasFlows: false,
    crowded: 50,
    price: 0,
    level: 0.95,
  },
  { of: city(150, 7_000, 0.8), steps: 24, vehicles: 7_000, hasFlows: true, price: 6 },
  { of: city(263, 12_000, 0.8), steps: 24, vehicles: 12_000, hasFlows: true, price: 6 },
  { of: city(263, 12_000, 0.8), steps: 24, vehicles: 12_000, hasFlows: true, price: 0, level: 0.95 },
  { of: city(1_000, 50_000, 0.8), steps: 12, vehicles: 50_000, hasFlows: false, crowded: 50, price: 6 },
  {
    of: city(1_000, 50_000, 0.8),
    steps: 12,
    vehicles: 50_000,
    hasFlows: false,
    crowded: 50,
    price: 0,
    level: 0.95,
  },
  ...ruled,
];

const cache = createCache();
await loadSolver(cache);
if (family === 'hard') {
  await planHard();
  process.exit();
}
const rows: string[][] = [];
for (const { of, isReplan = false, rule: name, ...shape } of CASES) {
  const goal =
    shape.price > 0 ? `a trip is worth ${shape.price} km` : `${100 * (shape.level ?? 0)} % of the trips`;
  const rule = name ? `${goal}; ${name}` : goal;
  const flows = shape.hasFlows ? 'with trip flows' : 'without';
  const start = shape.crowded ? ` at ${shape.crowded} of them` : '';
  const what = `${of.name}${start}, ${shape.steps} steps`;
  if (!`${what} ${flows}, ${rule}`.includes(only)) continue;
  const made = of.make();
  const times: number[] = [];
  let last: HorizonSolution | null = null;
  // A run that is not counted comes first: the engine is compiled while it runs.
  const small = shape.steps * made.n < 1000;
  for (let repeat = small ? -1 : 0; repeat < (small ? repeats : 1); repeat++) {
    const solve = async (hour: number, known?: ReturnType<typeof knownMoves>) => {
      const problem = problemOf(made, { ...shape, hour });
      const startedMs = cpuMs();
      const control = { deadlineMs: nowMs() + 1000 * limit };
      const found = name
        ? await planWithRules(ruledOf(problem, name), GAP, control, cache, known)
        : await planHorizon(problem, GAP, control, cache, known);
      if (found.kind !== 'solved') throw new Error(`${what}: ${found.kind}`);
      return { ms: cpuMs() - startedMs, problem, solution: found.solution };
    };
    const hour = Math.max(0, repeat);
    const before = isReplan ? await solve(hour) : null;
    const { ms, solution } = await solve(
      isReplan ? hour + 1 : hour,
      before ? knownMoves(before.problem, before.solution) : undefined,
    );
    if (repeat >= 0) times.push(ms);
    last = solution;
  }
  if (!last) continue;
  const total = last.outlook.reduce((sum, { demand }) => sum + demand.reduce((a, b) => a + b, 0), 0);
  const percentOf = (share: number, decimals: number) => (100 * share).toFixed(decimals);
  rows.push([
    what,
    `${flows}${isReplan ? ', re-planned' : ''}`,
    rule,
    times.length > 1 ? spread(times, digits, [0, 1]) : digits(times[0]),
    whole(last.iterations),
    percentOf(last.figures.totalServed / total, 1),
    percentOf(last.gap, 2),
    percentOf(last.roundingUnits / Math.max(1, last.objectiveUnits), 2),
  ]);
}
reportTable(
  {
    columns: [
      'problem',
      'trip flows',
      'rule',
      'ms',
      'iterations',
      'served, %',
      'gap, %',
      'of that by rounding, %',
    ],
    rows,
  },
  json,
);

/** Hard kinds: the median and the worst of a city per seed, and over all of them. */
async function planHard(): Promise<void> {
  const all: { ms: number; gap: number }[] = [];
  const hardRows: string[][] = [];
  const row = (name: string, runs: readonly { ms: number; gap: number }[], served: string) => [
    name,
    worst(
      runs.map(({ ms }) => ms),
      digits,
    ),
    worst(
      runs.map(({ gap }) => 100 * gap),
      (gap) => gap.toFixed(2),
    ),
    served,
  ];
  for (const kind of HARD_KINDS) {
    if (!kind.name.includes(only)) continue;
    const runs: { ms: number; gap: number; served: number }[] = [];
    for (const seed of seeds) {
      const problem = hardProblem(kind, seed);
      const startedMs = cpuMs();
      const found = await planHorizon(problem, GAP, { deadlineMs: nowMs() + 1000 * limit }, cache);
      if (found.kind !== 'solved') throw new Error(`${kind.name}, city ${seed}: ${found.kind}`);
      const { gap, figures } = found.solution;
      const total = problem.demand.reduce((sum, demand) => sum + demand, 0);
      runs.push({ ms: cpuMs() - startedMs, gap, served: figures.totalServed / total });
    }
    all.push(...runs);
    const served = spread(
      runs.map((run) => 100 * run.served),
      (share) => share.toFixed(1),
      [0, 1],
    );
    hardRows.push(row(kind.name, runs, served));
  }
  hardRows.push(row('all of them', all, ''));
  const columns = ['263 places, 24 steps, trip flows', 'ms, median and worst', 'gap, %', 'served, %'];
  reportTable({ columns, rows: hardRows }, json);
}

function worst(numbers: readonly number[], format: (value: number) => string): string {
  return `${format(percentile(numbers, 0.5))}, ${format(Math.max(...numbers))}`;
}

/**
 * What plans that look ahead take: the engines alone, from the problem to the first step's moves and the bound, in
 * processor time.
 *
 *   npm run bench:horizon -- [--only TEXT] [--repeats 5] [--limit 60] [--json FILE]
 *
 * The sample: 73 zones of New York on Thursday 27 April 2017 from 8:00 local time on, as observed; 8,000 vehicles in
 * proportion to the demand of the day, two trips per vehicle and hour, a trip that is not served costs 6 km. Trips end
 * as those of 2017 did. A re-plan starts from the moves of a plan an hour before. Cities: places at random, demand that
 * shifts through the day, trips by gravity.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadSolver } from '../src/core/optimize/highs/highs.ts';
import { type HorizonSolution, planHorizon } from '../src/core/optimize/horizon/plan-horizon.ts';
import { shareTrips } from '../src/core/optimize/horizon/trip-shares.ts';
import type { HorizonProblem, TravelPairs } from '../src/core/optimize/horizon/types.ts';
import { createCache } from '../src/core/optimize/run/cache.ts';
import { nowMs } from '../src/core/optimize/run/clock.ts';
import { digits, readArguments, reportTable, spread, whole } from './cli.ts';
import { createUniform } from './instances.ts';
import { cpuMs } from './timed-solves.ts';

const { only, repeats, limit, json } = readArguments({ only: '', repeats: 5, limit: 60 });

const UNITS_PER_KM = 1e4;
const TRIPS_PER_HOUR = 2;
const GAP = 0.01;

const readSample = (name: string) => {
  const file = readFileSync(path.join(import.meta.dirname, '../data/nyc', name));
  const text = (name.endsWith('.gz') ? gunzipSync(file) : file).toString();
  return text.trim().split('\n').slice(1);
};

type City = { n: number; trips: Float64Array; pairs: TravelPairs; demandAt(hour: number): Float64Array };

/** Moves between all places; those of unknown length are forbidden. */
function pairsOf(n: number, km: Float64Array, minutes: Float64Array): TravelPairs {
  const starts = new Int32Array(n + 1);
  const arcs: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) if (i !== j && km[i * n + j] > 0) arcs.push(i * n + j);
    starts[i + 1] = arcs.length;
  }
  return {
    starts,
    targets: Int32Array.from(arcs, (a) => a % n),
    units: Float64Array.from(arcs, (a) => Math.ceil(km[a] * UNITS_PER_KM)),
    delay: Uint8Array.from(arcs, (a) => Math.max(1, Math.ceil(minutes[a] / 60))),
  };
}

function sampleCity(): City {
  const ids = readSample('locations.csv').map((line) => Number(line.split(',')[0]));
  const n = ids.length;
  const position = new Map(ids.map((id, j) => [id, j]));
  const from = Date.parse('2017-04-27T12:00:00Z') / 3_600_000;
  const hours = new Map<number, Float64Array>();
  for (const line of readSample('demand_hourly.csv.gz')) {
    const [id, time, pickups] = line.split(',');
    const hour = Date.parse(time) / 3_600_000 - from;
    const row = hours.get(hour) ?? new Float64Array(n);
    row[position.get(Number(id))!] = Number(pickups);
    hours.set(hour, row);
  }
  const trips = new Float64Array(n * n);
  const km = new Float64Array(n * n).fill(Number.NaN);
  const minutes = new Float64Array(n * n).fill(Number.NaN);
  for (const line of readSample('zone_pairs_2017.csv.gz')) {
    const [a, b, count, taken, miles] = line.split(',').map(Number);
    const at = position.get(a)! * n + position.get(b)!;
    trips[at] = count;
    minutes[at] = taken;
    km[at] = miles * 1.609344;
  }
  return { n, trips, pairs: pairsOf(n, km, minutes), demandAt: (hour) => hours.get(hour)! };
}

/** @param load trips that are wanted in the busiest hours, per trip that the vehicles serve */
function randomCity(n: number, vehicles: number, load: number): City {
  const random = createUniform(5);
  const side = Math.sqrt(n / 73) * 8;
  const places = Array.from({ length: n }, () => [side * random(), side * random()]);
  const km = new Float64Array(n * n);
  const minutes = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      km[i * n + j] = 1.3 * Math.hypot(places[i][0] - places[j][0], places[i][1] - places[j][1]);
      minutes[i * n + j] = 5 + 3 * km[i * n + j];
    }
  }
  const weights = places.map(() => Math.exp(2.4 * (random() + random() + random() - 1.5)));
  const pulls = weights.map((weight) => weight * (0.5 + random()));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const trips = km.map((far, a) => weights[Math.floor(a / n)] * pulls[a % n] * Math.exp(-far / 5));
  const demandAt = (hour: number) =>
    Float64Array.from(weights, (weight, j) => {
      const ofDay = 0.3 + 0.7 * Math.sin(((hour + 4) * Math.PI) / 24) ** 2;
      const ofPlace = 1 + 0.4 * Math.sin(hour * 0.4 + j);
      return Number(((vehicles * TRIPS_PER_HOUR * load * ofDay * ofPlace * weight) / all).toFixed(3));
    });
  return { n, trips, pairs: pairsOf(n, km, minutes), demandAt };
}

/** `crowded`: the vehicles stand at so many places at first; absent: in proportion to demand. */
type Shape = {
  crowded?: number;
  hour: number;
  steps: number;
  vehicles: number;
  hasFlows: boolean;
  price: number;
  level?: number;
};

function problemOf(
  city: City,
  { hour, steps, vehicles, hasFlows, price, level = 0, crowded }: Shape,
): HorizonProblem {
  const { n, trips, pairs } = city;
  const demand = Float64Array.from(
    { length: steps * n },
    (_, u) => city.demandAt(hour + Math.floor(u / n))[u % n],
  );
  const day = new Float64Array(n);
  for (let h = 0; h < 24; h++) for (const [j, value] of city.demandAt(h).entries()) day[j] += value;
  const total = day.reduce((sum, value) => sum + value, 0);
  const supply = new Int32Array(steps * n);
  for (let j = 0; j < n; j++) supply[j] = Math.round((vehicles * day[j]) / total);
  if (crowded) supply.fill(Math.round(vehicles / crowded), 0, crowded).fill(0, crowded);
  const shares = hasFlows && shareTrips(n, trips);
  return {
    n,
    steps,
    supply,
    demand,
    capacity: TRIPS_PER_HOUR,
    pairs,
    required: level * demand.reduce((sum, value) => sum + value, 0),
    ...(price > 0 && { unmetUnits: new Float64Array(steps * n).fill(price * UNITS_PER_KM) }),
    ...(shares && { flows: Array.from({ length: steps }, () => shares) }),
  };
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
  return { name, make: () => randomCity(n, vehicles, load) };
};
const CASES = [
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
  { of: city(263, 12_000, 0.8), steps: 24, vehicles: 12_000, hasFlows: true, price: 6 },
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
];

const cache = createCache();
await loadSolver(cache);
const rows: string[][] = [];
for (const { of, isReplan = false, ...shape } of CASES) {
  const rule =
    shape.price > 0 ? `a trip is worth ${shape.price} km` : `${100 * (shape.level ?? 0)} % of the trips`;
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
      const found = await planHorizon(problem, GAP, { deadlineMs: nowMs() + 1000 * limit }, cache, known);
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

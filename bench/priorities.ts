/**
 * What critical demand costs in time, as a ratio to the same request without priorities in the same run. Both go the
 * whole way from a parsed request to a verified plan. Processor time, so that other work on the machine does not count.
 *
 *   npm run bench:priorities -- [--only TEXT] [--repeats 5] [--direct-up-to 73] [--json FILE]
 *
 * Up to `direct-up-to` locations, HiGHS also solves the first city alone, with all moves in one model that serves as
 * much of every level: the last of the solves that it would need.
 */
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import { solveDirect } from '../src/core/optimize/direct/direct.ts';
import type { OptimizeOutcome } from '../src/core/optimize/optimize.ts';
import { createIncumbent } from '../src/core/optimize/problem/incumbent.ts';
import type { Floor } from '../src/core/optimize/problem/model.ts';
import { buildProblem } from '../src/core/optimize/request/problem.ts';
import { createCache } from '../src/core/optimize/run/cache.ts';
import { digits, readArguments, reportTable, spread } from './cli.ts';
import { BENCH_SETTINGS, cityRequest, type RequestShape } from './requests.ts';
import { type City, cpuMs, solveTimed } from './timed-solves.ts';

const {
  only,
  repeats,
  json,
  'direct-up-to': directUpTo,
} = readArguments({ only: '', repeats: 5, 'direct-up-to': 73 });

/** Seconds. That of the service's settings. */
const TIME_LIMIT = 30;
/** Seconds for HiGHS alone. */
const DIRECT_LIMIT = 60;

const SIZES = [
  { locations: 73, vehicles: 730 },
  { locations: 150, vehicles: 2_000 },
  { locations: 263, vehicles: 2_630 },
  { locations: 1_000, vehicles: 100_000 },
];
const FLEETS: Record<string, Pick<RequestShape, 'classes' | 'isFractional'>> = {
  'whole loads': { classes: 1, isFractional: false },
  fractional: { classes: 1, isFractional: true },
  'capacities 1 to 3': { classes: 3, isFractional: true },
};

type Constraints = NonNullable<OptimizeRequest['constraints']>;
/** Demand of the city is 0.8 of the fleet's capacity. `upTo`: locations of the largest city. */
const KINDS: Record<string, { load: number; upTo?: number; constraintsOf(city: City): Constraints }> = {
  'enough vehicles': { load: 1, constraintsOf: () => ({}) },
  'a third of the demand too much': { load: 1.8, constraintsOf: () => ({ shortage: 'serve_most' }) },
  'a third of the demand too much, within docks': {
    load: 1.8,
    upTo: 263,
    constraintsOf: (city) => ({ shortage: 'serve_most', max_vehicles_per_location: docksOf(city) }),
  },
  'at most 2 km': { load: 1, constraintsOf: () => ({ max_distance: 2, shortage: 'serve_most' }) },
};

/** Docks for 0.75 to 2.25 times the vehicles of an average station: 10 to 30 for 2,000 vehicles at 150. */
function docksOf({ request, locations }: City): Record<string, number> {
  const share = request.fleet_state.vehicles.length / locations.length;
  const docks = (id: number) => Math.ceil((0.75 + 0.15 * ((id * 7) % 11)) * share);
  return Object.fromEntries(locations.map(({ id }) => [String(id), docks(id)]));
}

const cache = createCache();

/** Within the time limit. */
function solve({ request, locations }: City, constraints: Constraints) {
  const options = { time_limit_seconds: TIME_LIMIT };
  return solveTimed({ request: { ...request, options }, locations }, constraints);
}

/** Every tenth location is critical, and two more of ten are important. */
function levelsOf({ locations }: City): Record<string, number> {
  const level = (id: number) => (id % 10 === 3 ? 9 : id % 10 === 5 || id % 10 === 8 ? 5 : 0);
  return Object.fromEntries(locations.map(({ id }) => [String(id), level(id)]));
}

function loaded(city: City, load: number, decimals: number): City {
  const demand = Object.entries(city.request.demand_forecast).map(([id, [value]]) => [
    id,
    [Math.floor(load * value * decimals) / decimals],
  ]);
  return { ...city, request: { ...city.request, demand_forecast: Object.fromEntries(demand) } };
}

type Result = Extract<OptimizeOutcome, { result: unknown }>['result'];

/** All moves as one model, by HiGHS, at the levels of the answer. Empty if it does not end. */
async function solveAlone({ request, locations }: City, constraints: Constraints, result: Result) {
  let higher = 0;
  const floors: Floor[] = (result.priorities ?? []).map(({ level, served }) => {
    higher += served;
    return { level, served: higher };
  });
  const min_service_level = result.shortfall ? result.shortfall.reached * (1 - 1e-9) : undefined;
  const asked = { ...request, constraints: { ...constraints, min_service_level } };
  const built = buildProblem(asked, locations, BENCH_SETTINGS, cache);
  const control = { deadlineMs: performance.now() + 1000 * DIRECT_LIMIT };
  const startedMs = cpuMs();
  const problem = { ...built, floors };
  const incumbent = createIncumbent(problem, BENCH_SETTINGS.optimalityGap, control);
  await solveDirect(problem, incumbent, control);
  return incumbent.isProved() ? digits(cpuMs() - startedMs) : `over ${1000 * DIRECT_LIMIT}`;
}

const rows: string[][] = [];
for (const size of SIZES) {
  for (const [fleet, shape] of Object.entries(FLEETS)) {
    for (const [kind, { load, upTo = Number.POSITIVE_INFINITY, constraintsOf }] of Object.entries(KINDS)) {
      const name = `${size.locations.toLocaleString('en')} locations, ${fleet}`;
      if (!`${name}, ${kind}`.includes(only) || size.locations > upTo) continue;
      const [plain, first, ratios, gaps]: number[][] = [[], [], [], []];
      const endings = new Map<string, number>();
      let alone = '';
      for (let seed = 1; seed <= repeats; seed++) {
        const city = loaded(cityRequest(seed, { ...size, ...shape }), load, shape.isFractional ? 1e3 : 1);
        const constraints = constraintsOf(city);
        const critical = { ...constraints, priorities: levelsOf(city) };
        // The first solves of a city build its matrix, and warm the code up.
        if (shape.classes === 1) {
          await solve(city, constraints);
          await solve(city, critical);
        }
        const free = await solve(city, constraints);
        const levels = await solve(city, critical);
        plain.push(free.ms);
        first.push(levels.ms);
        ratios.push(levels.ms / free.ms);
        const { outcome } = levels;
        endings.set(outcome.status, (endings.get(outcome.status) ?? 0) + 1);
        if (!('result' in outcome)) continue;
        gaps.push(100 * outcome.certificate.gap);
        if (seed === 1 && size.locations <= directUpTo)
          alone = await solveAlone(city, critical, outcome.result);
      }
      const ends: [number, number] = [0, 1];
      rows.push([
        name,
        kind,
        spread(plain, digits, ends),
        spread(first, digits, ends),
        spread(ratios, digits, ends),
        gaps.length > 0 ? spread(gaps, (gap) => gap.toFixed(2), ends) : '',
        [...endings].map(([status, count]) => `${count} ${status}`).join(', '),
        alone,
      ]);
    }
  }
}
reportTable(
  {
    columns: [
      'city',
      'vehicles',
      'without priorities, ms',
      'with priorities, ms',
      'ratio',
      'gap, %',
      'answer',
      'HiGHS alone, ms',
    ],
    rows,
  },
  json,
);

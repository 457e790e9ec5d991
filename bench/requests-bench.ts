/**
 * `npm run bench:requests -- [--repeats 9] [--only TEXT] [--json FILE]`: the whole core in one thread, from a parsed
 * request to a verified plan. Medians with the 10th and 90th percentile. Memory is that of the process, so run a single
 * shape to measure it.
 */
import { checkRequest } from '../src/core/optimize/request/check.ts';
import { optimizeCached as optimize } from '../test/core/optimize/cached.ts';
import { digits, percent, percentile, readArguments, reportTable, spread } from './cli.ts';
import { BENCH_SETTINGS, cityRequest, type RequestShape } from './requests.ts';

const { repeats, only, json } = readArguments({ repeats: 9, only: '' });

const SHAPES: Record<string, RequestShape> = {
  '20 locations, 200 vehicles': { locations: 20, vehicles: 200, classes: 1, isFractional: false },
  '263 locations, 13,000 vehicles': { locations: 263, vehicles: 13_000, classes: 1, isFractional: false },
  '1,000 locations, 100,000 vehicles': {
    locations: 1000,
    vehicles: 100_000,
    classes: 1,
    isFractional: false,
  },
  '73 locations, 600 vehicles, fractional demand': {
    locations: 73,
    vehicles: 600,
    classes: 1,
    isFractional: true,
  },
  '263 locations, 8,000 vehicles, fractional demand': {
    locations: 263,
    vehicles: 8000,
    classes: 1,
    isFractional: true,
  },
  '1,000 locations, 50,000 vehicles, fractional demand': {
    locations: 1000,
    vehicles: 50_000,
    classes: 1,
    isFractional: true,
  },
  '263 locations, 2,600 vehicles of 3 capacities': {
    locations: 263,
    vehicles: 2600,
    classes: 3,
    isFractional: true,
  },
  '263 locations, 8,000 vehicles of 3 capacities': {
    locations: 263,
    vehicles: 8000,
    classes: 3,
    isFractional: true,
  },
};

const rows: string[][] = [];
for (const [name, shape] of Object.entries(SHAPES)) {
  if (!name.includes(only)) continue;
  const { request, locations } = cityRequest(1, shape);
  const known = new Set(locations.map((location) => location.id));
  const times: number[] = [];
  let gap = '';
  for (let r = -2; r < repeats; r++) {
    const startedMs = performance.now();
    if (checkRequest(request, known, BENCH_SETTINGS).length > 0) throw new Error('the request has faults');
    const outcome = await optimize({ request, locations, settings: BENCH_SETTINGS });
    if (r >= 0) times.push(performance.now() - startedMs);
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    gap = percent(outcome.certificate.gap);
  }
  const memory = Math.round(process.memoryUsage().rss / 1e6);
  console.error(`${name}: ${digits(percentile(times, 0.5))} ms, gap ${gap}, ${memory} MB`);
  rows.push([name, spread(times), gap]);
}
reportTable({ columns: ['request', 'ms', 'proved gap'], rows }, json);

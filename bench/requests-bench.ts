/**
 * `npm run bench:requests -- [--repeats 9] [--only TEXT]`: from a parsed request to a verified plan, the
 * whole core in one thread. Medians with the 10th and 90th percentile; memory is the process's, so run one shape
 * alone to read it.
 */
import { parseArgs } from 'node:util';
import { checkRequest } from '../src/core/optimize/request/check.ts';
import { optimizeCached as optimize } from '../test/core/optimize/cached.ts';
import { BENCH_SETTINGS, cityRequest, type RequestShape } from './requests.ts';

const { values } = parseArgs({
  options: {
    repeats: { type: 'string', default: '9' },
    only: { type: 'string' },
  },
});

const SHAPES: Record<string, RequestShape> = {
  '20 locations, 200 vehicles': { locations: 20, vehicles: 200, classes: 1, isFractional: false },
  '263 locations, 13,000 vehicles': { locations: 263, vehicles: 13_000, classes: 1, isFractional: false },
  '1,000 locations, 100,000 vehicles': {
    locations: 1000,
    vehicles: 100_000,
    classes: 1,
    isFractional: false,
  },
  '73 locations, 600 vehicles, fractional': { locations: 73, vehicles: 600, classes: 1, isFractional: true },
  '263 locations, 8,000 vehicles, fractional': {
    locations: 263,
    vehicles: 8000,
    classes: 1,
    isFractional: true,
  },
  '1,000 locations, 50,000 vehicles, fractional': {
    locations: 1000,
    vehicles: 50_000,
    classes: 1,
    isFractional: true,
  },
  '263 locations, 2,600 vehicles, 3 classes': {
    locations: 263,
    vehicles: 2600,
    classes: 3,
    isFractional: true,
  },
  '263 locations, 8,000 vehicles, 3 classes': {
    locations: 263,
    vehicles: 8000,
    classes: 3,
    isFractional: true,
  },
};

for (const [name, shape] of Object.entries(SHAPES)) {
  if (values.only !== undefined && !name.includes(values.only)) continue;
  const { request, locations } = cityRequest(1, shape);
  const known = new Set(locations.map((location) => location.id));
  const times: number[] = [];
  let gap = '';
  for (let r = -2; r < Number(values.repeats); r++) {
    const startedMs = performance.now();
    if (checkRequest(request, known, 1).length > 0) throw new Error('the request has faults');
    const outcome = await optimize({ request, locations, settings: BENCH_SETTINGS });
    if (r >= 0) times.push(performance.now() - startedMs);
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    gap = `${(outcome.certificate.gap * 100).toFixed(3)} % (${outcome.certificate.method})`;
  }
  times.sort((a, b) => a - b);
  const at = (q: number) => times[Math.min(times.length - 1, Math.floor(q * times.length))].toFixed(1);
  const memory = Math.round(process.memoryUsage().rss / 1e6);
  console.log(
    `${name.padEnd(46)} ${at(0.5).padStart(8)} ms   ${at(0.1)} – ${at(0.9)}   gap ${gap}   ${memory} MB`,
  );
}

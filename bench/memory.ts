/**
 * `npm run bench:memory -- [--solves 10000]`: many solves of every kind in one thread, and the memory after each tenth
 * of them. It must stay flat: models are disposed, caches are bounded.
 */
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import { optimizeCached as optimize } from '../test/core/optimize/cached.ts';
import { readArguments, reportTable, whole } from './cli.ts';
import { createUniform } from './instances.ts';
import { BENCH_SETTINGS, cityRequest, type RequestShape } from './requests.ts';

const { solves, json } = readArguments({ solves: 10_000 });

type Kind = {
  shape: RequestShape;
  constraints?: NonNullable<OptimizeRequest['constraints']>;
  /** Random costs instead of great-circle ones. */
  hasNetwork?: boolean;
  explain?: boolean;
};

const shape = (locations: number, vehicles: number, classes = 1, isFractional = true): RequestShape => ({
  locations,
  vehicles,
  classes,
  isFractional,
});

const KINDS: Record<string, Kind> = {
  'whole demand': { shape: shape(20, 200, 1, false) },
  'whole demand, 60 locations': { shape: shape(60, 900, 1, false) },
  'fractional demand': { shape: shape(20, 200) },
  '3 capacities': { shape: shape(8, 40, 3) },
  'network costs, whole demand': { shape: shape(20, 200, 1, false), hasNetwork: true },
  'network costs, fractional demand': { shape: shape(20, 200), hasNetwork: true },
  'network costs, 3 capacities': { shape: shape(8, 40, 3), hasNetwork: true },
  'bounds per location': {
    shape: shape(15, 100),
    constraints: { min_vehicles_per_location: 1, max_vehicles_per_location: 20 },
  },
  'bounds per location, 3 capacities': {
    shape: shape(8, 40, 3),
    constraints: { min_vehicles_per_location: 1, max_vehicles_per_location: 12 },
  },
  'infeasible distance': { shape: shape(20, 200, 1, false), constraints: { max_distance: 2 } },
  'infeasible ceiling': { shape: shape(20, 100), constraints: { max_rebalancing_cost: 1 } },
  'infeasible, 3 capacities': { shape: shape(6, 30, 3), constraints: { total_fleet_size: 3 } },
  'explained, whole demand': { shape: shape(20, 200, 1, false), explain: true },
  'explained, fractional demand': { shape: shape(6, 30), explain: true },
  'explained, 3 capacities': { shape: shape(4, 16, 3), explain: true },
};
/** Explanations use all the time they get. */
const LIMIT_SECONDS = 0.2;

function randomNetwork(seed: number, location_ids: number[]): OptimizeRequest['network'] {
  const random = createUniform(seed);
  return { location_ids, costs: location_ids.map(() => location_ids.map(() => 30 * random())) };
}

const names = Object.keys(KINDS);
const counts = new Map<string, number>();
const columns = ['solves'];
const resident = ['resident'];
const heap = ['JavaScript heap'];
for (let i = 0; i < solves; i++) {
  const { shape, constraints, hasNetwork, explain } = KINDS[names[i % names.length]];
  const { request, locations } = cityRequest(i, shape);
  if (constraints) request.constraints = constraints;
  const ids = locations.map(({ id }) => id);
  if (hasNetwork) request.network = randomNetwork(i, ids);
  request.options = { time_limit_seconds: LIMIT_SECONDS, ...(explain && { explain }) };
  const outcome = await optimize({ request, locations, settings: BENCH_SETTINGS });
  if (outcome.status === 'error') throw new Error(`${names[i % names.length]} ${i}: ${outcome.message}`);
  const kind = `${names[i % names.length]}: ${outcome.status}`;
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
  if ((i + 1) % Math.ceil(solves / 10) === 0) {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    columns.push(whole(i + 1));
    resident.push(whole(rss / 1e6));
    heap.push(whole(heapUsed / 1e6));
    console.error(`${columns.at(-1)} solves: ${resident.at(-1)} MB resident, ${heap.at(-1)} MB heap`);
  }
}
for (const [kind, count] of counts) console.error(`${kind}: ${count}`);
reportTable({ columns, rows: [resident, heap] }, json);

/**
 * `npm run bench:memory -- [--solves 10000]`: many solves in one thread, of every kind, and the memory after each tenth of
 * them. It has to stay flat: models are disposed, caches are bounded.
 */
import { parseArgs } from 'node:util';
import { optimize } from '../src/core/optimize/optimize.ts';
import { cityRequest, type RequestShape, SETTINGS } from './requests.ts';

const { values } = parseArgs({ options: { solves: { type: 'string', default: '10000' } } });
const solves = Number(values.solves);

const SHAPES: RequestShape[] = [
  { locations: 20, vehicles: 200, classes: 1, isFractional: false },
  { locations: 20, vehicles: 200, classes: 1, isFractional: true },
  { locations: 12, vehicles: 60, classes: 3, isFractional: true },
  { locations: 60, vehicles: 900, classes: 1, isFractional: false },
];

const counts = new Map<string, number>();
for (let i = 0; i < solves; i++) {
  const { request, locations } = cityRequest(i, SHAPES[i % SHAPES.length]);
  const outcome = await optimize({ request, locations, settings: SETTINGS });
  counts.set(outcome.status, (counts.get(outcome.status) ?? 0) + 1);
  if ((i + 1) % Math.ceil(solves / 10) === 0) {
    globalThis.gc?.();
    console.log(`${i + 1} solves: ${Math.round(process.memoryUsage().rss / 1e6)} MB resident`);
  }
}
console.log(Object.fromEntries(counts));

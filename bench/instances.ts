/**
 * City-like instances from a seeded generator: random locations in a city of 45 × 42 km, 10–100 vehicles at each,
 * demand redistributed over the locations, 95 % of it required.
 */
import type { Coordinates } from '../src/core/geo.ts';

export type BenchInstance = {
  n: number;
  points: Coordinates[];
  supply: Int32Array;
  demand: Int32Array;
  required: number;
};

export const SERVICE_LEVEL = 0.95;

export function cityFlow(seed: number, n: number): BenchInstance {
  const random = createUniform(seed);
  const points = Array.from({ length: n }, () => ({
    latitude: 40.5 + 0.4 * random(),
    longitude: -74.25 + 0.5 * random(),
  }));
  const supply = Int32Array.from({ length: n }, () => 10 + Math.floor(91 * random()));
  const demand = Int32Array.from({ length: n }, () => 10 + Math.floor(91 * random()));
  // Random demand may exceed the fleet; the excess is removed evenly.
  const fleet = sum(supply);
  const factor = Math.min(1, fleet / sum(demand));
  for (let j = 0; j < n; j++) demand[j] = Math.floor(demand[j] * factor);
  return { n, points, supply, demand, required: Math.ceil(SERVICE_LEVEL * sum(demand)) };
}

/** mulberry32: 0 ≤ value < 1 */
export function createUniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function sum(values: Int32Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

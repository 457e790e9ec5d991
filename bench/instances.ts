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

/** Vehicles per location, and demand as a share of the fleet, of the evening's cities. */
const VEHICLES = [10, 30, 100];
const DEMAND_SHARES = [0.6, 0.9, 1, 1.05];

/**
 * A city in the evening: the suburbs are full, the centre needs vehicles, and nearly all of them cross the town. Three
 * quarters of the locations stand in clusters. Seeds take turns in vehicles per location and in demand.
 */
export function eveningFlow(seed: number, n: number): BenchInstance {
  const random = createUniform(7919 * n + seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const clusters = Array.from({ length: Math.max(3, Math.round(Math.sqrt(n) / 2)) }, () => ({
    x: 40 * random(),
    y: 30 * random(),
    km: 0.8 + 2.5 * random(),
  }));
  const places = Array.from({ length: n }, () => {
    if (random() >= 0.75) return { x: 40 * random(), y: 30 * random() };
    const { x, y, km } = clusters[Math.floor(clusters.length * random())];
    return { x: within(x + km * normal(), 40), y: within(y + km * normal(), 30) };
  });
  const toCentre = places.map(({ x, y }) => Math.hypot(x - 20, y - 15));
  const fleet = n * VEHICLES[seed % VEHICLES.length];
  const wanted = Math.round(fleet * DEMAND_SHARES[seed % DEMAND_SHARES.length]);
  const supply = shared(
    fleet,
    toCentre.map((km) => Math.exp(normal()) * (0.6 + km / 20)),
  );
  const demand = shared(
    wanted,
    toCentre.map((km) => Math.exp(normal()) * (0.4 + Math.exp(-km / 8))),
  );
  return flowOf(places, supply, demand);
}

/** All vehicles in one depot at the edge of the town. */
export function depotFlow(seed: number, n: number): BenchInstance {
  const { points, supply, demand, required } = eveningFlow(seed, n);
  const all = new Int32Array(n);
  all[0] = sum(supply);
  return { n, points, supply: all, demand, required: Math.min(required, all[0]) };
}

/** All demand in one place. */
export function onePlaceFlow(seed: number, n: number): BenchInstance {
  const { points, supply, demand, required } = eveningFlow(seed, n);
  const all = new Int32Array(n);
  all[0] = sum(demand);
  return { n, points, supply, demand: all, required };
}

/** A grid of 500 m, full of ties: the western half holds the vehicles, and the eastern half wants them. */
export function gridFlow(seed: number, n: number): BenchInstance {
  const width = Math.ceil(Math.sqrt(n));
  const places = Array.from({ length: n }, (_, i) => ({ x: (i % width) / 2, y: Math.floor(i / width) / 2 }));
  const isWest = ({ x }: Place) => x < width / 4;
  const supply = Int32Array.from(places, (place) => (isWest(place) ? 10 + (seed % 3) : 0));
  const demand = Int32Array.from(places, (place) => (isWest(place) ? 0 : 9));
  return flowOf(places, supply, demand);
}

type Place = { x: number; y: number };

/** @param places kilometres from the south-western corner */
function flowOf(places: readonly Place[], supply: Int32Array, demand: Int32Array): BenchInstance {
  const kmPerDegree = 111.195;
  const points = places.map(({ x, y }) => ({
    latitude: 40.6 + y / kmPerDegree,
    longitude: -74.2 + x / (kmPerDegree * Math.cos((40.73 * Math.PI) / 180)),
  }));
  const required = Math.min(Math.ceil(SERVICE_LEVEL * sum(demand)), sum(supply));
  return { n: places.length, points, supply, demand, required };
}

const within = (value: number, most: number) => Math.min(most, Math.max(0, value));

/** So many whole units in proportion to weights: the largest remainders get what is left. */
function shared(units: number, weights: readonly number[]): Int32Array {
  const all = weights.reduce((total, weight) => total + weight, 0);
  const exact = weights.map((weight) => (units * weight) / all);
  const parts = Int32Array.from(exact, Math.floor);
  const byRest = [...parts.keys()].sort((a, b) => exact[b] - parts[b] - (exact[a] - parts[a]));
  for (let left = units - sum(parts), r = 0; left > 0; left--, r++) parts[byRest[r]]++;
  return parts;
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

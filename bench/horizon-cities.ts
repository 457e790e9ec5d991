/**
 * Problems of many steps: the sample, cities of random places, and hard ones among them.
 *
 * Cities are places at random with weights of their own, demand that shifts through the day, and trips by gravity.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { shareTrips } from '../src/core/optimize/horizon/trip-shares.ts';
import type { HorizonProblem, TravelPairs } from '../src/core/optimize/horizon/types.ts';
import { createUniform } from './instances.ts';

export const UNITS_PER_KM = 1e4;
const TRIPS_PER_HOUR = 2;

const readSample = (name: string) => {
  const file = readFileSync(path.join(import.meta.dirname, '../data/nyc', name));
  const text = (name.endsWith('.gz') ? gunzipSync(file) : file).toString();
  return text.trim().split('\n').slice(1);
};

export type HorizonCity = {
  n: number;
  trips: Float64Array;
  pairs: TravelPairs;
  demandAt(hour: number): Float64Array;
  /** n: weights of where vehicles stand at first; absent: in proportion to the demand of the day. */
  stands?: Float64Array;
};

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

export function sampleCity(): HorizonCity {
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

export type CityOptions = {
  n: number;
  vehicles: number;
  /** Trips that are wanted in the busiest hours, per trip that the vehicles serve. */
  load: number;
  seed?: number;
  /** Weight of one place as an end of trips, in those of all places together. */
  hub?: number;
  /** Clusters in which places lie, demand in the first of them and trips to all others; absent: none. */
  suburbs?: number;
  /** Times as many minutes per trip. */
  slowness?: number;
};

export function randomCity({
  n,
  vehicles,
  load,
  seed = 5,
  hub = 0,
  suburbs = 0,
  slowness = 1,
}: CityOptions): HorizonCity {
  const random = createUniform(seed);
  const side = Math.sqrt(n / 73) * 8;
  const places = Array.from({ length: n }, () => [side * random(), side * random()]);
  const centres = Array.from({ length: suburbs }, () => [side * random(), side * random()]);
  const clusterOf = (j: number) => j % Math.max(1, suburbs);
  if (suburbs > 0) {
    for (const [j, place] of places.entries()) {
      const centre = centres[clusterOf(j)];
      places[j] = place.map((at, axis) => 0.15 * at + 0.85 * centre[axis]);
    }
  }
  const km = new Float64Array(n * n);
  const minutes = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      km[i * n + j] = 1.3 * Math.hypot(places[i][0] - places[j][0], places[i][1] - places[j][1]);
      minutes[i * n + j] = slowness * (5 + 3 * km[i * n + j]);
    }
  }
  const inCentre = (j: number) => suburbs > 0 && clusterOf(j) === 0;
  const weights = places.map(
    (_, j) => (inCentre(j) ? suburbs : 1) * Math.exp(2.4 * (random() + random() + random() - 1.5)),
  );
  const pulls = weights.map((weight, j) => (inCentre(j) ? weight / suburbs ** 2 : weight) * (0.5 + random()));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  pulls[0] += hub * pulls.reduce((sum, pull) => sum + pull, 0);
  const trips = km.map((far, a) => weights[Math.floor(a / n)] * pulls[a % n] * Math.exp(-far / 5));
  const demandAt = (hour: number) =>
    Float64Array.from(weights, (weight, j) => {
      const ofDay = 0.3 + 0.7 * Math.sin(((hour + 4) * Math.PI) / 24) ** 2;
      const ofPlace = 1 + 0.4 * Math.sin(hour * 0.4 + j);
      return Number(((vehicles * TRIPS_PER_HOUR * load * ofDay * ofPlace * weight) / all).toFixed(3));
    });
  const stands = Float64Array.from(weights, (_, j) => (suburbs === 0 || !inCentre(j) ? 1 : 0));
  return { n, trips, pairs: pairsOf(n, km, minutes), demandAt, ...(suburbs > 0 && { stands }) };
}

/** `crowded`: the vehicles stand at so many places at first; absent: as the city says. */
export type HorizonCase = {
  crowded?: number;
  hour: number;
  steps: number;
  vehicles: number;
  hasFlows: boolean;
  price: number;
  level?: number;
};

export function problemOf(
  city: HorizonCity,
  { hour, steps, vehicles, hasFlows, price, level = 0, crowded }: HorizonCase,
): HorizonProblem {
  const { n, trips, pairs } = city;
  const demand = Float64Array.from(
    { length: steps * n },
    (_, u) => city.demandAt(hour + Math.floor(u / n))[u % n],
  );
  const day = new Float64Array(n);
  for (let h = 0; h < 24; h++) for (const [j, value] of city.demandAt(h).entries()) day[j] += value;
  const stands = city.stands ?? day;
  const total = stands.reduce((sum, value) => sum + value, 0);
  const supply = new Int32Array(steps * n);
  for (let j = 0; j < n; j++) supply[j] = Math.round((vehicles * stands[j]) / total);
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

/** A kind of hard problem: 263 places and 24 steps with trip flows. */
export type HardKind = { name: string; city: Partial<CityOptions>; price: number; level?: number };

const HARD_PLACES = 263;
const HARD_STEPS = 24;
const HARD_VEHICLES = 12_000;

export const HARD_KINDS: readonly HardKind[] = [
  { name: 'a trip is worth 6 km', city: {}, price: 6 },
  { name: 'a trip is worth 2 km', city: {}, price: 2 },
  { name: 'a trip is worth 50 km, too few vehicles', city: { load: 1.2 }, price: 50 },
  { name: 'a third of all trips to one place', city: { hub: 0.5 }, price: 6 },
  { name: 'suburbs full, the centre short', city: { suburbs: 6 }, price: 6 },
  { name: 'half the vehicles that are wanted', city: { load: 1.6 }, price: 6 },
  { name: 'twice the vehicles that are wanted', city: { load: 0.4 }, price: 6 },
  { name: 'moves of up to four steps', city: { slowness: 4 }, price: 6 },
  { name: '95 % of the trips', city: {}, price: 0, level: 0.95 },
  { name: 'a level out of reach', city: { load: 1.6 }, price: 0, level: 1 },
];

/** @param seed of the city: where its places are and what is wanted there */
export function hardProblem({ city, price, level = 0 }: HardKind, seed: number): HorizonProblem {
  const made = randomCity({ n: HARD_PLACES, vehicles: HARD_VEHICLES, load: 0.8, seed, ...city });
  return problemOf(made, {
    hour: 0,
    steps: HARD_STEPS,
    vehicles: HARD_VEHICLES,
    hasFlows: true,
    price,
    level,
  });
}

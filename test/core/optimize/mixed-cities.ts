/**
 * Problems that are not a pure network, from a seeded generator: several capacities or fractional demand; demand 90 %
 * of the capacity, 95 % of it required.
 */

import { createUniform, eveningFlow, SERVICE_LEVEL } from '../../../bench/instances.ts';
import type { LocationPoint, Problem } from '../../../src/core/optimize/problem/model.ts';
import { greatCircleNetwork } from '../../../src/core/optimize/problem/network.ts';
import { NO_PAIR_LIMITS } from '../../../src/core/optimize/problem/pairs.ts';
import { newCaches, threadCache } from './cached.ts';

export type MixedShape = { n: number; perLocation: number; capacities: number[] };

/** On average `perLocation` vehicles at each of n random locations of a city. */
export function createMixedProblem(seed: number, { n, perLocation, capacities }: MixedShape): Problem {
  const random = createUniform(seed);
  const points = Array.from({ length: n }, (_, id) => ({
    id,
    latitude: 40.5 + 0.4 * random(),
    longitude: -74.25 + 0.5 * random(),
  }));
  const supply = new Int32Array(capacities.length * n);
  let capacity = 0;
  let vehicles = 0;
  for (let i = 0; i < n; i++) {
    for (let v = Math.floor(random() * (2 * perLocation + 1)); v > 0; v--) {
      const k = Math.floor(random() * capacities.length);
      supply[k * n + i]++;
      capacity += capacities[k];
      vehicles++;
    }
  }
  const weights = Float64Array.from({ length: n }, () => random());
  const total = weights.reduce((a, b) => a + b, 0);
  return problemOf(points, {
    capacities,
    supply,
    demand: weights.map((w) => Math.round((w / total) * capacity * 90) / 100),
    vehicles,
  });
}

/** The city of `eveningFlow`: each vehicle has one of the capacities, and demand its share of their sum. */
export function createEveningProblem(seed: number, n: number, capacities: number[]): Problem {
  const { points, supply: all, demand } = eveningFlow(seed, n);
  const random = createUniform(seed);
  const supply = new Int32Array(capacities.length * n);
  let capacity = 0;
  let vehicles = 0;
  for (let i = 0; i < n; i++) {
    for (let v = all[i]; v > 0; v--) {
      const k = Math.floor(random() * capacities.length);
      supply[k * n + i]++;
      capacity += capacities[k];
      vehicles++;
    }
  }
  const each =
    capacity /
    Math.max(
      vehicles,
      demand.reduce((a, b) => a + b, 0),
    );
  return problemOf(
    points.map((point, id) => ({ ...point, id })),
    {
      capacities,
      supply,
      demand: Float64Array.from(demand, (d) => Math.round(d * each * 100) / 100),
      vehicles,
    },
  );
}

type Fleet = { capacities: number[]; supply: Int32Array; demand: Float64Array; vehicles: number };

function problemOf(points: LocationPoint[], { capacities, supply, demand, vehicles }: Fleet): Problem {
  return {
    locationIds: Int32Array.from(points, ({ id }) => id),
    capacities: Float64Array.from(capacities),
    supply,
    demand,
    ...greatCircleNetwork(points, 1, threadCache),
    caches: newCaches(),
    limits: {
      maxDistanceKm: 100,
      minServiceLevel: SERVICE_LEVEL,
      maxCostUnits: Number.POSITIVE_INFINITY,
      minVehiclesPerLocation: 0,
      maxVehiclesPerLocation: Number.POSITIVE_INFINITY,
      totalFleetSize: Number.POSITIVE_INFINITY,
      ...NO_PAIR_LIMITS,
    },
    fleet: {
      request: new Int32Array(vehicles),
      location: new Int32Array(vehicles),
      capacityClass: new Int32Array(vehicles),
    },
    capacityPerVehicle: 1,
    servedPerUnit: 1,
  };
}

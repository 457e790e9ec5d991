/**
 * Requests as clients send them, from a seeded generator, for the whole way from a parsed request to a verified plan.
 */
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import type { LocationPoint, OptimizeSettings } from '../src/core/optimize/problem/model.ts';
import { createUniform } from './instances.ts';

export const BENCH_SETTINGS: OptimizeSettings = {
  maxDistanceKm: 100,
  minServiceLevel: 0.95,
  maxRebalancingCost: null,
  capacityPerVehicle: 1,
  tripsPerVehicleHour: null,
  timeLimitSeconds: 60,
  maxTimeLimitSeconds: 600,
  optimalityGap: 0.01,
  costPerKm: 1,
};

export type RequestShape = { locations: number; vehicles: number; classes: number; isFractional: boolean };

/**
 * A city whose vehicles (capacities 1 … classes) are at some locations and needed at others; 80 % of the fleet is
 * needed.
 */
export function cityRequest(
  seed: number,
  shape: RequestShape,
): { request: OptimizeRequest; locations: LocationPoint[] } {
  const random = createUniform(seed);
  const locations = Array.from({ length: shape.locations }, (_, id) => ({
    id,
    latitude: 40.5 + 0.4 * random(),
    longitude: -74.25 + 0.5 * random(),
  }));
  const vehicles = Array.from({ length: shape.vehicles }, (_, v) => ({
    id: `V${v}`,
    location: Math.floor(random() * random() * shape.locations),
    capacity: 1 + Math.floor(random() * shape.classes),
  }));
  const weights = locations.map(() => random());
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const capacity = vehicles.reduce((sum, vehicle) => sum + vehicle.capacity, 0);
  const decimals = shape.isFractional ? 1e3 : 1;
  const demand = weights.map((weight) => Math.floor((weight / total) * 0.8 * capacity * decimals) / decimals);
  return {
    request: {
      demand_forecast: Object.fromEntries(demand.map((value, id) => [String(id), [value]])),
      fleet_state: { vehicles },
    },
    locations,
  };
}

import type { FleetVehicle } from '../../contracts/data.ts';
import type { VehicleStatus } from '../../contracts/vehicles.ts';

/** New York's yellow cabs: as many as the city has medallions. */
export const SAMPLE_FLEET_SIZE = 13_587;
/** Trips that a cab serves in an hour, which is the step of a decision. */
const SAMPLE_VEHICLE_CAPACITY = 2;
const SEED = 2017;

/** Shares of the statuses, summing to 1. */
const STATUS_SHARES: readonly [VehicleStatus, number][] = [
  ['operational', 0.92],
  ['maintenance', 0.05],
  ['downtime', 0.03],
];

/**
 * Generates the sample fleet, since the sample has no vehicle data. The probability of a vehicle's location is
 * proportional to the location's mean demand, times a factor between 0.25 and 1.75 that is drawn once per location. So
 * some locations have too many vehicles and others too few, and a plan has something to move.
 *
 * Deterministic: the same means give the same fleet on every machine (integer generator, only + and ×).
 * @param meanDemand of each location, in a fixed order
 */
export function generateFleet(meanDemand: readonly { locationId: number; mean: number }[]): FleetVehicle[] {
  if (meanDemand.length === 0) return [];
  const random = mulberry32(SEED);
  const weighted = meanDemand.map(({ locationId, mean }) => ({
    item: locationId,
    weight: mean * (0.25 + 1.5 * random()),
  }));
  const statuses = STATUS_SHARES.map(([item, weight]) => ({ item, weight }));
  return Array.from({ length: SAMPLE_FLEET_SIZE }, (_, i) => ({
    vehicle_id: `NYC-${String(i + 1).padStart(5, '0')}`,
    location_id: draw(weighted, random()),
    status: draw(statuses, random()),
    capacity: SAMPLE_VEHICLE_CAPACITY,
  }));
}

/** The item at a position from [0, 1), if each item takes a part of that range in proportion to its weight. */
function draw<T>(items: readonly { item: T; weight: number }[], at: number): T {
  const total = items.reduce((sum, { weight }) => sum + weight, 0);
  let rest = at * total;
  for (const { item, weight } of items) {
    rest -= weight;
    if (rest < 0) return item;
  }
  return items[items.length - 1].item;
}

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state, uniform in [0, 1); for samples, not for secrets. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Cities in which a little more demand can change much of a plan, from a seeded generator: surplus outside, need in the
 * centre, and costs of a street grid, where many plans cost the same.
 */

import { createUniform } from '../../../../bench/instances.ts';
import type { OptimizeRequest, VehicleInput } from '../../../../src/contracts/optimize.ts';

export const CHURN_KINDS = ['whole loads', 'fractional demand', 'three capacities'] as const;
export type ChurnKind = (typeof CHURN_KINDS)[number];

export type ChurnCity = {
  /** Without options; `more`: the same with 0.2 % more demand, at random places. */
  request: OptimizeRequest;
  more: OptimizeRequest;
};

/** Share of the vehicles that the centre needs; the others are surplus, or serve where they are. */
const CENTRE_LOAD = 0.735;
const MORE = 0.002;
/** Of 1, 2 or 3 units with several capacities. */
const CAPACITIES = [1, 2, 3];

/**
 * @param side of the square grid; a quarter of its locations, in the middle, have most of the demand
 * @param fleet vehicles, nearly all outside the centre
 */
export function churnCity(
  seed: number,
  kind: ChurnKind,
  { side = 12, fleet = 2000 }: { side?: number; fleet?: number } = {},
): ChurnCity {
  const random = createUniform(seed);
  const locationIds = Array.from({ length: side * side }, (_, id) => id);
  const at = (id: number) => [id % side, Math.floor(id / side)];
  const isCentre = (id: number) => at(id).every((x) => x >= side / 4 && x < (3 * side) / 4);
  const outside = locationIds.filter((id) => !isCentre(id));
  const isMixed = kind === 'three capacities';
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const vehicles: VehicleInput[] = Array.from({ length: fleet }, (_, v) => ({
    id: `V${v}`,
    location: pick(outside),
    capacity: isMixed ? pick(CAPACITIES) : 1,
  }));
  const capacity = vehicles.reduce((sum, vehicle) => sum + vehicle.capacity!, 0);
  const weights = locationIds.map((id) => (isCentre(id) ? 0.5 + random() : 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const isWhole = kind === 'whole loads';
  const units = isWhole ? 1 : 100;
  const demand = weights.map(
    (weight) => Math.round((weight / total) * CENTRE_LOAD * capacity * units) / units,
  );
  const more = demand.slice();
  const sum = demand.reduce((all, value) => all + value, 0);
  const parts = Math.max(1, Math.round(MORE * sum));
  for (let part = 0; part < parts; part++) {
    const id = pick(locationIds);
    more[id] = Math.round((more[id] + (isWhole ? 1 : (MORE * sum) / parts)) * units) / units;
  }
  const costs = locationIds.map((i) =>
    locationIds.map((j) => Math.abs(at(i)[0] - at(j)[0]) + Math.abs(at(i)[1] - at(j)[1])),
  );
  const requestOf = (values: number[]): OptimizeRequest => ({
    demand_forecast: Object.fromEntries(values.map((value, id) => [String(id), [value]])),
    fleet_state: { vehicles },
    constraints: { min_service_level: 1 },
    network: { location_ids: locationIds, costs },
  });
  return { request: requestOf(demand), more: requestOf(more) };
}

/** Tries every plan of a small request, straight from the request and the specification. Shares no code with the optimizer. */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../../src/core/optimize/model.ts';
import { SETTINGS } from './instances.ts';

/**
 * @returns the least cost in units of 1e-4, or null where no plan keeps every constraint
 */
export function cheapestByTryingAll(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
): { costUnits: number } | null {
  const c = request.constraints ?? {};
  const defaultCapacity = c.capacity_per_vehicle ?? SETTINGS.capacityPerVehicle;
  const vehicles = request.fleet_state.vehicles
    .filter((v) => v.status === undefined || v.status === 'operational')
    .map((v) => ({ location: v.location!, capacity: v.capacity ?? defaultCapacity }));
  const ids = [
    ...new Set([
      ...(request.network?.location_ids ?? []),
      ...Object.keys(request.demand_forecast).map(Number),
      ...request.fleet_state.vehicles.map((v) => v.location!),
    ]),
  ];
  const demand = new Map(
    Object.entries(request.demand_forecast).map(([id, steps]) => [Number(id), plan(steps)]),
  );
  function plan(steps: number[]): number {
    const sum = steps.reduce((a, b) => a + b, 0);
    switch (request.options?.demand_aggregation ?? 'peak') {
      case 'peak':
        return Math.max(...steps);
      case 'mean':
        return sum / steps.length;
      case 'first':
        return steps[0];
      case 'sum':
        return sum;
    }
  }
  const totalDemand = [...demand.values()].reduce((a, b) => a + b, 0);
  const level = c.min_service_level ?? SETTINGS.minServiceLevel;
  const ceiling = c.max_rebalancing_cost === undefined ? SETTINGS.maxRebalancingCost : c.max_rebalancing_cost;
  const unitCost = new Map<string, number>();
  for (const from of ids)
    for (const to of ids) unitCost.set(`${from},${to}`, costUnits(request, locations, from, to));

  let best: number | null = null;
  const targets: number[] = [];
  const visit = (at: number, cost: number) => {
    if (best !== null && cost >= best) return;
    if (at < vehicles.length) {
      for (const id of ids) {
        targets.push(id);
        visit(at + 1, cost + unitCost.get(`${vehicles[at].location},${id}`)!);
        targets.pop();
      }
      return;
    }
    if (cost === Number.POSITIVE_INFINITY) return;
    if (ceiling !== null && cost > Math.round(ceiling * 1e4)) return;
    for (const id of ids) {
      const present = targets.filter((t) => t === id).length;
      if (present < (c.min_vehicles_per_location ?? 0)) return;
      if (present > (c.max_vehicles_per_location ?? Number.POSITIVE_INFINITY)) return;
    }
    if (mostServed() < level * totalDemand - 1e-9 * totalDemand) return;
    best = cost;
  };
  /** Over every subset of at most total_fleet_size vehicles. */
  function mostServed(): number {
    const limit = c.total_fleet_size ?? vehicles.length;
    let most = 0;
    for (let subset = 0; subset < 1 << vehicles.length; subset++) {
      let serving = 0;
      const capacity = new Map<number, number>();
      for (let v = 0; v < vehicles.length; v++) {
        if ((subset & (1 << v)) === 0) continue;
        serving++;
        capacity.set(targets[v], (capacity.get(targets[v]) ?? 0) + vehicles[v].capacity);
      }
      if (serving > limit) continue;
      let served = 0;
      for (const [id, wanted] of demand) served += Math.min(wanted, capacity.get(id) ?? 0);
      most = Math.max(most, served);
    }
    return most;
  }
  visit(0, 0);
  return best === null ? null : { costUnits: best };
}

/** Cost of one move in units of 1e-4, Infinity where it is not allowed. */
function costUnits(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  from: number,
  to: number,
): number {
  if (from === to) return 0;
  const limit = request.constraints?.max_distance ?? SETTINGS.maxDistanceKm;
  if (request.network) {
    const { location_ids, costs, distances_km } = request.network;
    const i = location_ids.indexOf(from);
    const j = location_ids.indexOf(to);
    const cost = costs[i][j];
    if (cost === null || (distances_km && distances_km[i][j]! > limit)) return Number.POSITIVE_INFINITY;
    // Test networks have costs of at most 4 decimals.
    return Math.round(cost * 1e4);
  }
  const a = locations.find((p) => p.id === from)!;
  const b = locations.find((p) => p.id === to)!;
  const rad = Math.PI / 180;
  // Spherical law of cosines, exact enough at the distances of the tests.
  const cosine =
    Math.sin(a.latitude * rad) * Math.sin(b.latitude * rad) +
    Math.cos(a.latitude * rad) * Math.cos(b.latitude * rad) * Math.cos((a.longitude - b.longitude) * rad);
  const km = 6371.0088 * Math.acos(Math.min(1, cosine));
  if (km > limit) return Number.POSITIVE_INFINITY;
  return a.latitude === b.latitude && a.longitude === b.longitude ? 0 : Math.ceil(km * 1e4);
}

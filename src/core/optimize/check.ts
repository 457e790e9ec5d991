/**
 * Faults of a request that its JSON schema cannot say: they lie between fields, or between the request and the
 * stored locations. One pass over vehicles, demand and network; O(vehicles + demand values + network cells).
 */
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import type { Constraints, OptimizeRequest, VehicleInput } from '../../contracts/optimize.ts';
import { checkNetwork } from './check-network.ts';

export type Fault = { field: string; message: string; detail: string | null };

/** Quantities past this cannot be summed exactly enough to prove a plan. */
export const LARGEST_QUANTITY = 1e9;
/** A capacity below this cannot be told from none by the solver. */
export const SMALLEST_CAPACITY = 1e-6;

/** Takes faults until the report is full. */
export type FaultList = {
  readonly full: boolean;
  add(field: string, message: string, detail?: string): void;
};

function faultList(faults: Fault[]): FaultList {
  return {
    get full() {
      return faults.length >= MAX_REPORTED_ERRORS;
    },
    add(field, message, detail) {
      if (faults.length < MAX_REPORTED_ERRORS) faults.push({ field, message, detail: detail ?? null });
    },
  };
}

/**
 * The location ids that a request names: demand keys, vehicles' locations, network locations.
 * @returns ascending, without duplicates
 */
export function namedLocationIds(request: OptimizeRequest): number[] {
  const ids = new Set<number>(request.network?.location_ids);
  for (const key of Object.keys(request.demand_forecast)) ids.add(Number(key));
  for (const vehicle of request.fleet_state.vehicles) {
    const id = vehicle.location ?? vehicle.location_id;
    if (id !== undefined) ids.add(id);
  }
  return [...ids].sort((a, b) => a - b);
}

/**
 * Cross-field faults of a request that already fits its schema.
 * @param knownLocationIds ids of the stored locations; not looked at where the request carries a `network`
 * @returns at most `MAX_REPORTED_ERRORS` faults; none where the request can be solved (or proved infeasible)
 */
export function checkRequest(request: OptimizeRequest, knownLocationIds: ReadonlySet<number>): Fault[] {
  const faults: Fault[] = [];
  const list = faultList(faults);
  const vehicleCount = request.fleet_state.vehicles.length;
  if (request.constraints) checkConstraints(request.constraints, list);
  if (request.network) checkNetwork(request.network, vehicleCount, list);
  const known = request.network ? new Set(request.network.location_ids) : knownLocationIds;
  const unknown = request.network
    ? 'is not in network.location_ids; add it there with its costs or leave it out'
    : 'is not a stored location; store it first (PUT /api/v1/data/locations) or supply a network';
  checkDemand(request, known, unknown, list);
  checkVehicles(request.fleet_state.vehicles, known, unknown, list);
  return faults;
}

const ALIASES = [
  ['max_distance', 'max_rebalancing_distance_km'],
  ['min_service_level', 'min_demand_coverage'],
] as const;

function checkConstraints(constraints: Constraints, list: FaultList): void {
  for (const [name, alias] of ALIASES) {
    if (constraints[name] !== undefined && constraints[alias] !== undefined) {
      list.add(
        `constraints.${alias}`,
        `${alias} (${constraints[alias]}) means the same as ${name} (${constraints[name]}); give only one of them`,
      );
    }
  }
  const { min_vehicles_per_location: least, max_vehicles_per_location: most } = constraints;
  if (least !== undefined && most !== undefined && least > most) {
    list.add(
      'constraints.min_vehicles_per_location',
      `${least} is above max_vehicles_per_location ${most}; lower it to at most ${most} or raise the maximum`,
    );
  }
  if (constraints.capacity_per_vehicle !== undefined) {
    checkCapacity(constraints.capacity_per_vehicle, 'constraints.capacity_per_vehicle', list);
  }
}

function checkDemand(
  request: OptimizeRequest,
  known: ReadonlySet<number>,
  unknown: string,
  list: FaultList,
): void {
  for (const [key, values] of Object.entries(request.demand_forecast)) {
    if (list.full) return;
    if (!known.has(Number(key))) list.add(`demand_forecast.${key}`, `location ${key} ${unknown}`);
    for (let t = 0; t < values.length; t++) {
      // NaN and infinities fail the comparison too.
      if (!(values[t] <= LARGEST_QUANTITY)) {
        list.add(
          `demand_forecast.${key}[${t}]`,
          `${values[t]} is above the largest demand ${LARGEST_QUANTITY}; state demand and capacity in a larger unit`,
        );
      }
    }
  }
}

function checkVehicles(
  vehicles: readonly VehicleInput[],
  known: ReadonlySet<number>,
  unknown: string,
  list: FaultList,
): void {
  const firstIndex = new Map<string, number>();
  for (let v = 0; v < vehicles.length; v++) {
    if (list.full) return;
    const vehicle = vehicles[v];
    const path = `fleet_state.vehicles[${v}]`;
    checkEither(vehicle, 'id', 'vehicle_id', path, list);
    checkEither(vehicle, 'location', 'location_id', path, list);
    const id = vehicle.id ?? vehicle.vehicle_id;
    if (id !== undefined) {
      const first = firstIndex.get(id);
      if (first === undefined) firstIndex.set(id, v);
      else {
        const name = vehicle.id === undefined ? 'vehicle_id' : 'id';
        list.add(
          `${path}.${name}`,
          `vehicle ${JSON.stringify(id)} is already at fleet_state.vehicles[${first}]; give every vehicle its own id`,
        );
      }
    }
    const location = vehicle.location ?? vehicle.location_id;
    if (location !== undefined && !known.has(location)) {
      const name = vehicle.location === undefined ? 'location_id' : 'location';
      list.add(`${path}.${name}`, `location ${location} ${unknown}`);
    }
    if (vehicle.capacity !== undefined) checkCapacity(vehicle.capacity, `${path}.capacity`, list);
  }
}

function checkEither(
  vehicle: VehicleInput,
  name: 'id' | 'location',
  other: 'vehicle_id' | 'location_id',
  path: string,
  list: FaultList,
): void {
  const both = vehicle[name] !== undefined && vehicle[other] !== undefined;
  const none = vehicle[name] === undefined && vehicle[other] === undefined;
  if (both) list.add(`${path}.${other}`, `${other} means the same as ${name}; give only one of them`);
  if (none) list.add(`${path}.${name}`, `${name} is missing and has to be given (${other} is accepted too)`);
}

function checkCapacity(capacity: number, field: string, list: FaultList): void {
  if (capacity < SMALLEST_CAPACITY) {
    list.add(
      field,
      `${capacity} is below the smallest capacity ${SMALLEST_CAPACITY}; state demand and capacity in a smaller unit`,
    );
  } else if (!(capacity <= LARGEST_QUANTITY)) {
    list.add(
      field,
      `${capacity} is above the largest capacity ${LARGEST_QUANTITY}; state demand and capacity in a larger unit`,
    );
  }
}

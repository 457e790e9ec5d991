/**
 * Faults of a request that its JSON schema cannot express: between fields, between the request and the stored
 * locations, or of the problem as a whole. Passes over vehicles, demand and network; O(vehicles + demand values +
 * network cells).
 */
import { MAX_CAPACITY, MAX_DEMAND, MIN_CAPACITY } from '../../../contracts/bounds.ts';
import { usesStoredTravel } from '../../../contracts/job-facts.ts';
import {
  boundedLocationIds,
  type Constraints,
  type OptimizeRequest,
  type VehicleInput,
} from '../../../contracts/optimize.ts';
import type { RequestFault } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import { type CapacitySettings, isOperational, readCapacity } from './capacity.ts';
import { checkNetwork } from './check-network.ts';
import { planningDemand } from './demand.ts';
import { type FaultList, faultList } from './fault-list.ts';
import { checkHorizon, withArrivals } from './horizon.ts';
import { asksForPairs } from './limits.ts';
import { checkLocationBounds, readLocationBounds } from './location-bounds.ts';
import { checkMoveCosts, needsMatrix } from './move-costs.ts';
import { countPlaces, hasPinnedPlaces } from './pinned.ts';
import { asksForStability, checkPrevious } from './previous.ts';
import { checkPriorities } from './priorities.ts';
import {
  MIN_LOAD,
  refuseClasses,
  refuseExplanation,
  refuseLittleDemand,
  refuseMatrices,
  refuseMatrix,
  refusePinnedPlaces,
  refuseTargets,
  refuseTrips,
} from './refusals.ts';
import { checkUnmetCost } from './unmet-cost.ts';

/**
 * The location ids that a request names in demand keys, vehicles, network and constraints by location.
 * @returns ascending, without duplicates
 */
export function namedLocationIds(request: OptimizeRequest): number[] {
  const ids = new Set<number>(request.network?.location_ids);
  for (const id of boundedLocationIds(request.constraints)) ids.add(id);
  for (const key of Object.keys(request.demand_forecast)) ids.add(Number(key));
  for (const vehicle of request.fleet_state.vehicles) {
    const id = vehicle.location ?? vehicle.location_id;
    if (id !== undefined) ids.add(id);
  }
  return [...ids].sort((a, b) => a - b);
}

/**
 * Cross-field faults of a request that already matches its schema.
 * @param knownLocationIds ids of the stored locations; ignored if the request carries a `network`
 * @returns at most `MAX_REPORTED_ERRORS` faults; empty if the request can be solved (or proved infeasible)
 */
export function checkRequest(
  request: OptimizeRequest,
  knownLocationIds: ReadonlySet<number>,
  settings: CapacitySettings,
): RequestFault[] {
  const faults: RequestFault[] = [];
  const list = faultList(faults);
  const vehicleCount = request.fleet_state.vehicles.length;
  if (request.constraints) checkAliases(request.constraints, list);
  checkMoveCosts(request, list);
  checkPrevious(request, list);
  checkHorizon(request, list);
  if (request.network) checkNetwork(request.network, vehicleCount, list);
  const known = request.network ? new Set(request.network.location_ids) : knownLocationIds;
  const unknown = request.network
    ? 'is not in network.location_ids; add it there with its costs or leave it out'
    : 'is not a stored location; store it first (PUT /api/v1/data/locations) or supply a network';
  if (request.constraints) checkLocationBounds(request.constraints, known, unknown, list);
  checkUnmetCost(request, known, unknown, list);
  checkPriorities(request.constraints, known, unknown, list);
  checkDemand(request, known, unknown, list);
  checkVehicles(request.fleet_state.vehicles, known, unknown, list);
  return faults.length > 0 ? faults : findRefusals(withArrivals(request), settings);
}

/** Faults of a request whose fields are all valid, but whose problem the optimizer does not accept. */
function findRefusals(request: OptimizeRequest, settings: CapacitySettings): RequestFault[] {
  const { constraints = {}, network, options = {} } = request;
  const capacity = readCapacity(request, settings);
  const capacities = new Set<number>();
  const pinned = new Set<number>();
  const isPlaced = hasPinnedPlaces(request);
  for (const vehicle of request.fleet_state.vehicles) {
    if (!isOperational(vehicle)) continue;
    (vehicle.pinned === true && !isPlaced ? pinned : capacities).add(capacity.of(vehicle));
  }
  const faults: (RequestFault | null)[] = [];
  const stated = [...capacities, ...pinned];
  for (const served of stated.length > 0 ? stated : [capacity.of({})]) {
    if (served >= MIN_CAPACITY && served <= MAX_CAPACITY) continue;
    faults.push(refuseTrips(served, capacity.servedPerUnit));
    break;
  }
  if (capacities.size === 1) {
    const [served] = capacities;
    const total = demandUpTo(request, MIN_LOAD * served);
    if (total > 0 && total < MIN_LOAD * served) faults.push(refuseLittleDemand(total, served));
  }
  const ids = namedLocationIds(request);
  const isBounded = hasLocationBounds({ limits: readLocationBounds(request, ids) });
  const locations = countPlaces(request, ids.length);
  if (isPlaced && locations > MAX_MATRIX_LOCATIONS) faults.push(refusePinnedPlaces(locations));
  if (needsMatrix(request)) faults.push(refuseMatrix(ids.length, usesStoredTravel(options)));
  if (asksForStability(request) && ids.length > MAX_MATRIX_LOCATIONS) faults.push(refuseTargets(ids.length));
  if (asksForPairs(request) && !network && ids.length > MAX_MATRIX_LOCATIONS) {
    faults.push(refuseMatrices(ids.length));
  } else if (options.explain || capacities.size > 1 || isBounded) {
    if (options.explain) faults.push(refuseExplanation(locations));
    if (capacities.size > 1 || isBounded) {
      faults.push(
        refuseClasses({
          capacities: capacities.size,
          locations,
          hasIdle: constraints.total_fleet_size !== undefined,
          isBounded,
          floors: 0,
        }),
      );
      if (!network && locations > MAX_MATRIX_LOCATIONS) faults.push(refuseMatrices(locations));
    }
  }
  return faults.filter((fault) => fault !== null);
}

/** Total planning demand of all locations; stops adding once it reaches `enough`. */
function demandUpTo({ demand_forecast, options }: OptimizeRequest, enough: number): number {
  let total = 0;
  for (const [, demand] of planningDemand(demand_forecast, options?.demand_aggregation)) {
    total += demand;
    if (total >= enough) break;
  }
  return total;
}

const ALIASES = [
  ['max_distance', 'max_rebalancing_distance_km'],
  ['min_service_level', 'min_demand_coverage'],
] as const;

function checkAliases(constraints: Constraints, list: FaultList): void {
  for (const [name, alias] of ALIASES) {
    if (constraints[name] !== undefined && constraints[alias] !== undefined) {
      list.add(
        `constraints.${alias}`,
        `${alias} (${constraints[alias]}) means the same as ${name} (${constraints[name]}); give only one of them`,
      );
    }
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
      // NaN and infinities also fail this comparison.
      if (!(values[t] <= MAX_DEMAND)) {
        list.add(
          `demand_forecast.${key}[${t}]`,
          `${values[t]} is above the maximum demand ${MAX_DEMAND}; state demand and capacity in a larger unit`,
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
  const firstIndex = hasRepeatedId(vehicles) ? new Map<string, number>() : undefined;
  for (let v = 0; v < vehicles.length; v++) {
    if (list.full) return;
    const vehicle = vehicles[v];
    checkEither(vehicle, 'id', 'vehicle_id', v, list);
    checkEither(vehicle, 'location', 'location_id', v, list);
    const id = vehicle.id ?? vehicle.vehicle_id;
    if (firstIndex && id !== undefined) {
      const first = firstIndex.get(id);
      if (first === undefined) firstIndex.set(id, v);
      else {
        const name = vehicle.id === undefined ? 'vehicle_id' : 'id';
        list.add(
          `${pathOf(v)}.${name}`,
          `vehicle ${JSON.stringify(id)} is a duplicate of ${pathOf(first)}; give each ` +
            'vehicle its own id',
        );
      }
    }
    const location = vehicle.location ?? vehicle.location_id;
    if (location !== undefined && !known.has(location)) {
      const name = vehicle.location === undefined ? 'location_id' : 'location';
      list.add(`${pathOf(v)}.${name}`, `location ${location} ${unknown}`);
    }
  }
}

/** A set takes half the time of the map that names the first one. */
function hasRepeatedId(vehicles: readonly VehicleInput[]): boolean {
  const ids = new Set<string>();
  let count = 0;
  for (const { id, vehicle_id } of vehicles) {
    const given = id ?? vehicle_id;
    if (given === undefined) continue;
    ids.add(given);
    count++;
  }
  return ids.size < count;
}

/** Made only for a fault: a fleet has a hundred thousand vehicles. */
const pathOf = (v: number) => `fleet_state.vehicles[${v}]`;

function checkEither(
  vehicle: VehicleInput,
  name: 'id' | 'location',
  other: 'vehicle_id' | 'location_id',
  v: number,
  list: FaultList,
): void {
  const both = vehicle[name] !== undefined && vehicle[other] !== undefined;
  const none = vehicle[name] === undefined && vehicle[other] === undefined;
  if (both) list.add(`${pathOf(v)}.${other}`, `${other} means the same as ${name}; give only one of them`);
  if (none) list.add(`${pathOf(v)}.${name}`, `${name} is required but missing (${other} is accepted too)`);
}

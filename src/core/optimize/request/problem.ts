/**
 * Builds the problem's plain data from a checked request: locations, capacity classes, supply, planning demand,
 * costs.
 * O(vehicles + demand values + n), and O(n²) if the request gives a network, a cost per move or stored travel.
 */
import { MAX_COST } from '../../../contracts/bounds.ts';
import { usesStoredTravel } from '../../../contracts/job-facts.ts';
import type { OptimizeRequest, VehicleInput } from '../../../contracts/optimize.ts';
import { fromUnits, toUnitsUp } from '../problem/costs.ts';
import type {
  FleetIndex,
  LocationPoint,
  Network,
  OptimizeSettings,
  Pinned,
  PreviousPlan,
  Problem,
  TravelTable,
} from '../problem/model.ts';
import { givenNetwork, greatCircleNetwork } from '../problem/network.ts';
import { openDemand } from '../problem/pinned.ts';
import { withPinnedPlaces } from '../problem/pinned-places.ts';
import { minutesIn, travelNetwork } from '../problem/travel-network.ts';
import { type Cache, createCache } from '../run/cache.ts';
import type { Check } from '../run/stopping.ts';
import { isOperational, readCapacity } from './capacity.ts';
import { namedLocationIds } from './check.ts';
import { planningDemand } from './demand.ts';
import { readLimits, readPairCost } from './limits.ts';
import { readLocationBounds } from './location-bounds.ts';
import { hasFallback, needsMatrix, readRates } from './move-costs.ts';
import { hasPinnedPlaces, pinnedLocations } from './pinned.ts';
import { readPrevious } from './previous.ts';
import { readPriorities } from './priorities.ts';
import { RefusedError, refuseCosts } from './refusals.ts';
import { readUnmetCost } from './unmet-cost.ts';

/**
 * Builds the problem of a request that `checkRequest` has passed.
 * @param locations the stored locations that the request names; others are ignored
 * @param cache of the thread, kept across requests
 * @param check called every few milliseconds; it throws to stop the work
 * @param travel between the locations, if the request plans with stored travel
 * @param previous the plan that the request names
 * @throws RefusedError if a total cost would not be exact; Error if a named location is not among `locations`, and
 * what `check` throws
 */
export function buildProblem(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  settings: OptimizeSettings,
  cache: Cache,
  check?: Check,
  travel: TravelTable | null = null,
  previous: PreviousPlan | null = null,
): Problem {
  const locationIds = Int32Array.from(namedLocationIds(request));
  const position = new Map<number, number>();
  for (let i = 0; i < locationIds.length; i++) position.set(locationIds[i], i);
  const limits = readLimits(request, settings);
  const readNetworks = () => {
    const rates = readRates(request, settings);
    const refuseDear = (network: Network) =>
      refuseDearMoves(network, limits.maxDistanceKm, request.fleet_state.vehicles.length);
    if (request.network) {
      const network = givenNetwork(request.network, rates.perMove, locationIds, check);
      refuseDear(network);
      return { network, greatCircle: null };
    }
    const points = pointsInOrder(locations, locationIds);
    if (!needsMatrix(request)) return greatCircleNetwork(points, rates.perKm, cache);
    const isStored = usesStoredTravel(request.options);
    if (isStored && !travel) throw new Error('the stored travel of the request is missing');
    const network = travelNetwork(points, rates, isStored ? travel : null, hasFallback(request), check);
    refuseDear(network);
    return {
      network,
      greatCircle: null,
      ...(isStored && { minutesOf: minutesIn(travel!, locationIds) }),
    };
  };
  const capacity = readCapacity(request, settings);
  const pairCostUnits = readPairCost(request);
  const planned = demandByPosition(request, position);
  const { pinned, places, ...ofFleet } = classifyFleet(request, position, capacity.of, planned);
  const { bounds, ...ofLocations } = readLocationBounds(request, locationIds);
  const priorities = readPriorities(request, locations, locationIds, planned);
  const unmetCost = readUnmetCost(request, locationIds);
  const problem: Problem = {
    locationIds,
    ...ofFleet,
    demand: pinned ? leftOpen(planned, pinned, ofFleet.capacities) : planned,
    ...(priorities && { priorities }),
    ...readNetworks(),
    limits: { ...limits, ...ofLocations },
    ...(bounds && { bounds }),
    ...unmetCost,
    ...readPrevious(request, previous, ofFleet.fleet, position),
    ...(pinned && { pinned }),
    ...(pairCostUnits > 0 && { pairCostUnits }),
    capacityPerVehicle: (ofFleet.capacities.length === 0 && mostCommon(pinned)) || capacity.of({}),
    servedPerUnit: capacity.servedPerUnit,
    caches: { thread: cache, problem: createCache() },
  };
  if (!places) return problem;
  problem.greatCircle?.buildCosts(check ?? (() => {}));
  problem.greatCircle?.buildDistances(check ?? (() => {}));
  return withPinnedPlaces(problem, places.home, places.supply);
}

/** @throws RefusedError if all vehicles together could make moves whose total is not exact */
function refuseDearMoves({ costUnits, distanceKm }: Network, maxDistanceKm: number, vehicles: number): void {
  const most = MAX_COST / Math.max(1, vehicles);
  let dearest = 0;
  for (let a = 0; a < costUnits.length; a++) {
    if (costUnits[a] === Number.POSITIVE_INFINITY || (distanceKm && distanceKm[a] > maxDistanceKm)) continue;
    if (costUnits[a] > dearest) dearest = costUnits[a];
  }
  // Rounding up may lift a cost that the check let through beyond the limit, by less than a unit.
  if (dearest > toUnitsUp(most)) throw new RefusedError(refuseCosts(fromUnits(dearest), most));
}

function pointsInOrder(locations: readonly LocationPoint[], locationIds: Int32Array): LocationPoint[] {
  const byId = new Map(locations.map((point) => [point.id, point]));
  return Array.from(locationIds, (id) => {
    const point = byId.get(id);
    if (!point) throw new Error(`location ${id} has no stored coordinates`);
    return point;
  });
}

function demandByPosition(request: OptimizeRequest, position: ReadonlyMap<number, number>): Float64Array {
  const demand = new Float64Array(position.size);
  for (const [id, planned] of planningDemand(request.demand_forecast, request.options?.demand_aggregation)) {
    demand[position.get(id)!] = planned;
  }
  return demand;
}

function leftOpen(planned: Float64Array, pinned: Pinned, capacities: Float64Array): Float64Array {
  const load = capacities.length === 1 ? capacities[0] : null;
  return planned.map((d, j) => (pinned.vehicles[j] > 0 ? openDemand(d, pinned.capacity[j], load) : d));
}

/** The demand that most pinned vehicles serve each; on a tie the least. 0 without any. */
function mostCommon(pinned: Pinned | undefined): number {
  const [most = [0]] = [...(pinned?.byCapacity ?? [])].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return most[0];
}

/** Pinned vehicles, K × home.length, by the location where they are. */
type Places = { home: Int32Array; supply: Int32Array };

/**
 * Operational vehicles by capacity class and location, and the pinned ones: of no class, or, if they compete with the
 * others, by class and place.
 * @param capacityOf demand that a vehicle serves
 */
function classifyFleet(
  request: OptimizeRequest,
  position: ReadonlyMap<number, number>,
  capacityOf: (vehicle: VehicleInput) => number,
  demand: Float64Array,
): Pick<Problem, 'capacities' | 'supply' | 'fleet' | 'pinned'> & { places?: Places } {
  const operational: number[] = [];
  const vehicles = request.fleet_state.vehicles;
  for (let v = 0; v < vehicles.length; v++) {
    if (isOperational(vehicles[v])) operational.push(v);
  }
  const isPlaced = hasPinnedPlaces(request);
  const classed = isPlaced ? operational : operational.filter((v) => vehicles[v].pinned !== true);
  const capacities = Float64Array.from(new Set(classed.map((v) => capacityOf(vehicles[v])))).sort();
  const classOf = new Map(Array.from(capacities, (capacity, k) => [capacity, k]));
  const n = position.size;
  const supply = new Int32Array(capacities.length * n);
  const fleet: FleetIndex = {
    request: Int32Array.from(operational),
    location: new Int32Array(operational.length),
    capacityClass: new Int32Array(operational.length),
  };
  const byCapacity = new Map<number, number>();
  const pinned: Pinned | undefined =
    classed.length < operational.length
      ? { vehicles: new Int32Array(n), capacity: new Float64Array(n), demand, byCapacity }
      : undefined;
  const homes = isPlaced
    ? [...pinnedLocations(request)].map((id) => position.get(id)!).sort((a, b) => a - b)
    : [];
  const placeOf = new Map(homes.map((home, place) => [home, place]));
  const places = { home: Int32Array.from(homes), supply: new Int32Array(capacities.length * homes.length) };
  for (let f = 0; f < operational.length; f++) {
    const vehicle = vehicles[operational[f]];
    const i = position.get((vehicle.location ?? vehicle.location_id)!)!;
    fleet.location[f] = i;
    if (vehicle.pinned === true) {
      fleet.capacityClass[f] = -1;
      if (isPlaced) {
        places.supply[classOf.get(capacityOf(vehicle))! * homes.length + placeOf.get(i)!]++;
        continue;
      }
      pinned!.vehicles[i]++;
      pinned!.capacity[i] += capacityOf(vehicle);
      byCapacity.set(capacityOf(vehicle), (byCapacity.get(capacityOf(vehicle)) ?? 0) + 1);
      continue;
    }
    const k = classOf.get(capacityOf(vehicle))!;
    fleet.capacityClass[f] = k;
    supply[k * n + i]++;
  }
  return { capacities, supply, fleet, ...(pinned && { pinned }), ...(isPlaced && { places }) };
}

/**
 * Tries every plan of a small request, directly from the request and the specification. Shares no code with the
 * optimizer.
 */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { LocationPoint, PreviousPlan, TravelTable } from '../../../src/core/optimize/problem/model.ts';
import { boundAt, namedByBounds } from './bounds-by-location.ts';
import { SETTINGS } from './instances.ts';

/** The facts of a request, as the specification defines them. */
export type RequestFacts = {
  ids: number[];
  /** The operational ones. Capacities are what a vehicle serves, trips included. */
  vehicles: { location: number; capacity: number; previousTarget: number | undefined; pinned?: true }[];
  /** Of a vehicle that states no capacity. */
  usualCapacity: number;
  /** By location: planning demand. */
  demand: Map<number, number>;
  totalDemand: number;
  serviceLevel: number;
  /** Bounds on the vehicles at a location. */
  minVehicles(id: number): number;
  maxVehicles(id: number): number;
  fleetSize: number;
  /** Units of 1e-4 for a unit of demand that is not served at a location. */
  unmetUnits(id: number): number;
  /** What going elsewhere than to its previous target adds to the cost of a vehicle, in units of 1e-4. */
  changeUnits: number;
  /** Of pairs of locations that vehicles move between. */
  pairs: { least: number; most: number; mostFrom: number; costUnits: number };
  /** Units of 1e-4; Infinity if there is no ceiling. */
  ceilingUnits: number;
  /** Cost of a move in units of 1e-4; Infinity if it is not allowed. */
  costUnits(from: number, to: number): number;
};

/**
 * @param settings defaults for values that the request omits
 * @param previous where the previous plan sends vehicles, by id
 */
export function readFacts(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  settings = SETTINGS,
  travel: TravelTable | null = null,
  previous: PreviousPlan | null = null,
): RequestFacts {
  const c = request.constraints ?? {};
  const o = request.options ?? {};
  const series = Object.values(request.demand_forecast);
  const longest = Math.max(...series.map(({ length }) => length));
  const trips =
    o.trips_per_vehicle_hour === undefined ? settings.tripsPerVehicleHour : o.trips_per_vehicle_hour;
  const hours = (o.step_hours ?? 1) * (o.demand_aggregation === 'sum' ? longest : 1);
  const load = (capacity = c.capacity_per_vehicle ?? settings.capacityPerVehicle) =>
    trips === null ? capacity : capacity * trips * hours;
  const ceiling = c.max_rebalancing_cost === undefined ? settings.maxRebalancingCost : c.max_rebalancing_cost;
  const limitKm = c.max_distance ?? c.max_rebalancing_distance_km ?? settings.maxDistanceKm;
  const demand = new Map(
    Object.entries(request.demand_forecast).map(([id, steps]) => [Number(id), planningDemand(steps)]),
  );
  function planningDemand(steps: number[]): number {
    const sum = steps.reduce((a, b) => a + b, 0);
    const how = o.demand_aggregation ?? 'peak';
    switch (how) {
      case 'peak':
        return Math.max(...steps);
      case 'mean':
        return sum / steps.length;
      case 'first':
        return steps[0];
      case 'sum':
        return sum;
      case 'system_peak': {
        const totals = Array.from({ length: longest }, (_, t) =>
          series.reduce((all, one) => all + (one[t] ?? 0), 0),
        );
        return steps[totals.findIndex((total) => total > Math.max(...totals) * (1 - 1e-12))] ?? 0;
      }
      default: {
        const at = Number(how.split(':')[1]) * (steps.length - 1);
        const sorted = steps.toSorted((a, b) => a - b);
        const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
        return low + (at - Math.floor(at)) * (high - low);
      }
    }
  }
  const ids = [
    ...new Set([
      ...(request.network?.location_ids ?? []),
      ...demand.keys(),
      ...request.fleet_state.vehicles.map((v) => v.location!),
      ...namedByBounds(c),
    ]),
  ];
  return {
    ids,
    vehicles: request.fleet_state.vehicles
      .filter((v) => v.status === undefined || v.status === 'operational')
      .map((v) => ({
        location: v.location!,
        capacity: load(v.capacity),
        previousTarget: ids.find((id) => id === previous?.get(v.id!)),
        ...(v.pinned && { pinned: true }),
      })),
    usualCapacity: load(),
    demand,
    totalDemand: [...demand.values()].reduce((a, b) => a + b, 0),
    serviceLevel: c.min_service_level ?? c.min_demand_coverage ?? settings.minServiceLevel,
    minVehicles: (id) => boundAt(c.min_vehicles_per_location, id) ?? 0,
    maxVehicles: (id) => boundAt(c.max_vehicles_per_location, id) ?? Number.POSITIVE_INFINITY,
    fleetSize: c.total_fleet_size ?? Number.POSITIVE_INFINITY,
    unmetUnits: (id) => (boundAt(c.unmet_demand_cost ?? undefined, id) ?? 0) * 1e4,
    // Test requests have change costs with at most 4 decimals.
    changeUnits: Math.round((o.change_cost ?? 0) * 1e4),
    pairs: {
      least: o.refine?.min_vehicles_per_move ?? 1,
      most: o.refine?.max_pairs ?? Number.POSITIVE_INFINITY,
      mostFrom: o.refine?.max_moves_from ?? Number.POSITIVE_INFINITY,
      // Test pairs have costs with at most 4 decimals.
      costUnits: Math.round((o.refine?.cost_per_pair ?? 0) * 1e4),
    },
    ceilingUnits: ceiling === null ? Number.POSITIVE_INFINITY : Math.round(ceiling * 1e4),
    costUnits: (from, to) => costUnits(request, locations, from, to, limitKm, travel),
  };
}

/**
 * @returns the least cost of moves, changes and unmet demand (rounded up) in units of 1e-4; null if no plan satisfies
 *   every constraint
 */
export function cheapestByTryingAll(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  settings = SETTINGS,
  travel: TravelTable | null = null,
  previous: PreviousPlan | null = null,
): { costUnits: number } | null {
  const facts = readFacts(request, locations, settings, travel, previous);
  const least = facts.serviceLevel * facts.totalDemand - 1e-9 * facts.totalDemand;
  let best: number | null = null;
  tryAll(
    facts,
    (cost) => best === null || cost < best,
    (cost, { leastUnmet }) => {
      const whole = cost + leastUnmet(least);
      if (best === null || whole < best) best = whole === Number.POSITIVE_INFINITY ? best : whole;
    },
  );
  return best === null ? null : { costUnits: best };
}

/**
 * @returns the most demand that a plan within the other constraints serves, and the least cost of such a plan in units
 *   of 1e-4, that of unmet demand included; null if no plan keeps the other constraints
 */
export function mostServedByTryingAll(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  previous: PreviousPlan | null = null,
): { served: number; costUnits: number } | null {
  const facts = readFacts(request, locations, SETTINGS, null, previous);
  const noise = 1e-9 * facts.totalDemand;
  let best: { served: number; costUnits: number } | null = null;
  tryAll(
    facts,
    () => true,
    (cost, { served, leastUnmet }) => {
      if (best && served < best.served - noise) return;
      const costUnits = cost + leastUnmet(served - noise);
      if (!best || served > best.served + noise || costUnits < best.costUnits) best = { served, costUnits };
    },
  );
  return best;
}

/**
 * The demand that a plan serves with the best choice of at most `fleetSize` vehicles, and the least cost of the rest,
 * in whole units, with a choice that serves a given demand (Infinity: none does).
 */
type Service = { served: number; leastUnmet(required: number): number };

/**
 * Goes through every plan that keeps every constraint but the service level.
 * @param isWanted of the cost so far, whether to go on
 */
function tryAll(
  facts: RequestFacts,
  isWanted: (cost: number) => boolean,
  onPlan: (cost: number, service: Service) => void,
): void {
  const { ids, vehicles } = facts;
  const unitCost = vehicles.map(({ location, pinned }) =>
    ids.map((id) => (pinned && id !== location ? Number.POSITIVE_INFINITY : facts.costUnits(location, id))),
  );
  /** The target of each vehicle, as an index of `ids`. */
  const targets: number[] = [];
  const visit = (at: number, cost: number, paid: number) => {
    if (cost === Number.POSITIVE_INFINITY || !isWanted(cost)) return;
    if (at < vehicles.length) {
      for (const to of ids.keys()) {
        targets.push(to);
        const { previousTarget } = vehicles[at];
        const isChange = previousTarget !== undefined && previousTarget !== ids[to];
        const change = isChange ? facts.changeUnits : 0;
        visit(at + 1, cost + unitCost[at][to] + change, paid + unitCost[at][to]);
        targets.pop();
      }
      return;
    }
    if (paid > facts.ceilingUnits) return;
    for (const [at, id] of ids.entries()) {
      const present = targets.filter((t) => t === at).length;
      if (present < facts.minVehicles(id) || present > facts.maxVehicles(id)) return;
    }
    const used = usedPairs();
    if (used === null) return;
    onPlan(cost + used * facts.pairs.costUnits, serve());
  };
  /** The number of pairs between which vehicles move; null if that breaks a rule about them. */
  function usedPairs(): number | null {
    const { least, most, mostFrom } = facts.pairs;
    const loads = new Map<string, number>();
    const from = new Map<number, number>();
    for (const [v, { location }] of vehicles.entries()) {
      const to = ids[targets[v]];
      if (to === location) continue;
      const load = loads.get(`${location} ${to}`) ?? 0;
      if (load === 0) from.set(location, (from.get(location) ?? 0) + 1);
      loads.set(`${location} ${to}`, load + 1);
    }
    const isKept =
      loads.size <= most &&
      [...loads.values()].every((load) => load >= least) &&
      [...from.values()].every((pairs) => pairs <= mostFrom);
    return isKept ? loads.size : null;
  }
  /** All subsets of at most `fleetSize` vehicles. */
  function serve(): Service {
    const all = (1 << vehicles.length) - 1;
    const choices: { served: number; unmet: number }[] = [];
    for (let subset = vehicles.length <= facts.fleetSize ? all : 0; subset <= all; subset++) {
      let serving = 0;
      const capacity = new Array<number>(ids.length).fill(0);
      for (let v = 0; v < vehicles.length; v++) {
        if ((subset & (1 << v)) === 0) continue;
        serving++;
        capacity[targets[v]] += vehicles[v].capacity;
      }
      if (serving > facts.fleetSize) continue;
      let served = 0;
      let unmet = 0;
      for (const [at, id] of ids.entries()) {
        const demand = facts.demand.get(id) ?? 0;
        served += Math.min(demand, capacity[at]);
        unmet += facts.unmetUnits(id) * Math.max(0, demand - capacity[at]);
      }
      choices.push({ served, unmet: Math.max(0, Math.ceil(unmet - 0.01)) });
    }
    return {
      served: Math.max(...choices.map(({ served }) => served)),
      leastUnmet: (required) =>
        choices.reduce(
          (least, { served, unmet }) => (served >= required ? Math.min(least, unmet) : least),
          Number.POSITIVE_INFINITY,
        ),
    };
  }
  visit(0, 0, 0);
}

function costUnits(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  from: number,
  to: number,
  limitKm: number,
  travel: TravelTable | null,
): number {
  if (from === to) return 0;
  if (request.network) {
    const { location_ids, costs, distances_km } = request.network;
    const i = location_ids.indexOf(from);
    const j = location_ids.indexOf(to);
    const cost = costs[i][j];
    if (cost === null || (distances_km && distances_km[i][j]! > limitKm)) return Number.POSITIVE_INFINITY;
    // Test networks have costs with at most 4 decimals.
    return Math.round(cost * 1e4);
  }
  const { per_km: perKm = 1, per_minute: perMinute = 0, per_move: perMove = 0 } = request.options?.cost ?? {};
  const how = request.options?.travel ?? 'great_circle';
  const row = how === 'great_circle' ? undefined : travel!.get(from);
  const at = row?.to.indexOf(to) ?? -1;
  if (row && at >= 0) {
    const [km, minutes] = [row.km[at], row.minutes[at]];
    // Test tables and rates have at most 2 decimals, so products have at most 4.
    return km > limitKm
      ? Number.POSITIVE_INFINITY
      : Math.round((perMove + perKm * km + perMinute * minutes) * 1e4);
  }
  if (how === 'stored') return Number.POSITIVE_INFINITY;
  const a = locations.find((p) => p.id === from)!;
  const b = locations.find((p) => p.id === to)!;
  if (a.latitude === b.latitude && a.longitude === b.longitude) return Math.round(perMove * 1e4);
  const rad = Math.PI / 180;
  // Spherical law of cosines: exact enough for the distances in the tests.
  const cosine =
    Math.sin(a.latitude * rad) * Math.sin(b.latitude * rad) +
    Math.cos(a.latitude * rad) * Math.cos(b.latitude * rad) * Math.cos((a.longitude - b.longitude) * rad);
  const km = 6371.0088 * Math.acos(Math.min(1, cosine));
  return km > limitKm ? Number.POSITIVE_INFINITY : Math.ceil((perMove + perKm * km) * 1e4 - 1e-6);
}

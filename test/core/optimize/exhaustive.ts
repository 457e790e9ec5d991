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
  /** Priority level of a location. */
  level(id: number): number;
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
      ...Object.keys(c.priorities ?? {})
        .filter((key) => key !== 'default')
        .map(Number),
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
    level: (id) => {
      const { [id]: own, default: other } = c.priorities ?? {};
      return own ?? other ?? (request.network ? 0 : (locations.find((p) => p.id === id)?.priority ?? 0));
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

/** Demand served of each level above 0, the highest first, and last of all levels. */
export type BestByPriority = { served: number[]; costUnits: number };

/**
 * @param demandCounts whether total demand counts after the levels, and the service level does not
 * @returns the lexicographically largest demand served that a plan within the other constraints reaches, and the least
 *   cost of such a plan, unmet demand included; null if no plan keeps them
 */
export function byPriorityByTryingAll(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  demandCounts: boolean,
  previous: PreviousPlan | null = null,
  travel: TravelTable | null = null,
): BestByPriority | null {
  const facts = readFacts(request, locations, SETTINGS, travel, previous);
  const levels = [...new Set(facts.ids.map(facts.level))].filter((level) => level > 0).sort((a, b) => b - a);
  const noise = 1e-9 * facts.totalDemand;
  const least = demandCounts ? 0 : facts.serviceLevel * facts.totalDemand - noise;
  let best: BestByPriority | null = null;
  const isBetter = (served: number[], costUnits: number) => {
    if (!best) return true;
    const compared = demandCounts ? served : served.slice(0, -1);
    for (const [at, amount] of compared.entries()) {
      if (Math.abs(amount - best.served[at]) > noise) return amount > best.served[at];
    }
    return costUnits < best.costUnits;
  };
  tryAll(
    facts,
    () => true,
    (costUnits, _served, targets) => {
      forEachServing(facts, targets, (servedAt) => {
        const of = (level: number) =>
          servedAt.reduce(
            (sum, served, at) => (facts.level(facts.ids[at]) === level ? sum + served : sum),
            0,
          );
        const total = servedAt.reduce((sum, served) => sum + served, 0);
        const served = [...levels.map(of), total];
        const objective = costUnits + unmetCost(facts, servedAt);
        if (total >= least && isBetter(served, objective)) best = { served, costUnits: objective };
      });
    },
  );
  return best;
}

/**
 * @param floors least demand served at all locations of at least a level
 * @returns the least cost in units of 1e-4 of a plan that keeps these, too; null if no plan does
 */
export function cheapestAboveFloors(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  floors: readonly { level: number; served: number }[],
): number | null {
  const facts = readFacts(request, locations);
  const { ids, totalDemand } = facts;
  const all = [...floors, { level: 0, served: facts.serviceLevel * totalDemand }];
  let best: number | null = null;
  tryAll(
    facts,
    (cost) => best === null || cost < best,
    (cost, _served, targets) => {
      forEachServing(facts, targets, (servedAt) => {
        const isKept = all.every(({ level, served }) => {
          const here = servedAt.reduce((sum, at, j) => (facts.level(ids[j]) >= level ? sum + at : sum), 0);
          return here >= served - 1e-9 * totalDemand;
        });
        if (isKept) best = Math.min(cost, best ?? cost);
      });
    },
  );
  return best;
}

/** Goes through every choice of at most `fleetSize` serving vehicles, with the demand that they serve by location. */
function forEachServing(
  { ids, vehicles, demand, fleetSize }: RequestFacts,
  targets: readonly number[],
  visit: (servedAt: number[]) => void,
): void {
  const all = (1 << vehicles.length) - 1;
  for (let subset = vehicles.length <= fleetSize ? all : 0; subset <= all; subset++) {
    let serving = 0;
    const capacity = new Array<number>(ids.length).fill(0);
    for (let v = 0; v < vehicles.length; v++) {
      if ((subset & (1 << v)) === 0) continue;
      serving++;
      capacity[targets[v]] += vehicles[v].capacity;
    }
    if (serving <= fleetSize) visit(ids.map((id, at) => Math.min(demand.get(id) ?? 0, capacity[at])));
  }
}

/** Of unmet demand, in whole units. */
function unmetCost({ ids, demand, unmetUnits }: RequestFacts, servedAt: readonly number[]): number {
  const units = ids.reduce((sum, id, at) => sum + unmetUnits(id) * ((demand.get(id) ?? 0) - servedAt[at]), 0);
  return Math.max(0, Math.ceil(units - 0.01));
}

/**
 * The demand that a plan serves with the best choice of at most `fleetSize` vehicles, and the least cost of the rest,
 * in whole units, with a choice that serves a given demand (Infinity: none does).
 */
type Service = { served: number; leastUnmet(required: number): number };

/**
 * Goes through every plan that keeps every constraint but the service level.
 * @param isWanted of the cost so far, whether to go on
 * @param onPlan also gets the target of each vehicle, as an index of `ids`
 */
function tryAll(
  facts: RequestFacts,
  isWanted: (cost: number) => boolean,
  onPlan: (cost: number, service: Service, targets: readonly number[]) => void,
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
    onPlan(cost + used * facts.pairs.costUnits, serve(), targets);
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
    const choices: { served: number; unmet: number }[] = [];
    forEachServing(facts, targets, (servedAt) => {
      const served = servedAt.reduce((sum, here) => sum + here, 0);
      choices.push({ served, unmet: unmetCost(facts, servedAt) });
    });
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
    return Math.round((cost + (request.options?.cost?.per_move ?? 0)) * 1e4);
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

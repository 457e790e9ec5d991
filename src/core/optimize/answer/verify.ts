/**
 * The last check before a plan is stored: the finished answer against the REQUEST, by means independent of those that
 * made it.
 * Shares no code with the builder or the solver: aliases, defaults, aggregation, trips, distances (chords of unit
 * vectors instead of haversines), coverage and totals are all derived again here.
 * O(vehicles + demand values + locations).
 *
 * Tolerances: service level 1e-9 of total demand; distances 1e-9 relative. The cost of an item is a whole number of
 * 1e-4, less than one such unit above the exact cost. Recomputed figures: 1e-9 relative.
 */
import type { AllocationPlanItem, OptimizationResult, OptimizeRequest } from '../../../contracts/optimize.ts';
import type { LocationPoint, OptimizeSettings, TravelTable } from '../problem/model.ts';
import { verifyStability } from './verify-stability.ts';
import { verifyUnmetCost } from './verify-unmet-cost.ts';

/** The checks of `verifyPlan`, for the certificate; for a plan that looks ahead without those of all steps. */
export const VERIFIED = [
  'one item per operational vehicle in the request order',
  'moves allowed and within max_distance, and none of a pinned vehicle',
  'item costs and total_cost',
  'min_service_level',
  'vehicles per location',
  'total_fleet_size',
  'max_rebalancing_cost',
  'pairs of locations',
  'critical demand',
  'kpis',
  'locations',
];

const UNIT = 1e-4;
const RELATIVE = 1e-9;
const RADIUS_KM = 6371.0088;
const MAX_REPORTED = 20;
const VEHICLES_PER_LOOK = 1 << 14;

/** `perKm`: cost per computed km, whose last digits may differ. */
type Expected = { costKnown: number; distance: number | null; perKm: number; minutes?: number };
const STAY: Expected = { costKnown: 0, distance: 0, perKm: 0, minutes: 0 };

/**
 * Checks a finished plan.
 * @param check called every few milliseconds; it throws once the answer is no longer wanted
 * @param travel between the locations, if the request plans with stored travel
 * @param previous by vehicle, where the previous plan of the request sends it
 * @returns the faults, in at most 20 sentences; empty if the plan is right
 */
export function verifyPlan(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  settings: OptimizeSettings,
  result: OptimizationResult,
  check: () => void = () => {},
  travel: TravelTable | null = null,
  previous: ReadonlyMap<string, number> | null = null,
): string[] {
  const wrong: string[] = [];
  const complain = (message: string) => {
    if (wrong.length < MAX_REPORTED) wrong.push(message);
  };
  const demand = planningDemands(request);
  const move = moveReader(request, locations, settings, storedTravel(result, travel, previous));
  const constraints = request.constraints ?? {};
  const maxDistance =
    constraints.max_distance ?? constraints.max_rebalancing_distance_km ?? settings.maxDistanceKm;
  const defaultCapacity = constraints.capacity_per_vehicle ?? settings.capacityPerVehicle;
  const tripsEach = tripsPerCapacity(request, settings);

  const places = placesOf(request);
  let at = 0;
  let costUnits = 0;
  let km = 0;
  let minutes: number | null = 0;
  let moved = 0;
  let capacityTotal = 0;
  for (const vehicle of request.fleet_state.vehicles) {
    if (vehicle.status === 'maintenance' || vehicle.status === 'downtime') continue;
    if (at % VEHICLES_PER_LOOK === 0) check();
    const item: AllocationPlanItem | undefined = result.allocation_plan[at];
    const id = vehicle.id ?? vehicle.vehicle_id;
    const source = vehicle.location ?? vehicle.location_id!;
    const capacity = (vehicle.capacity ?? defaultCapacity) * tripsEach;
    capacityTotal += capacity;
    const here = places.get(source)!;
    here.before++;
    if (item?.vehicle_id !== id) {
      complain(`item ${at} is for vehicle ${item?.vehicle_id ?? '(none)'} instead of ${id}`);
      at++;
      continue;
    }
    if (item.source_location !== source)
      complain(`vehicle ${id} is at ${source}, not at ${item.source_location}`);
    const moves = item.target_location !== source;
    const there = moves ? places.get(item.target_location) : here;
    if (!there)
      complain(`vehicle ${id} goes to ${item.target_location}, which is no location of the problem`);
    there?.present.push(capacity);
    if (moves && vehicle.pinned === true) complain(`vehicle ${id} is pinned to ${source}, and moves`);
    if (item.assignment !== (moves ? 'rebalance' : 'stay')) {
      complain(`vehicle ${id} ${moves ? 'moves' : 'does not move'} but its assignment is ${item.assignment}`);
    }
    const expected = moves && there ? move(source, item.target_location) : STAY;
    checkMove(String(id), item, expected, maxDistance, complain);
    costUnits += Math.round(item.cost / UNIT);
    if (moves) moved++;
    km += expected?.distance ?? 0;
    minutes = minutes === null || expected?.minutes === undefined ? null : minutes + expected.minutes;
    at++;
  }
  if (result.allocation_plan.length !== at) {
    complain(`the plan has ${result.allocation_plan.length} items for ${at} operational vehicles`);
  }
  const present = new Map<number, number[]>();
  const before = new Map<number, number>();
  for (const [id, place] of places) {
    present.set(id, place.present);
    before.set(id, place.before);
  }
  checkPresence(present, constraints, complain);
  const noDistances = request.network !== undefined && request.network.distances_km === undefined;
  checkCost(result, costUnits, constraints, settings, complain);
  const critical = criticalLevels(request, locations, demand);
  const byLevel = checkPriorities(result, { present, demand, critical }, constraints, complain);
  checkService(present, demand, constraints, settings, { ...result, byLevel }, complain);
  const pinned = new Set<string>();
  for (const vehicle of request.fleet_state.vehicles) {
    if (vehicle.pinned) pinned.add(String(vehicle.id ?? vehicle.vehicle_id));
  }
  /** In km, negative: by so much the limit of distances allows it; Infinity if nothing does. */
  const beyond = (vehicle: string, from: number, to: number) => {
    if (from === to) return Number.NEGATIVE_INFINITY;
    const expected = pinned.has(vehicle) ? null : move(from, to);
    return expected === null ? Number.POSITIVE_INFINITY : (expected.distance ?? 0) - maxDistance;
  };
  verifyStability(request, result, previous, present, beyond, complain);
  checkPairs(request.options?.refine ?? {}, result, complain);
  checkLocations(request.network ? [] : locations, result, { present, before, demand }, complain);
  const level = constraints.min_service_level ?? constraints.min_demand_coverage ?? settings.minServiceLevel;
  const kept = Math.min(level, result.shortfall?.reached ?? level);
  const levels = result.priorities ?? [];
  const stated = { levels, levelOf: critical, tolerance: levelTolerance(request, settings, result, demand) };
  verifyUnmetCost(result, constraints, present, demand, kept, stated, complain);
  const isStored = (request.options?.travel ?? 'great_circle') !== 'great_circle';
  const ofMoves = { moved, km: noDistances ? null : km, ...(isStored && minutes !== null && { minutes }) };
  checkKpis(result, { present, demand, capacityTotal, ...ofMoves }, complain);
  return wrong;
}

function planningDemands(request: OptimizeRequest): Map<number, number> {
  const how = request.options?.demand_aggregation ?? 'peak';
  const busiest = how === 'system_peak' ? busiestStep(request) : Number.NaN;
  const demands = new Map<number, number>();
  for (const key in request.demand_forecast) {
    const steps = request.demand_forecast[key];
    demands.set(Number.parseInt(key, 10), planned(steps, how, busiest));
  }
  return demands;
}

function planned(steps: readonly number[], how: string, busiest: number): number {
  const total = steps.reduce((sum, value) => sum + value, 0);
  if (how === 'first') return steps[0];
  if (how === 'sum') return total;
  if (how === 'mean') return total / steps.length;
  if (how === 'peak') return largest(steps);
  if (how === 'system_peak') return busiest < steps.length ? steps[busiest] : 0;
  const [, share] = how.split(':');
  const ranked = steps.toSorted((a, b) => a - b);
  const rank = Number.parseFloat(share) * (steps.length - 1);
  const weight = rank % 1;
  return ranked[Math.trunc(rank)] * (1 - weight) + ranked[Math.ceil(rank)] * weight;
}

/** The first step with the largest total demand. Totals that differ by 1e-12 of it count as equal. */
function busiestStep({ demand_forecast }: OptimizeRequest): number {
  const totals: number[] = [];
  for (const key in demand_forecast) {
    demand_forecast[key].forEach((value, t) => {
      totals[t] = (totals[t] ?? 0) + value;
    });
  }
  const highest = largest(totals);
  return totals.findIndex((total) => highest - total <= 1e-12 * highest);
}

/** Demand that a vehicle serves per unit of its capacity, in the hours that the planning demand covers. */
function tripsPerCapacity({ demand_forecast, options }: OptimizeRequest, settings: OptimizeSettings): number {
  const perHour =
    options?.trips_per_vehicle_hour === undefined
      ? settings.tripsPerVehicleHour
      : options.trips_per_vehicle_hour;
  if (perHour === null) return 1;
  let hours: number = options?.step_hours ?? 1;
  if (options?.demand_aggregation === 'sum') {
    hours *= Object.values(demand_forecast).reduce((most, steps) => Math.max(most, steps.length), 1);
  }
  return hours * perHour;
}

function largest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b));
}

/** Vehicles at a location before the moves, and the capacities of those after them. */
type Place = { before: number; present: number[] };

/** Every location of the problem, without vehicles. */
function placesOf(request: OptimizeRequest): Map<number, Place> {
  const places = new Map<number, Place>();
  const add = (id: number) => {
    if (!places.has(id)) places.set(id, { before: 0, present: [] });
  };
  for (const id of request.network?.location_ids ?? []) add(id);
  for (const key in request.demand_forecast) add(Number.parseInt(key, 10));
  for (const vehicle of request.fleet_state.vehicles) add((vehicle.location ?? vehicle.location_id)!);
  const { min_vehicles_per_location, max_vehicles_per_location, unmet_demand_cost, priorities } =
    request.constraints ?? {};
  for (const numbers of [
    min_vehicles_per_location,
    max_vehicles_per_location,
    unmet_demand_cost,
    priorities,
  ]) {
    if (typeof numbers !== 'object') continue;
    for (const key in numbers) if (key !== 'default') add(Number.parseInt(key, 10));
  }
  return places;
}

/** Exact cost and distance of a move; null for a forbidden one. */
function moveReader(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  settings: OptimizeSettings,
  stored: ReadonlyMap<string, Travel>,
): (from: number, to: number) => Expected | null {
  if (request.network) {
    const { location_ids, costs, distances_km } = request.network;
    const row = new Map(location_ids.map((id, index) => [id, index]));
    return (from, to) => {
      const i = row.get(from)!;
      const j = row.get(to)!;
      const cost = costs[i][j];
      if (cost === null) return null;
      return {
        costKnown: cost + (request.options?.cost?.per_move ?? 0),
        distance: distances_km ? (distances_km[i][j] ?? Number.POSITIVE_INFINITY) : null,
        perKm: 0,
      };
    };
  }
  const vectors = new Map(locations.map((point) => [point.id, unitVector(point)]));
  const { cost = {}, travel } = request.options ?? {};
  const perKm = cost.per_km ?? settings.costPerKm;
  const price = ({ km, minutes }: Travel): Expected => ({
    costKnown: perKm * km + (cost.per_minute ?? 0) * minutes + (cost.per_move ?? 0),
    distance: km,
    perKm,
  });
  return (from, to) => {
    if (travel !== undefined && travel !== 'great_circle') {
      const known = stored.get(pairKey(from, to));
      if (known) return { ...price(known), minutes: known.minutes };
      if (travel === 'stored') return null;
    }
    const a = vectors.get(from)!;
    const b = vectors.get(to)!;
    const chord = Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2);
    const distance = 2 * RADIUS_KM * Math.asin(Math.min(1, chord / 2));
    return price({ km: distance, minutes: 0 });
  };
}

type Travel = { km: number; minutes: number };

const pairKey = (from: number, to: number) => `${from} ${to}`;

/** Stored travel of the pairs between which the plan, or the previous one, moves vehicles. */
function storedTravel(
  { allocation_plan }: OptimizationResult,
  table: TravelTable | null,
  previous: ReadonlyMap<string, number> | null,
): ReadonlyMap<string, Travel> {
  const found = new Map<string, Travel>();
  if (!table) return found;
  const add = (source: number, target: number) => {
    const key = pairKey(source, target);
    const row = table.get(source);
    if (!row || source === target || found.has(key)) return;
    const at = row.to.indexOf(target);
    if (at >= 0) found.set(key, { km: row.km[at], minutes: row.minutes[at] });
  };
  for (const { vehicle_id, source_location, target_location } of allocation_plan) {
    add(source_location, target_location);
    add(source_location, previous?.get(vehicle_id) ?? source_location);
  }
  return found;
}

function unitVector(point: LocationPoint): [number, number, number] {
  const lat = (point.latitude / 180) * Math.PI;
  const lon = (point.longitude / 180) * Math.PI;
  return [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)];
}

type Complain = (message: string) => void;

function checkMove(
  id: string,
  item: AllocationPlanItem,
  expected: Expected | null,
  maxDistance: number,
  complain: Complain,
): void {
  if (expected === null) {
    complain(`vehicle ${id} makes the forbidden move ${item.source_location} → ${item.target_location}`);
    return;
  }
  // A chord of two nearby points loses digits: its absolute error is about 1e-12 km, times the cost per km.
  const tolerance = RELATIVE * (1 + expected.costKnown) + 1e-11 * expected.perKm;
  const units = item.cost / UNIT;
  if (Math.abs(units - Math.round(units)) > 1e-6 * Math.max(1, Math.abs(units) * 1e-6)) {
    complain(`vehicle ${id} costs ${item.cost}, which is no whole number of ${UNIT}`);
  }
  const above = item.cost - expected.costKnown;
  if (above < -tolerance || above >= UNIT + tolerance || item.cost < 0) {
    complain(`vehicle ${id} costs ${item.cost} instead of ${expected.costKnown} rounded up to ${UNIT}`);
  }
  if (expected.distance !== null && expected.distance > maxDistance * (1 + RELATIVE) + RELATIVE) {
    complain(`vehicle ${id} moves ${expected.distance} km, more than the limit ${maxDistance} km`);
  }
}

function checkPresence(
  present: Map<number, number[]>,
  constraints: NonNullable<OptimizeRequest['constraints']>,
  complain: Complain,
): void {
  for (const [location, vehicles] of present) {
    const [least = 0, most = Number.MAX_VALUE] = [
      constraints.min_vehicles_per_location,
      constraints.max_vehicles_per_location,
    ].map((bound) => (typeof bound === 'object' ? (bound[`${location}`] ?? bound.default) : bound));
    if (vehicles.length < least)
      complain(`location ${location} has ${vehicles.length} vehicles, fewer than ${least}`);
    if (vehicles.length > most)
      complain(`location ${location} has ${vehicles.length} vehicles, more than ${most}`);
  }
}

function checkCost(
  result: OptimizationResult,
  costUnits: number,
  constraints: NonNullable<OptimizeRequest['constraints']>,
  settings: OptimizeSettings,
  complain: Complain,
): void {
  if (result.total_cost !== costUnits / 10_000) {
    complain(`total_cost is ${result.total_cost}, the items cost ${costUnits / 10_000}`);
  }
  const ceiling =
    constraints.max_rebalancing_cost === undefined
      ? settings.maxRebalancingCost
      : constraints.max_rebalancing_cost;
  if (ceiling !== null && costUnits / 10_000 > ceiling + 1e-9 * UNIT + ceiling * 1e-15) {
    complain(`the plan costs ${costUnits / 10_000}, more than max_rebalancing_cost ${ceiling}`);
  }
}

/** Rules about pairs of locations, and what the answer says about them. Pairs are counted from the plan's items. */
function checkPairs(
  refine: NonNullable<NonNullable<OptimizeRequest['options']>['refine']>,
  { allocation_plan, refinement }: OptimizationResult,
  complain: Complain,
): void {
  const { min_vehicles_per_move: least = 1, cost_per_pair: price = 0, max_pairs, max_moves_from } = refine;
  const convoys = new Map<number, Map<number, number>>();
  for (const { source_location: from, target_location: to } of allocation_plan) {
    if (from === to) continue;
    const ways = convoys.get(from) ?? new Map<number, number>();
    ways.set(to, (ways.get(to) ?? 0) + 1);
    convoys.set(from, ways);
  }
  let used = 0;
  for (const [from, ways] of convoys) {
    used += ways.size;
    if (ways.size > (max_moves_from ?? ways.size))
      complain(`vehicles leave location ${from} for ${ways.size} others, more than ${max_moves_from}`);
    for (const [to, vehicles] of ways) {
      if (vehicles < least) complain(`${vehicles} vehicles go from ${from} to ${to}, fewer than ${least}`);
    }
  }
  if (used > (max_pairs ?? used)) complain(`the plan uses ${used} pairs, more than ${max_pairs}`);
  const isAsked = least > 1 || price > 0 || max_pairs !== undefined || max_moves_from !== undefined;
  if (isAsked !== (refinement !== undefined)) {
    complain(isAsked ? 'the plan lacks its refinement' : 'the plan has a refinement that was not asked for');
  }
  if (!refinement) return;
  const { pairs, cost_per_pair, pair_cost, pairs_without, cost_without } = refinement;
  if (pairs !== used) complain(`refinement.pairs is ${pairs} instead of ${used}`);
  const above = cost_per_pair - price;
  if (!(above > -RELATIVE * (1 + price) && above < UNIT * (1 - 1e-6)))
    complain(`refinement.cost_per_pair is ${cost_per_pair} instead of ${price}`);
  if (!(Math.abs(pair_cost - used * cost_per_pair) <= RELATIVE * (1 + pair_cost)))
    complain(`refinement.pair_cost is ${pair_cost} instead of ${used * cost_per_pair}`);
  if ([pairs_without, cost_without].some((figure) => figure !== null && !(figure >= 0)))
    complain('refinement has a figure below 0');
}

/** Served demand with the best choice of at most `total_fleet_size` of the vehicles present. */
function checkService(
  present: Map<number, number[]>,
  demand: Map<number, number>,
  constraints: NonNullable<OptimizeRequest['constraints']>,
  settings: OptimizeSettings,
  { shortfall, byLevel }: Pick<OptimizationResult, 'shortfall'> & { byLevel: number | null },
  complain: Complain,
): void {
  const level = constraints.min_service_level ?? constraints.min_demand_coverage ?? settings.minServiceLevel;
  const gains: number[] = [];
  let total = 0;
  for (const [location, wanted] of demand) {
    total += wanted;
    let open = wanted;
    for (const capacity of (present.get(location) ?? []).toSorted((a, b) => b - a)) {
      if (open <= 0) break;
      gains.push(Math.min(open, capacity));
      open -= capacity;
    }
  }
  const counted = Math.min(gains.length, constraints.total_fleet_size ?? gains.length);
  let served = 0;
  for (const gain of counted === gains.length ? gains : gains.sort((a, b) => b - a).slice(0, counted))
    served += gain;
  served = byLevel ?? served;
  if (shortfall) {
    checkShortfall(shortfall, { level, served, total }, constraints, complain);
  } else if (served < level * total - RELATIVE * total * (1 + 1e-3)) {
    complain(`${served} of ${total} demand is served, less than min_service_level ${level}`);
  }
}

/** The level above 0 of every location with demand that has one. */
function criticalLevels(
  { constraints, network }: OptimizeRequest,
  locations: readonly LocationPoint[],
  demand: Map<number, number>,
): Map<number, number> {
  const stated = constraints?.priorities ?? {};
  const stored = new Map(locations.map(({ id, priority }) => [id, network ? undefined : priority]));
  const levels = new Map<number, number>();
  for (const [id, wanted] of demand) {
    const level = [stated[`${id}`], stated.default, stored.get(id)].find((one) => one !== undefined);
    if (wanted > 0 && level) levels.set(id, level);
  }
  return levels;
}

/**
 * The figures of the levels. If fewer vehicles count than are present: whether these can serve all levels as stated,
 * each from its own largest gains.
 * @returns all demand that they then serve; null if every vehicle counts
 */
function checkPriorities(
  { priorities: stated = [] }: OptimizationResult,
  {
    present,
    demand,
    critical,
  }: Record<'demand' | 'critical', Map<number, number>> & {
    present: Map<number, number[]>;
  },
  constraints: NonNullable<OptimizeRequest['constraints']>,
  complain: Complain,
): number | null {
  const levels = [...new Set(critical.values())].sort((a, b) => b - a);
  const named = stated.map(({ level }) => level).join();
  if (named !== levels.join()) complain(`priorities name the levels ${named} instead of ${levels.join()}`);
  if (stated.length === 0) return null;
  const total = [...demand.values()].reduce((sum, value) => sum + value, 0);
  const noise = 2 * RELATIVE * total;
  const most = constraints.total_fleet_size ?? Number.MAX_SAFE_INTEGER;
  const gainsOf = new Map<number, number[]>();
  for (const [location, wanted] of demand) {
    const level = critical.get(location) ?? 0;
    const gains = gainsOf.get(level) ?? [];
    let open = wanted;
    for (const capacity of (present.get(location) ?? []).toSorted((a, b) => b - a)) {
      if (open > 0) gains.push(Math.min(open, capacity));
      open -= capacity;
    }
    gainsOf.set(level, gains);
  }
  const count = [...gainsOf.values()].reduce((sum, gains) => sum + gains.length, 0);
  let used = 0;
  let served = 0;
  const idle: number[] = gainsOf.get(0) ?? [];
  for (const { level, demand: wanted, served: given, served_at_most } of stated) {
    const gains = (gainsOf.get(level) ?? []).sort((a, b) => b - a);
    const here = [...critical].reduce((sum, [id, at]) => (at === level ? sum + demand.get(id)! : sum), 0);
    if (!(Math.abs(wanted - here) <= noise))
      complain(`level ${level} states demand ${wanted} instead of ${here}`);
    if (!(served_at_most >= given && served_at_most <= here + noise))
      complain(`level ${level} states served_at_most ${served_at_most} for ${given} served of ${here}`);
    let sum = 0;
    let taken = 0;
    while (taken < gains.length && (count <= most || sum < given - noise)) sum += gains[taken++];
    if (!(Math.abs(sum - given) <= noise))
      complain(`level ${level} states ${given} served, its vehicles serve ${sum}`);
    used += taken;
    served += sum;
    idle.push(...gains.slice(taken));
  }
  if (count <= most) return null;
  if (used > most) complain(`the levels need ${used} vehicles, more than total_fleet_size ${most}`);
  idle.sort((a, b) => b - a);
  for (const gain of idle.slice(0, Math.max(0, most - used))) served += gain;
  return served;
}

/** The most that a proved plan may lack of a priority level: a tenth of the gap, or 1e-6 of all demand. */
function levelTolerance(
  { options }: OptimizeRequest,
  settings: OptimizeSettings,
  { priorities = [], solver_status }: OptimizationResult,
  demand: Map<number, number>,
): number {
  if (solver_status !== 'optimal') return Number.POSITIVE_INFINITY;
  const most = priorities.reduce((sum, { served_at_most }) => sum + served_at_most, 0);
  const total = [...demand.values()].reduce((sum, value) => sum + value, 0);
  const gap = options?.optimality_gap ?? settings.optimalityGap;
  return Math.max((gap / 10) * most, 1e-6 * total) * (1 + 1e-5);
}

function checkShortfall(
  { requested, reached, reached_at_most, unserved }: NonNullable<OptimizationResult['shortfall']>,
  { level, served, total }: { level: number; served: number; total: number },
  { shortage }: NonNullable<OptimizeRequest['constraints']>,
  complain: Complain,
): void {
  if (shortage !== 'serve_most') complain('the plan has a shortfall, and shortage is not serve_most');
  if (requested !== level) complain(`shortfall.requested is ${requested} instead of ${level}`);
  if (served >= level * total) complain(`shortfall: ${served} of ${total} demand is served, which is enough`);
  if (!(Math.abs(reached * total - served) <= 2 * RELATIVE * total))
    complain(`shortfall.reached is ${reached}, but ${served} of ${total} demand is served`);
  if (!(Math.abs(unserved - (total - served)) <= 2 * RELATIVE * total))
    complain(`shortfall.unserved is ${unserved} instead of ${total - served}`);
  if (!(reached_at_most >= reached))
    complain(`shortfall.reached_at_most is ${reached_at_most}, less than reached`);
}

function checkKpis(
  result: OptimizationResult,
  facts: {
    present: Map<number, number[]>;
    demand: Map<number, number>;
    capacityTotal: number;
    moved: number;
    km: number | null;
    /** absent unless stored travel has all moves */
    minutes?: number;
  },
  complain: Complain,
): void {
  let served = 0;
  let total = 0;
  for (const [location, wanted] of facts.demand) {
    const capacity = (facts.present.get(location) ?? []).reduce((sum, value) => sum + value, 0);
    served += Math.min(wanted, capacity);
    total += wanted;
  }
  const expected: Record<string, number | null> = {
    demand_coverage: total === 0 ? 1 : served / total,
    utilization: facts.capacityTotal === 0 ? 0 : served / facts.capacityTotal,
    rebalanced_count: facts.moved,
    total_cost: result.total_cost,
    total_distance_km: facts.km,
    unmet_demand: total - served,
    ...(facts.minutes !== undefined && { total_minutes: facts.minutes }),
  };
  if (facts.minutes === undefined && 'total_minutes' in result.kpis)
    complain('kpis.total_minutes is given, and no stored travel has all moves');
  for (const [name, value] of Object.entries(expected)) {
    const stated = result.kpis[name as keyof typeof result.kpis] ?? null;
    // Unmet demand is a difference of totals, so it has their error.
    const tolerance = RELATIVE * (1 + Math.abs(value ?? 0) + (name === 'unmet_demand' ? total : 0));
    const differs =
      value === null || stated === null ? value !== stated : !(Math.abs(stated - value) <= tolerance);
    if (differs) complain(`kpis.${name} is ${stated} instead of ${value}`);
  }
}

/** The answer must list every location of the request once, by ascending id, with figures derived again here. */
function checkLocations(
  stored: readonly LocationPoint[],
  { locations = [] }: OptimizationResult,
  facts: { present: Map<number, number[]>; before: Map<number, number>; demand: Map<number, number> },
  complain: Complain,
): void {
  const names = new Map(stored.map(({ id, name }) => [id, name]));
  const ids = [...facts.present.keys()].sort((a, b) => a - b);
  if (locations.length !== ids.length) {
    complain(`there are figures of ${locations.length} locations instead of ${ids.length}`);
  }
  for (const [at, id] of ids.entries()) {
    const stated = locations[at];
    if (stated?.location_id !== id) {
      complain(`locations[${at}] is location ${stated?.location_id ?? '(none)'} instead of ${id}`);
      continue;
    }
    const there = facts.present.get(id)!;
    const name = names.get(id) ?? null;
    if (stated.name !== name) complain(`location ${id} is named ${stated.name} instead of ${name}`);
    const wanted = facts.demand.get(id) ?? 0;
    const capacity = there.reduce((sum, value) => sum + value, 0);
    // Unmet demand is a difference, so its error is that of the demand.
    const expected = {
      demand: [wanted, RELATIVE * wanted],
      vehicles_before: [facts.before.get(id) ?? 0, 0],
      vehicles_after: [there.length, 0],
      capacity_after: [capacity, RELATIVE * capacity],
      served: [Math.min(wanted, capacity), RELATIVE * wanted],
      unmet: [Math.max(0, wanted - capacity), RELATIVE * wanted],
    };
    for (const [figure, [value, tolerance]] of Object.entries(expected)) {
      const given = stated[figure as keyof typeof expected];
      const isRight = Math.abs(given - value) <= tolerance;
      if (!isRight) complain(`location ${id} states ${figure} ${given} instead of ${value}`);
    }
  }
}

/** Tiny requests that mix every option of POST /api/v1/optimize. Shares no code with the optimizer. */
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type {
  LocationPoint,
  PreviousPlan,
  TravelTable,
} from '../../../../src/core/optimize/problem/model.ts';
import { randomBounds } from '../bounds-by-location.ts';
import { createRandom, type Random } from '../instances.ts';
import { withPairRules } from '../pair-rules.ts';
import { withPrevious } from '../stability/previous-plans.ts';
import { type TravelRows, travelTable } from '../travel-table.ts';
import { randomPrice } from '../unmet-prices.ts';

type Constraints = NonNullable<OptimizeRequest['constraints']>;
type Options = NonNullable<OptimizeRequest['options']>;

/** What the optimizer gets, and the names of the options that it states. */
export type Mixed = {
  request: OptimizeRequest;
  locations: LocationPoint[];
  travel: TravelTable | null;
  previous: PreviousPlan | null;
  rules: string[];
};

const CAPACITIES = [[1], [1], [2], [0.7], [1, 2], [1.5, 1, 2.5], [4, 2, 1, 0.5]];
const IDS = [5, -3, 100, 42];

/**
 * 1 to 4 locations and at most 5 vehicles, gap 0. Each option is stated or not, whatever the others are, but for those
 * that contradict each other (a network has its own costs).
 * @param largestCosts one of these bounds the costs of a network
 */
export function mixedInstance(seed: number, largestCosts = [0, 5, 500_000, 500_000]): Mixed {
  const random = createRandom(seed);
  const ids = random.shuffle(IDS).slice(0, random.pick([1, 2, 3, 3, 4, 4]));
  const capacities = random.pick(CAPACITIES);
  const levels = random.pick([[0], [0], [0, 9], [0, 2, 5]]);
  const locations = ids.map((id) => ({
    id,
    latitude: 40 + random.integer(0, 60) / 100,
    longitude: -74 + random.integer(0, 60) / 100,
    priority: random.pick(levels),
  }));
  const vehicles = randomVehicles(random, ids, capacities);
  const trips = random.chance(0.3) ? random.pick([0.5, 1, 2, 3.5]) : null;
  const hours = random.chance(0.3) ? random.pick([1, 2, 3] as const) : null;
  const fleet = vehicles.reduce((sum, { capacity = capacities[0] }) => sum + capacity, 0);
  const load = trips === null ? 1 : trips * (hours ?? 1);
  const options: Options = {
    optimality_gap: 0,
    ...(trips !== null && { trips_per_vehicle_hour: trips }),
    ...(hours !== null && { step_hours: hours }),
    ...(random.chance(0.8) && {
      demand_aggregation: random.pick([
        'peak',
        'mean',
        'first',
        'sum',
        'system_peak',
        'system_peak',
        'quantile:0.5',
        'quantile:0.9',
      ] as const),
    }),
    ...(random.chance(0.15) && { explain: true }),
  };
  const network = random.chance(0.3) ? randomNetwork(random, ids, largestCosts) : null;
  const travel = network ? null : randomTravel(random, ids, options);
  const isStated = random.chance(0.5);
  let request: OptimizeRequest = {
    demand_forecast: randomDemand(
      random,
      ids,
      fleet * load,
      random.chance(0.5) ? capacities[0] * load : 0.01,
    ),
    fleet_state: { vehicles },
    constraints: randomConstraints(random, ids, capacities[0]),
    options,
    ...(network && { network }),
  };
  if (isStated && levels.length > 1) {
    const priorities = Object.fromEntries(
      ids.filter(() => random.chance(0.7)).map((id) => [id, random.pick(levels)]),
    );
    request.constraints = { ...request.constraints, priorities };
  }
  if (random.chance(0.25)) for (const vehicle of vehicles) if (random.chance(0.4)) vehicle.pinned = true;
  if (random.chance(0.2))
    request = withPairRules(request, seed, { vehicles: 3, pairs: 3, from: 2, cost: 20 });
  let previous: PreviousPlan | null = null;
  if (random.chance(0.25)) ({ request, previous } = withPrevious(request, ids, seed, 30));
  return { request, locations, travel, previous, rules: rulesOf(request, locations) };
}

function randomVehicles(random: Random, ids: readonly number[], capacities: readonly number[]) {
  const depots = random.chance(0.6) ? ids.slice(0, 1) : ids;
  return Array.from(
    { length: random.integer(random.chance(0.05) ? 0 : 2, ids.length === 4 ? 4 : 5) },
    (_, v): OptimizeRequest['fleet_state']['vehicles'][number] => ({
      id: `v${v}`,
      location: random.pick(depots),
      ...(random.chance(0.9) && { capacity: random.pick(capacities) }),
      ...(random.chance(0.07) && { status: random.pick(['maintenance', 'downtime'] as const) }),
    }),
  );
}

/** @param capacity of the fleet; demand is in multiples of `unit` */
function randomDemand(random: Random, ids: readonly number[], capacity: number, unit: number) {
  const share = random.pick([0.3, 0.6, 0.9, 1.3]);
  const most = (2 * share * Math.max(1, capacity)) / ids.length;
  const steps = random.integer(1, 3);
  const value = () => Number((unit * Math.round((most * random.next()) / unit)).toFixed(2));
  return Object.fromEntries(
    ids
      .filter((_, i) => i === 0 || random.chance(0.9))
      .map((id) => [id, Array.from({ length: random.chance(0.9) ? steps : 1 }, value)]),
  );
}

function randomConstraints(random: Random, ids: readonly number[], capacity: number): Constraints {
  const bounds = random.chance(0.3)
    ? randomBounds(
        random,
        ids,
        () => random.pick([0, 0, 1, 2]),
        () => random.integer(0, 4),
      )
    : {};
  return {
    capacity_per_vehicle: capacity,
    min_service_level: random.pick([0, 0.3, 0.5, 0.8, 0.95, 1]),
    ...(random.chance(0.25) && { max_distance: random.integer(0, 60) }),
    ...(random.chance(0.25) && { total_fleet_size: random.integer(0, 5) }),
    max_rebalancing_cost: random.chance(0.65) ? null : random.integer(0, 1_000_000) / 1e4,
    ...(random.chance(0.5) && { shortage: random.chance(0.9) ? 'serve_most' : 'fail' }),
    ...(random.chance(0.25) && { unmet_demand_cost: randomPrice(random, ids) }),
    ...bounds,
  };
}

function randomNetwork(
  random: Random,
  location_ids: number[],
  largestCosts: number[],
): NonNullable<OptimizeRequest['network']> {
  const largest = random.pick(largestCosts);
  const gaps = random.pick([0, 0, 0.3]);
  const square = <T>(value: () => T) => location_ids.map(() => location_ids.map(value));
  return {
    location_ids,
    costs: square(() => (random.chance(gaps) ? null : random.integer(0, largest) / 1e4)),
    ...(random.chance(0.4) && { distances_km: square(() => random.integer(0, 60)) }),
  };
}

/** Sets `travel` and `cost` of the options. Rates and rows have at most 2 decimals. */
function randomTravel(random: Random, ids: readonly number[], options: Options): TravelTable | null {
  const how = random.pick(['great_circle', 'great_circle', 'stored', 'stored or great circle'] as const);
  const rate = (most: number) => random.pick([0, 1, random.integer(0, most * 100) / 100]);
  if (random.chance(0.5)) {
    options.cost = {
      ...(random.chance(0.6) && { per_km: rate(3) }),
      ...(random.chance(0.5) && { per_move: rate(20) }),
      ...(how === 'stored' && random.chance(0.6) && { per_minute: rate(2) }),
    };
  }
  if (how === 'great_circle') return null;
  options.travel = how === 'stored' ? 'stored' : { source: 'stored', fallback: 'great_circle' };
  const lacking = random.pick([0, 0, 0.3]);
  const rows: TravelRows = ids.flatMap((from) =>
    ids
      .filter(() => !random.chance(lacking))
      .map((to) => [from, to, random.integer(0, 6000) / 100, random.integer(0, 9000) / 100] as const),
  );
  return travelTable(rows.map(([from, to, km, minutes]) => [from, to, km, minutes]));
}

/** The rules that a request states, whether they bind or not. */
function rulesOf(
  { constraints = {}, options = {}, network, fleet_state, demand_forecast }: OptimizeRequest,
  locations: readonly LocationPoint[],
): string[] {
  const { vehicles } = fleet_state;
  const price = constraints.unmet_demand_cost;
  const stated: Record<string, boolean> = {
    'serve most': constraints.shortage === 'serve_most',
    'one price': typeof price === 'number',
    'prices by location': typeof price === 'object' && price !== null,
    'minimum of vehicles': constraints.min_vehicles_per_location !== undefined,
    'maximum of vehicles': constraints.max_vehicles_per_location !== undefined,
    'fleet size': constraints.total_fleet_size !== undefined,
    ceiling: constraints.max_rebalancing_cost !== null,
    distance: constraints.max_distance !== undefined,
    pinned: vehicles.some(({ pinned }) => pinned),
    classes: new Set(vehicles.map(({ capacity }) => capacity ?? constraints.capacity_per_vehicle)).size > 1,
    trips: options.trips_per_vehicle_hour !== undefined,
    'step hours': options.step_hours !== undefined,
    'several steps': Object.values(demand_forecast).some(({ length }) => length > 1),
    [options.demand_aggregation?.split(':')[0] ?? 'peak']: true,
    'stored travel': options.travel === 'stored',
    'travel with fallback': typeof options.travel === 'object',
    'cost per km': options.cost?.per_km !== undefined,
    'cost per minute': options.cost?.per_minute !== undefined,
    'cost per move': options.cost?.per_move !== undefined,
    network: network !== undefined,
    'forbidden moves': network?.costs.flat().includes(null) === true,
    'change cost': (options.change_cost ?? 0) > 0,
    'previous plan': options.previous_plan_id !== undefined,
    priorities: constraints.priorities !== undefined,
    'stored priorities': !network && locations.some(({ priority }) => (priority ?? 0) > 0),
    'least size of a pair': options.refine?.min_vehicles_per_move !== undefined,
    'cost of a pair': options.refine?.cost_per_pair !== undefined,
    'most pairs': options.refine?.max_pairs !== undefined,
    'most pairs from': options.refine?.max_moves_from !== undefined,
    explain: options.explain === true,
  };
  return Object.keys(stated).filter((name) => stated[name]);
}

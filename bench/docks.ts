/**
 * What bounds on the vehicles per location and pinned vehicles cost in time, as a ratio to the plain solve of the same
 * city in the same run. Both go the whole way from a parsed request to a verified plan. Processor time, so that other
 * work on the machine does not count.
 *
 *   npm run bench:docks -- [--only TEXT] [--repeats 5] [--direct-up-to 73] [--json FILE]
 *
 * Up to `direct-up-to` locations, HiGHS also solves the first city alone, with all moves in one model.
 */
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import { digits, readArguments, reportTable, spread } from './cli.ts';
import { cityRequest, type RequestShape } from './requests.ts';
import { type City, solveAlone, solveTimed } from './timed-solves.ts';

const {
  only,
  repeats,
  json,
  'direct-up-to': directUpTo,
} = readArguments({ only: '', repeats: 5, 'direct-up-to': 73 });

const WHOLE = { classes: 1, isFractional: false };
const FRACTIONAL = { classes: 1, isFractional: true };
const SEVERAL = { classes: 3, isFractional: true };

const SHAPES: Record<string, RequestShape> = {
  '73 locations, 730 vehicles': { locations: 73, vehicles: 730, ...WHOLE },
  '263 locations, 2,630 vehicles': { locations: 263, vehicles: 2_630, ...WHOLE },
  '1,000 locations, 100,000 vehicles': { locations: 1_000, vehicles: 100_000, ...WHOLE },
  '73 locations, 730 vehicles, fractional demand': { locations: 73, vehicles: 730, ...FRACTIONAL },
  '263 locations, 2,630 vehicles, fractional demand': { locations: 263, vehicles: 2_630, ...FRACTIONAL },
  '1,000 locations, 10,000 vehicles, fractional demand': {
    locations: 1_000,
    vehicles: 10_000,
    ...FRACTIONAL,
  },
  '73 locations, 730 vehicles, capacities 1 to 3': { locations: 73, vehicles: 730, ...SEVERAL },
  '263 locations, 2,630 vehicles, capacities 1 to 3': { locations: 263, vehicles: 2_630, ...SEVERAL },
  '1,000 locations, 10,000 vehicles, capacities 1 to 3': { locations: 1_000, vehicles: 10_000, ...SEVERAL },
};

/** The rules of cities with fractional demand or several capacities; the others have all of them. */
const FEW = [
  'half are pinned, and 95 % of the fleet may serve',
  'a third of the stations are overfull by 10 %',
  'docks for demand and half an average station',
  'a fifth of an average station at least',
];

type Constraints = NonNullable<OptimizeRequest['constraints']>;
/** Per location: vehicles before the moves, demand in vehicles of average capacity, and the vehicles on average. */
type Place = { id: string; before: number; demand: number; share: number };

const mapOf = (places: Place[], value: (place: Place) => number | null) =>
  Object.fromEntries(
    places.flatMap((place) => {
      const at = value(place);
      return at === null ? [] : [[place.id, Math.ceil(at)]];
    }),
  );

/** Each states constraints; those without bounds are the plain solve that it is compared with. */
type Kind = (places: Place[]) => { plain: Constraints; bounds: Constraints; pinned?: number };

const KINDS: Record<string, Kind> = {
  'a tenth of the vehicles are pinned': () => ({ plain: {}, bounds: {}, pinned: 0.1 }),
  'half of the vehicles are pinned': () => ({ plain: { min_service_level: 0.8 }, bounds: {}, pinned: 0.5 }),
  'half are pinned, and 95 % of the fleet may serve': (places) => {
    const limits = {
      min_service_level: 0.9,
      total_fleet_size: Math.floor(0.95 * places.length * places[0].share),
    };
    return { plain: limits, bounds: {}, pinned: 0.5 };
  },
  'docks that nobody fills': (places) => ({
    plain: {},
    bounds: { max_vehicles_per_location: Math.max(...places.map(({ before, demand }) => before + demand)) },
  }),
  'a third of the stations are overfull by 10 %': (places) => ({
    plain: {},
    bounds: {
      max_vehicles_per_location: mapOf(places, ({ id, before, demand }) =>
        Number(id) % 3 === 0 ? Math.max(demand, 0.9 * before) : null,
      ),
    },
  }),
  'docks for demand and half an average station': (places) => ({
    plain: {},
    bounds: { max_vehicles_per_location: mapOf(places, ({ demand, share }) => demand + share / 2) },
  }),
  'docks 98 % full in all': (places) => ({
    plain: {},
    bounds: { max_vehicles_per_location: mapOf(places, ({ demand, share }) => demand + 0.22 * share) },
  }),
  'a fifth of an average station at least': (places) => ({
    plain: {},
    bounds: { min_vehicles_per_location: Math.ceil(places[0].share / 5) },
  }),
  'docks, a least presence, at most 15 km': (places) => ({
    plain: { max_distance: 15 },
    bounds: {
      min_vehicles_per_location: Math.ceil(places[0].share / 10),
      max_vehicles_per_location: mapOf(places, ({ demand, share }) => demand + share),
    },
  }),
};

/** Vehicles at even distances in the list of the fleet. */
function withPinned(city: City, share: number): City {
  const vehicles = city.request.fleet_state.vehicles.map((vehicle, v) => ({
    ...vehicle,
    pinned: (v * share) % 1 < share,
  }));
  return { ...city, request: { ...city.request, fleet_state: { vehicles } } };
}

function placesOf({ request }: City): Place[] {
  const demands = Object.entries(request.demand_forecast);
  const before = new Map<number, number>();
  for (const { location } of request.fleet_state.vehicles) {
    before.set(location!, (before.get(location!) ?? 0) + 1);
  }
  const { vehicles } = request.fleet_state;
  const share = vehicles.length / demands.length;
  const capacity = vehicles.reduce((sum, vehicle) => sum + vehicle.capacity!, 0) / vehicles.length;
  return demands.map(([id, [demand]]) => ({
    id,
    demand: demand / capacity,
    share,
    before: before.get(Number(id)) ?? 0,
  }));
}

const rows: string[][] = [];
for (const [name, shape] of Object.entries(SHAPES)) {
  for (const [kind, constraintsOf] of Object.entries(KINDS)) {
    if (!`${name}, ${kind}`.includes(only) || (shape.isFractional && !FEW.includes(kind))) continue;
    const [plain, bounded, ratios, dearer]: number[][] = [[], [], [], []];
    const endings = new Set<string>();
    let alone = '';
    for (let seed = 1; seed <= repeats; seed++) {
      const city = cityRequest(seed, shape);
      const constraints = constraintsOf(placesOf(city));
      const ruled = constraints.pinned ? withPinned(city, constraints.pinned) : city;
      const bounds = { ...constraints.plain, ...constraints.bounds };
      // The first solves of a city build its matrix, and warm the code up.
      await solveTimed(city, constraints.plain);
      await solveTimed(ruled, bounds);
      const free = await solveTimed(city, constraints.plain);
      const docks = await solveTimed(ruled, bounds);
      if (seed === 1 && shape.locations <= directUpTo) alone = await solveAlone(ruled, bounds);
      plain.push(free.ms);
      bounded.push(docks.ms);
      ratios.push(docks.ms / free.ms);
      const { outcome } = docks;
      endings.add('result' in outcome ? `${outcome.status}, ${outcome.certificate.method}` : outcome.status);
      if ('result' in outcome && 'result' in free.outcome)
        dearer.push(outcome.result.total_cost / free.outcome.result.total_cost);
    }
    const ends: [number, number] = [0, 1];
    rows.push([
      name,
      kind,
      spread(plain, digits, ends),
      spread(bounded, digits, ends),
      spread(ratios, digits, ends),
      dearer.length > 0 ? spread(dearer, (value) => value.toFixed(2), ends) : '',
      [...endings].join('; '),
      alone,
    ]);
  }
}
reportTable(
  {
    columns: [
      'city',
      'rule',
      'plain solve, ms',
      'with the rule, ms',
      'ratio',
      'cost, ratio',
      'answer',
      'HiGHS alone, ms',
    ],
    rows,
  },
  json,
);

/** Bounds on vehicles per location as maps by location id. Shares no code with the optimizer. */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../../src/core/optimize/problem/model.ts';

const NAMES = ['min_vehicles_per_location', 'max_vehicles_per_location'] as const;
type Constraints = NonNullable<OptimizeRequest['constraints']>;
/** Random numbers, as `createRandom` makes them. */
type Random = {
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  integer(least: number, most: number): number;
};
type Bounds = Pick<Constraints, (typeof NAMES)[number]>;
type Bound = number | Record<string, number> | undefined;

/** The bound that a request states for a location: its own, else the default, else none. */
export function boundAt(bound: Bound, id: number | string): number | undefined {
  if (bound === undefined || typeof bound === 'number') return bound;
  return `${id}` in bound ? bound[id] : bound.default;
}

/** The locations that constraints by location name. */
export function namedByBounds(constraints: Bounds & Pick<Constraints, 'unmet_demand_cost'> = {}): number[] {
  const { min_vehicles_per_location, max_vehicles_per_location, unmet_demand_cost } = constraints;
  return [min_vehicles_per_location, max_vehicles_per_location, unmet_demand_cost ?? undefined]
    .flatMap((bound) => Object.keys(typeof bound === 'object' ? bound : {}))
    .filter((key) => key !== 'default')
    .map(Number);
}

/**
 * A map of minimums, of maximums, or both; sometimes the other is a number. No minimum is above the maximum of its
 * location.
 */
export function randomBounds(
  random: Random,
  ids: readonly number[],
  minimum: () => number,
  maximum: () => number,
): Bounds {
  const map = (value: () => number): Record<string, number> => ({
    ...(random.chance(0.4) && { default: value() }),
    ...Object.fromEntries(ids.filter(() => random.chance(0.5)).map((id) => [id, value()])),
  });
  const kind = random.pick(['minimums', 'maximums', 'both', 'both', 'minimums and a number']);
  if (kind === 'maximums') return { max_vehicles_per_location: map(maximum) };
  const min = map(minimum);
  if (kind === 'minimums') return { min_vehicles_per_location: min };
  const max = kind === 'both' ? map(maximum) : maximum();
  for (const key of ['default', ...namedByBounds({ max_vehicles_per_location: max }), ...Object.keys(min)]) {
    const most = boundAt(max, key);
    if (most !== undefined && (boundAt(min, key) ?? 0) > most) min[key] = most;
  }
  return { min_vehicles_per_location: min, max_vehicles_per_location: max };
}

/** Bounds by location beside other constraints, for every fifth seed. @param own random numbers of their own */
export function boundEveryFifth(
  seed: number,
  own: Random,
  constraints: Constraints,
  locations: readonly LocationPoint[],
  [mostLeast, mostAtAll]: readonly [number, number],
): Constraints {
  if (seed % 5 !== 0) return constraints;
  const ids = locations.map(({ id }) => id);
  const bounds = randomBounds(
    own,
    ids,
    () => own.integer(0, mostLeast),
    () => own.integer(1, mostAtAll),
  );
  return withBounds(constraints, bounds);
}

export type PosedRequest = { request: OptimizeRequest; locations: LocationPoint[] };

/** The same request with vehicles of one capacity, and bounds per location, some of which cannot be kept. */
export function randomlyBounded(
  random: Random,
  { request, locations }: PosedRequest,
  capacity: number,
): PosedRequest {
  const { vehicles } = request.fleet_state;
  const ids = locations.map(({ id }) => id);
  const share = vehicles.length / ids.length;
  const least = () => random.integer(0, Math.ceil(share * 0.7));
  const most = () => random.integer(Math.floor(share / 2), Math.ceil(share * 2));
  const number = Math.max(1, most());
  const bounds = random.chance(0.3)
    ? { max_vehicles_per_location: number, min_vehicles_per_location: Math.min(number, least()) }
    : randomBounds(random, ids, least, most);
  return {
    locations,
    request: {
      ...request,
      fleet_state: { vehicles: vehicles.map((vehicle) => ({ ...vehicle, capacity })) },
      constraints: withBounds({ ...request.constraints, capacity_per_vehicle: capacity }, bounds),
    },
  };
}

/** The same bound at most (of a minimum) or at least (of a maximum) at a value, at every location. */
export function loosened(bound: Bound, name: keyof Bounds, value: number): Bound {
  if (typeof bound !== 'object') return value;
  const loosen = name === 'min_vehicles_per_location' ? Math.min : Math.max;
  return Object.fromEntries(Object.entries(bound).map(([key, at]) => [key, loosen(at, value)]));
}

/** Constraints with other bounds on vehicles per location. */
export function withBounds(constraints: Constraints, bounds: Bounds): Constraints {
  const { min_vehicles_per_location: _min, max_vehicles_per_location: _max, ...others } = constraints;
  return { ...others, ...bounds };
}

/** The same bounds under other ids. */
export function renamed(bounds: Bounds, nameOf: ReadonlyMap<number, number>): Bounds {
  const rename = (key: string) => (key === 'default' ? key : `${nameOf.get(Number(key))}`);
  return Object.fromEntries(
    NAMES.filter((name) => bounds[name] !== undefined).map((name) => {
      const bound = bounds[name];
      const isMap = typeof bound === 'object';
      return [
        name,
        isMap ? Object.fromEntries(Object.entries(bound).map(([key, at]) => [rename(key), at])) : bound,
      ];
    }),
  );
}

import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import {
  MAX_CAPACITY,
  MAX_COST,
  MAX_COUNT,
  MAX_DEMAND,
  MAX_DISTANCE_KM,
  MAX_TRIPS_PER_VEHICLE_HOUR,
  MIN_CAPACITY,
  MIN_TRIPS_PER_VEHICLE_HOUR,
  STEP_HOURS,
} from '../../../../src/contracts/bounds.ts';
import { DEMAND_AGGREGATIONS, OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { checkRequest } from '../../../../src/core/optimize/request/check.ts';
import { enough, runs } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { SETTINGS } from '../instances.ts';

const TINY = 5e-324;
/** Usually powers of ten, and the ends of the allowed range. */
const size = (least: number, most: number) =>
  fc
    .oneof(
      fc.constantFrom(least, most, 0, TINY, 1),
      fc.double({ min: -320, max: 12, noNaN: true }).map((exponent) => 10 ** exponent),
      fc.double({ min: 0, max: 3, noNaN: true }),
    )
    .map((value) => Math.min(most, Math.max(least, value)));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const IDS = [1, 2, 3, 4];
const matrix = (value: fc.Arbitrary<number | null>) =>
  fc.array(fc.array(value, { minLength: 4, maxLength: 4 }), { minLength: 4, maxLength: 4 });

const request = fc
  .record({
    demands: fc.array(fc.array(size(0, MAX_DEMAND), { minLength: 1, maxLength: 2 }), {
      minLength: 1,
      maxLength: 4,
    }),
    capacities: fc.array(size(MIN_CAPACITY, MAX_CAPACITY), { minLength: 1, maxLength: 3 }),
    vehicles: fc.array(fc.record({ place: fc.constantFrom(...IDS), k: fc.nat(2) }), { maxLength: 7 }),
    costs: maybe(matrix(fc.option(size(0, MAX_COST / 7), { freq: 5 }))),
    distances: maybe(matrix(size(0, MAX_DISTANCE_KM))),
    constraints: fc.record({
      min_service_level: maybe(fc.constantFrom(0, TINY, 1e-12, 0.5, 0.95, 1)),
      max_distance: maybe(size(0, MAX_DISTANCE_KM)),
      max_rebalancing_cost: fc.constantFrom(null, 0, TINY, 1, MAX_COST),
      min_vehicles_per_location: maybe(fc.constantFrom(0, 1)),
      max_vehicles_per_location: maybe(fc.constantFrom(1, 3, MAX_COUNT)),
      total_fleet_size: maybe(fc.constantFrom(0, 1, 4, MAX_COUNT)),
    }),
    options: fc.record({
      demand_aggregation: fc.constantFrom(...DEMAND_AGGREGATIONS, 'quantile:0.9'),
      trips_per_vehicle_hour: maybe(
        fc.constantFrom(null, MIN_TRIPS_PER_VEHICLE_HOUR, 0.3, 2, MAX_TRIPS_PER_VEHICLE_HOUR),
      ),
      step_hours: maybe(fc.constantFrom(...STEP_HOURS)),
      explain: fc.boolean(),
      optimality_gap: maybe(fc.constantFrom(0, TINY, 0.1, 1)),
      time_limit_seconds: fc.constant(0.3),
    }),
  })
  .map(({ demands, capacities, vehicles, costs, distances, constraints, options }) => {
    const body = {
      demand_forecast: Object.fromEntries(demands.map((steps, i) => [IDS[i], steps])),
      fleet_state: {
        vehicles: vehicles.map(({ place, k }, v) => ({
          id: `v${v}`,
          location: place,
          capacity: capacities[k % capacities.length],
        })),
      },
      constraints,
      ...(costs && { network: { location_ids: IDS, costs, ...(distances && { distances_km: distances }) } }),
      options,
    };
    // As received as JSON.
    return JSON.parse(JSON.stringify(body)) as OptimizeRequest;
  });

const locations = IDS.map((id) => ({
  id,
  latitude: id === 4 ? 90 : 40 + id / 10,
  longitude: id === 3 ? 180 : -74,
}));
const schema = Compile(OptimizeRequest);

test('whatever the check lets through is solved, or proved infeasible, in finite numbers, or out of time', {
  tags: 'slow',
}, async () => {
  const ends: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(request, async (asked) => {
      expect([...schema.Errors(asked)]).toEqual([]);
      if (checkRequest(asked, new Set(IDS), SETTINGS).length > 0) return;
      // Throws if a number is not finite.
      const outcome = await optimize({ request: asked, locations, settings: SETTINGS });
      ends[outcome.status] = (ends[outcome.status] ?? 0) + 1;
      if (outcome.status === 'error')
        expect(outcome.message).toMatch(/^no plan was found within the time limit/);
      else expect(['optimal', 'feasible', 'infeasible']).toContain(outcome.status);
      expect(JSON.stringify(outcome)).not.toMatch(/NaN|Infinity/);
    }),
    runs(250),
  );
  expect(ends.optimal).toBeGreaterThan(enough(50));
  expect(ends.infeasible).toBeGreaterThan(enough(20));
});

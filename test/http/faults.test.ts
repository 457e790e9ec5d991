import fc from 'fast-check';
import { Check } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { findFaults } from '../../src/http/bodies/faults.ts';
import { fits } from '../../src/http/bodies/fits.ts';
import { OPERATIONS, type Operation } from '../../src/http/bodies/operations.ts';
import { runs } from '../helpers/depth.ts';

/** A body of each operation that fits its schema. */
const BODIES: Record<Operation, object> = {
  optimize: {
    demand_forecast: { '1': [1, 2], '-7': [0] },
    fleet_state: {
      vehicles: [
        { id: 'a', location: 1 },
        { vehicle_id: 'b', location_id: 2, status: 'downtime' },
      ],
    },
    constraints: { max_rebalancing_cost: null, total_fleet_size: 3 },
    network: {
      location_ids: [1, 2],
      costs: [
        [0, null],
        [1, 0],
      ],
    },
    options: { explain: true, priority: 'low' },
  },
  decision: { location_ids: [1, 2], risk: { threshold: 0.5 }, start_date: '2026-03-01', step_hours: 4 },
  backtest: { location_ids: [4], confidence_levels: [0.5, 0.9], options: { priority: 'high' } },
  replay: {
    from: '2026-02-02',
    to: '2026-02-09',
    trips_per_vehicle_hour: 2,
    unmet_demand_cost: 6,
    policies: [{ mode: 'horizon', horizon_hours: 4, constraints: { max_distance: 9 } }],
    seeds: [1, 2],
  },
  forecast: { location_ids: [1], features: { include_intervals: true, confidence_level: 0.9 } },
  risk: { vehicles: [{ id: 'a', age_days: 1, utilization_rate: 0.5, days_since_maintenance: 2 }] },
  locations: { locations: [{ id: 1, name: 'a', latitude: 1, longitude: 2, time_zone: 'Europe/Berlin' }] },
  webhook: { url: 'https://receiver.example/', events: ['job.failed'], active: false },
  webhook_patch: { description: 'the desk' },
  fleet: { fleet: [{ vehicle_id: 'a', location_id: 1, acquired_on: '2020-01-01' }] },
  demand: { observations: [{ location_id: 1, hour: '2026-03-01T05:00:00Z', demand: 2 }] },
  events: {
    events: [
      {
        event_id: 'a',
        location_id: null,
        from: '2026-03-01T05:00Z',
        to: '2026-03-01T06:00Z',
        kind: 'strike',
      },
    ],
  },
  travel: { travel: [{ from_location_id: 1, to_location_id: 2, distance_km: 3.5, duration_minutes: 12 }] },
  trip_flows: { trip_flows: [{ from_location_id: 1, to_location_id: 2, trips: 30, hour_of_week: 8 }] },
  schedule: {
    name: 'a',
    cron: '0 * * * *',
    time_zone: 'UTC',
    decision: { location_ids: [1], step_hours: 2 },
  },
  schedule_patch: { paused: true, missed: 'skip', decision: { risk: { threshold: 0.5 } } },
  vehicle_patch: { status: 'maintenance', capacity: 2 },
  location_patch: { active: false, expected_daily_demand: 3 },
};

/** The same value with another one somewhere inside, or with one key more or less. */
function mutate(value: unknown, path: number[], other: unknown): unknown {
  if (value === null || typeof value !== 'object' || path.length === 0) return other;
  const entries = Object.entries(value);
  const [first, ...rest] = path;
  const at = first % (entries.length + 2);
  if (Array.isArray(value)) {
    return at < value.length ? value.with(at, mutate(value[at], rest, other)) : [...value, other];
  }
  if (at === entries.length) return { ...value, extra: other };
  if (at > entries.length) return Object.fromEntries(entries.slice(1));
  return { ...value, [entries[at][0]]: mutate(entries[at][1], rest, other) };
}

describe('faults of a body', () => {
  test.each(Object.entries(BODIES) as [Operation, object][])(
    '%s: are found exactly where it does not fit',
    (name, body) => {
      const { schema } = OPERATIONS[name];
      expect(findFaults(schema, body)).toEqual([]);
      fc.assert(
        fc.property(fc.array(fc.nat(20), { maxLength: 6 }), fc.jsonValue(), (path, other) => {
          const changed = mutate(body, path, other);
          expect(findFaults(schema, changed).length > 0, JSON.stringify(changed)).toBe(
            !fits(schema, changed),
          );
          expect(fits(schema, changed)).toBe(Check(schema, changed));
        }),
        runs(2000),
      );
    },
  );

  const optimize = OPERATIONS.optimize.schema;
  const request = BODIES.optimize;

  test('an array with too many items gets one fault, for its size', () => {
    const series = { ...request, demand_forecast: { '1': Array(8785).fill('x') } };
    expect(findFaults(optimize, series)).toEqual([
      { field: 'demand_forecast.1', message: 'has 8785 items; at most 8784 are allowed' },
    ]);
    const cells = { ...request, network: { location_ids: [1], costs: [Array(5001).fill('x')] } };
    expect(findFaults(optimize, cells)).toEqual([
      { field: 'network.costs[0]', message: 'has 5001 items; at most 5000 are allowed' },
    ]);
    const entries = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [i, 'x']));
    expect(findFaults(optimize, { ...request, demand_forecast: entries })).toEqual([
      { field: 'demand_forecast', message: 'has 20001 entries; at most 20000 are allowed' },
    ]);
  });

  const asked = (more: object) => findFaults(optimize, { ...request, ...more });
  const constraint = (more: object) => asked({ constraints: more });
  const decision = (more: object) => findFaults(OPERATIONS.decision.schema, { ...more });

  test.each<[string, { message: string }[], string]>([
    [
      'a number in quotes',
      asked({ demand_forecast: { '1': ['3'] } }),
      '"3" is not a finite number from 0 to 1000000000; write the number itself: 3',
    ],
    [
      'a number with its unit',
      constraint({ max_distance: '10 km' }),
      '"10 km" is not a finite number from 0 to 1000000; write the number alone, without a unit',
    ],
    [
      'hours and minutes',
      constraint({ max_distance: '0:12' }),
      '"0:12" is not a finite number from 0 to 1000000; write one number: 0:12 is 12 minutes',
    ],
    [
      'a number in quotes where null may stand, too',
      asked({ options: { trips_per_vehicle_hour: '2' } }),
      '"2" is neither a finite number nor null; write the number itself: 2',
    ],
    [
      'a word for a number',
      constraint({ max_distance: 'far' }),
      '"far" is not a finite number from 0 to 1000000',
    ],
    [
      'a percentage for a share',
      constraint({ min_service_level: 95 }),
      '95 is above the maximum 1; give a finite number from 0 to 1; 95 % is 0.95',
    ],
    [
      'a number above a share',
      constraint({ min_service_level: 950 }),
      '950 is above the maximum 1; give a finite number from 0 to 1',
    ],
    [
      'a number for a text',
      asked({ fleet_state: { vehicles: [{ id: 7, location: 1 }] } }),
      '7 is not a string; put it in quotes: "7"',
    ],
    ['a word for a boolean', asked({ options: { explain: 'yes' } }), '"yes" is not true or false'],
    [
      'a boolean in quotes',
      asked({ options: { explain: 'true' } }),
      '"true" is not true or false; write it without quotes: true',
    ],
    [
      'one number for a list',
      asked({ demand_forecast: { '1': 3 } }),
      '3 is not an array; put it in brackets, as a list',
    ],
    [
      'a list for the object around it',
      asked({ fleet_state: [{ id: 'a', location: 1 }] }),
      'an array is not an object; put it under the key "vehicles"',
    ],
    [
      'a list for a map',
      asked({ demand_forecast: [1, 2] }),
      'an array is not an object; its keys are location ids as text, for example "12"',
    ],
    ['a number for an object', decision({ risk: 0.7 }), '0.7 is not an object; its keys are threshold'],
    ['nothing', findFaults(optimize, null), 'the body is empty; send a JSON object'],
    [
      'a key in the wrong object',
      asked({ options: { shortage: 'serve_most' } }),
      'unknown key "shortage" here; it belongs in constraints',
    ],
    [
      'a name that is one of another object, and nearly one of this',
      constraint({ priority: { 1: 9 } }),
      'unknown key "priority"; did you mean "priorities"?',
    ],
    [
      'a key below its place',
      constraint({ options: {} }),
      'unknown key "options" here; it belongs at the top level',
    ],
    [
      'another way to write a date',
      decision({ start_date: '04.05.2017' }),
      '"04.05.2017" is not a date as YYYY-MM-DD, for example 2026-03-01',
    ],
    [
      'a day that does not exist',
      decision({ start_date: '2017-02-30' }),
      '"2017-02-30" is not a day of the calendar',
    ],
  ])('%s: the fault says what to write instead, once', (_what, faults, message) => {
    expect(faults.map((fault) => fault.message)).toEqual([message]);
  });

  test('finding them stops at the hundredth', () => {
    let looked = 0;
    const vehicles = Array.from({ length: 100_000 }, () => ({
      get id() {
        looked++;
        return 5;
      },
    }));
    // One pass of the compiled check ends at the first; the walk looks at the first hundred.
    expect(findFaults(optimize, { ...request, fleet_state: { vehicles } })).toHaveLength(100);
    expect(looked).toBeLessThan(2000);
    const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, 1]));
    expect(findFaults(optimize, { ...request, constraints: keys })).toHaveLength(100);
  });

  test('a long text or key is shortened in its fault', () => {
    const long = 'x'.repeat(1_000_000);
    for (const body of [{ [long]: 1 }, { ...request, options: { priority: long } }]) {
      for (const { field, message } of findFaults(optimize, body)) {
        expect([field?.length ?? 0, message.length].every((n) => n < 300)).toBe(true);
      }
    }
  });
});

import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { ConstraintName } from '../../../../src/core/optimize/problem/constraints.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { SETTINGS } from '../instances.ts';

/** Far more vehicles than exist: no search may take a step or a byte for each of them. */
const MANY = 9e8;
/** Upper limit of `min_vehicles_per_location`. */
const MOST = 2 ** 31 - 1;

type Constraints = OptimizeRequest['constraints'];

/** Two locations, one vehicle of each capacity at the first. */
async function explain(demand: [number, number], capacities: number[], constraints: Constraints = {}) {
  const request: OptimizeRequest = {
    demand_forecast: { 1: [demand[0]], 2: [demand[1]] },
    fleet_state: { vehicles: capacities.map((capacity, v) => ({ id: `v${v}`, location: 1, capacity })) },
    network: {
      location_ids: [1, 2],
      costs: [
        [0, 5],
        [5, 0],
      ],
    },
    constraints: { min_service_level: 1, ...constraints },
    options: { time_limit_seconds: 10 },
  };
  const outcome = await optimize({ request, locations: [], settings: SETTINGS });
  if (outcome.status !== 'infeasible') throw new Error(`is ${outcome.status}`);
  const { conflicts, errors, sets } = outcome;
  expect(errors.length).toBeGreaterThan(0);
  const of = (name: ConstraintName) => conflicts.find(({ constraint }) => constraint === name);
  return { conflicts, sets, of };
}

const FLEETS = { 'of one capacity': [1, 1, 1, 1], 'of several': [1, 1, 2, 1] };

describe.each(Object.entries(FLEETS))('a fleet %s far too small', (_, capacities) => {
  const capacity = capacities.reduce((sum, c) => sum + c, 0);

  test('is told how many vehicles are missing, and where', { tags: 'slow' }, async () => {
    const { of } = await explain([0, MANY], capacities);
    const { relaxation, proved, additions = [] } = of('supply')!;
    const missing = MANY - capacity;
    expect([relaxation! - capacities.length, proved]).toEqual([missing, true]);
    expect(additions.reduce((sum, { vehicles }) => sum + vehicles, 0)).toBe(missing);
  });

  test('for more vehicles than are counted is told so without a number', async () => {
    for (const demand of [MOST, 1e12, 1e15]) {
      const { of, sets } = await explain([demand, demand], capacities);
      expect(of('supply')).toMatchObject({ relaxation: null, proved: false });
      expect(of('min_service_level')).toMatchObject({ relaxation: expect.any(Number) });
      expect(sets).toEqual([{ names: ['supply', 'min_service_level'], irreducible: true }]);
    }
  });

  test('for so many vehicles per location is told the most that it can have', { tags: 'slow' }, async () => {
    for (const min_vehicles_per_location of [1e6, MANY, MOST]) {
      const { of, sets } = await explain([1, 0], capacities, { min_vehicles_per_location });
      expect(of('min_vehicles_per_location')).toMatchObject({ relaxation: 2, insufficient: 3, proved: true });
      const isCounted = min_vehicles_per_location !== MOST;
      const most = 2 * min_vehicles_per_location;
      expect(of('supply')).toMatchObject({ relaxation: isCounted ? most : null, proved: isCounted });
      expect(sets).toEqual([{ names: ['min_vehicles_per_location', 'supply'], irreducible: true }]);
    }
  });

  test('for demand of so many vehicles at one place is told why', async () => {
    for (const smaller of [0.4, 1e-6]) {
      const { of } = await explain(
        [0, MANY],
        capacities.map((c) => c * smaller),
      );
      expect(of('supply')).toMatchObject({ relaxation: null, proved: false });
      expect(of('min_service_level')).toMatchObject({ proved: true });
    }
  });
});

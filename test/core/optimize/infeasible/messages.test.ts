import { expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { describeConflict } from '../../../../src/core/optimize/infeasible/messages.ts';
import type { ConstraintName } from '../../../../src/core/optimize/problem/constraints.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { SETTINGS } from '../instances.ts';

test('a ceiling that was not examined in time is not said to be below the cheapest plan', () => {
  const request: OptimizeRequest = { demand_forecast: { 1: [1] }, fleet_state: { vehicles: [] } };
  const problem = buildProblem(request, [{ id: 1, latitude: 0, longitude: 0 }], SETTINGS);
  const messageOf = (irreducible: boolean, relaxation: number | null) => {
    const found = { value: 10_000, relaxation, insufficient: null, proved: true };
    const sets = [{ names: ['max_rebalancing_cost' as const, 'supply' as const], irreducible }];
    const conflict = { constraint: 'max_rebalancing_cost' as const, ...found };
    return describeConflict(request, problem, conflict, sets, new Map()).message;
  };
  const less = 'max_rebalancing_cost 10000 is less than the cheapest plan costs; ';
  expect(messageOf(true, null)).toBe(`${less}changing it alone does not help`);
  expect(messageOf(false, 12_000)).toBe(`${less}raise it to at least 12000`);
  expect(messageOf(false, null)).toBe(
    'max_rebalancing_cost 10000 may be in conflict; changing it alone does not help',
  );
});

test('figures are rounded to the side on which they hold: what is advised suffices, what is said to fail does', () => {
  const request: OptimizeRequest = {
    demand_forecast: { 1: [26_761.602_9] },
    fleet_state: { vehicles: [{ id: 'a', location: 1, status: 'operational', capacity: 4.000_04 }] },
    constraints: { min_service_level: 0.95 },
  };
  const problem = buildProblem(request, [{ id: 1, latitude: 0, longitude: 0 }], SETTINGS);
  const describe = (constraint: ConstraintName, relaxation: number | null, insufficient: number | null) => {
    const conflict = { constraint, value: 1, relaxation, insufficient, proved: false };
    return describeConflict(request, problem, conflict, [], new Map());
  };
  const ceiling = describe('max_rebalancing_cost', 687.6326, 687.1943);
  expect(ceiling.message).toContain('raise it to at least 687.7 (sufficient; 687.1 is proved insufficient;');
  expect(ceiling.relaxation).toMatchObject({ relaxation: 687.6326 });
  expect(describe('min_service_level', 0.930_37, 0.940_01).message).toContain(
    'lower it to at most 0.9303 (sufficient; 0.9401 is proved insufficient;',
  );
  expect(describe('supply', null, null).message).toContain(
    '1 operational vehicle with a total capacity of 4 cannot serve the required 25424 (95 % of the demand 26762);',
  );
});

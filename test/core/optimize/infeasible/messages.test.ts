import { expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { describeConflict } from '../../../../src/core/optimize/infeasible/messages.ts';
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

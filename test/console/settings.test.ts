import { describe, expect, test } from 'vitest';
import type { ErrorRelaxation } from '../../console/src/api/types.ts';
import { isSetting, merged, type Setting, settingsOf, withSettings } from '../../console/src/ui/settings.ts';

const change = (constraint: ErrorRelaxation['constraint'], relaxation: number | null, more: object = {}) =>
  settingsOf({ constraint, value: 1, relaxation, proved: true, ...more });

describe('a relaxation as a setting', () => {
  test('is rounded so that it still suffices', () => {
    expect(change('min_service_level', 0.888888)).toEqual([{ name: 'min_service_level', value: 0.8888 }]);
    expect(change('max_distance', 3.11)).toEqual([{ name: 'max_distance', value: 3.2 }]);
    expect(change('max_rebalancing_cost', 18.2)).toEqual([{ name: 'max_rebalancing_cost', value: 19 }]);
    expect(change('max_pairs', 4)).toEqual([{ name: 'max_pairs', value: 4 }]);
  });

  test('is none where a request cannot state it, or where no value is known', () => {
    expect(change('supply', 12)).toBeUndefined();
    expect(change('network', null)).toBeUndefined();
    expect(change('max_distance', null)).toBeUndefined();
    const together = [
      { constraint: 'supply', relaxation: 12 },
      { constraint: 'max_distance', relaxation: 3 },
    ];
    expect(change(null, null, { together })).toBeUndefined();
  });

  test('has every part of changes that suffice only together', () => {
    const together = [
      { constraint: 'max_distance', relaxation: 3.11 },
      { constraint: 'min_vehicles_per_location', relaxation: 0, by_location: { 4: 0, 7: 2 } },
    ];
    expect(change(null, null, { together })).toEqual([
      { name: 'max_distance', value: 3.2 },
      { name: 'min_vehicles_per_location', value: { 4: 0, 7: 2 } },
    ]);
  });
});

describe('a request with settings', () => {
  test('has them in place of what it states, also under the other names of the interface', () => {
    const constraints = { min_demand_coverage: 0.99, max_rebalancing_distance_km: 1, total_fleet_size: 3 };
    expect(
      withSettings({ constraints }, [
        { name: 'min_service_level', value: 0.9 },
        { name: 'max_distance', value: 3 },
        { name: 'shortage', value: 'serve_most' },
      ]),
    ).toEqual({
      constraints: { min_service_level: 0.9, max_distance: 3, total_fleet_size: 3, shortage: 'serve_most' },
    });
  });

  test('keeps the bounds of locations that are not named, and the other rules about pairs', () => {
    const asked = {
      constraints: { min_vehicles_per_location: { default: 1, 4: 5, 7: 5 } },
      options: { optimality_gap: 0.1, refine: { max_pairs: 2, cost_per_pair: 1 } },
    };
    expect(
      withSettings(asked, [
        { name: 'min_vehicles_per_location', value: { 4: 3 } },
        { name: 'max_pairs', value: 9 },
      ]),
    ).toEqual({
      constraints: { min_vehicles_per_location: { default: 1, 4: 3, 7: 5 } },
      options: { optimality_gap: 0.1, refine: { max_pairs: 9, cost_per_pair: 1 } },
    });
    const first: Setting = { name: 'min_vehicles_per_location', value: { 4: 3, 7: 4 } };
    const second: Setting = { name: 'min_vehicles_per_location', value: { 7: 2 } };
    expect(merged(first, second).value).toEqual({ 4: 3, 7: 2 });
  });

  test('takes from an address nothing but settings', () => {
    const read = JSON.parse('[1, null, {"name":"toString","value":1}, {"name":"max_pairs"}]') as unknown[];
    expect(read.some(isSetting)).toBe(false);
    expect(isSetting({ name: 'max_pairs', value: 3 })).toBe(true);
  });
});

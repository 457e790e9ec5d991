import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import { verifyPlan } from '../../../src/core/optimize/answer/verify.ts';
import type { TravelTable } from '../../../src/core/optimize/problem/model.ts';
import { checkRequest } from '../../../src/core/optimize/request/check.ts';
import { optimizeCached as optimize } from './cached.ts';
import { SETTINGS } from './instances.ts';
import { travelTable } from './travel-table.ts';

describe('costs per km, minute and move, with great circles and a travel table', () => {
  const locations = [1, 2, 3].map((id) => ({ id, latitude: 40 + id / 100, longitude: -74 }));
  const asked = (options: OptimizeRequest['options']): OptimizeRequest => ({
    demand_forecast: { '1': [0], '2': [1], '3': [1] },
    fleet_state: {
      vehicles: [
        { id: 'a', location: 1 },
        { id: 'b', location: 1 },
      ],
    },
    constraints: { min_service_level: 1, max_distance: 30 },
    options: options ?? {},
  });
  const solve = (options: OptimizeRequest['options'], travel: TravelTable | null) =>
    optimize({ request: asked(options), locations, settings: SETTINGS, travel });

  test('a move costs its kilometres, its minutes and itself, and staying costs nothing', async () => {
    const travel = travelTable([
      [1, 1, 9, 9],
      [1, 2, 5.681, 11.99],
      [1, 3, 2, 4],
    ]);
    const outcome = await solve(
      { travel: 'stored', cost: { per_km: 0.5, per_minute: 0.4, per_move: 3 } },
      travel,
    );
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    // 3 + 0.5 × 5.681 + 0.4 × 11.99 = 10.6365; 3 + 1 + 1.6 = 5.6
    expect(outcome.result.allocation_plan.map(({ cost }) => cost).toSorted()).toEqual([10.6365, 5.6]);
    expect(outcome.result.kpis.total_distance_km).toBeCloseTo(7.681, 9);
    expect(outcome.result.kpis.total_minutes).toBeCloseTo(15.99, 9);
    expect(outcome.moveDistances?.minutes?.toSorted()).toEqual([11.99, 4]);
  });

  test('max_distance limits stored kilometres, and a pair that the table lacks is named', async () => {
    const far = await solve(
      { travel: 'stored' },
      travelTable([
        [1, 2, 31, 5],
        [1, 3, 2, 4],
      ]),
    );
    if (far.status !== 'infeasible') throw new Error(far.status);
    const relaxed = far.errors.map(({ field, message }) => `${field}: ${message}`).join('\n');
    expect(relaxed).toMatch(/constraints\.max_distance.*raise it to at least 31/);
    const lacking = await solve({ travel: 'stored' }, travelTable([[1, 3, 2, 4]]));
    if (lacking.status !== 'infeasible') throw new Error(lacking.status);
    expect(lacking.errors).toContainEqual(
      expect.objectContaining({
        field: 'options.travel',
        message: expect.stringMatching(/the travel table lacks.*location 2/),
      }),
    );
    const whole = await solve(
      { travel: { source: 'stored', fallback: 'great_circle' } },
      travelTable([[1, 3, 2, 4]]),
    );
    if (whole.status !== 'optimal') throw new Error(whole.status);
    // The minutes of the great circle are unknown.
    expect(whole.result.kpis).not.toHaveProperty('total_minutes');
    expect(whole.moveDistances?.minutes?.toSorted()).toEqual([4, null]);
  });

  test('costs whose total would not be exact are refused', async () => {
    const travel = travelTable([
      [1, 2, 5, 1e6],
      [1, 3, 2, 4],
    ]);
    const outcome = await solve({ travel: 'stored', cost: { per_minute: 1e6 } }, travel);
    expect(outcome).toMatchObject({ status: 'refused', faults: [{ field: 'options.cost' }] });
  });

  test('the check of the finished plan finds a wrong cost, and a move that the table lacks', async () => {
    const travel = travelTable([
      [1, 2, 5, 10],
      [1, 3, 2, 4],
    ]);
    const options = { travel: 'stored', cost: { per_minute: 1 } } as const;
    const outcome = await solve(options, travel);
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    const faults = (wrong: TravelTable | null, request = asked(options)) =>
      verifyPlan(request, locations, SETTINGS, outcome.result, undefined, wrong).join('\n');
    expect(faults(travel)).toBe('');
    outcome.result.kpis.total_minutes = 13;
    expect(faults(travel)).toMatch(/total_minutes is 13 instead of 14/);
    outcome.result.kpis.total_minutes = 14;
    const slower = travelTable([
      [1, 2, 5, 10],
      [1, 3, 2, 4.01],
    ]);
    expect(faults(slower)).toMatch(/costs 6 instead of 6\.01/);
    expect(faults(travelTable([[1, 2, 5, 10]]))).toMatch(/forbidden move 1 → 3/);
    expect(faults(travel, asked({ ...options, cost: { per_minute: 1, per_move: 1 } }))).toMatch(
      /instead of 7/,
    );
  });

  test.each<[string, Partial<OptimizeRequest>]>([
    ['options.cost.per_minute', { options: { cost: { per_minute: 1 } } }],
    [
      'options.travel.fallback',
      { options: { cost: { per_minute: 1 }, travel: { source: 'stored', fallback: 'great_circle' } } },
    ],
    ...(['per_km', 'per_minute'] as const).map((rate): [string, Partial<OptimizeRequest>] => [
      `options.cost.${rate}`,
      { options: { cost: { [rate]: 2 } }, network: { location_ids: [1, 2, 3], costs: [] } },
    ]),
    ['options.travel', { options: { travel: 'stored' }, network: { location_ids: [1, 2, 3], costs: [] } }],
  ])('%s is refused where it cannot be had', (field, more) => {
    const faults = checkRequest({ ...asked({}), ...more }, new Set([1, 2, 3]), SETTINGS);
    expect(faults.map((fault) => fault.field)).toContain(field);
  });
});

import { expect, test } from 'vitest';
import type { DecisionRequest } from '../../src/contracts/decisions.ts';
import type { ForecastData } from '../../src/contracts/forecast.ts';
import { decisionFaults, likelyDemand, plannedPlaces, planRequest } from '../../src/core/decision.ts';
import { readHorizon } from '../../src/core/optimize/request/horizon.ts';

const demand = (t: number) => ({ field: `demand_forecast.7[${t}]`, message: 'too large', detail: null });
const vehicle = { field: 'fleet_state.vehicles[3].location', message: 'location 7 is unknown', detail: null };
const network = { field: 'network.costs[0][1]', message: 'too large', detail: null };

test.each<[DecisionRequest, string | null]>([
  [{ demand_scale: 1e6, demand: 'upper', location_ids: [7] }, 'demand_scale'],
  [{ demand: 'upper', location_ids: [7] }, 'demand'],
  [{ demand: 'mean', location_ids: [7] }, 'location_ids'],
  [{}, null],
])('a fault of the demand forecast for %j is told once, of %s', (request, field) => {
  const faults = decisionFaults(request, [], [demand(0), demand(1), network]);
  expect(faults.map((fault) => fault.field)).toEqual([field, 'network.costs[0][1]']);
  expect(faults[0].message).toMatch(/forecast.*: too large/);
});

test('a fault of looking ahead is told in fields that a decision has', () => {
  const fault = (field: string, message: string) => ({ field, message, detail: null });
  const told = decisionFaults(
    { mode: 'horizon' },
    [],
    [
      fault('options.explain', 'not supported; leave it out, or leave options.horizon out'),
      fault('options.horizon', 'too large; ask for fewer steps'),
      fault('options.horizon.speed_kmh', 'options.horizon.speed_kmh is 0'),
      fault('options.step_hours', '2 differs from 1, options.horizon.step_hours'),
    ],
  );
  expect(told.map(({ field, message }) => [field, message])).toEqual([
    ['options.explain', 'not supported; leave it out, or set mode to "static"'],
    ['mode', 'too large; ask for fewer steps'],
    ['options.horizon.speed_kmh', 'options.horizon.speed_kmh is 0'],
    ['options.step_hours', '2 differs from 1, step_hours'],
  ]);
});

test('a vehicle is named where the caller sent it, whoever is left out before it, and called stored where not', () => {
  const fleet = ['a', 'b', 'c', 'd', 'e'].map((vehicle_id) => ({ vehicle_id }));
  const places = plannedPlaces(fleet, { left_out: ['b'] });
  expect(decisionFaults({}, places, [vehicle])).toEqual([{ ...vehicle, field: 'fleet_state.vehicles[4]' }]);
  expect(decisionFaults({}, null, [vehicle])).toEqual([
    { field: null, message: 'the stored fleet: location 7 is unknown', detail: null },
  ]);
});

test('a vehicle on its way is kept where it is going only by a plan of one step that begins before it arrives', () => {
  const vehicle = (vehicle_id: string, available_at?: string) => ({
    ...{ vehicle_id, location_id: 1, status: 'operational' as const },
    ...(available_at !== undefined && { available_at }),
  });
  const fleet = [
    vehicle('there'),
    // Midnight in New York is 05:00 UTC.
    vehicle('in time', '2026-02-09T05:00:00Z'),
    vehicle('late', '2026-02-09T05:00:01Z'),
  ];
  const forecast = { forecasts: { 1: [1] }, metadata: { start_date: '2026-02-09', step_hours: 1 } };
  const vehicles = (mode: 'static' | 'horizon') =>
    planRequest({ mode }, fleet, { left_out: [] }, forecast as unknown as ForecastData, 'America/New_York')
      .fleet_state.vehicles;
  expect(vehicles('static')).toEqual([
    vehicle('there'),
    vehicle('in time'),
    { ...vehicle('late'), pinned: true },
  ]);
  expect(vehicles('horizon')).toEqual(fleet);
});

test('steps begin at the hour of the forecast, on its clock: trips end where they do in that hour of the week', () => {
  const starts_at = '2026-02-09T18:00:00-05:00';
  const forecast = {
    forecasts: { 1: [1] },
    metadata: { start_date: '2026-02-09', starts_at, step_hours: 1 },
  } as unknown as ForecastData;
  const request = planRequest({ mode: 'horizon' }, [], { left_out: [] }, forecast, 'UTC');
  expect(request.options?.horizon).toEqual({ starts_at });
  // Monday, 18:00.
  expect(readHorizon(request)).toMatchObject({ firstHourOfWeek: 18, startMs: Date.parse(starts_at) });
});

test('scaled demand has the digits of the product, without the noise of a double', () => {
  const forecast = {
    forecasts: { 7: [35.09] },
    metadata: { start_date: '2026-02-09', step_hours: 1 },
  } as unknown as ForecastData;
  const { demand_forecast } = planRequest({ demand_scale: 1.5 }, [], { left_out: [] }, forecast);
  expect(35.09 * 1.5).toBe(52.635000000000005);
  expect(demand_forecast).toEqual({ 7: [52.635] });
});

test('demand that is not certain has three scaled outcomes whose mean is planned for, whatever else has one', () => {
  const forecast = {
    forecasts: { 7: [10, 4] },
    intervals: { 7: { lower: [4, 4], upper: [20, 4] } },
    metadata: { start_date: '2026-02-09', step_hours: 1 },
  } as unknown as ForecastData;
  const request: DecisionRequest = { mode: 'horizon', demand: 'spread', demand_scale: 0.5 };
  const outcomes = likelyDemand(request, forecast)!.map(({ 7: [first, second] }) => [first, second]);
  const planned = planRequest(request, [], { left_out: [] }, forecast).demand_forecast[7];
  for (const t of [0, 1])
    expect(outcomes.reduce((sum, outcome) => sum + outcome[t] / 3, 0)).toBeCloseTo(planned[t], 12);
  expect(outcomes[0][0]).toBeLessThan(outcomes[1][0]);
  expect(outcomes[1][0]).toBeLessThan(outcomes[2][0]);
  expect(outcomes.map((outcome) => outcome[1])).toEqual([2, 2, 2]);
  for (const demand of ['mean', 'upper'] as const)
    expect(likelyDemand({ ...request, demand }, forecast)).toBeNull();
  const unknown = { ...forecast, intervals: { 7: { lower: [4, null], upper: [20, 4] } } };
  expect(() => likelyDemand(request, unknown as unknown as ForecastData)).toThrow(
    /location 7, step 1 is null/,
  );
});

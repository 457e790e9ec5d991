import { expect, test } from 'vitest';
import type { DecisionRequest } from '../../src/contracts/decisions.ts';
import type { ForecastData } from '../../src/contracts/forecast.ts';
import { decisionFaults, plannedPlaces, planRequest } from '../../src/core/decision.ts';

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

test('scaled demand has the digits of the product, without the noise of a double', () => {
  const forecast = {
    forecasts: { 7: [35.09] },
    metadata: { start_date: '2026-02-09', step_hours: 1 },
  } as unknown as ForecastData;
  const { demand_forecast } = planRequest({ demand_scale: 1.5 }, [], { left_out: [] }, forecast);
  expect(35.09 * 1.5).toBe(52.635000000000005);
  expect(demand_forecast).toEqual({ 7: [52.635] });
});

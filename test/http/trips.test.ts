import { beforeAll, describe, expect, test } from 'vitest';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

describe('demand in trips', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const call = (path: string, body: object) => send(`${service.url}/api/v1/${path}`, { body });

  beforeAll(async () => {
    service = await startTestService({ overrides: { OPTIMIZATION_TRIPS_PER_VEHICLE_HOUR: 2 } });
    await storeDemand(service.pool, 1, '0');
    await storeDemand(service.pool, 2, '4');
  });

  const vehicles = ['a', 'b', 'c', 'd'].map((id) => ({ id, location: 1 }));
  const optimize = (options?: object) =>
    call('optimize', {
      demand_forecast: { 2: [4, 3] },
      fleet_state: { vehicles },
      constraints: { min_service_level: 1 },
      ...(options && { options }),
    });

  test.each([
    ['the setting says how many', undefined, 2, 0.5],
    ['a request says how many', { trips_per_vehicle_hour: 4 }, 1, 0.25],
    ['a step is longer', { step_hours: 2 }, 1, 0.25],
    ['null lifts the setting', { trips_per_vehicle_hour: null, step_hours: 2 }, 4, 1],
  ])('where %s, so many vehicles are sent', async (_what, options, moved, utilization) => {
    const { status, body } = await optimize(options);
    expect(status).toBe(200);
    expect(body.data.kpis).toMatchObject({ rebalanced_count: moved, utilization, demand_coverage: 1 });
  });

  const decide = (body: object) =>
    call('decisions', {
      fleet_state: { vehicles },
      location_ids: [1, 2],
      start_date: START_DATE,
      horizon_hours: 24,
      constraints: { min_service_level: 1 },
      ...body,
    });

  test('a decision counts the hours of its own steps: a day of trips asks for as many vehicles as its hours', async () => {
    const moved = async (body: object) => (await decide(body)).body.data.plan.kpis.rebalanced_count;
    expect(await moved({ step_hours: 1 })).toBe(2);
    expect(await moved({ step_hours: 24 })).toBe(2);
    expect(await moved({})).toBe(2);
    expect(await moved({ step_hours: 1, options: { step_hours: 1, trips_per_vehicle_hour: 1 } })).toBe(4);
  });

  test.each([
    [
      { step_hours: 1, options: { step_hours: 24 } },
      /24 differs from 1, the step_hours of the decision itself/,
    ],
    [{ options: { step_hours: 24 } }, /24 differs from 1, the step_hours .*; leave options\.step_hours out/],
  ])('a decision that names two lengths of a step (%j) is answered with 400', async (body, message) => {
    const answer = await decide(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([
      { code: 'VALIDATION_ERROR', field: 'options.step_hours', message: expect.stringMatching(message) },
    ]);
  });
});

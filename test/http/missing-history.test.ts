import { beforeAll, describe, expect, test } from 'vitest';
import { makeFirstPlan } from '../../src/commands/start/first-plan.ts';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

const service = await startTestService({});
const { pool } = service;
const call = (path: string, options: Parameters<typeof send>[1] = {}) =>
  send(`${service.url}/api/v1/${path}`, options);
const patch = (id: number, body: object) => call(`data/locations/${id}`, { method: 'PATCH', body });
const hourly = { horizon_hours: 24, step_hours: 1 };
const decide = async (body: object = hourly) => {
  const answer = await call('decisions', { body });
  expect(answer.status, answer.text).toBe(200);
  const decision = (await call(`decisions/${answer.body.data.decision_id}`)).body.data;
  return { ...answer.body.data, inputs: decision.inputs };
};

// Places 1 to 4 lie on a line; 2 and 3 have demand by day, 1 and 4 were never observed.
beforeAll(async () => {
  const byDay = (most: number) => `case when h % 24 >= 12 then ${most} else 0 end`;
  await storeDemand(pool, 2, byDay(2));
  await storeDemand(pool, 3, byDay(20));
  const fleet = Array.from({ length: 60 }, (_, i) => ({ vehicle_id: `V${i}`, location_id: 1 + (i % 4) }));
  expect((await call('data/fleet', { method: 'PUT', body: { fleet } })).status).toBe(201);
});

describe('a location without observations', () => {
  test('does not stop a decision: it is planned with nothing, and named', async () => {
    const { without_history, start_date, inputs } = await decide();
    expect({ without_history, start_date }).toEqual({ without_history: [1, 4], start_date: START_DATE });
    expect(inputs.forecast.forecasts['1']).toEqual(Array(24).fill(0));
    expect(inputs.forecast.metadata.methods).toMatchObject({ '1': 'no_history', '4': 'no_history' });
  });

  test('is planned with its expected daily demand, shaped as that of its nearest neighbours', async () => {
    await patch(1, { expected_daily_demand: 12 });
    const { without_history, inputs, plan } = await decide();
    expect(without_history).toEqual([1, 4]);
    const values: number[] = inputs.forecast.forecasts['1'];
    // All of it by day, as theirs.
    expect(values.slice(0, 12).every((value) => value < 0.01)).toBe(true);
    expect(values.slice(12).every((value) => Math.abs(value - 1) < 0.05)).toBe(true);
    expect(inputs.forecast.metadata.methods['1']).toBe('expected_daily_demand');
    const served = plan.allocation_plan.filter(
      (item: { target_location: number }) => item.target_location === 1,
    );
    expect(served.length).toBeGreaterThanOrEqual(1);
    // Neighbours count though the request does not name them.
    const alone = await decide({ ...hourly, location_ids: [1] });
    expect(alone.without_history).toEqual([1]);
    expect(alone.inputs.forecast.forecasts['1'].map((v: number) => v.toFixed(2))).toEqual(
      values.map((v) => v.toFixed(2)),
    );
    expect(Object.keys(alone.inputs.forecast.forecasts)).toEqual(['1']);
  });

  test('has an upper end to plan against', async () => {
    await patch(1, { expected_daily_demand: 12 });
    const { inputs } = await decide({ ...hourly, demand: 'upper', constraints: { min_service_level: 0 } });
    const { lower, upper } = inputs.forecast.intervals['1'];
    expect(upper.every((value: number, i: number) => value >= lower[i])).toBe(true);
  });

  test('is 503 if the request wants that, naming the field that was sent, and always for forecasts', async () => {
    const fail = await call('decisions', { body: { on_missing_history: 'fail' } });
    expect([fail.status, fail.body.errors.map((e: { field: null }) => e.field)]).toEqual([503, [null, null]]);
    const named = await call('decisions', { body: { on_missing_history: 'fail', location_ids: [2, 4] } });
    expect([named.status, named.body.errors[0].field]).toEqual([503, 'location_ids[1]']);
    const forecast = await call('forecast', { body: { location_ids: [2, 1] } });
    expect([forecast.status, forecast.body.errors[0]]).toMatchObject([
      503,
      { code: 'MODEL_NOT_LOADED', field: 'location_ids[1]' },
    ]);
    expect((await call('decisions', { body: { on_missing_history: 'ignore' } })).status).toBe(400);
  });

  test('does not stop a backtest of all locations', async () => {
    const all = await call('forecast/backtest', { body: { origins: 1, horizon_hours: 24 } });
    expect([all.status, Object.keys(all.body.data.locations)]).toEqual([200, ['2', '3']]);
    const named = await call('forecast/backtest', { body: { origins: 1, location_ids: [2, 4] } });
    expect([named.status, named.body.errors[0].field]).toEqual([503, 'location_ids[1]']);
  });

  test('does not stop the first plan after a restart', async () => {
    const lines = await makeFirstPlan(service.url);
    expect(lines.join('\n')).toMatch(new RegExp(`^First plan: ${START_DATE}, 4 locations`));
  });
});

describe('a retired location', () => {
  test('is not planned unless a request names it; its vehicles may move away', async () => {
    await patch(2, { active: false });
    const { inputs, plan } = await decide();
    expect(Object.keys(inputs.forecast.forecasts)).toEqual(['1', '3', '4']);
    const targets = plan.allocation_plan.map((item: { target_location: number }) => item.target_location);
    expect(plan.allocation_plan).toHaveLength(60);
    expect(targets.filter((id: number) => id === 3).length).toBeGreaterThanOrEqual(19);
    const named = await decide({ ...hourly, location_ids: [2, 3] });
    expect(Object.keys(named.inputs.forecast.forecasts)).toEqual(['2', '3']);
    expect((await call('forecast', { body: { location_ids: [2] } })).status).toBe(200);
    await patch(2, { active: true });
    expect(Object.keys((await decide()).inputs.forecast.forecasts)).toEqual(['1', '2', '3', '4']);
  });
});

describe('forecasts that are kept', () => {
  test('do not outlive the deletion of their observations', async () => {
    const ask = () => call('forecast', { body: { location_ids: [3] } });
    expect((await ask()).status).toBe(200);
    expect((await call('data/locations/3?cascade=true', { method: 'DELETE' })).status).toBe(200);
    expect((await ask()).status).toBe(404);
    await pool.query(
      "insert into locations (id, name, latitude, longitude) values (3, 'Place 3', 40.3, -74)",
    );
    expect((await ask()).status).toBe(503);
  });
});

describe('a city that was never observed', () => {
  beforeAll(async () => {
    await pool.query('delete from demand_observations');
    await pool.query('update locations set expected_daily_demand = 24 where id = 1');
  });

  test('is planned for the requested day, else for tomorrow, with its expected demand', async () => {
    const asked = await decide({ ...hourly, start_date: '2026-07-01' });
    expect(asked).toMatchObject({ start_date: '2026-07-01', without_history: [1, 2, 3, 4] });
    expect(asked.inputs.forecast.forecasts['1']).toEqual(Array(24).fill(1));
    const { start_date } = await decide();
    expect(Math.abs(Date.parse(start_date) - Date.now()) / 3_600_000).toBeLessThan(25);
  });

  test('has a first plan for its expected demand', async () => {
    const lines = await makeFirstPlan(service.url);
    expect(lines.join('\n')).toMatch(/^First plan: \d{4}-\d\d-\d\d, 4 locations/);
  });
});

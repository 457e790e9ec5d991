import { beforeAll, describe, expect, test } from 'vitest';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

const HOUR_MS = 3_600_000;
const service = await startTestService({});
const { pool } = service;
const call = (path: string, body?: object) =>
  send(`${service.url}/api/v1/${path}`, { ...(body && { body }) });
const isoHour = (ms: number) => new Date(Math.ceil(ms / HOUR_MS) * HOUR_MS).toISOString();

/** Place 3 lies in Tokyo, and has the demand of place 2. Place 4 has demand up to the hour that has just begun. */
beforeAll(async () => {
  const byHour = '10 + (h % 24)';
  for (const id of [2, 3]) await storeDemand(pool, id, byHour);
  await pool.query("update locations set time_zone = 'Asia/Tokyo' where id = 3");
  await pool.query(`insert into demand_observations
    select 4, date_trunc('hour', now(), 'UTC') - h * interval '1 hour', case when h = 0 then 100000 else 7 end
    from generate_series(0, 5 * 168) h`);
});

describe('a forecast with `start_at`', () => {
  const ask = async (features: object, ids = [2]) => {
    const body = { location_ids: ids, horizon_hours: 24, features: { step_hours: 1, ...features } };
    const answer = await call('forecast', body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  };

  test('at midnight is that of the day', async () => {
    const { metadata, forecasts } = await ask({ start_at: `${START_DATE}T00:00Z` });
    const ofDay = await ask({ start_date: START_DATE });
    expect(forecasts).toEqual(ofDay.forecasts);
    expect(metadata).toMatchObject({ start_date: START_DATE, starts_at: `${START_DATE}T00:00:00+00:00` });
    expect(ofDay.metadata).not.toHaveProperty('starts_at');
  });

  test('begins at that hour, rounded up, whatever offset it is written with', async () => {
    const { metadata, forecasts } = await ask({ start_at: `${START_DATE}T05:00:00.001Z` });
    expect(metadata.starts_at).toBe(`${START_DATE}T06:00:00+00:00`);
    const hours = Array.from({ length: 24 }, (_, h) => 10 + ((h + 6) % 24));
    expect(forecasts['2']).toEqual(hours.map((demand) => expect.closeTo(demand, 1)));
    expect((await ask({ start_at: `${START_DATE}T01:00-05:00` })).forecasts).toEqual(forecasts);
  });

  test('is on the clock of the location: the same instant, another local hour, perhaps another day', async () => {
    const start_at = `${START_DATE}T20:00Z`;
    const tokyo = await ask({ start_at }, [3]);
    expect(tokyo.metadata).toMatchObject({
      start_date: '2026-02-10',
      starts_at: '2026-02-10T05:00:00+09:00',
    });
    expect(tokyo.forecasts['3']).toEqual((await ask({ start_at })).forecasts['2']);
  });

  test('knows only what was observed before that hour', async () => {
    const start_at = '2026-02-04T13:00Z';
    const { forecasts, metadata } = await ask({ start_at, include_intervals: true });
    const later = (change: string) =>
      pool.query(`update demand_observations set demand = demand ${change}
        where location_id = 2 and hour >= timestamptz '${start_at}'`);
    await later('* 9 + 1');
    const again = await ask({ start_at, include_intervals: true });
    const next = await ask({ start_at: '2026-02-04T14:00Z' });
    await later('/ 9 - 1.0 / 9');
    expect(again.forecasts).toEqual(forecasts);
    expect(again.metadata.backtest_wape).toEqual(metadata.backtest_wape);
    expect(next.forecasts['2'][0]).not.toBeCloseTo(forecasts['2'][1], 1);
  });

  test('`now` begins with the next full hour, and an hour that is not over is not used', async () => {
    const before = isoHour(Date.now());
    const { metadata, forecasts } = await ask({ start_at: 'now' }, [4]);
    expect([before, isoHour(Date.now())]).toContain(new Date(metadata.starts_at).toISOString());
    expect(Math.max(...forecasts['4'])).toBeLessThan(8);
    expect(metadata).not.toHaveProperty('notes');
  });

  test('is forecast over a gap, and says where the history ends', async () => {
    const { metadata, forecasts } = await ask({ start_at: '2026-02-20T12:00Z' });
    expect(metadata.notes).toEqual({ '2': { newest_observation: '2026-02-08' } });
    expect(forecasts['2'][0]).toBeCloseTo(22, 1);
  });

  test.each([
    [
      { start_at: 'now' },
      /^"now", 20\d\d-.*:00Z, is more than 366 days after the newest observation \(2024-/,
    ],
    [
      { start_at: '2030-01-01T00:00Z' },
      /2030-01-01T00:00Z is more than 366 days .* leave start_at out to begin on the day after them/,
    ],
    [{ start_at: 'Now' }, /"Now" is not a time with its offset, for example .*, or one of "now"/],
    [{ start_at: '2026-02-09T00:00' }, /has no offset from UTC/],
    [{ start_at: '2026-02-30T00:00Z' }, /is a time that does not exist/],
    [{ start_at: '1950-02-28T00:00Z' }, /is outside the years 1970 to 2199/],
    [
      { start_at: 'now', start_date: START_DATE },
      /"now" and start_date "2026-02-09" both say when it begins/,
    ],
  ])('%j is refused, saying why', async (features, message) => {
    await pool.query(
      "insert into demand_observations values (1, '2024-03-01T00:00Z', 1) on conflict do nothing",
    );
    const { status, body } = await call('forecast', { location_ids: [1], features });
    expect([status, body.errors[0].field]).toEqual([400, 'features.start_at']);
    expect(body.errors[0].message).toMatch(message);
  });
});

describe('a decision with `start_at`', () => {
  const fleet_state = { vehicles: Array.from({ length: 20 }, (_, i) => ({ id: `v${i}`, location: 1 })) };
  const decide = (more: object = {}) =>
    call('decisions', { fleet_state, location_ids: [2], horizon_hours: 3, ...more });
  const made = async (more: object = {}) => {
    const answer = await decide(more);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  };

  test('plans from that hour on, and says so wherever it is shown', async () => {
    const start_at = `${START_DATE}T04:10Z`;
    const starts_at = `${START_DATE}T05:00:00+00:00`;
    const data = await made({ start_at, mode: 'horizon', constraints: { min_service_level: 0 } });
    expect(data).toMatchObject({ start_date: START_DATE, starts_at });
    expect(data.outlook.map((step: { starts_at: string }) => step.starts_at)).toEqual(
      [5, 6, 7].map((hour) => `${START_DATE}T0${hour}:00:00.000Z`),
    );
    expect(data.outlook.map((step: { demand: number }) => step.demand)).toEqual(
      [15, 16, 17].map((demand) => expect.closeTo(demand, 1)),
    );
    const { inputs } = (await call(`decisions/${data.decision_id}`)).body.data;
    expect(inputs).toMatchObject({ request: { start_at }, forecast: { metadata: { starts_at } } });
    const [listed] = (await call('decisions?limit=1')).body.data.decisions;
    expect(listed).toMatchObject({ start_date: START_DATE, start_hour: 5 });
    const { rows } = await pool.query(
      `select start_hour, starts_at::text, round(expected) as expected from reports.decision_summary
       join reports.forecast_values using (decision_id) where decision_id = $1 and step = 2`,
      [data.decision_id],
    );
    expect(rows).toEqual([{ start_hour: 5, starts_at: `${START_DATE} 06:00:00`, expected: 16 }]);
  });

  test('at midnight is the decision about the day', async () => {
    const atHour = await made({ start_at: `${START_DATE}T00:00Z` });
    const ofDay = await made({ start_date: START_DATE });
    expect(atHour.plan).toEqual(ofDay.plan);
    expect(ofDay).not.toHaveProperty('starts_at');
    const [listed] = (await call('decisions?limit=1')).body.data.decisions;
    expect(listed.start_hour).toBe(0);
  });

  test('keeps vehicles where they are going that have not arrived by then', async () => {
    const later = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
    const fleet = [
      { vehicle_id: 'cab', location_id: 1, status: 'operational', capacity: 1, available_at: later(5) },
    ];
    const stored = await send(`${service.url}/api/v1/data/fleet`, { method: 'PUT', body: { fleet } });
    expect(stored.status, stored.text).toBe(201);
    const moved = async (start_at: string) => {
      const answer = await call('decisions', { location_ids: [4], horizon_hours: 1, start_at });
      return answer.body.data.plan.kpis.rebalanced_count;
    };
    expect(await moved(later(3))).toBe(0);
    expect(await moved(later(6))).toBe(1);
  });

  test('plans for that hour, too, where nothing was ever observed', async () => {
    const start_at = '2020-06-01T07:00Z';
    const data = await made({ start_at, location_ids: [3] });
    expect(data).toMatchObject({ starts_at: '2020-06-01T16:00:00+09:00', without_history: [3] });
  });

  test('from now on, plans the next full hour', async () => {
    const before = isoHour(Date.now());
    const { starts_at } = await made({ start_at: 'now', location_ids: [4] });
    expect([before, isoHour(Date.now())]).toContain(new Date(starts_at).toISOString());
  });

  test.each([
    [{ start_at: 'now', start_date: START_DATE }, 'start_at', /leave one of them out/],
    [{ start_at: '2030-01-01T00:00Z' }, 'start_at', /more than 366 days after the newest observation/],
    [{ start_at: 5 }, 'start_at', /5 is/],
    [
      { mode: 'horizon', options: { horizon: { starts_at: `${START_DATE}T00:00Z` } } },
      'options.horizon.starts_at',
      /a decision takes it from its own start_at/,
    ],
  ])('%j is refused, saying why', async (more, field, message) => {
    const { status, body } = await decide(more);
    expect([status, body.errors[0].field]).toEqual([400, field]);
    expect(body.errors[0].message).toMatch(message);
  });
});

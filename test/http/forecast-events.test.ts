import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { send, startTestService } from '../helpers/service.ts';

const service = await startTestService({});
const post = (path: string, body: object) => send(`${service.url}/api/v1/${path}`, { body });
const HOUR_MS = 3_600_000;
/** Monday; the history ends ten weeks later, on the eve of `TOMORROW`. */
const FIRST = Date.parse('2026-01-05T00:00Z');
const TOMORROW = Date.parse('2026-03-16T00:00Z');

/** Usual demand of an hour, the same at all places but for its size. */
const usual = (ms: number, place: number) => {
  const hour = new Date(ms).getUTCHours();
  const isWeekend = [0, 6].includes(new Date(ms).getUTCDay());
  // A little that nothing explains.
  const noise = ((ms / HOUR_MS) * 7919 + place * 13) % 11;
  return (20 * place + noise) * (isWeekend ? 0.6 : 1) * (hour >= 6 && hour < 20 ? 1.5 : 0.5);
};

/** Ten to four in the afternoon of a day. */
const afternoon = (day: number) => ({
  from: new Date(day + 10 * HOUR_MS).toISOString(),
  to: new Date(day + 16 * HOUR_MS).toISOString(),
});
const RUNS = [13, 27, 41, 55].map((days) => FIRST + days * 24 * HOUR_MS);
const isRun = (ms: number) => RUNS.some((day) => ms >= day + 10 * HOUR_MS && ms < day + 16 * HOUR_MS);

async function putEvents(...events: object[]): Promise<void> {
  const answer = await send(`${service.url}/api/v1/data/events`, { method: 'PUT', body: { events } });
  expect([200, 201], answer.text).toContain(answer.status);
}

/** Hourly forecasts of a week per place. */
async function forecast(features: object = {}): Promise<Record<string, number[]>> {
  const ask = { location_ids: [1, 2, 3], horizon_hours: 168, features: { step_hours: 1, ...features } };
  return (await post('forecast', ask)).body.data.forecasts;
}

const sum = (values: number[], from: number, to: number) => values.slice(from, to).reduce((a, b) => a + b, 0);

describe('an event', () => {
  beforeAll(async () => {
    for (const place of [1, 2, 3]) {
      const observations = [];
      for (let ms = FIRST; ms < TOMORROW; ms += HOUR_MS) {
        // At place 3 the runs of the past kept six of ten away.
        const demand = usual(ms, place) * (place === 3 && isRun(ms) ? 0.4 : 1);
        observations.push({ location_id: place, hour: new Date(ms).toISOString(), demand });
      }
      expect((await post('data/demand', { observations })).status).toBe(201);
    }
  });
  beforeEach(async () => {
    await service.pool.query('delete from demand_events; update demand_revision set revision = revision + 1');
  });

  test('with the factor 0.5 tomorrow halves the forecast of its hours, at its location only, until it is deleted', async () => {
    const before = await forecast();
    await putEvents({ event_id: 'a', location_id: 1, kind: 'works', factor: 0.5, ...afternoon(TOMORROW) });
    const during = await forecast();
    const expected = before['1'].map((value, hour) => (hour >= 10 && hour < 16 ? value / 2 : value));
    for (const [hour, value] of during['1'].entries())
      expect(value, `hour ${hour}`).toBeCloseTo(expected[hour], 3);
    expect([during['2'], during['3']]).toEqual([before['2'], before['3']]);
    await send(`${service.url}/api/v1/data/events/a`, { method: 'DELETE' });
    expect(await forecast()).toEqual(before);
  });

  test('of all locations with the factor 0 makes its hours 0 everywhere, also in the interval', async () => {
    await putEvents({ event_id: 'a', location_id: null, kind: 'closed', factor: 0, ...afternoon(TOMORROW) });
    const ask = {
      location_ids: [1, 2, 3],
      horizon_hours: 24,
      features: { step_hours: 1, include_intervals: true },
    };
    const { forecasts, intervals } = (await post('forecast', ask)).body.data;
    for (const id of ['1', '2', '3']) {
      for (const values of [forecasts[id], intervals[id].lower, intervals[id].upper])
        expect(values.slice(10, 16)).toEqual([0, 0, 0, 0, 0, 0]);
      expect(sum(forecasts[id], 0, 10)).toBeGreaterThan(0);
    }
  });

  test('without a factor follows past events of its kind, and those do not pull down usual days', async () => {
    const untold = await forecast();
    const past = RUNS.map((day, i) => ({
      event_id: `past ${i}`,
      location_id: 3,
      kind: 'run',
      ...afternoon(day),
    }));
    const sunday = TOMORROW + 6 * 24 * HOUR_MS;
    await putEvents(...past);
    const quiet = await forecast();
    const hours = [6 * 24 + 10, 6 * 24 + 16] as const;
    const real = Array.from({ length: 168 }, (_, hour) => usual(TOMORROW + hour * HOUR_MS, 3));
    const error = (values: number[]) => Math.abs(sum(values, ...hours) / sum(real, ...hours) - 1);
    expect(error(quiet['3'])).toBeLessThan(0.06);
    expect(error(untold['3'])).toBeGreaterThan(2 * error(quiet['3']));
    await putEvents({ event_id: 'next', location_id: 3, kind: 'run', ...afternoon(sunday) });
    const told = await forecast();
    const share = sum(told['3'], ...hours) / sum(quiet['3'], ...hours);
    expect(share).toBeGreaterThan(0.33);
    expect(share).toBeLessThan(0.55);
    expect(sum(told['3'], 0, hours[0])).toBeCloseTo(sum(quiet['3'], 0, hours[0]), 3);
    expect([told['1'], told['2']]).toEqual([quiet['1'], quiet['2']]);
  });

  test('is learned from events as far back as three years, beyond the weeks that a forecast reads', async () => {
    const day = 24 * HOUR_MS;
    // Sundays, two to three years before.
    const runs = [110, 120, 130, 140].map((weeks) => TOMORROW + 6 * day - weeks * 7 * day);
    const observations = [];
    for (const run of runs) {
      for (let ms = run - 28 * day; ms < run + 28 * day; ms += HOUR_MS) {
        const isHeld = ms >= run + 10 * HOUR_MS && ms < run + 16 * HOUR_MS;
        const demand = usual(ms, 4) * (isHeld ? 0.3 : 1);
        observations.push({ location_id: 4, hour: new Date(ms).toISOString(), demand });
      }
    }
    for (let ms = FIRST; ms < TOMORROW; ms += HOUR_MS)
      observations.push({ location_id: 4, hour: new Date(ms).toISOString(), demand: usual(ms, 4) });
    expect((await post('data/demand', { observations })).status).toBe(201);
    const ask = { location_ids: [4], horizon_hours: 168, features: { step_hours: 1 } };
    const ofRun = async () => {
      const { forecasts } = (await post('forecast', ask)).body.data;
      return sum(forecasts['4'], 6 * 24 + 10, 6 * 24 + 16);
    };
    const before = await ofRun();
    const at = (event_id: string, start: number) => ({
      event_id,
      location_id: 4,
      kind: 'run',
      ...afternoon(start),
    });
    await putEvents(at('next', TOMORROW + 6 * day));
    expect(await ofRun()).toBeCloseTo(before, 3);
    await putEvents(...runs.map((run) => at(`past ${run}`, run)));
    const share = (await ofRun()) / before;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.45);
  });

  test('counts for decisions and for backtests', async () => {
    await putEvents({ event_id: 'a', location_id: 2, kind: 'closed', factor: 0, ...afternoon(TOMORROW) });
    const told = await forecast();
    const decided = await post('decisions', {
      ...{ location_ids: [1, 2, 3], horizon_hours: 168, step_hours: 1, demand_scale: 0.0001 },
      fleet_state: { vehicles: [{ id: 'V', location: 1 }] },
      constraints: { min_service_level: 0 },
    });
    expect(decided.status, decided.text).toBe(200);
    const { inputs } = (await send(`${service.url}/api/v1/decisions/${decided.body.data.decision_id}`)).body
      .data;
    expect(inputs.forecast.forecasts).toEqual(told);

    const ask = { location_ids: [3], horizon_hours: 168, step_hours: 6, origins: 6 };
    const before = (await post('forecast/backtest', ask)).body.data;
    expect(Object.keys(before.weeks)).toEqual(['calm']);
    await putEvents(
      ...RUNS.map((day, i) => ({ event_id: `past ${i}`, location_id: 3, kind: 'run', ...afternoon(day) })),
    );
    const after = (await post('forecast/backtest', ask)).body.data;
    expect(Object.keys(after.weeks)).toEqual(['holiday', 'calm']);
    expect(after.overall.service.wape).toBeLessThan(before.overall.service.wape);
  });
});

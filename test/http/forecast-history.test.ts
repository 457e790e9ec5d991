import { beforeAll, describe, expect, test } from 'vitest';
import { send, startTestService } from '../helpers/service.ts';

/** Work days 100 an hour, weekends and the New York holidays of early 2017 20 an hour: 1 January to 17 February. */
const HOLIDAYS = ['2017-01-02', '2017-01-16'];
function demandOf(locationId: number, from: string, before: string) {
  const rows: { location_id: number; hour: string; demand: number }[] = [];
  for (let ms = Date.parse(from); ms < Date.parse(before); ms += 3_600_000) {
    const hour = new Date(ms).toISOString();
    const isQuiet = [0, 6].includes(new Date(ms).getUTCDay()) || HOLIDAYS.includes(hour.slice(0, 10));
    rows.push({ location_id: locationId, hour, demand: isQuiet ? 20 : 100 });
  }
  return rows;
}

describe('what a forecast knows of the past', () => {
  const urls: Record<'with' | 'without', string> = { with: '', without: '' };
  const post = (url: string, path: string, body: unknown) => send(`${url}/api/v1/${path}`, { body });

  beforeAll(async () => {
    for (const kind of ['with', 'without'] as const) {
      const overrides = kind === 'with' ? { FORECASTING_HOLIDAYS: 'US' } : {};
      urls[kind] = (await startTestService({ workers: 0, overrides })).urls[0];
      const observations = [
        ...demandOf(1, '2017-01-01T00:00Z', '2017-02-18T00:00Z'),
        ...demandOf(2, '2016-09-01T00:00Z', '2016-10-01T00:00Z'),
      ];
      expect((await post(urls[kind], 'data/demand', { observations })).status).toBe(201);
    }
  });

  test('Presidents’ Day is forecast like earlier holidays if FORECASTING_HOLIDAYS says so', async () => {
    const ask = { location_ids: [1], horizon_hours: 96, features: { start_date: '2017-02-18' } };
    const days = async (url: string) => (await post(url, 'forecast', ask)).body.data.forecasts['1'];
    const [saturday, , presidentsDay, tuesday] = await days(urls.with);
    expect(Math.abs(presidentsDay - 480)).toBeLessThan(150);
    expect(Math.abs(saturday - 480)).toBeLessThan(150);
    expect(Math.abs(tuesday - 2400)).toBeLessThan(240);
    expect((await days(urls.without))[2]).toBeGreaterThan(1500);
  });

  test('a holiday is forecast as it was a year before, which no history of 13 weeks holds', async () => {
    const rows = [
      ...demandOf(4, '2016-01-15T00:00Z', '2016-03-15T00:00Z').map((row) =>
        row.hour.startsWith('2016-02-15') ? { ...row, demand: 300 } : row,
      ),
      ...demandOf(4, '2017-01-18T00:00Z', '2017-02-18T00:00Z'),
    ];
    expect((await post(urls.with, 'data/demand', { observations: rows })).status).toBe(201);
    const ask = { location_ids: [4], horizon_hours: 96, features: { start_date: '2017-02-18' } };
    const presidentsDay = (await post(urls.with, 'forecast', ask)).body.data.forecasts['4'][2];
    // A usual Monday has 2,400, a Sunday 480, and the holiday had 7,200.
    expect(presidentsDay).toBeGreaterThan(3500);
  });

  test('a silent location and one never observed are 503, each with what is known of it and what to do', async () => {
    const answer = await post(urls.without, 'forecast', { location_ids: [1, 2, 3] });
    expect(answer.status).toBe(503);
    expect(answer.body.errors).toEqual([
      {
        code: 'MODEL_NOT_LOADED',
        field: 'location_ids[1]',
        message:
          'location 2 has no demand observations in the 13 weeks before 2017-02-18, its newest is at 2016-09-30T23:00Z; ' +
          'add newer ones with POST /api/v1/data/demand (an hour without demand is an observation of 0), or leave it out',
        detail: null,
      },
      {
        code: 'MODEL_NOT_LOADED',
        field: 'location_ids[2]',
        message:
          'location 3 has no demand observations; add them with POST /api/v1/data/demand, or leave it out',
        detail: null,
      },
    ]);
  });
});

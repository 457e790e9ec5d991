import { beforeAll, describe, expect, test } from 'vitest';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';

const service = await startTestService({ workers: 0 });
const url = `${service.url}/api/v1/data/demand`;
const [a, b] = TEST_LOCATIONS.map(({ id }) => id).toSorted((x, y) => x - y);

type Row = { location_id: number; hour: string; demand: number };
const list = async (query = ''): Promise<{ observations: Row[]; next_cursor?: string | null }> =>
  (await send(`${url}${query}`)).body.data;
const asCsv = async (query = '') => {
  const answer = await fetch(`${url}${query}`, { headers: { accept: 'text/csv' } });
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return answer.text();
};

describe('observed demand', () => {
  const rows: Row[] = [
    { location_id: a, hour: '2017-03-12T06:00:00Z', demand: 12.5 },
    { location_id: a, hour: '2017-03-12T07:00:00Z', demand: 0 },
    { location_id: a, hour: '2017-03-12T09:00:00Z', demand: 3 },
    { location_id: b, hour: '1970-01-01T00:00:00Z', demand: 1 },
    { location_id: b, hour: '2017-03-12T07:00:00Z', demand: 7 },
  ];
  beforeAll(async () => {
    await service.pool.query('delete from demand_observations');
    // In another order and with another offset.
    const sent = rows.toReversed().map((row) => ({ ...row, hour: row.hour.replace('Z', '-00:00') }));
    expect((await send(url, { body: { observations: sent } })).status).toBe(201);
  });

  test('is listed by location and hour, in UTC, as it was stored', async () => {
    expect(await list()).toEqual({ observations: rows });
  });

  test('is listed of one location and of the hours that begin within two times', async () => {
    expect(await list(`?location_id=${b}`)).toEqual({ observations: rows.slice(3) });
    const hours = 'from=2017-03-12T02:30:00-04:00&to=2017-03-12T09:00:00Z';
    expect(await list(`?${hours}`)).toEqual({ observations: [rows[1], rows[4]] });
    expect(await list(`?location_id=${a}&from=2017-03-12T09:00:00Z`)).toEqual({ observations: [rows[2]] });
    expect(await list('?from=2017-03-12T07:00:00Z&to=2017-03-12T07:00:00Z')).toEqual({ observations: [] });
    expect(await list(`?to=1970-01-01T00:00:00Z`)).toEqual({ observations: [] });
  });

  test('comes in pages that hold every row once', async () => {
    const found: Row[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await list(`?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      expect(page.observations.length).toBeLessThanOrEqual(2);
      found.push(...page.observations);
      cursor = page.next_cursor;
    } while (cursor);
    expect(found).toEqual(rows);
  });

  test('as CSV is what POST takes', async () => {
    const text = await asCsv();
    expect(text.split('\n')[0]).toBe('location_id,hour,demand');
    const again = await send(url, { method: 'POST', body: text, headers: { 'content-type': 'text/csv' } });
    expect([again.status, again.body.data]).toEqual([200, { created: 0, updated: rows.length }]);
    expect(await list()).toEqual({ observations: rows });
    expect(await asCsv('?limit=1')).toBe(`location_id,hour,demand\n${a},2017-03-12T06:00:00Z,12.5\n`);
  });

  test('comes whole, however many rows there are', async () => {
    await service.pool.query(
      `insert into demand_observations select $1, '2018-01-01Z'::timestamptz + n * interval '1 hour', n % 7
       from generate_series(0, 24999) n`,
      [a],
    );
    const { observations } = await list('?from=2018-01-01T00:00:00Z');
    expect(observations.length).toBe(25_000);
    expect(observations.at(-1)).toEqual({ location_id: a, hour: '2020-11-07T15:00:00Z', demand: 24_999 % 7 });
  });

  test('says of a plus in a query, which is a space there, how it is written', async () => {
    const { status, body } = await send(`${url}?from=2017-03-12T09:00:00+01:00`);
    expect([status, body.errors]).toMatchObject([
      400,
      [{ field: 'from', message: expect.stringMatching(/in a query "\+" means a space; write %2B/) }],
    ]);
    expect((await send(`${url}?from=2017-03-12T09:00:00%2B01:00`)).status).toBe(200);
  });

  test.each([
    ['from=yesterday', 'from'],
    ['to=2017-03-12T09:00:00', 'to'],
    ['location_id=x', 'location_id'],
    ['hour=3', 'hour'],
    ['cursor=WzFd', 'cursor'],
    ['from=2017-03-12T09:00:00Z&to=2017-03-12T10:59:59%2B02:00', 'to'],
  ])('refuses ?%s and names the parameter', async (query, field) => {
    const answer = await send(`${url}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
  });
});

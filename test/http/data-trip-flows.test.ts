import { beforeEach, describe, expect, test } from 'vitest';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';

const service = await startTestService({ workers: 0 });
const data = `${service.url}/api/v1/data`;
const url = `${data}/trip-flows`;
const [a, b, c] = TEST_LOCATIONS.map(({ id }) => id);
const HEADER = 'from_location_id,to_location_id,trips,hour_of_week\n';

type Row = [from: number, to: number, trips: number, hour?: number];
const row = ([from_location_id, to_location_id, trips, hour_of_week]: Row) => ({
  ...{ from_location_id, to_location_id, trips },
  ...(hour_of_week !== undefined && { hour_of_week }),
});
const line = (values: Row) => `${values.join(',')}${values.length === 3 ? ',' : ''}\n`;
const putJson = (rows: Row[], query = '') =>
  send(`${url}${query}`, { method: 'PUT', body: { trip_flows: rows.map(row) } });
const putCsv = (rows: Row[], query = '') =>
  send(`${url}${query}`, {
    method: 'PUT',
    body: HEADER + rows.map(line).join(''),
    headers: { 'content-type': 'text/csv' },
  });
const list = async (query = '') => (await send(`${url}${query}`)).body.data;
const stored = async () => (await list()).trip_flows.map((stored: object) => Object.values(stored));

beforeEach(async () => {
  await service.pool.query(
    'truncate locations, vehicles, demand_observations, demand_events, travel, trip_flows',
  );
  await send(`${data}/locations`, { method: 'PUT', body: { locations: TEST_LOCATIONS } });
});

describe.each([
  ['JSON', putJson],
  ['CSV', putCsv],
])('trip flows sent as %s', (_type, put) => {
  test('are stored by pair, direction and hour of the week, and a row that is sent again is replaced', async () => {
    const first = await put([
      [b, a, 30],
      [a, b, 7, 167],
      [a, b, 100],
      [a, b, 5, 0],
    ]);
    expect([first.status, first.body.data]).toEqual([201, { created: 4, updated: 0 }]);
    const again = await put([
      [a, b, 90],
      [a, b, 8, 167],
    ]);
    expect([again.status, again.body.data]).toEqual([200, { created: 0, updated: 2 }]);
    expect(await stored()).toEqual([
      [a, b, 90],
      [a, b, 5, 0],
      [a, b, 8, 167],
      [b, a, 30],
    ]);
  });

  test('may end where they began', async () => {
    expect((await put([[a, a, 12.5]])).status).toBe(201);
    expect(await stored()).toEqual([[a, a, 12.5]]);
  });

  test('with replace are the whole table: rows that the body lacks are deleted, those of all hours too', async () => {
    await put([
      [a, b, 1],
      [a, b, 2, 8],
      [b, a, 3],
      [a, c, 4, 8],
    ]);
    const answer = await put(
      [
        [a, b, 5, 8],
        [b, a, 3],
        [c, b, 6],
      ],
      '?replace=true',
    );
    expect([answer.status, answer.body.data]).toEqual([
      201,
      {
        created: 1,
        updated: 2,
        removed: { locations: 0, vehicles: 0, observations: 0, events: 0, travel: 0, trip_flows: 2 },
      },
    ]);
    expect(await stored()).toEqual([
      [a, b, 5, 8],
      [b, a, 3],
      [c, b, 6],
    ]);
  });

  test('are stored entirely or not at all: each unknown location and repeated row is named', async () => {
    const answer = await put([
      [a, b, 1],
      [a, 99, 1],
      [a, b, 1, 8],
      [a, b, 1],
      [a, b, 2, 8],
    ]);
    expect(answer.status).toBe(400);
    const messages = answer.body.errors.map((error: { message: string }) => error.message).toSorted();
    expect(messages).toEqual([
      expect.stringContaining('99'),
      expect.stringMatching(new RegExp(`trips from ${a} to ${b} in hour 8 of the week is a duplicate`)),
      expect.stringMatching(new RegExp(`trips from ${a} to ${b} is a duplicate`)),
    ]);
    expect(await stored()).toEqual([]);
  });
});

test.each([
  [{ trips: -1 }, 'trip_flows[0].trips'],
  [{ trips: 1.1e12 }, 'trip_flows[0].trips'],
  [{ trips: undefined }, 'trip_flows[0].trips'],
  [{ hour_of_week: 168 }, 'trip_flows[0].hour_of_week'],
  [{ hour_of_week: -1 }, 'trip_flows[0].hour_of_week'],
  [{ hour_of_week: 1.5 }, 'trip_flows[0].hour_of_week'],
  [{ to_location_id: 'x' }, 'trip_flows[0].to_location_id'],
  [{ share: 0.5 }, 'trip_flows[0].share'],
])('a row with %j is refused, naming the field', async (wrong, field) => {
  const answer = await send(url, { method: 'PUT', body: { trip_flows: [{ ...row([a, b, 1]), ...wrong }] } });
  expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
});

describe('the table of trip flows', () => {
  const ROWS: Row[] = [
    [a, b, 9],
    [a, b, 1, 0],
    [a, b, 2, 8],
    [b, a, 3],
  ];
  beforeEach(async () => {
    await putJson(ROWS);
  });

  test('is listed in pages of any length, and by the location where trips begin', async () => {
    expect(await list(`?from_location_id=${b}`)).toEqual({ trip_flows: [row(ROWS[3])] });
    for (const limit of [1, 2, 3]) {
      const rows: object[] = [];
      let page = await list(`?limit=${limit}`);
      rows.push(...page.trip_flows);
      while (page.next_cursor !== null) {
        page = await list(`?limit=${limit}&cursor=${page.next_cursor}`);
        rows.push(...page.trip_flows);
      }
      expect(rows).toEqual(ROWS.map(row));
    }
  });

  test('as CSV is what PUT takes', async () => {
    const csv = await send(url, { headers: { accept: 'text/csv' } });
    expect(csv.text).toBe(HEADER + ROWS.map(line).join(''));
    const again = await send(url, { method: 'PUT', body: csv.text, headers: { 'content-type': 'text/csv' } });
    expect(again.body.data).toEqual({ created: 0, updated: 4 });
  });

  test.each(['?limit=0', '?cursor=x', '?cursor=WzEsMl0', '?from_location_id=x', '?hour=1'])(
    'asked for with %s is refused',
    async (query) => {
      expect((await send(`${url}${query}`)).status).toBe(400);
    },
  );

  test('keeps a location from being deleted, and goes with it in a cascade', async () => {
    const refused = await send(`${data}/locations/${b}`, { method: 'DELETE' });
    expect(refused.status).toBe(409);
    expect(refused.body.errors[0].message).toMatch(
      /0 travel pairs and 4 rows of trip flows; delete these too/,
    );
    const gone = await send(`${data}/locations/${b}?cascade=true`, { method: 'DELETE' });
    expect(gone.body.data.removed).toMatchObject({ locations: 1, trip_flows: 4 });
    expect(await stored()).toEqual([]);
  });

  test('does not make forecasts anew when it changes', async () => {
    const revision = async () => (await service.pool.query('select revision from demand_revision')).rows;
    const before = await revision();
    await putJson([[c, a, 1]]);
    await putCsv([[c, b, 1]]);
    expect(await revision()).toEqual(before);
  });
});

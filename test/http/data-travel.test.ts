import { beforeEach, describe, expect, test } from 'vitest';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';

const service = await startTestService({ workers: 0 });
const data = `${service.url}/api/v1/data`;
const url = `${data}/travel`;
const [a, b, c] = TEST_LOCATIONS.map(({ id }) => id);
const HEADER = 'from_location_id,to_location_id,distance_km,duration_minutes\n';

type Pair = [from: number, to: number, km: number, minutes: number];
const pair = ([from_location_id, to_location_id, distance_km, duration_minutes]: Pair) => ({
  ...{ from_location_id, to_location_id, distance_km, duration_minutes },
});
const putJson = (pairs: Pair[], query = '') =>
  send(`${url}${query}`, { method: 'PUT', body: { travel: pairs.map(pair) } });
const putCsv = (pairs: Pair[], query = '') =>
  send(`${url}${query}`, {
    method: 'PUT',
    body: HEADER + pairs.map((row) => `${row.join(',')}\n`).join(''),
    headers: { 'content-type': 'text/csv' },
  });
const list = async (query = '') => (await send(`${url}${query}`)).body.data;
const stored = async () => (await list()).travel.map((row: object) => Object.values(row));

beforeEach(async () => {
  await service.pool.query(
    'truncate locations, vehicles, demand_observations, demand_events, travel, travel_sources',
  );
  await send(`${data}/locations`, { method: 'PUT', body: { locations: TEST_LOCATIONS } });
});

describe.each([
  ['JSON', putJson],
  ['CSV', putCsv],
])('travel sent as %s', (_type, put) => {
  test('is stored by pair and direction, and a pair that is sent again is replaced', async () => {
    const first = await put([
      [b, a, 3, 7],
      [a, b, 2.5, 6],
    ]);
    expect([first.status, first.body.data]).toEqual([201, { created: 2, updated: 0 }]);
    const again = await put([[a, b, 2.25, 5]]);
    expect([again.status, again.body.data]).toEqual([200, { created: 0, updated: 1 }]);
    expect(await stored()).toEqual([
      [a, b, 2.25, 5],
      [b, a, 3, 7],
    ]);
  });

  test('that mixes new, changed and unchanged pairs counts the new ones, and touches only sources that change', async () => {
    await put([
      [a, b, 1, 2],
      [b, a, 1, 2],
    ]);
    const revisions = async () =>
      (await service.pool.query('select * from travel_sources order by 1')).rows.map((row) => row.revision);
    const [first, second] = await revisions();
    const answer = await put([
      [a, b, 1, 2],
      [b, a, 5, 2],
      [b, c, 3, 3],
    ]);
    expect([answer.status, answer.body.data]).toEqual([201, { created: 1, updated: 2 }]);
    expect(await stored()).toEqual([
      [a, b, 1, 2],
      [b, a, 5, 2],
      [b, c, 3, 3],
    ]);
    const [same, raised] = await revisions();
    expect([same, raised > second]).toEqual([first, true]);
  });

  test('with replace is the whole table: pairs that it lacks are deleted', async () => {
    await put([
      [a, b, 1, 2],
      [b, a, 1, 2],
      [a, c, 1, 2],
    ]);
    const answer = await put(
      [
        [b, a, 1, 3],
        [c, b, 4, 5],
      ],
      '?replace=true',
    );
    expect([answer.status, answer.body.data]).toEqual([
      201,
      {
        created: 1,
        updated: 1,
        removed: { locations: 0, vehicles: 0, observations: 0, events: 0, travel: 2, trip_flows: 0 },
      },
    ]);
    expect(await stored()).toEqual([
      [b, a, 1, 3],
      [c, b, 4, 5],
    ]);
  });

  test('is stored entirely or not at all: each unknown location and repeated pair is named', async () => {
    const answer = await put([
      [a, b, 1, 2],
      [a, 99, 1, 2],
      [98, b, 1, 2],
      [a, b, 1, 2],
    ]);
    expect(answer.status).toBe(400);
    const messages = answer.body.errors.map((error: { message: string }) => error.message).toSorted();
    expect(messages).toHaveLength(3);
    expect(messages.join('\n')).toMatch(/98.*99.*travel from 1 to 2 is a duplicate|travel from/s);
    expect(await stored()).toEqual([]);
  });
});

test('many pairs are stored in seconds although PostgreSQL takes the table for empty', async () => {
  const { pool } = service;
  const ids = Array.from({ length: 300 }, (_, i) => 1000 + i);
  await pool.query(`insert into locations select id, 'x', 0, 0 from unnest($1::int[]) id`, [ids]);
  await pool.query('vacuum analyze travel');
  const pairs = ids.flatMap((from) => ids.map((to): Pair => [from, to, 1, 1]));
  const answer = await putCsv(pairs);
  expect([answer.status, answer.body.data]).toEqual([201, { created: 90_000, updated: 0 }]);
  const again = await putCsv(pairs);
  expect([again.status, again.body.data]).toEqual([200, { created: 0, updated: 90_000 }]);
});

test.each([
  [{ distance_km: -1 }, 'travel[0].distance_km'],
  [{ distance_km: 1_000_001 }, 'travel[0].distance_km'],
  [{ duration_minutes: -1 }, 'travel[0].duration_minutes'],
  [{ duration_minutes: undefined }, 'travel[0].duration_minutes'],
  [{ from_location_id: 1.5 }, 'travel[0].from_location_id'],
  [{ minutes: 3 }, 'travel[0].minutes'],
])('travel with %j is refused, naming the field', async (wrong, field) => {
  const answer = await send(url, { method: 'PUT', body: { travel: [{ ...pair([a, b, 1, 2]), ...wrong }] } });
  expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
});

describe('the travel table', () => {
  const PAIRS: Pair[] = [
    [a, b, 1, 2],
    [a, c, 1.5, 3],
    [b, a, 1.25, 2.5],
  ];
  beforeEach(async () => {
    await putJson(PAIRS);
  });

  test('is listed in pages, and by the location where travel begins', async () => {
    expect(await list(`?from_location_id=${a}`)).toEqual({ travel: PAIRS.slice(0, 2).map(pair) });
    const page = await list('?limit=2');
    expect(page.travel).toEqual(PAIRS.slice(0, 2).map(pair));
    expect(await list(`?limit=2&cursor=${page.next_cursor}`)).toEqual({
      travel: [pair(PAIRS[2])],
      next_cursor: null,
    });
  });

  test('as CSV is what PUT takes', async () => {
    const csv = await send(url, { headers: { accept: 'text/csv' } });
    expect(csv.text).toBe(HEADER + PAIRS.map((row) => `${row.join(',')}\n`).join(''));
    const page = await send(`${url}?limit=1`, { headers: { accept: 'text/csv' } });
    expect(page.text).toBe(`${HEADER}${PAIRS[0].join(',')}\n`);
  });

  test.each(['?limit=0', '?cursor=x', '?from_location_id=x', '?to=1'])(
    'asked for with %s is refused',
    async (query) => {
      expect((await send(`${url}${query}`)).status).toBe(400);
    },
  );

  test('keeps a location from being deleted, and goes with it in a cascade', async () => {
    const refused = await send(`${data}/locations/${b}`, { method: 'DELETE' });
    expect(refused.status).toBe(409);
    expect(refused.body.errors[0].message).toMatch(
      /0 events, 2 travel pairs and 0 rows of trip flows; delete these too/,
    );
    const gone = await send(`${data}/locations/${b}?cascade=true`, { method: 'DELETE' });
    expect(gone.body.data.removed).toMatchObject({ locations: 1, travel: 2 });
    expect(await stored()).toEqual([PAIRS[1]]);
  });

  test('keeps its rows if the locations are replaced, unless the cascade deletes them', async () => {
    const locations = TEST_LOCATIONS.slice(1);
    const put = (query: string) => send(`${data}/locations${query}`, { method: 'PUT', body: { locations } });
    const refused = await put('?replace=true');
    expect([refused.status, refused.body.errors[0].message]).toEqual([
      409,
      expect.stringContaining('3 travel pairs'),
    ]);
    expect(await stored()).toHaveLength(3);
    expect((await put('?replace=true&cascade=true')).body.data.removed.travel).toBe(3);
    expect(await stored()).toEqual([]);
  });
});

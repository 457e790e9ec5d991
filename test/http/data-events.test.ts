import { beforeEach, describe, expect, test } from 'vitest';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';

const service = await startTestService({ workers: 0 });
const url = `${service.url}/api/v1/data/events`;
const put = (events: object[]) => send(url, { method: 'PUT', body: { events } });
const list = async (query = '') => (await send(`${url}${query}`)).body.data;
const event = (event_id: string, more: object = {}) => ({
  event_id,
  location_id: null,
  from: '2026-03-01T05:00:00.000Z',
  to: '2026-03-01T08:00:00.000Z',
  kind: 'strike',
  ...more,
});
const revision = async (): Promise<number> =>
  (await service.pool.query('select revision from demand_revision')).rows[0].revision;

beforeEach(async () => {
  await service.pool.query('truncate demand_events');
});

describe('events', () => {
  test('come back as they were sent, by id, with times in UTC and without unknown fields', async () => {
    const [{ id }] = TEST_LOCATIONS;
    const answer = await put([
      event('b', { location_id: id, factor: 0.5, name: 'Tunnel closed' }),
      event('a', { from: '2026-03-01T00:00:00-05:00', to: '2026-03-01T08:00Z' }),
    ]);
    expect([answer.status, answer.body.data]).toEqual([201, { created: 2, updated: 0 }]);
    expect(await list()).toEqual({
      events: [event('a'), event('b', { location_id: id, factor: 0.5, name: 'Tunnel closed' })],
    });
  });

  test('are replaced as a whole: a factor that is not sent again is learned from then on', async () => {
    await put([event('a', { factor: 0.5, name: 'Marathon' })]);
    const before = await revision();
    const answer = await put([event('a', { kind: 'run' })]);
    expect([answer.status, answer.body.data]).toEqual([200, { created: 0, updated: 1 }]);
    expect((await list()).events).toEqual([event('a', { kind: 'run' })]);
    expect(await revision()).toBe(before + 1);
  });

  test('are listed in pages, by kind, and by location together with those of all locations', async () => {
    const [first, second] = TEST_LOCATIONS.map(({ id }) => id);
    await put([
      event('a'),
      event('b', { location_id: first }),
      event('c', { location_id: second, kind: 'closed' }),
      event('d', { kind: 'closed' }),
    ]);
    const idsOf = async (query: string) =>
      (await list(query)).events.map((one: { event_id: string }) => one.event_id);
    expect(await idsOf(`?location_id=${first}`)).toEqual(['a', 'b', 'd']);
    expect(await idsOf('?kind=closed')).toEqual(['c', 'd']);
    expect(await idsOf(`?kind=closed&location_id=${first}&limit=5`)).toEqual(['d']);
    const page = await list('?limit=3');
    expect(page.events).toHaveLength(3);
    expect(await list(`?limit=3&cursor=${page.next_cursor}`)).toEqual({
      events: [event('d', { kind: 'closed' })],
      next_cursor: null,
    });
  });

  test.each([
    [
      { to: '2026-03-01T05:00:00Z' },
      'events[0].to',
      /is not later than from \("2026-03-01T05:00:00.000Z"\); give a later time$/,
    ],
    [{ to: '2026-03-01T06:00:00+03:00' }, 'events[0].to', /is not later than from/],
    [{ from: '2026-03-01' }, 'events[0].from', /date-time|time with its offset/],
    [{ from: '2026-03-01T05:30:00Z' }, 'events[0].from', /not the start of a full UTC hour/],
    [{ to: '2200-01-01T00:00:00Z' }, 'events[0].to', /1970 to 2199/],
    [{ location_id: 999_999 }, 'events[0].location_id', /is not stored/],
    [{ location_id: undefined }, 'events[0].location_id', /missing|required/],
    [{ kind: '' }, 'events[0].kind', /1/],
    [{ kind: 'x'.repeat(65) }, 'events[0].kind', /64/],
    [{ kind: 'a\0b' }, 'events[0].kind', /./],
    [{ factor: -0.1 }, 'events[0].factor', /below/],
    [{ factor: 101 }, 'events[0].factor', /above .*100/],
    [{ factor: null }, 'events[0].factor', /null/],
    [{ name: '' }, 'events[0].name', /1/],
    [{ nonsense: 1 }, 'events[0].nonsense', /unknown key/],
  ])('with %j are refused, naming the field, and nothing is stored', async (wrong, field, message) => {
    const answer = await put([event('a', wrong), event('b')]);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { code: 'VALIDATION_ERROR', field, message: expect.stringMatching(message), detail: null },
    ]);
    expect((await list()).events).toEqual([]);
  });

  test.each(['?limit=0', '?kind=', '?kind=%00', '?location_id=x', '?cursor=x', '?from=2026-03-01'])(
    'asked for with %s are refused',
    async (query) => {
      expect((await send(`${url}${query}`)).status).toBe(400);
    },
  );
});

import { beforeAll, describe, expect, test } from 'vitest';
import { send, startTestService } from '../helpers/service.ts';

const service = await startTestService({ overrides: { FORECASTING_HOLIDAYS: 'US' } });
const post = (path: string, body: object) => send(`${service.url}/api/v1/${path}`, { body });

/** Hours of demand at a location, with a day and a week in it. */
function store(location: number, from: string, to: string, demand = '10 + h % 24 + (h / 24) % 7') {
  return service.pool.query(
    `insert into demand_observations select ${location}, timestamptz '${from}' + h * interval '1 hour', ${demand}
     from generate_series(0, extract(epoch from timestamptz '${to}' - timestamptz '${from}')::int / 3600 - 1) h`,
  );
}
const event = (event_id: string, more: object) => ({
  event_id,
  location_id: null,
  from: '2017-02-15T00:00:00.000Z',
  to: '2017-02-16T00:00:00.000Z',
  kind: 'strike',
  ...more,
});
const metadataOf = async (ids: number[], more: object = {}) =>
  (await post('forecast', { location_ids: ids, ...more })).body.data.metadata;

describe('metadata of a forecast', () => {
  beforeAll(async () => {
    // The history of places 1 and 2 ends on 13 February, that of place 3 a week earlier.
    await store(1, '2017-01-02T00:00Z', '2017-02-14T00:00Z');
    await store(2, '2017-01-02T00:00Z', '2017-02-14T00:00Z');
    await store(3, '2017-01-02T00:00Z', '2017-02-07T00:00Z');
    const events = [
      event('far', { from: '2017-03-15T00:00:00.000Z', to: '2017-03-16T00:00:00.000Z' }),
      event('here', { location_id: 1, factor: 0.5, name: 'Works' }),
      event('past', { from: '2017-01-15T00:00:00.000Z', to: '2017-01-16T00:00:00.000Z' }),
      event('there', { location_id: 2, from: '2017-02-14T00:00:00.000Z' }),
    ];
    const answer = await send(`${service.url}/api/v1/data/events`, { method: 'PUT', body: { events } });
    expect(answer.status, answer.text).toBe(201);
  });

  test('names the holidays and the events of its days and locations, from the cache as well', async () => {
    const holidays = [{ date: '2017-02-20', name: "Washington's Birthday" }];
    const here = event('here', { location_id: 1, factor: 0.5, name: 'Works' });
    const there = event('there', { location_id: 2, from: '2017-02-14T00:00:00.000Z' });
    for (let round = 0; round < 2; round++) {
      const metadata = await metadataOf([1, 2]);
      expect(metadata).toMatchObject({ start_date: '2017-02-14', holidays, events: [there, here] });
      expect(metadata).not.toHaveProperty('notes');
    }
    expect((await metadataOf([1])).events).toEqual([here]);
    const short = await metadataOf([1, 2], { horizon_hours: 24 });
    expect(short).toMatchObject({ holidays: [], events: [there] });
    expect(await metadataOf([1], { horizon_hours: 24 })).not.toHaveProperty('events');
  });

  test('reports an old newest observation for its location only', async () => {
    const { notes } = await metadataOf([1, 3]);
    expect(notes).toEqual({ 3: { newest_observation: '2017-02-06' } });
    const later = await metadataOf([1, 3], { features: { start_date: '2017-02-16' } });
    expect(later.notes).toEqual({ 3: { newest_observation: '2017-02-06' } });
    const latest = await metadataOf([1], { features: { start_date: '2017-02-17' } });
    expect(latest.notes).toEqual({ 1: { newest_observation: '2017-02-13' } });
  });

  test('reports the locations whose hours are missing in a pattern, and those whose level has changed', async () => {
    // Place 4: rows by day only, and thrice the demand from 24 January on.
    await store(
      4,
      '2016-12-01T00:00Z',
      '2017-02-14T00:00Z',
      'case when h < 54 * 24 then 1 else 3 end * (10 + h % 24)',
    );
    await service.pool.query(
      "delete from demand_observations where location_id = 4 and date_part('hour', hour at time zone 'UTC') < 6",
    );
    const { notes } = await metadataOf([1, 4]);
    expect(notes).toEqual({
      4: {
        level_shift: { date: '2017-01-24', factor: expect.closeTo(3, 0) },
        absent_rows: {
          share: expect.closeTo(0.25, 1),
          hours_of_day: [0, 1, 2, 3, 4, 5],
          weekdays: [],
          zeros_never_seen: false,
        },
      },
    });
  });

  test('is in the forecast of a decision too', async () => {
    const decided = await post('decisions', {
      ...{ location_ids: [1, 3], horizon_hours: 168, step_hours: 24, demand_scale: 0.001 },
      fleet_state: { vehicles: [{ id: 'V', location: 1 }] },
      constraints: { min_service_level: 0 },
    });
    expect(decided.status, decided.text).toBe(200);
    const decision = await send(`${service.url}/api/v1/decisions/${decided.body.data.decision_id}`);
    const { metadata } = decision.body.data.inputs.forecast;
    const { generated_at: _, ...asked } = await metadataOf([1, 3]);
    expect(metadata).toMatchObject(asked);
    expect(metadata.events).toHaveLength(1);
  });

  test('names the first hundred events, and counts them all', async () => {
    const events = Array.from({ length: 150 }, (_, i) => event(`many ${i}`, { location_id: 3 }));
    const stored = await send(`${service.url}/api/v1/data/events`, { method: 'PUT', body: { events } });
    expect(stored.status, stored.text).toBe(201);
    const metadata = await metadataOf([3], { features: { start_date: '2017-02-14' } });
    expect([metadata.events.length, metadata.event_count]).toEqual([100, 150]);
  });
});

import { describe, expect, test } from 'vitest';
import { type Answer, send, startTestService } from '../helpers/service.ts';

const service = await startTestService({ workers: 0 });
const base = `${service.url}/api/v1/data`;
const { pool } = service;

type Options = { body?: unknown; csv?: string };
const call = (method: string, path: string, { body, csv }: Options = {}): Promise<Answer> =>
  send(`${base}/${path}`, {
    method,
    body: csv ?? body,
    ...(csv && { headers: { 'content-type': 'text/csv' } }),
  });

const place = (id: number, more: object = {}) => ({
  id,
  name: `P${id}`,
  latitude: 1,
  longitude: id / 1000,
  ...more,
});
const putPlaces = (...ids: number[]) =>
  call('PUT', 'locations', { body: { locations: ids.map((id) => place(id)) } });
const putVehicles = (...rows: [id: string, location: number][]) =>
  call('PUT', 'fleet', {
    body: { fleet: rows.map(([vehicle_id, location_id]) => ({ vehicle_id, location_id })) },
  });
const observe = (location: number, hours = 2) =>
  call('POST', 'demand', {
    body: {
      observations: Array.from({ length: hours }, (_, i) => ({
        location_id: location,
        hour: new Date(Date.UTC(2026, 0, 1, i)).toISOString(),
        demand: 1,
      })),
    },
  });
const putEvents = (...rows: [id: string, location: number | null, more?: object][]) =>
  call('PUT', 'events', {
    body: {
      events: rows.map(([event_id, location_id, more]) => ({ ...DAY, event_id, location_id, ...more })),
    },
  });
const DAY = { from: '2026-01-02T00:00:00.000Z', to: '2026-01-03T00:00:00.000Z', kind: 'closed' };
const ids = async (): Promise<number[]> =>
  (await pool.query('select id from locations order by id')).rows.map((r) => r.id);
const vehicles = async (): Promise<string[]> =>
  (await pool.query('select vehicle_id from vehicles order by 1')).rows.map((r) => r.vehicle_id);
const revision = async (): Promise<number> =>
  (await pool.query('select revision from demand_revision')).rows[0].revision;
const clear = () => pool.query('truncate vehicles, demand_observations, demand_events, locations');

describe('deleting', () => {
  test('a vehicle takes it out of the fleet; one that is not stored is 404', async () => {
    await clear();
    await putPlaces(1);
    await putVehicles(['a', 1], ['b', 1]);
    const gone = await call('DELETE', 'fleet/a');
    expect([gone.status, gone.body.data]).toEqual([
      200,
      { removed: { locations: 0, vehicles: 1, observations: 0, events: 0, travel: 0, trip_flows: 0 } },
    ]);
    expect(await vehicles()).toEqual(['b']);
    const again = await call('DELETE', 'fleet/a');
    expect([again.status, again.body.errors[0].code, again.body.errors[0].field]).toEqual([
      404,
      'RESOURCE_NOT_FOUND',
      'vehicle_id',
    ]);
  });

  test('a location that nothing refers to succeeds, and forecasts take note', async () => {
    await clear();
    await putPlaces(1, 2);
    const before = await revision();
    const gone = await call('DELETE', 'locations/2');
    expect([gone.status, gone.body.data]).toEqual([
      200,
      { removed: { locations: 1, vehicles: 0, observations: 0, events: 0, travel: 0, trip_flows: 0 } },
    ]);
    expect(await ids()).toEqual([1]);
    expect(await revision()).toBe(before + 1);
    const again = await call('DELETE', 'locations/2');
    expect([again.status, again.body.errors[0].field]).toEqual([404, 'location_id']);
  });

  test('a location with vehicles or history is a conflict that counts them, unless it cascades', async () => {
    await clear();
    await putPlaces(1, 2, 3);
    await putVehicles(['a', 1], ['b', 1], ['c', 3]);
    await observe(1, 2);
    await observe(2, 1);
    const before = await revision();
    for (const [id, message] of [
      [
        1,
        /location 1 cannot be deleted: it has 2 vehicles, 2 observations, 0 events, 0 travel pairs and 0 rows of trip flows; .*cascade=true.*active/,
      ],
      [2, /it has 0 vehicles, 1 observation, /],
      [3, /it has 1 vehicle, 0 observations, /],
    ] as const) {
      const refused = await call('DELETE', `locations/${id}?cascade=false`);
      expect(refused.status).toBe(409);
      expect(refused.body.errors).toEqual([
        { code: 'CONFLICT', field: 'location_id', message: expect.stringMatching(message), detail: null },
      ]);
    }
    expect([await ids(), await vehicles(), await revision()]).toEqual([[1, 2, 3], ['a', 'b', 'c'], before]);
    const gone = await call('DELETE', 'locations/1?cascade=true');
    expect(gone.body.data.removed).toEqual({
      locations: 1,
      vehicles: 2,
      observations: 2,
      events: 0,
      travel: 0,
      trip_flows: 0,
    });
    expect([await ids(), await vehicles()]).toEqual([[2, 3], ['c']]);
    expect((await pool.query('select distinct location_id from demand_observations')).rows).toEqual([
      { location_id: 2 },
    ]);
  });

  test('a location takes its events with it by a cascade only, and never those of all locations', async () => {
    await clear();
    await putPlaces(1, 2);
    await putEvents(['a', 1], ['b', 2], ['c', null]);
    const refused = await call('DELETE', 'locations/1');
    expect([refused.status, refused.body.errors[0].message]).toEqual([
      409,
      expect.stringMatching(/0 observations, 1 event, 0 travel pairs and 0 rows of trip flows; delete/),
    ]);
    const gone = await call('DELETE', 'locations/1?cascade=true');
    expect(gone.body.data.removed).toEqual({
      locations: 1,
      vehicles: 0,
      observations: 0,
      events: 1,
      travel: 0,
      trip_flows: 0,
    });
    expect((await pool.query('select event_id from demand_events order by 1')).rows).toEqual([
      { event_id: 'b' },
      { event_id: 'c' },
    ]);
  });

  test('an event takes it out of the forecasts; one that is not stored is 404', async () => {
    await clear();
    await putEvents(['a/ä', null], ['b', null]);
    const before = await revision();
    const gone = await call('DELETE', `events/${encodeURIComponent('a/ä')}`);
    expect([gone.status, gone.body.data]).toEqual([
      200,
      { removed: { locations: 0, vehicles: 0, observations: 0, events: 1, travel: 0, trip_flows: 0 } },
    ]);
    expect(await revision()).toBe(before + 1);
    const again = await call('DELETE', `events/${encodeURIComponent('a/ä')}`);
    expect([again.status, again.body.errors[0].field]).toEqual([404, 'event_id']);
    expect(await revision()).toBe(before + 1);
  });

  test.each([
    'locations/1.0',
    'locations/2147483648',
    'locations/',
    'locations/x',
    'locations/1?cascade=1',
    'locations/1?cascade=',
    'locations/1?casade=true',
    'fleet/%00',
  ])('%s is refused', async (path) => {
    const answer = await call('DELETE', path);
    expect([400, 404]).toContain(answer.status);
    if (path !== 'locations/') expect(answer.status).toBe(400);
  });
});

describe('replacing the whole set', () => {
  test.each(['JSON', 'CSV'])('of vehicles deletes those that are not named (%s)', async (type) => {
    await clear();
    await putPlaces(1);
    await putVehicles(['a', 1], ['b', 1], ['c', 1]);
    const body = { fleet: ['b', 'd'].map((vehicle_id) => ({ vehicle_id, location_id: 1 })) };
    const csv = 'vehicle_id,location_id\nb,1\nd,1\n';
    const answer = await call('PUT', 'fleet?replace=true', type === 'CSV' ? { csv } : { body });
    expect([answer.status, answer.body.data]).toEqual([
      201,
      {
        created: 1,
        updated: 1,
        removed: { locations: 0, vehicles: 2, observations: 0, events: 0, travel: 0, trip_flows: 0 },
      },
    ]);
    expect(await vehicles()).toEqual(['b', 'd']);
  });

  test.each(['JSON', 'CSV'])('of events deletes those that are not named (%s)', async (type) => {
    await clear();
    await putEvents(['a', null], ['b', null], ['c', null]);
    const before = await revision();
    const csv = `event_id,from,to,kind\nb,${DAY.from},${DAY.to},closed\nd,${DAY.from},${DAY.to},closed\n`;
    const body = { events: ['b', 'd'].map((event_id) => ({ ...DAY, event_id, location_id: null })) };
    const answer = await call('PUT', 'events?replace=true', type === 'CSV' ? { csv } : { body });
    expect([answer.status, answer.body.data]).toEqual([
      201,
      {
        created: 1,
        updated: 1,
        removed: { locations: 0, vehicles: 0, observations: 0, events: 2, travel: 0, trip_flows: 0 },
      },
    ]);
    expect(await revision()).toBe(before + 1);
  });

  test.each(['JSON', 'CSV'])(
    'of locations removes what nothing refers to, else nothing at all, naming it (%s)',
    async (type) => {
      await clear();
      await putPlaces(1, 2, 3);
      await putVehicles(['a', 2]);
      await observe(3, 1);
      const of = (...named: number[]) =>
        type === 'CSV'
          ? { csv: `id,name,latitude,longitude\n${named.map((id) => `${id},N${id},1,1\n`).join('')}` }
          : { body: { locations: named.map((id) => place(id, { name: `N${id}` })) } };
      const refused = await call('PUT', 'locations?replace=true', of(1, 9));
      expect(refused.status).toBe(409);
      expect(refused.body.errors).toEqual([
        {
          code: 'CONFLICT',
          field: 'replace',
          message: expect.stringMatching(/location 2 .* 1 vehicle,/),
          detail: null,
        },
        {
          code: 'CONFLICT',
          field: 'replace',
          message: expect.stringMatching(/location 3 .* 1 observation, /),
          detail: null,
        },
      ]);
      expect(await ids()).toEqual([1, 2, 3]);
      expect((await pool.query('select name from locations where id = 1')).rows).toEqual([{ name: 'P1' }]);
      const kept = await call('PUT', 'locations?replace=true', of(2, 3));
      expect(kept.body.data).toEqual({
        created: 0,
        updated: 2,
        removed: { locations: 1, vehicles: 0, observations: 0, events: 0, travel: 0, trip_flows: 0 },
      });
      const cascaded = await call('PUT', 'locations?replace=true&cascade=true', of(9));
      expect(cascaded.body.data).toEqual({
        created: 1,
        updated: 0,
        removed: { locations: 2, vehicles: 1, observations: 1, events: 0, travel: 0, trip_flows: 0 },
      });
      expect([await ids(), await vehicles()]).toEqual([[9], []]);
    },
  );

  test('by no rows at all, or with cascade but without replace, is refused', async () => {
    await clear();
    await putPlaces(1);
    for (const [path, options, field] of [
      ['locations?replace=true', { csv: 'id,name,latitude,longitude\n' }, null],
      ['locations?replace=true', { body: { locations: [] } }, 'locations'],
      ['locations?cascade=true', { body: { locations: [place(1)] } }, 'cascade'],
      [
        'fleet?replace=true&cascade=true',
        { body: { fleet: [{ vehicle_id: 'a', location_id: 1 }] } },
        'cascade',
      ],
      ['events?replace=true', { csv: 'event_id,from,to,kind\n' }, null],
      [
        'events?replace=true&cascade=true',
        { body: { events: [{ ...DAY, event_id: 'a', location_id: 1 }] } },
        'cascade',
      ],
      ['fleet?replace=yes', { body: { fleet: [{ vehicle_id: 'a', location_id: 1 }] } }, 'replace'],
      ['fleet?replace', { body: { fleet: [{ vehicle_id: 'a', location_id: 1 }] } }, 'replace'],
    ] as const) {
      const answer = await call('PUT', path, options);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    }
    expect((await call('POST', 'demand?replace=true', { csv: 'location_id,hour,demand\n' })).status).toBe(
      400,
    );
    expect(await ids()).toEqual([1]);
  });
});

describe('a location', () => {
  const get = async () => (await call('GET', 'locations')).body.data.locations;

  test('is shown with `active` only if it is retired, `priority` only above 0, the rest only if known', async () => {
    await clear();
    const plain = { ...place(1), time_zone: 'Europe/Berlin' };
    await call('PUT', 'locations', {
      body: { locations: [plain, place(2, { active: false, expected_daily_demand: 24, priority: 9 })] },
    });
    expect(await get()).toEqual([plain, place(2, { active: false, expected_daily_demand: 24, priority: 9 })]);
  });

  test.each(['JSON', 'CSV'])(
    'keeps what a PUT does not state, and changes with what it states (%s)',
    async (type) => {
      await clear();
      await call('PUT', 'locations', {
        body: { locations: [place(1, { active: false, expected_daily_demand: 24, priority: 3 })] },
      });
      const put = (row: Record<string, unknown>) =>
        call(
          'PUT',
          'locations',
          type === 'CSV'
            ? { csv: `${Object.keys(row)}\n${Object.values(row)}\n` }
            : { body: { locations: [row] } },
        );
      await put({ ...place(1), name: 'New' });
      expect(await get()).toEqual([
        place(1, { name: 'New', active: false, expected_daily_demand: 24, priority: 3 }),
      ]);
      expect(
        (await put(place(1, { active: true, expected_daily_demand: 0, priority: 0 }))).body.data,
      ).toEqual({
        created: 0,
        updated: 1,
      });
      expect(await get()).toEqual([place(1, { expected_daily_demand: 0 })]);
      expect((await put(place(2, { active: false, priority: 7 }))).status).toBe(201);
      expect(await get()).toEqual([
        place(1, { expected_daily_demand: 0 }),
        place(2, { active: false, priority: 7 }),
      ]);
    },
  );

  test('is changed by PATCH in the given fields, and forecasts take note', async () => {
    await clear();
    await putPlaces(1);
    const before = await revision();
    const retired = await call('PATCH', 'locations/1', {
      body: { active: false, expected_daily_demand: 12.5 },
    });
    expect([retired.status, retired.body.data]).toEqual([
      200,
      place(1, { active: false, expected_daily_demand: 12.5 }),
    ]);
    expect(await revision()).toBe(before + 1);
    expect(
      (await call('PATCH', 'locations/1', { body: { active: true, name: 'X', priority: 5 } })).body.data,
    ).toEqual(place(1, { name: 'X', expected_daily_demand: 12.5, priority: 5 }));
    expect((await call('PATCH', 'locations/7', { body: { active: true } })).status).toBe(404);
  });

  test.each([
    [{}, null],
    [{ active: 'false' }, 'active'],
    [{ active: null }, 'active'],
    [{ expected_daily_demand: -1 }, 'expected_daily_demand'],
    [{ expected_daily_demand: 1e308 }, 'expected_daily_demand'],
    [{ priority: 10 }, 'priority'],
    [{ priority: 0.5 }, 'priority'],
    [{ id: 2 }, 'id'],
    [{ latitude: 91 }, 'latitude'],
    [{ name: '' }, 'name'],
    [{ time_zone: 'Mars/Base' }, 'time_zone'],
  ])('is not changed by %j', async (body, field) => {
    await clear();
    await putPlaces(1);
    const answer = await call('PATCH', 'locations/1', { body });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    expect(await get()).toEqual([place(1)]);
  });

  test('that CSV does not read right is named', async () => {
    const csv = 'id,name,latitude,longitude,active,expected_daily_demand,priority\n1,x,1,1,yes,1e308,10\n';
    const answer = await call('PUT', 'locations', { csv });
    expect(answer.body.errors.map((e: { message: string }) => e.message)).toEqual([
      expect.stringMatching(/^active "yes" is not one of true, false/),
      expect.stringMatching(/^expected_daily_demand 1e308 is above .*24000000/),
      expect.stringMatching(/^priority 10 is above .*9/),
    ]);
  });
});

test('writers and deleters of the same rows wait for each other: nobody gets a 500, nothing refers to deleted rows', async () => {
  await clear();
  const bad: Answer[] = [];
  const keep = async (answer: Promise<Answer>) => {
    const { status } = await answer;
    if (status >= 500) bad.push(await answer);
  };
  const round = (n: number) => [
    keep(putPlaces(1, 2, 3)),
    keep(putVehicles(['a', 1], ['b', 2], ['c', 3])),
    keep(putVehicles(['c', 1], ['b', 1], ['a', 2])),
    keep(observe(1 + (n % 3))),
    keep(call('DELETE', `locations/${1 + (n % 3)}?cascade=true`)),
    keep(call('PUT', 'fleet?replace=true', { csv: 'vehicle_id,location_id\nb,1\nc,2\n' })),
    keep(
      call('POST', 'demand', {
        csv: 'location_id,hour,demand\n1,2026-01-01T00:00:00Z,1\n2,2026-01-01T00:00:00Z,1\n',
      }),
    ),
    keep(
      call('PUT', 'locations?replace=true&cascade=true', {
        csv: 'id,name,latitude,longitude\n1,x,1,1\n2,y,1,1\n',
      }),
    ),
    keep(putEvents(['b', 2], ['a', 1 + (n % 3)])),
    keep(
      call('PUT', 'events?replace=true', {
        csv: `event_id,location_id,from,to,kind\na,2,${DAY.from},${DAY.to},x\n`,
      }),
    ),
    keep(call('DELETE', 'events/a')),
    keep(call('PATCH', 'fleet/a', { body: { location_id: 2 } })),
    keep(call('PATCH', 'locations/2', { body: { active: n % 2 === 0 } })),
  ];
  for (let n = 0; n < 12; n++) await Promise.all(round(n));
  expect(bad.map(({ body }) => body.errors)).toEqual([]);
});

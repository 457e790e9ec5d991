import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

const SCHEDULE = { name: 'evening', cron: '0 20 * * *', time_zone: 'America/New_York', decision: {} };

describe('/api/v1/schedules', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let url: string;
  beforeAll(async () => {
    service = await startTestService({
      workers: 0,
      overrides: { SCHEDULES_MAX: 3, PRIORITY_HIGH_FOR: 'nobody' },
    });
    url = `${service.url}/api/v1/schedules`;
    await storeDemand(service.pool, 1, '1');
  });
  beforeEach(async () => {
    await service.pool.query('truncate schedules cascade');
  });
  const post = (more: object = {}) => send(url, { body: { ...SCHEDULE, ...more } });
  const store = async (more: object = {}): Promise<string> => {
    const answer = await post(more);
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data.schedule_id;
  };
  const patch = (id: string, body: object) => send(`${url}/${id}`, { method: 'PATCH', body });
  const get = async (id: string) => (await send(`${url}/${id}`)).body.data;
  const faultsOf = (answer: Awaited<ReturnType<typeof send>>) =>
    answer.body.errors.map(({ field, message }: { field: string; message: string }) => [field, message]);

  test('stores what it is sent, tells its next occurrences on the clock of its zone, and shows it again', async () => {
    const decision = { risk: { threshold: 0.7 }, options: { priority: 'low' } };
    const answer = await post({ missed: 'skip', decision });
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(data).toEqual({
      schedule_id: expect.stringMatching(/^sch_/),
      name: 'evening',
      cron: '0 20 * * *',
      time_zone: 'America/New_York',
      missed: 'skip',
      paused: false,
      next_at: data.upcoming[0],
      created_at: expect.any(String),
      updated_at: data.created_at,
      upcoming: expect.any(Array),
      occurrences: [],
      decision,
    });
    expect(data.upcoming).toHaveLength(5);
    for (const time of data.upcoming) {
      const local = Temporal.Instant.from(time).toZonedDateTimeISO('America/New_York');
      expect([local.hour, local.minute]).toEqual([20, 0]);
    }
    expect(Date.parse(data.next_at)).toBeGreaterThan(Date.now());
    expect(await get(data.schedule_id)).toEqual(data);
  });

  test('from now on is refused while observations lag by more than a forecast may reach', async () => {
    await service.pool.query("insert into demand_observations values (2, '2024-03-01T00:00Z', 1)");
    const answer = await post({ decision: { start_at: 'now', location_ids: [2] } });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'decision.start_at']);
    expect(answer.body.errors[0].message).toMatch(
      /more than 366 days after the newest observation \(2024-03-01T00:00Z\)/,
    );
  });

  test('lists the newest first, in pages, without the bodies', async () => {
    const ids = [
      await store({ name: 'a' }),
      await store({ name: 'b' }),
      await store({ name: 'c', paused: true }),
    ];
    const page = (await send(`${url}?limit=2`)).body.data;
    const rest = (await send(`${url}?limit=2&cursor=${page.next_cursor}`)).body.data;
    const listed = [...page.schedules, ...rest.schedules];
    expect(listed.map((one) => one.schedule_id)).toEqual(ids.toReversed());
    expect(listed[0]).toMatchObject({ name: 'c', paused: true, next_at: null });
    expect(listed[0]).not.toHaveProperty('decision');
    expect(rest.next_cursor).toBeNull();
  });

  test('is changed only in what is sent; an occurrence is looked for again only if that depends on it', async () => {
    const id = await store({ decision: { horizon_hours: 6 } });
    const before = await get(id);
    await service.pool.query("update schedules set next_at = '2026-01-01T00:00Z'");
    const renamed = (await patch(id, { name: 'night', missed: 'skip' })).body.data;
    expect(renamed).toMatchObject({ name: 'night', missed: 'skip', next_at: '2026-01-01T00:00:00.000Z' });
    expect(renamed.decision).toEqual({ horizon_hours: 6 });
    const moved = (await patch(id, { time_zone: 'UTC', decision: { step_hours: 2 } })).body.data;
    expect(moved).toMatchObject({ cron: before.cron, decision: { step_hours: 2 } });
    expect(new Date(moved.next_at).getUTCHours()).toBe(20);
    expect((await patch(id, { paused: true })).body.data).toMatchObject({ paused: true, upcoming: [] });
    expect((await patch(id, { cron: '30 7 * * *' })).body.data).toMatchObject({
      paused: true,
      next_at: null,
    });
    const resumed = (await patch(id, { paused: false })).body.data;
    expect(resumed.next_at.slice(11)).toBe('07:30:00.000Z');
  });

  test('is deleted, and then not found; the names of deleted ones are free', async () => {
    const id = await store();
    const removed = await send(`${url}/${id}`, { method: 'DELETE' });
    expect([removed.status, removed.body.data]).toEqual([200, { schedule_id: id }]);
    for (const answer of [
      await send(`${url}/${id}`),
      await patch(id, { paused: true }),
      await send(`${url}/${id}`, { method: 'DELETE' }),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body.errors[0]).toMatchObject({ code: 'RESOURCE_NOT_FOUND', field: 'schedule_id' });
    }
    await store();
  });

  test('has a name that no other has, so a repeated request makes no second schedule', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => post()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    const other = await store({ name: 'other' });
    const answer = await patch(other, { name: 'evening' });
    expect(answer.status).toBe(409);
    expect(faultsOf(answer)).toEqual([
      ['name', expect.stringMatching(/another schedule is named "evening"/)],
    ]);
    expect((await patch(other, { name: 'other' })).status).toBe(200);
  });

  test('is refused beyond the number that may be stored, even at once', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map((i) => post({ name: `s${i}` })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.text).toMatch(
      /3 schedules are stored, which is the limit/,
    );
  });

  test.each([
    [{ cron: '0 0 30 2 *' }, 'cron', /^"0 0 30 2 \*" never occurs/],
    [{ cron: 'soon' }, 'cron', /^"soon" is not a cron expression: it needs the five fields/],
    [{ cron: '' }, 'cron', /at least 1/],
    [{ time_zone: 'Mars/Olympus' }, 'time_zone', /Mars\/Olympus/],
    [{ time_zone: undefined }, 'time_zone', /missing/],
    [{ name: '' }, 'name', /at least 1/],
    [{ name: 'a\0b' }, 'name', /U\+0000/],
    [{ missed: 'run_all' }, 'missed', /run_last/],
    [{ paused: 'yes' }, 'paused', /"yes"/],
    [{ decision: undefined }, 'decision', /missing/],
    [{ zone: 'UTC' }, 'zone', /unknown key "zone"/],
    [{ decision: { horizon_hours: 0 } }, 'decision.horizon_hours', /0.*1/],
    [{ decision: { demand: 'spread' } }, 'decision.demand', /"mode": "horizon"; set that/],
    [{ decision: { constraints: { max_distence: 3 } } }, 'decision.constraints.max_distence', /max_distance/],
    [{ decision: { options: { change_cost: 1 } } }, 'decision.options.change_cost', /previous_plan_id/],
    [
      { decision: { options: { previous_plan_id: 'plan_1' } } },
      'decision.options.previous_plan_id',
      /"plan_1" is not stored/,
    ],
    [{ decision: { options: { travel: 'stored' } } }, 'decision.options.travel', /no travel/],
    [
      { decision: { fleet_state: { vehicles: [{ id: 'a', location: 77 }] } } },
      'decision.fleet_state.vehicles[0].location',
      /77/,
    ],
  ])('with %j is refused, naming the field, whether it is new or changed', async (wrong, field, message) => {
    const id = await store({ name: 'sound' });
    const answers = [await post(wrong)];
    if (Object.values(wrong)[0] !== undefined) answers.push(await patch(id, wrong));
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(faultsOf(answer)).toEqual([[field, expect.stringMatching(message)]]);
    }
    expect((await send(url)).body.data.schedules).toHaveLength(1);
  });

  test('keeps decisions of a million bytes, and refuses larger ones, saying what to leave out', async () => {
    const decision = (bytes: number) => {
      const rest = JSON.stringify({ fleet_state: { vehicles: [] }, location_ids: [1] });
      const vehicle = JSON.stringify({ id: 'V00000', location: 1 });
      const count = Math.floor((bytes - rest.length) / (vehicle.length + 1)) - 5;
      const vehicles = Array.from({ length: count }, (_, i) => ({ id: `V${10000 + i}`, location: 1 }));
      // The last ids take what is left.
      const sized = { fleet_state: { vehicles }, location_ids: [1] };
      for (let i = 0; JSON.stringify(sized).length < bytes; i++)
        vehicles[i].id = vehicles[i].id.padEnd(Math.min(128, 6 + bytes - JSON.stringify(sized).length), 'x');
      return sized;
    };
    const largest = decision(1_000_000);
    expect((await get(await store({ decision: largest }))).decision).toEqual(largest);
    for (const answer of [
      await post({ name: 'other', decision: decision(1_000_001) }),
      await patch(await store({ name: 'small' }), { decision: decision(1_000_001) }),
    ]) {
      expect(answer.status).toBe(400);
      expect(faultsOf(answer)).toEqual([
        [
          'decision',
          expect.stringMatching(/1000001 bytes, more than 1000000.*data\/fleet.*leave fleet_state/),
        ],
      ]);
    }
  });

  test('names all faults at once, and unknown locations as a decision does', async () => {
    const answer = await post({ cron: 'x', decision: { options: { change_cost: 1 } } });
    expect(faultsOf(answer).map(([field]: [string]) => field)).toEqual([
      'cron',
      'decision.options.change_cost',
    ]);
    const unknown = await post({ decision: { location_ids: [77] } });
    expect([unknown.status, faultsOf(unknown)[0][0]]).toEqual([404, 'decision.location_ids[0]']);
    const reserved = await post({ decision: { options: { priority: 'high' } } });
    expect(reserved.status).toBe(403);
    const decided = await send(`${service.url}/api/v1/decisions`, {
      body: { options: { previous_plan_id: 'last' } },
    });
    expect(faultsOf(decided)).toEqual([
      ['options.previous_plan_id', expect.stringMatching(/"last" is not stored/)],
    ]);
  });

  test.each(['?limit=0', '?cursor=x', '?name=a'])('asked for with %s is refused', async (query) => {
    expect((await send(`${url}${query}`)).status).toBe(400);
    expect((await send(`${service.url}/api/v1/jobs?schedule_id=a%20b`)).status).toBe(400);
  });

  test('is changed by at least one field', async () => {
    expect((await patch(await store(), {})).status).toBe(400);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

const ids = TEST_LOCATIONS.map(({ id }) => id);
/** The last two of the observed days. */
const LAST_DAYS = { from: '2026-02-07', to: '2026-02-09' };
const REQUEST = {
  ...LAST_DAYS,
  fleet: { size: 12 },
  trips_per_vehicle_hour: 2,
  unmet_demand_cost: 50,
  policies: [
    { mode: 'none' },
    { mode: 'nightly' },
    { mode: 'static' },
    { mode: 'horizon', horizon_hours: 3 },
    { mode: 'horizon', horizon_hours: 3, demand: 'observed' },
  ],
  seeds: [7, 8],
};

type Policy = { name: string; served: number; objective: number; drawn: { seed: number; served: number }[] };

describe('POST /api/v1/replays', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const call = (path: string, options: Parameters<typeof send>[1] = {}) =>
    send(`${service.url}/api/v1/${path}`, options);
  const post = (changes: object = {}, headers: Record<string, string> = {}) =>
    call('replays', { body: { ...REQUEST, ...changes }, headers });

  beforeAll(async () => {
    service = await startTestService({});
    // In the morning at the first two, in the evening at the others: nobody is where the demand is next.
    for (const id of ids) {
      const hours = id <= 2 ? 'between 6 and 11' : 'between 15 and 20';
      await storeDemand(service.pool, id, `case when h % 24 ${hours} then 5 + ${id} else 1 end`);
    }
  });

  test('answers the table and the series, keeps them, and repeats them to the digit', async () => {
    const { status, body } = await post();
    expect(status).toBe(200);
    const { data, metadata } = body;
    expect(data).toMatchObject({
      replay_id: metadata.job_id,
      ...LAST_DAYS,
      starts_at: '2026-02-07T00:00:00.000Z',
      ends_at: '2026-02-09T00:00:00.000Z',
      locations: 4,
      location_ids: ids,
      fleet_size: 12,
      trip_flows: 'none',
      hours_not_observed: 0,
    });
    const policies: Policy[] = data.policies;
    expect(policies.map(({ name }) => name)).toEqual([
      ...['none', 'nightly', 'static', 'horizon-3', 'horizon-3-observed'],
    ]);
    const { rows } = await service.pool.query<{ demand: number }>(
      `select sum(demand)::float8 as demand from demand_observations where hour >= '2026-02-07T00:00Z'`,
    );
    expect(data.demand).toBe(rows[0].demand);
    for (const policy of data.policies) {
      expect(policy.served + policy.lost).toBeCloseTo(data.demand, 6);
      expect(policy.objective).toBeGreaterThanOrEqual(data.bound);
      expect(policy.served_by_hour).toHaveLength(48);
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
      expect(sum(policy.served_by_hour)).toBeCloseTo(policy.served, 6);
      expect(sum(policy.served_by_location)).toBeCloseTo(policy.served, 6);
      expect(policy.drawn.map(({ seed }: { seed: number }) => seed)).toEqual([7, 8]);
    }
    const [none, , , ahead] = policies;
    expect(ahead.served).toBeGreaterThan(none.served);
    expect((await call(`replays/${data.replay_id}`)).body.data).toEqual(data);
    const again = (await post()).body.data;
    expect({ ...again, replay_id: data.replay_id }).toEqual(data);
    const job = (await call(`jobs/${data.replay_id}`)).body.data;
    expect(job).toMatchObject({ kind: 'replay', status: 'completed', progress: 1, plan_id: null });
    expect(job.result).toEqual(body);
  });

  test('decides nothing by later demand: other demand from an hour on changes no decision before it', async () => {
    const later = `location_id <= 4 and hour >= '2026-02-08T06:00Z'`;
    const before = (await post()).body.data;
    await service.pool.query(`update demand_observations set demand = 3 * demand + 7 where ${later}`);
    const after = (await post()).body.data;
    await service.pool.query(`update demand_observations set demand = (demand - 7) / 3 where ${later}`);
    // What is decided when the hour begins knows only the hours before it.
    const at = 30;
    const early = ({ moves_by_hour, served_by_hour }: (typeof before)['policies'][number]) => [
      moves_by_hour.slice(0, at + 1),
      served_by_hour.slice(0, at),
    ];
    for (const [i, policy] of before.policies.entries()) {
      const same = expect(early(after.policies[i]), policy.name);
      if (policy.demand === 'observed') same.not.toEqual(early(policy));
      else same.toEqual(early(policy));
    }
    expect(after.policies[2].moves_by_hour).not.toEqual(before.policies[2].moves_by_hour);
    expect((await post()).body.data.policies).toEqual(before.policies);
  });

  test('follows stored trips to where they end, and takes the stored fleet where it is', async () => {
    const rows = [1, 2].map((id) => ({ from_location_id: id, to_location_id: id + 2, trips: 5 }));
    await call('data/trip-flows', { method: 'PUT', body: { trip_flows: rows } });
    const fleet = [1, 1, 2, 3].map((location_id, i) => ({ vehicle_id: `v${i}`, location_id }));
    const broken = { vehicle_id: 'w', location_id: 1, status: 'maintenance' };
    await call('data/fleet', { method: 'PUT', body: { fleet: [...fleet, broken] } });
    const still = { policies: [{ mode: 'none' }], fleet: 'stored', seeds: [] };
    const moved = (await post(still)).body.data;
    expect(moved).toMatchObject({ fleet_size: 4, trip_flows: 'stored' });
    const stays = (await post({ ...still, trip_flows: 'none' })).body.data;
    expect(stays.policies[0].served_by_location[3]).toBe(0);
    expect(moved.policies[0].served_by_location[3]).toBeGreaterThan(0);
    await service.pool.query('delete from trip_flows');
  });

  test('is a job: 202 to callers that do not wait, progress that rises, cancelled when asked', async () => {
    const long = { from: '2026-01-26', to: '2026-02-09', seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] };
    const accepted = await post(long, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    const jobId = accepted.body.data.job_id;
    expect(jobId).toMatch(/^rpl_/);
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    await socket.waitFor((m) => m.type === 'progress' && m.stage === 'replay' && m.progress > 0);
    expect((await call(`jobs/${jobId}`, { method: 'DELETE' })).body.data.status).toBe('cancelled');
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    expect(result.errors[0].code).toBe('JOB_CANCELLED');
    socket.close();
    expect((await call(`replays/${jobId}`)).status).toBe(404);
  });
});

describe('a replay', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const call = (path: string, options: Parameters<typeof send>[1] = {}) =>
    send(`${service.url}/api/v1/${path}`, options);
  const post = (changes: object) => call('replays', { body: { ...REQUEST, seeds: [7], ...changes } });

  beforeAll(async () => {
    service = await startTestService({ overrides: { JOB_OVERRUN_SECONDS: 0.1 } });
    for (const id of [1, 2, 3]) await storeDemand(service.pool, id, `${id} + h % 24 / 4`);
  });

  test('is listed, compared with another, and read as CSV and by analysts', async () => {
    const three = { location_ids: [1, 2, 3] };
    const [one, two] = [await post(three), await post({ ...three, fleet: { size: 6 } })].map(
      ({ body }) => body.data,
    );
    const { replays, next_cursor } = (await call('replays?limit=1')).body.data;
    const {
      location_ids,
      demand_by_hour,
      demand_by_location,
      demand_by_hour_and_location,
      policies,
      ...about
    } = two;
    expect(replays).toMatchObject([about]);
    expect(JSON.stringify(replays[0])).not.toContain('_by_');
    expect(replays[0].policies[4]).toMatchObject({ name: 'horizon-3-observed', served: policies[4].served });
    const rest = (await call(`replays?limit=1&cursor=${next_cursor}`)).body.data;
    expect(rest).toMatchObject({ replays: [{ replay_id: one.replay_id }], next_cursor: null });

    const compared = (await call(`replays/${one.replay_id}/compare/${two.replay_id}`)).body.data;
    expect(compared.differs_in).toEqual(['fleet_size']);
    expect(compared.policies[0].other_minus_this.served).toBeCloseTo(
      policies[0].served - one.policies[0].served,
      6,
    );

    const csv = async (part: string) => {
      const response = await fetch(`${service.url}/api/v1/replays/${one.replay_id}?part=${part}`, {
        headers: { accept: 'text/csv' },
      });
      return (await response.text())
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split(','));
    };
    const query = async (text: string) =>
      (await service.pool.query({ text, values: [one.replay_id], rowMode: 'array' })).rows;
    const shown = (rows: unknown[][]) =>
      rows.map((row) => row.map((cell) => (cell instanceof Date ? cell.toISOString() : String(cell ?? ''))));
    const [head, ...table] = await csv('policies');
    expect(head.slice(0, 5)).toEqual(['policy', 'mode', 'demand', 'seed', 'served']);
    expect(table).toHaveLength(10);
    expect(
      shown(
        await query(`select policy, mode, planned_demand, seed, served, lost, served_share, moves, km, minutes, cost,
          utilization, objective, hours_without_plan from reports.replay_policies where replay_id = $1`),
      ),
    ).toEqual(table);
    const hours = await query(
      'select policy, starts_at, demand, served, moves from reports.replay_hours where replay_id = $1',
    );
    expect(shown(hours)).toEqual((await csv('hours')).slice(1));
    const places = await query(
      'select policy, location_id, demand, served from reports.replay_locations where replay_id = $1',
    );
    expect(shown(places)).toEqual((await csv('locations')).slice(1));
    const cells = await query(
      'select policy, starts_at, location_id, demand, lost from reports.replay_location_hours where replay_id = $1',
    );
    expect(cells).toHaveLength(5 * 3 * one.demand_by_hour.length);
    expect(shown(cells)).toEqual((await csv('locations_by_hour')).slice(1));
    const [summary] = await query(
      'select starts_at, ends_at, fleet_size, demand, bound from reports.replay_summary where replay_id = $1',
    );
    expect(summary).toEqual([...[new Date(one.starts_at), new Date(one.ends_at), 12, one.demand, one.bound]]);
  });

  test('is named first where neither of two compared replays exists, whichever is read sooner', async () => {
    const unknown = (digit: number) => `rpl_0199c8a0-0000-7000-8000-00000000000${digit}`;
    const all = Array.from({ length: 200 }, () => call(`replays/${unknown(1)}/compare/${unknown(2)}`));
    const named = (await Promise.all(all)).map(({ status, body }) => [status, body.errors[0].field]);
    expect(new Set(named.map(String))).toEqual(new Set(['404,replay_id']));
  });

  test.each([
    [{ to: '2026-02-10' }, 400, 'to', /ends at 2026-02-10T00:00Z.*2026-02-08T23:00Z; choose an earlier/],
    [{ from: START_DATE, to: '2026-03-01' }, 400, 'to', /choose an earlier/],
    [{ to: '2026-02-30' }, 400, 'to', /2026-02-30/],
    [{ to: '2026-02-07' }, 400, 'to', /2026-02-07 is not later than 2026-02-07/],
    [{ location_ids: [1, 9] }, 404, 'location_ids[1]', /9 is not stored/],
    [{ from: '2026-01-08' }, 400, 'to', /32 days, above the maximum 31/],
    [{ fleet: 'stored' }, 503, 'fleet', /no operational vehicle.*give a size/],
    [{ location_ids: [1, 4] }, 503, 'location_ids[1]', /location 4 has no demand observations/],
    [{ policies: [] }, 400, 'policies', /has 0 items/],
    [
      { policies: [{ mode: 'static' }, { mode: 'static' }] },
      400,
      'policies[1].name',
      /also the name of policies\[0\]/,
    ],
    [
      { policies: [{ mode: 'static', horizon_hours: 4 }] },
      400,
      'policies[0].horizon_hours',
      /4 counts only with/,
    ],
    [
      { policies: [{ mode: 'none', replan_every_hours: 2 }] },
      400,
      'policies[0].replan_every_hours',
      /2 counts only/,
    ],
    [{ policies: [{ mode: 'static', demand: 'spread' }] }, 400, 'policies[0].demand', /spread counts only/],
    [{ policies: [{ mode: 'horizon', horizon_hours: 25 }] }, 400, 'policies[0].horizon_hours', /maximum 24/],
    [{ cost: { per_minute: 1 } }, 400, 'cost.per_minute', /set travel to "stored"/],
    [{ travel: 'stored' }, 400, 'travel', /no travel between these locations.*leave travel out/],
    [
      { policies: [{ mode: 'static', confidence_level: 0.5 }] },
      400,
      'policies[0].confidence_level',
      /counts only with "demand": "upper"/,
    ],
    [
      { policies: [{ mode: 'horizon', horizon_hours: 6, step_hours: 4 }] },
      400,
      'policies[0].horizon_hours',
      /give a multiple/,
    ],
    [
      { location_ids: [1, 2], policies: [{ mode: 'static', constraints: { priorities: { 3: 1 } } }] },
      400,
      'policies[0].constraints',
      /location 3 is not part of the replay/,
    ],
    [
      {
        policies: [
          { mode: 'none' },
          {
            mode: 'static',
            constraints: { min_vehicles_per_location: 2, max_vehicles_per_location: { 1: 1 } },
          },
        ],
      },
      400,
      'policies[1].constraints.max_vehicles_per_location.1',
      /2 is above/,
    ],
    [
      { policies: [{ mode: 'horizon', options: { refine: { max_pairs: 2 } } }] },
      400,
      'policies[0].options.refine',
      /refine counts only with "mode": "nightly" or "static"/,
    ],
    [
      { policies: [{ mode: 'nightly', options: { demand_aggregation: 'sum' } }] },
      400,
      'policies[0].options.demand_aggregation',
      /no demand of an hour/,
    ],
    [
      { policies: [{ mode: 'static', options: { cost: { per_minute: 1 } } }] },
      400,
      'policies[0].options.cost.per_minute',
      /set travel to "stored"/,
    ],
    [{ seeds: [1, 1] }, 400, 'seeds[1]', /1 is a duplicate of seeds\[0\]/],
  ])('%j is refused with what to do', async (changes, status, field, message) => {
    const answer = await post(changes);
    expect([answer.status, answer.body.errors?.[0]]).toMatchObject([status, { field }]);
    expect(answer.body.errors[0].message).toMatch(message);
  });

  test('has bounds per location, wherever trips end', async () => {
    const constraints = { max_vehicles_per_location: 9 };
    const policies = [{ mode: 'horizon', horizon_hours: 3, constraints }];
    const asked = { location_ids: [1, 2, 3], policies, trip_flows: 'stored' };
    const { status, body } = await post(asked);
    expect([status, body.data?.trip_flows]).toEqual([200, 'none']);
    const rows = [1, 2].map((id) => ({ from_location_id: id, to_location_id: id + 1, trips: 5 }));
    await call('data/trip-flows', { method: 'PUT', body: { trip_flows: rows } });
    const elsewhere = await post(asked);
    expect([elsewhere.status, elsewhere.body.data?.trip_flows]).toEqual([200, 'stored']);
    await service.pool.query('delete from trip_flows');
  });

  test('that would hold a worker for long is refused with what makes it large', async () => {
    const horizons = [20, 21, 22, 23, 24].map((hours) => ({ mode: 'horizon', horizon_hours: hours }));
    const seeds = Array.from({ length: 20 }, (_, i) => i);
    const { status, body } = await post({
      from: '2026-01-09',
      policies: horizons,
      seeds,
      location_ids: [1, 2, 3],
    });
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({ field: 'policies' });
    expect(body.errors[0].message).toMatch(
      /3 locations × 744 hours × 21 replays of each policy × 110 steps .* above the maximum 5000000/,
    );
  });

  test('moves vehicles only where stored travel says how far it is, at its cost', async () => {
    const travel = [{ from_location_id: 1, to_location_id: 3, distance_km: 4, duration_minutes: 90 }];
    await call('data/travel', { method: 'PUT', body: { travel } });
    // All are at the first location; the others have demand, too.
    const fleet = Array.from({ length: 8 }, (_, i) => ({ vehicle_id: `v${i}`, location_id: 1 }));
    await call('data/fleet', { method: 'PUT', body: { fleet } });
    const policies = [{ mode: 'static' }];
    const body = { location_ids: [1, 2, 3], fleet: 'stored', travel: 'stored', policies };
    const answer = await post({ ...body, cost: { per_km: 2, per_minute: 0.1, per_move: 1 } });
    const [{ moves, km, minutes, cost }] = answer.body.data.policies;
    expect(moves).toBeGreaterThan(0);
    expect([km, minutes]).toEqual([4 * moves, 90 * moves]);
    expect(cost).toBeCloseTo((8 + 9 + 1) * moves, 6);
  });

  test('keeps the constraints of each policy, and says in how many hours no plan kept them', async () => {
    const named = (name: string, constraints: object) => ({ name, mode: 'static', constraints });
    const policies = [
      named('level', { min_service_level: 0.9, unmet_demand_cost: null }),
      named('strict', { min_service_level: 1, shortage: 'fail' }),
      named('near', { max_distance: 0.01 }),
      named('docks', { max_vehicles_per_location: 4, priorities: { 3: 9 } }),
      { mode: 'horizon', horizon_hours: 4, constraints: { max_vehicles_per_location: 4 } },
      { mode: 'horizon', horizon_hours: 4, demand: 'upper', confidence_level: 0.8, step_hours: 2 },
    ];
    const { status, body } = await post({ location_ids: [1, 2, 3], fleet: { size: 8 }, policies });
    expect([status, body.errors]).toEqual([200, undefined]);
    const shown = body.data.policies;
    expect(shown.map(({ name }: Policy) => name)).toEqual([
      ...['level', 'strict', 'near', 'docks', 'horizon-4', 'horizon-4-by-2-upper-0.8'],
    ]);
    const [level, strict, near, , , upper] = shown;
    expect(level.hours_without_plan).toBe(0);
    expect(strict.hours_without_plan).toBeGreaterThan(0);
    expect(near.moves).toBe(0);
    expect(upper).toMatchObject({ confidence_level: 0.8, step_hours: 2, horizon_hours: 4 });
  });

  test('plans with the options of each policy, and shows them', async () => {
    const options = {
      cost: { per_km: 1000 },
      optimality_gap: 0.01,
      demand_aggregation: 'quantile:0.9',
      refine: { max_pairs: 1 },
    };
    const { refine: _, demand_aggregation: __, ...ahead } = options;
    const policies = [
      { mode: 'nightly', options },
      { mode: 'horizon', horizon_hours: 3 },
      { name: 'dear', mode: 'horizon', horizon_hours: 3, options: ahead },
    ];
    const fleet = Array.from({ length: 8 }, (_, i) => ({ vehicle_id: `v${i}`, location_id: 1 }));
    await call('data/fleet', { method: 'PUT', body: { fleet } });
    const answer = await post({ location_ids: [1, 2, 3], fleet: 'stored', policies });
    const [nightly, usual, dear] = answer.body.data.policies;
    expect([nightly.options, usual.options, dear.options]).toEqual([options, undefined, ahead]);
    expect(usual.moves).toBeGreaterThan(0);
    expect(dear.moves).toBe(0);
  });

  test('that takes longer than it may ends as failed', async () => {
    const policies = [4, 8, 12].map((hours) => ({ mode: 'horizon', horizon_hours: hours }));
    const long = {
      from: '2026-01-27',
      seeds: [1, 2, 3, 4, 5, 6],
      policies,
      location_ids: [1, 2, 3],
    };
    const { status, body } = await post({ ...long, options: { time_limit_seconds: 1 } });
    expect([status, body.errors[0].code]).toEqual([500, 'SOLVER_ERROR']);
    expect(body.errors[0].message).toMatch(/time_limit_seconds/);
    expect((await call('replays')).body.data.replays.map((one: { from: string }) => one.from)).not.toContain(
      '2026-01-27',
    );
  });
});

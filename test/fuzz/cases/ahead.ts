import { strict as assert } from 'node:assert';
import { type Case, type CaseContext, endOf } from './case.ts';
import { type Refusal, refusal } from './values.ts';

const DECISIONS = ['POST', '/api/v1/decisions'] as const;
const SCHEDULES = ['POST', '/api/v1/schedules'] as const;
const REPLAYS = ['POST', '/api/v1/replays'] as const;
const PATH = '/api/v1/schedules';

const ahead = (values: object) => ({ mode: 'horizon', ...values });
const schedule = (values: object) => ({
  ...{ name: 'a case', cron: '0 20 * * *', time_zone: 'America/New_York', decision: {} },
  ...values,
});
/** A day, on which nobody moves. */
export const REPLAY = {
  ...{ from: '2017-04-27', to: '2017-04-28', fleet: { size: 800 }, trips_per_vehicle_hour: 2 },
  ...{ unmet_demand_cost: 6, policies: [{ mode: 'none' }] },
};
const replay = (values: object) => ({ ...REPLAY, ...values });
const policy = (values: object) => replay({ policies: [{ mode: 'horizon', ...values }] });

const REFUSALS: readonly Refusal[] = [
  ['a look ahead of 0 hours', ...DECISIONS, ahead({ horizon_hours: 0 }), 'horizon_hours'],
  ['a look ahead of a billion hours', ...DECISIONS, ahead({ horizon_hours: 1e9 }), 'horizon_hours'],
  ['a look ahead with steps of half an hour', ...DECISIONS, ahead({ step_hours: 0.5 }), 'step_hours'],
  [
    'a look ahead at a speed of 1e-320 km/h',
    ...DECISIONS,
    ahead({ options: { horizon: { speed_kmh: 1e-320 } } }),
    'options.horizon.speed_kmh',
  ],
  [
    'a look ahead with a price of 1e308 for unmet demand',
    ...DECISIONS,
    ahead({ constraints: { unmet_demand_cost: 1e308 } }),
    'constraints.unmet_demand_cost',
  ],
  ['a spread without a look ahead', ...DECISIONS, { demand: 'spread' }, 'demand'],
  ['a schedule of 30 February', ...SCHEDULES, schedule({ cron: '0 0 30 2 *' }), 'cron'],
  ['a schedule of every second', ...SCHEDULES, schedule({ cron: '* * * * * *' }), 'cron'],
  ['a schedule in steps of 0', ...SCHEDULES, schedule({ cron: '*/0 * * * *' }), 'cron'],
  ['a schedule of the 1e9th minute', ...SCHEDULES, schedule({ cron: '1000000000 * * * *' }), 'cron'],
  ['a schedule on Mars', ...SCHEDULES, schedule({ time_zone: 'Mars/Olympus' }), 'time_zone'],
  [
    'a schedule whose decision has a confidence_level of 2',
    ...SCHEDULES,
    schedule({ decision: { demand: 'upper', confidence_level: 2 } }),
    'decision.confidence_level',
  ],
  ['a replay that ends before it begins', ...REPLAYS, replay({ to: '2017-04-26' }), 'to'],
  ['a replay of a century', ...REPLAYS, replay({ to: '2117-04-27' }), 'to'],
  [
    'a replay of days that are not observed',
    ...REPLAYS,
    replay({ from: '2030-01-01', to: '2030-01-02' }),
    /from|to/,
  ],
  ['a replay of 30 February', ...REPLAYS, replay({ to: '2017-02-30' }), 'to'],
  ['a replay with a fleet of 1e9', ...REPLAYS, replay({ fleet: { size: 1e9 } }), /^fleet/],
  [
    'a replay with 5e-324 trips per hour',
    ...REPLAYS,
    replay({ trips_per_vehicle_hour: 5e-324 }),
    'trips_per_vehicle_hour',
  ],
  ['a replay with a seed twice', ...REPLAYS, replay({ seeds: [1, 1] }), 'seeds[1]'],
  ['a replay with a seed of 2^31', ...REPLAYS, replay({ seeds: [2 ** 31] }), 'seeds[0]'],
  [
    'a replay with a policy twice',
    ...REPLAYS,
    replay({ policies: [{ mode: 'none' }, { mode: 'none' }] }),
    'policies[1].name',
  ],
  [
    'a replay whose steps are no part of its hours',
    ...REPLAYS,
    policy({ horizon_hours: 7, step_hours: 2 }),
    'policies[0].horizon_hours',
  ],
];

/** The stored schedules of a name. */
async function named({ call }: CaseContext, name: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await call(
      'GET',
      `${PATH}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    for (const one of body.data.schedules) if (one.name === name) ids.push(one.schedule_id);
    cursor = body.data.next_cursor ?? '';
    if (!cursor) return ids;
  }
}

export const aheadCases: Case[] = [
  ...REFUSALS.map(refusal),
  {
    name: 'a schedule that is posted fifty times at once is stored once; the others get 409',
    async run(context) {
      const { call } = context;
      const body = schedule({ name: `fifty times at ${Date.now()}` });
      const replies = await Promise.all(Array.from({ length: 50 }, () => call(...SCHEDULES, { body })));
      const statuses = replies.map(({ status }) => status);
      const ids = await named(context, body.name);
      for (const id of ids) await call('DELETE', `${PATH}/${id}`);
      assert.equal(ids.length, 1);
      assert.deepEqual(
        [statuses.filter((one) => one === 201).length, new Set(statuses)],
        [1, new Set([201, 409])],
      );
    },
  },
  {
    name: 'a schedule that is changed, paused and deleted at once ends as one of these leaves it',
    async run({ call }) {
      const body = schedule({ name: `changed at ${Date.now()}` });
      const { body: made } = await call(...SCHEDULES, { body });
      const path = `${PATH}/${made.data.schedule_id}`;
      const changes = Array.from({ length: 20 }, (_, i) =>
        call('PATCH', path, { body: i % 2 === 0 ? { paused: i % 4 === 0 } : { cron: `0 ${i} * * *` } }),
      );
      const replies = await Promise.all([...changes, call('DELETE', path)]);
      for (const { status, text } of replies) assert.ok(status === 200 || status === 404, text.slice(0, 300));
      assert.equal((await call('GET', path)).status, 404);
    },
  },
  {
    name: 'the largest replay that is taken is cancelled within seconds, and does not hold up other requests',
    seconds: 30,
    async run({ call, probe, ...context }) {
      const body = {
        ...replay({ from: '2017-04-01', to: '2017-05-01', seeds: [1, 2] }),
        policies: [{ mode: 'horizon', horizon_hours: 24 }],
      };
      await probe.look();
      const reply = await call(...REPLAYS, { body, headers: { prefer: 'respond-async' } });
      assert.equal(reply.status, 202, reply.text.slice(0, 300));
      const jobId = reply.body.data.job_id;
      await new Promise((resolve) => setTimeout(resolve, 5000));
      const startedAt = performance.now();
      assert.ok([200, 202].includes((await call('DELETE', `/api/v1/jobs/${jobId}`)).status));
      const { status } = await endOf({ call, probe, ...context }, jobId);
      const ms = Math.round(performance.now() - startedAt);
      const { loop } = await probe.look();
      assert.equal(status, 'cancelled');
      assert.ok(ms < 10_000, `cancelled after ${ms} ms`);
      return `cancelled after ${ms} ms, loop ${Math.round(loop.longest)} ms at most`;
    },
  },
];

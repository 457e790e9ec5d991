import { parse } from 'csv-parse/sync';
import { beforeAll, expect, test } from 'vitest';
import { importSample } from '../../src/commands/import/sample.ts';
import { cleanAlone } from '../../src/db/service/retention.ts';
import { deleteTravelPacks } from '../../src/db/travel/travel-packs.ts';
import { send, startTestService } from '../helpers/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const post = (path: string, body: object) => send(`${service.url}/api/v1/${path}`, { body });
/** A cab in Alphabet City (4), and demand in Battery Park (12). */
const asked = (options: object, more: object = {}) => ({
  demand_forecast: { '12': [1] },
  fleet_state: { vehicles: [{ id: 'cab', location: 4 }] },
  constraints: { min_service_level: 1 },
  options,
  ...more,
});

beforeAll(async () => {
  service = await startTestService({});
  await importSample(service.pool);
});

test('a move in the sample costs what a real ride takes: 5.681 km and 11.99 minutes', async () => {
  const cost = { per_km: 1, per_minute: 0.5, per_move: 2 };
  const { status, body } = await post('optimize', asked({ travel: 'stored', cost }));
  expect(status).toBe(200);
  // 2 + 5.681 + 0.5 × 11.99
  expect(body.data.allocation_plan).toEqual([
    expect.objectContaining({ source_location: 4, target_location: 12, cost: 13.676 }),
  ]);
  expect(body.data.kpis).toMatchObject({
    total_cost: 13.676,
    total_distance_km: 5.681,
    total_minutes: 11.99,
  });
  const plan = `${service.url}/api/v1/plans/${body.metadata.plan_id}`;
  expect((await send(plan)).body.data.kpis).toEqual(body.data.kpis);
  const csv = await send(`${plan}?part=moves`, { headers: { accept: 'text/csv' } });
  expect(csv.text.split('\r\n')[1]).toBe('4,Alphabet City,12,Battery Park,1,5.681,11.99,13.676,cab');
});

/** The work list of a plan, line by line, and the same moves as analysts see them. */
async function movesOf(planId: string) {
  const csv = await send(`${service.url}/api/v1/plans/${planId}?part=moves`, {
    headers: { accept: 'text/csv' },
  });
  const view = await service.pool.query(
    `select m.assignment, m.distance_km, m.duration_minutes, f.distance_km as pair_km, f.duration_minutes as pair_minutes
     from reports.plan_moves m left join reports.location_flows f using (plan_id, source_location, target_location)
     where plan_id = $1 order by ordinal`,
    [planId],
  );
  return { lines: csv.text.trimEnd().split('\r\n').slice(1), view: view.rows };
}

test('a plan by great circles has the minutes of stored travel in its work list and views, as they were when it was made', async () => {
  const vehicles = [
    { id: 'cab', location: 4 },
    { id: 'rest', location: 13, pinned: true },
  ];
  const { body } = await post('optimize', asked({}, { fleet_state: { vehicles } }));
  expect(body.data.kpis).not.toHaveProperty('total_minutes');
  const pair = { from_location_id: 4, to_location_id: 12, distance_km: 5.681 };
  const put = (duration_minutes: number) =>
    send(`${service.url}/api/v1/data/travel`, {
      method: 'PUT',
      body: { travel: [{ ...pair, duration_minutes }] },
    });
  await put(99);
  const { lines, view } = await movesOf(body.metadata.plan_id);
  await put(11.99);
  expect(lines).toEqual(['4,Alphabet City,12,Battery Park,1,3.9917,11.99,3.9918,cab']);
  const km = expect.closeTo(3.9917, 4);
  expect(view).toEqual([
    { assignment: 'rebalance', distance_km: km, duration_minutes: 11.99, pair_km: km, pair_minutes: 11.99 },
    { assignment: 'stay', distance_km: 0, duration_minutes: 0, pair_km: null, pair_minutes: null },
  ]);
});

test('the parts of a plan as CSV, its views and its figures add up to each other, in the units that they say', async () => {
  for (const travel of ['stored', 'great_circle']) {
    const { body } = await post('decisions', { demand_scale: 1.5, options: { travel } });
    const { kpis, allocation_plan, locations } = body.data.plan;
    const plan = `${service.url}/api/v1/plans/${body.metadata.plan_id}`;
    const csv = async (part: string): Promise<Record<string, string>[]> =>
      parse((await send(`${plan}?part=${part}`, { headers: { accept: 'text/csv' } })).text, {
        columns: true,
      });
    const view = async (name: string) =>
      (await service.pool.query(`select * from reports.${name} where plan_id = $1`, [body.metadata.plan_id]))
        .rows;
    const [vehicles, moves, places] = [await csv('vehicles'), await csv('moves'), await csv('locations')];
    const [moved, flows, seen] = [
      await view('plan_moves'),
      await view('location_flows'),
      await view('plan_locations'),
    ];
    for (const rows of [allocation_plan, vehicles, moves, moved, flows])
      expect(sum(rows, 'cost')).toBeCloseTo(kpis.total_cost, 6);
    for (const rows of [moves, flows]) expect(sum(rows, 'vehicles')).toBe(kpis.rebalanced_count);
    // The work list has metres, the views have all digits.
    expect(sum(moves, 'distance_km', 'vehicles')).toBeCloseTo(kpis.total_distance_km, 1);
    expect(sum(flows, 'distance_km', 'vehicles')).toBeCloseTo(kpis.total_distance_km, 6);
    expect(sum(moved, 'distance_km')).toBeCloseTo(kpis.total_distance_km, 6);
    const minutes = sum(moves, 'duration_minutes', 'vehicles');
    expect(minutes).toBeGreaterThan(100);
    expect(kpis.total_minutes ?? minutes).toBeCloseTo(minutes, 6);
    expect(sum(flows, 'duration_minutes', 'vehicles')).toBeCloseTo(minutes, 6);
    expect(sum(moved, 'duration_minutes')).toBeCloseTo(minutes, 6);
    for (const rows of [locations, places, seen]) {
      expect(sum(rows, 'unmet')).toBeCloseTo(kpis.unmet_demand, 6);
      expect(sum(rows, 'served') / sum(rows, 'demand')).toBeCloseTo(kpis.demand_coverage, 9);
      expect(sum(rows, 'served') / sum(rows, 'capacity_after')).toBeCloseTo(kpis.utilization, 9);
      expect(sum(rows, 'vehicles_after')).toBe(vehicles.length);
      expect(sum(rows, 'vehicles_before')).toBe(vehicles.length);
    }
    const forecast = await service.pool.query(
      'select sum(expected) as city from reports.forecast_values where decision_id = $1 group by step order by 1 desc limit 1',
      [body.data.decision_id],
    );
    expect(1.5 * forecast.rows[0].city).toBeCloseTo(sum(locations, 'demand'), 6);
  }
});

function sum(rows: Record<string, unknown>[], column: string, times?: string): number {
  return rows.reduce((total, row) => total + Number(row[column]) * (times ? Number(row[times]) : 1), 0);
}

test('a pair without stored travel has no minutes, and neither has a network whose numbers only look like locations', async () => {
  const own = { demand_forecast: { '2': [1] }, fleet_state: { vehicles: [{ id: 'cab', location: 3 }] } };
  const unknown = await post('optimize', asked({}, own));
  expect((await movesOf(unknown.body.metadata.plan_id)).lines[0]).toMatch(/^3,Place 3,2,Place 2,1,[\d.]+,,/);
  const both = [
    [0, 1],
    [1, 0],
  ];
  const network = { location_ids: [4, 12], costs: both, distances_km: both };
  const foreign = await post('optimize', asked({}, { network }));
  const { lines, view } = await movesOf(foreign.body.metadata.plan_id);
  expect(lines).toEqual(['4,,12,,1,1,,1,cab']);
  expect(view).toMatchObject([{ distance_km: 1, duration_minutes: null, pair_km: 1, pair_minutes: null }]);
});

test('a cost per km replaces the setting, and a cost per move is added to great circles', async () => {
  const costOf = async (cost: object) =>
    (await post('optimize', asked({ cost, travel: 'great_circle' }))).body.data.total_cost;
  const perKm = await costOf({});
  expect(perKm).toBeGreaterThan(3);
  expect(await costOf({ per_km: 2 })).toBeCloseTo(2 * perKm, 3);
  expect(await costOf({ per_move: 2 })).toBeCloseTo(2 + perKm, 3);
});

test('a decision plans with stored travel, too', async () => {
  const answer = await post('decisions', {
    location_ids: [4, 12],
    fleet_state: { vehicles: [{ id: 'cab', location: 4 }] },
    demand_scale: 0.001,
    constraints: { min_service_level: 0 },
    options: { travel: 'stored', cost: { per_move: 1 } },
  });
  expect(answer.status, answer.text).toBe(200);
});

test('a plan asked for after a change of travel plans with it, while others change theirs and old versions are deleted', async () => {
  const { travel } = (await send(`${service.url}/api/v1/data/travel`)).body.data;
  let isOver = false;
  const clean = async () => {
    const counts = new Set<number | null>();
    while (!isOver) counts.add(await cleanAlone(service.db, deleteTravelPacks, 3));
    expect(Math.max(...[...counts].map(Number))).toBeGreaterThan(0);
  };
  /** Sets the kilometres of one pair, again and again, and plans each time a vehicle that has to go there. */
  const planner = async (from: number, to: number) => {
    for (let km = 1; km <= 15; km++) {
      const pair = { from_location_id: from, to_location_id: to, distance_km: km, duration_minutes: 2 * km };
      const put = await send(`${service.url}/api/v1/data/travel`, {
        method: 'PUT',
        body: { travel: [pair] },
      });
      expect(put.status, put.text).toBe(200);
      const { status, body } = await post(
        'optimize',
        asked(
          { travel: 'stored' },
          {
            demand_forecast: { [to]: [1] },
            fleet_state: { vehicles: [{ id: 'cab', location: from }] },
            constraints: { min_service_level: 1, max_distance: 100 },
          },
        ),
      );
      expect([status, body.data?.kpis.total_distance_km, body.data?.kpis.total_minutes]).toEqual([
        200,
        km,
        2 * km,
      ]);
    }
  };
  const cleaning = clean();
  const planners = [
    [4, 12],
    [12, 4],
    [13, 24],
    [24, 13],
  ].map(([from, to]) => planner(from, to));
  await Promise.all(planners).finally(() => {
    isOver = true;
  });
  await cleaning;
  await send(`${service.url}/api/v1/data/travel`, { method: 'PUT', body: { travel } });
});

test.each<[string, object, RegExp]>([
  ['options.cost.per_minute', asked({ cost: { per_minute: 1 } }), /set options\.travel to "stored"/],
  ['options.cost.per_move', asked({ cost: { per_move: -1 } }), /0/],
  [
    'options.cost.per_km',
    asked(
      { cost: { per_km: 1 } },
      {
        network: {
          location_ids: [4, 12],
          costs: [
            [0, 1],
            [1, 0],
          ],
        },
      },
    ),
    /leave out one/,
  ],
  [
    'options.travel',
    // The test's own places 1 to 3 are not in the sample.
    {
      ...asked({ travel: 'stored' }),
      demand_forecast: { '2': [1] },
      fleet_state: { vehicles: [{ id: 'cab', location: 3 }] },
    },
    /no travel between these locations is stored/,
  ],
])('%s is refused with 400 before a job is stored', async (field, body, message) => {
  const count = async () => (await service.pool.query('select count(*)::int as n from jobs')).rows[0].n;
  const before = await count();
  const answer = await post('optimize', body);
  expect([answer.status, answer.body.errors[0]]).toEqual([
    400,
    expect.objectContaining({ field, message: expect.stringMatching(message) }),
  ]);
  expect(await count()).toBe(before);
});

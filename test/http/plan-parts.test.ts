import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PlanLocation } from '../../src/contracts/optimize.ts';
import { PLAN_CSV_COLUMNS } from '../../src/contracts/plans.ts';
import { FLEET, storeDemand } from '../helpers/decisions.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

/** Vehicles at places 1 and 3, demand at places 2 and 4: places 1 and 3 have moves of one and of three steps. */
function request() {
  const at = (ids: string[], location: number) => ids.map((id) => ({ id, location, capacity: 1 }));
  return {
    demand_forecast: { '1': [0], '2': [2.5], '4': [2] },
    fleet_state: {
      vehicles: [
        ...at(['=1+1', 'b c', 'd', 'e', 'f'], 1),
        { id: 'g', location: 3, status: 'downtime' as const },
      ],
    },
    constraints: { min_service_level: 1 },
  };
}

describe('the parts of a plan', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let planUrl: string;
  let data: { locations: PlanLocation[]; kpis: Record<string, number> };
  const api = (path: string) => `${service.url}/api/v1/${path}`;
  const optimize = async (body: object) => (await send(api('optimize'), { body })).body;
  const readCsv = async (url: string) => {
    const answer = await send(url, { headers: { accept: 'text/csv' } });
    expect(answer.status, answer.text).toBe(200);
    return { answer, rows: parse(answer.text, { columns: true }) as Record<string, string>[] };
  };

  beforeAll(async () => {
    service = await startTestService({});
    await service.pool.query(`update locations set name = 'North, "Upper"' where id = 4`);
    const solved = await optimize(request());
    data = solved.data;
    planUrl = api(`plans/${solved.metadata.plan_id}`);
  });

  test('an answer has every location of the problem: demand, vehicles before and after, and what they serve', () => {
    expect(data.locations).toEqual([
      location(1, 'Place 1', { vehicles_before: 5 }),
      location(2, 'Place 2', { demand: 2.5, vehicles_after: 3, capacity_after: 3, served: 2.5 }),
      location(3, 'Place 3', {}),
      location(4, 'North, "Upper"', { demand: 2, vehicles_after: 2, capacity_after: 2, served: 2 }),
    ]);
  });

  test('the stored plan, its CSV and the view have the same locations', async () => {
    expect((await send(planUrl)).body.data.locations).toEqual(data.locations);
    const { answer, rows } = await readCsv(`${planUrl}?part=locations`);
    expect(answer.text.split('\r\n')[0]).toBe(PLAN_CSV_COLUMNS.locations.join(','));
    expect(rows.map(({ name, priority: _, ...figures }) => ({ name, ...numbers(figures) }))).toEqual(
      data.locations,
    );
    expect(new Set(rows.map(({ priority }) => priority))).toEqual(new Set(['']));
    const view = await service.pool.query(
      'select * from reports.plan_locations where plan_id = $1 order by location_id',
      [planUrl.split('/').at(-1)],
    );
    expect(view.rows.map(({ plan_id: _, created_at: __, ...row }) => row)).toEqual(
      data.locations.map((location) => ({ ...location, priority: null })),
    );
  });

  test('the work list has a line per pair of locations: the longest move of a source first, with its vehicles', async () => {
    const { answer, rows } = await readCsv(`${planUrl}?part=moves`);
    expect(answer.headers.get('content-disposition')).toMatch(/plan_[-0-9a-f]+-moves\.csv/);
    const { kpis, allocation_plan: items } = (await send(planUrl)).body.data;
    expect(rows).toEqual([line('4', 'North, "Upper"', '2', 33.3585), line('2', 'Place 2', '3', 11.1195)]);
    const total = (column: string) => rows.reduce((sum, row) => sum + Number(row[column]), 0);
    expect(total('cost')).toBeCloseTo(kpis.total_cost, 9);
    expect(total('vehicles')).toBe(kpis.rebalanced_count);
    for (const { target_location, vehicle_ids } of rows) {
      const ids = items
        .filter((item: { target_location: number }) => item.target_location === Number(target_location))
        .map((item: { vehicle_id: string }) => item.vehicle_id);
      expect(vehicle_ids.split(';')).toEqual(ids);
    }
  });

  test('texts of every part are safe for spreadsheets where that is asked for, and numbers stay numbers', async () => {
    const { answer, rows } = await readCsv(`${planUrl}?part=moves&spreadsheet=true`);
    expect(rows.flatMap((row) => row.vehicle_ids.split(';')).toSorted()).toEqual([
      "'=1+1",
      'b c',
      'd',
      'e',
      'f',
    ]);
    expect(answer.text.split('\r\n')[1]).toMatch(/^1,"Place 1",4,"North, ""Upper""",2,/);
    const locations = await readCsv(`${planUrl}?part=locations&spreadsheet=true`);
    expect(locations.answer.text.split('\r\n')[1]).toBe('1,"Place 1",0,5,0,0,0,0,');
  });

  test('the vehicles are what they were, named or not', async () => {
    const bare = await readCsv(planUrl);
    expect(bare.answer.text.split('\r\n')[0]).toBe(
      'vehicle_id,source_location,target_location,cost,assignment',
    );
    expect((await readCsv(`${planUrl}?part=vehicles`)).answer.text).toBe(bare.answer.text);
    const unknown = await send(`${planUrl}?part=drivers`);
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([400, 'part']);
  });

  test('with priorities each location says its own: in the answer, the stored plan, its CSV, the view and a comparison', async () => {
    const constraints = { min_service_level: 1, priorities: { 4: 9, 2: 1 } };
    const { data: critical, metadata } = await optimize({ ...request(), constraints });
    const levels = critical.locations.map((place: PlanLocation) => place.priority);
    expect(levels).toEqual([0, 1, 0, 9]);
    const own = api(`plans/${metadata.plan_id}`);
    expect((await send(own)).body.data.locations).toEqual(critical.locations);
    const { rows } = await readCsv(`${own}?part=locations`);
    expect(rows.map(({ priority }) => priority)).toEqual(['0', '1', '0', '9']);
    const view = await service.pool.query(
      'select priority from reports.plan_locations where plan_id = $1 order by location_id',
      [metadata.plan_id],
    );
    expect(view.rows.map(({ priority }) => priority)).toEqual(levels);
    const { locations } = (await send(`${own}/compare/${planUrl.split('/').at(-1)}`)).body.data;
    const { location_id: _, name: __, ...figures } = critical.locations[3];
    expect(locations[3]).toMatchObject({ location_id: 4, figures });
    expect(figures.priority).toBe(9);
    expect(locations[3].other_figures).not.toHaveProperty('priority');
  });

  test('options.locations false leaves them out of the answer; the stored plan has them', async () => {
    const { data: short, metadata } = await optimize({ ...request(), options: { locations: false } });
    expect(short).not.toHaveProperty('locations');
    expect(short.allocation_plan).toHaveLength(5);
    expect((await send(api(`jobs/${metadata.job_id}`))).body.data.result.data).toEqual(short);
    expect((await send(api(`plans/${metadata.plan_id}`))).body.data.locations).toEqual(data.locations);
  });

  test('with a network nothing has a name, and nothing a length where it gives none', async () => {
    const network = {
      location_ids: [7, -2],
      costs: [
        [0, 2.5],
        [2.5, 0],
      ],
    };
    const vehicles = [
      { id: 'a', location: -2 },
      { id: 'b', location: -2 },
    ];
    const { data: own, metadata } = await optimize({
      demand_forecast: { '7': [2] },
      fleet_state: { vehicles },
      network,
    });
    expect(own.locations).toEqual([
      location(-2, null, { vehicles_before: 2 }),
      location(7, null, { demand: 2, vehicles_after: 2, capacity_after: 2, served: 2 }),
    ]);
    const { answer } = await readCsv(api(`plans/${metadata.plan_id}?part=moves`));
    expect(answer.text.split('\r\n').slice(1)).toEqual(['-2,,7,,2,,,5,a;b', '']);
    const locations = await readCsv(api(`plans/${metadata.plan_id}?part=locations`));
    expect(locations.answer.text.split('\r\n')[1]).toBe('-2,,0,2,0,0,0,0,');
  });

  test('names are those of the time of the request, whatever becomes of the locations', async () => {
    await service.pool.query(
      "insert into locations (id, name, latitude, longitude) values (5, 'Pier', 40.5, -74)",
    );
    const vehicles = [{ id: 'a', location: 5 }];
    const { metadata } = await optimize({ demand_forecast: { '4': [1] }, fleet_state: { vehicles } });
    await service.pool.query('delete from locations where id = 5');
    const { rows } = await readCsv(api(`plans/${metadata.plan_id}?part=moves`));
    expect(rows).toMatchObject([{ source_name: 'Pier', target_name: 'North, "Upper"', vehicles: '1' }]);
  });

  test('a decision has the locations of its plan, and its stored plan the same', async () => {
    for (const id of [1, 2]) await storeDemand(service.pool, id, id === 1 ? '0' : '2');
    const body = { fleet_state: { vehicles: FLEET }, location_ids: [1, 2], horizon_hours: 3, step_hours: 1 };
    const decided = (await send(api('decisions'), { body })).body;
    const { plan } = decided.data;
    expect(plan.locations).toMatchObject([
      { location_id: 1, name: 'Place 1', demand: 0, vehicles_before: 5, vehicles_after: 3 },
      { location_id: 2, name: 'Place 2', vehicles_before: 0, vehicles_after: 2, capacity_after: 2 },
    ]);
    expect((await send(api(`plans/${decided.metadata.plan_id}`))).body.data.locations).toEqual(
      plan.locations,
    );
    const short = (await send(api('decisions'), { body: { ...body, options: { locations: false } } })).body;
    expect(short.data.plan).not.toHaveProperty('locations');
  });

  test('a comparison says what changes per location, once', async () => {
    const planOf = async (vehicles: number, demand: number) =>
      (await optimize(simpleRequest(vehicles, demand))).metadata.plan_id as string;
    const [one, two] = [await planOf(4, 1), await planOf(3, 2)];
    const { data: compared } = (await send(api(`plans/${one}/compare/${two}?limit=1`))).body;
    expect(compared.locations).toEqual([
      difference(
        1,
        { vehicles_before: 4, vehicles_after: 3, capacity_after: 3 },
        { vehicles_before: 3, vehicles_after: 1, capacity_after: 1 },
      ),
      difference(
        2,
        { demand: 1, vehicles_after: 1, capacity_after: 1, served: 1 },
        { demand: 2, vehicles_after: 2, capacity_after: 2, served: 2 },
      ),
    ]);
    const next = (await send(api(`plans/${one}/compare/${two}?cursor=${compared.next_cursor}`))).body.data;
    expect(next.differences).toHaveLength(1);
    expect(next).not.toHaveProperty('locations');
    expect((await send(api(`plans/${one}/compare/${one}`))).body.data.locations).toEqual([]);
  });
});

const NOTHING = { demand: 0, vehicles_before: 0, vehicles_after: 0, capacity_after: 0, served: 0, unmet: 0 };

function location(location_id: number, name: string | null, figures: Partial<typeof NOTHING>) {
  return { location_id, name, ...NOTHING, ...figures };
}

function difference(id: number, figures: Partial<typeof NOTHING>, other: Partial<typeof NOTHING>) {
  return {
    location_id: id,
    name: `Place ${id}`,
    figures: { ...NOTHING, ...figures },
    other_figures: { ...NOTHING, ...other },
  };
}

/** A line of the work list from place 1, at a cost of 1 per km. */
function line(target: string, name: string, vehicles: string, km: number) {
  return {
    source_location: '1',
    source_name: 'Place 1',
    target_location: target,
    target_name: name,
    vehicles,
    distance_km: String(km),
    duration_minutes: '',
    cost: expect.stringMatching(/^\d+\.\d{1,4}$/),
    vehicle_ids: expect.any(String),
  };
}

function numbers(row: Record<string, string>): Record<string, number> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
}

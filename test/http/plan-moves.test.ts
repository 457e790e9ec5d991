import { beforeAll, describe, expect, test } from 'vitest';
import { send, startTestService } from '../helpers/service.ts';

describe('GET /api/v1/plans/{plan_id}/moves', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let url: string;
  let createdAt: string;
  const read = async (query: string) => (await send(`${url}?${query}`)).body.data;
  const start = 'starts_at=2026-03-01T06:00:00Z';
  const states = async (query: string) =>
    (await read(query)).moves.map((move: { target_location: number; state: string }) => [
      move.target_location,
      move.state,
    ]);

  /** Two vehicles go from 1 to 2 in 10 minutes, one over the 33 km from 1 to 4 in 1 h 40 min at 20 km/h. */
  beforeAll(async () => {
    service = await startTestService({});
    const travel = [{ from_location_id: 1, to_location_id: 2, distance_km: 12, duration_minutes: 10 }];
    await send(`${service.url}/api/v1/data/travel`, { method: 'PUT', body: { travel } });
    const body = {
      demand_forecast: { '2': [2], '4': [1] },
      fleet_state: { vehicles: ['a', 'b', 'c', 'd'].map((id) => ({ id, location: 1 })) },
      constraints: { min_service_level: 1 },
      options: { travel: { source: 'stored', fallback: 'great_circle' } },
    };
    const answer = await send(`${service.url}/api/v1/optimize`, { body });
    expect(answer.status, answer.text).toBe(200);
    const plan = `${service.url}/api/v1/plans/${answer.body.metadata.plan_id}`;
    url = `${plan}/moves`;
    createdAt = (await send(plan)).body.data.created_at;
  });

  test('are due until the vehicles leave, then on the way, and done from the minute of arrival on', async () => {
    expect(await states(`${start}&at=2026-03-01T05:59:59.999Z`)).toEqual([
      [4, 'due'],
      [2, 'due'],
    ]);
    expect(await states(`${start}&at=2026-03-01T06:00:00Z`)).toEqual([
      [4, 'on_the_way'],
      [2, 'on_the_way'],
    ]);
    expect(await states(`${start}&at=2026-03-01T01:09:59.999-05:00`)).toEqual([
      [4, 'on_the_way'],
      [2, 'on_the_way'],
    ]);
    expect(await states(`${start}&at=2026-03-01T06:10Z`)).toEqual([
      [4, 'on_the_way'],
      [2, 'done'],
    ]);
  });

  test('have places, vehicles and arrival, and counts of the whole plan beside the state that is asked for', async () => {
    const data = await read(`${start}&at=2026-03-01T06:15:00Z&state=done`);
    expect(data).toEqual({
      plan_id: expect.stringMatching(/^plan_/),
      starts_at: '2026-03-01T06:00:00.000Z',
      at: '2026-03-01T06:15:00.000Z',
      speed_kmh: 20,
      moves: [
        {
          ...{ source_location: 1, source_name: 'Place 1', target_location: 2, target_name: 'Place 2' },
          ...{ vehicles: 2, vehicle_ids: expect.any(Array), distance_km: 12, duration_minutes: 10, cost: 24 },
          ...{ arrives_at: '2026-03-01T06:10:00.000Z', state: 'done' },
        },
      ],
      counts: {
        due: { moves: 0, vehicles: 0 },
        on_the_way: { moves: 1, vehicles: 1 },
        done: { moves: 1, vehicles: 2 },
        unknown: { moves: 0, vehicles: 0 },
      },
    });
  });

  test('of unknown minutes take those of the speed that the plan looked ahead with', async () => {
    const body = {
      demand_forecast: { '3': [0, 0, 0, 0, 0, 1] },
      fleet_state: { vehicles: [{ id: 'a', location: 1 }] },
      constraints: { min_service_level: 0, unmet_demand_cost: 100 },
      options: { horizon: { speed_kmh: 5 } },
    };
    const answer = await send(`${service.url}/api/v1/optimize`, { body });
    const path = `${service.url}/api/v1/plans/${answer.body.metadata.plan_id}/moves`;
    const { speed_kmh, moves } = (await send(path)).body.data;
    expect([speed_kmh, moves.length]).toEqual([5, 1]);
    expect(moves[0].duration_minutes).toBeCloseTo(12 * moves[0].distance_km, 9);
  });

  test('without kilometres and minutes are unknown once they have begun', async () => {
    const body = {
      network: {
        location_ids: [1, 2],
        costs: [
          [0, 1],
          [1, 0],
        ],
      },
      demand_forecast: { '1': [0], '2': [1] },
      fleet_state: { vehicles: [{ id: 'a', location: 1 }] },
      constraints: { min_service_level: 1 },
    };
    const answer = await send(`${service.url}/api/v1/optimize`, { body });
    const path = `${service.url}/api/v1/plans/${answer.body.metadata.plan_id}/moves`;
    const { moves, counts } = (await send(path)).body.data;
    expect(moves).toMatchObject([{ duration_minutes: null, arrives_at: null, state: 'unknown' }]);
    expect(counts.unknown).toEqual({ moves: 1, vehicles: 1 });
  });

  test('of unknown minutes take those of a speed; known minutes stay', async () => {
    const { moves } = await read(`${start}&at=2026-03-01T06:30:00Z&speed_kmh=60`);
    const [far, near] = moves;
    expect(far.duration_minutes).toBeCloseTo(far.distance_km, 9);
    expect(far).toMatchObject({ target_location: 4, state: 'on_the_way' });
    expect(Date.parse(far.arrives_at)).toBeCloseTo(
      Date.parse('2026-03-01T06:00Z') + far.distance_km * 60_000,
      -1,
    );
    expect(near).toMatchObject({ duration_minutes: 10, state: 'done' });
  });

  test('begin when the plan was stored, and are told for now, if nothing else is asked for', async () => {
    const data = await read('');
    expect(data.starts_at).toBe(createdAt);
    expect(Math.abs(Date.parse(data.at) - Date.now())).toBeLessThan(60_000);
    expect(data.counts.due).toEqual({ moves: 0, vehicles: 0 });
  });

  test.each(['at=yesterday', 'starts_at=2026-02-30T00:00Z', 'speed_kmh=0', 'state=gone', 'limit=3'])(
    'asked for with %s are refused',
    async (query) => {
      const answer = await send(`${url}?${query}`);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, query.split('=')[0]]);
    },
  );

  test('of an unknown plan are 404', async () => {
    const answer = await send(`${service.url}/api/v1/plans/plan_1/moves`);
    expect([answer.status, answer.body.errors[0].field]).toEqual([404, 'plan_id']);
  });
});

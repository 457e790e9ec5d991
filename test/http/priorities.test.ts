import { beforeAll, describe, expect, test } from 'vitest';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

/** Two vehicles at location 1, where two units of demand are, and as many at location 2. */
describe('critical demand', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const call = (path: string, body: object) => send(`${service.url}/api/v1/${path}`, { body });
  const setPriority = async (id: number, priority: number) => {
    const url = `${service.url}/api/v1/data/locations/${id}`;
    expect((await send(url, { method: 'PATCH', body: { priority } })).status).toBe(200);
  };

  beforeAll(async () => {
    service = await startTestService({});
    await storeDemand(service.pool, 1, '2');
    await storeDemand(service.pool, 2, '2');
  });

  const vehicles = ['a', 'b'].map((id) => ({ id, location: 1 }));
  const optimize = (constraints: object = {}, more: object = {}) =>
    call('optimize', {
      demand_forecast: { 1: [2], 2: [2] },
      fleet_state: { vehicles },
      constraints: { min_service_level: 0.5, ...constraints },
      ...more,
    });
  const network = {
    location_ids: [1, 2],
    costs: [
      [0, 1],
      [1, 0],
    ],
  };

  test('is that of the stored priority, which a request overrides, and a network leaves out', async () => {
    const figures = async (...request: Parameters<typeof optimize>) => {
      const { status, body } = await optimize(...request);
      expect(status).toBe(200);
      const { priorities, stages, kpis } = body.data;
      return { moved: kpis.rebalanced_count, stages, priorities };
    };
    const plain = { moved: 0 };
    const critical = (level: number) => ({
      moved: 2,
      stages: ['critical_demand', 'min_cost_flow'],
      priorities: [{ level, demand: 2, served: 2, served_at_most: 2 }],
    });
    await setPriority(2, 0);
    expect(await figures()).toEqual(plain);
    expect(await figures({ priorities: { 2: 0 } })).toEqual(plain);
    expect(await figures({ priorities: { 2: 3 } })).toEqual(critical(3));
    await setPriority(2, 7);
    expect(await figures()).toEqual(critical(7));
    expect(await figures({ priorities: { 1: 0 } })).toEqual(critical(7));
    expect(await figures({ priorities: { default: 0 } })).toEqual(plain);
    expect(await figures({}, { network })).toEqual(plain);
    expect(await figures({ priorities: { 2: 9 } }, { network })).toEqual(critical(9));
  });

  test('is served first in a decision, too', async () => {
    const decide = async (priority: number) => {
      await setPriority(2, priority);
      const { status, body } = await call('decisions', {
        fleet_state: { vehicles },
        location_ids: [1, 2],
        start_date: START_DATE,
        horizon_hours: 24,
        constraints: { min_service_level: 0 },
      });
      expect(status).toBe(200);
      return body.data.plan;
    };
    expect((await decide(0)).kpis.rebalanced_count).toBe(0);
    const { kpis, stages, priorities } = await decide(4);
    expect(kpis.rebalanced_count).toBe(2);
    expect(stages).toEqual(['critical_demand', 'min_cost_flow']);
    expect(priorities).toMatchObject([{ level: 4, served: 2 }]);
  });

  test('of a level that does not exist, or of an unknown location, is answered with 400', async () => {
    for (const [priorities, field] of [
      [{ 2: 10 }, 'constraints.priorities.2'],
      [{ 2: 0.5 }, 'constraints.priorities.2'],
      [{ 99: 1 }, 'constraints.priorities.99'],
      [{ x: 1 }, 'constraints.priorities.x'],
    ]) {
      const { status, body } = await optimize({ priorities });
      expect([status, body.errors[0].field]).toEqual([400, field]);
    }
  });

  test('of no level leaves a service level that is out of reach to 422', async () => {
    const { status, body } = await optimize({ priorities: { 2: 9 }, min_service_level: 1 });
    expect([status, body.errors[0].code]).toEqual([422, 'INFEASIBLE_PROBLEM']);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

/** All three vehicles have a target that they can reach. */
const ALL_COMPARED = { compared_vehicles: 3, unreachable_vehicles: 0 };

describe('a plan beside a previous one', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const call = (path: string, body: object) => send(`${service.url}/api/v1/${path}`, { body });
  const vehicles = ['a', 'b', 'c'].map((id) => ({ id, location: 1 }));
  const optimize = (demand: object, options: object = {}) =>
    call('optimize', {
      demand_forecast: demand,
      fleet_state: { vehicles },
      constraints: { min_service_level: 1 },
      options,
    });
  type Item = { vehicle_id: string; target_location: number };
  const targets = (plan: Item[]) =>
    Object.fromEntries(plan.map(({ vehicle_id, target_location }) => [vehicle_id, target_location]));
  let planId: string;

  beforeAll(async () => {
    service = await startTestService({});
    await storeDemand(service.pool, 1, '0');
    await storeDemand(service.pool, 2, '1');
    await storeDemand(service.pool, 3, '1');
    const { body } = await optimize({ 2: [1], 3: [1] });
    expect(targets(body.data.allocation_plan)).toEqual({ a: 2, b: 3, c: 1 });
    planId = body.metadata.plan_id;
  });

  test("without a change cost the plan is today's, and the answer counts what changed", async () => {
    const { body } = await optimize({ 2: [0], 3: [1] }, { previous_plan_id: planId });
    expect(targets(body.data.allocation_plan)).toEqual({ a: 3, b: 1, c: 1 });
    const { total_cost, stability } = body.data;
    expect(stability).toEqual({
      changed_vehicles: 2,
      ...ALL_COMPARED,
      change_cost: 0,
      cost_without: total_cost,
    });
  });

  test('with a change cost only the vehicle changes for which that pays', async () => {
    const { body } = await optimize({ 2: [0], 3: [1] }, { previous_plan_id: planId, change_cost: 5 });
    expect(targets(body.data.allocation_plan)).toEqual({ a: 1, b: 3, c: 1 });
    const { total_cost, stability } = body.data;
    expect(stability).toEqual({
      changed_vehicles: 1,
      ...ALL_COMPARED,
      change_cost: 5,
      cost_without: total_cost,
    });
  });

  test('with a change cost above what a move costs nothing changes, and the answer says what that costs', async () => {
    const { body } = await optimize({ 2: [0], 3: [1] }, { previous_plan_id: planId, change_cost: 50 });
    expect(targets(body.data.allocation_plan)).toEqual({ a: 2, b: 3, c: 1 });
    const { total_cost, stability } = body.data;
    expect(stability).toMatchObject({ changed_vehicles: 0, change_cost: 0 });
    // 33.36 km instead of 22.24.
    expect([total_cost, stability.cost_without].map(Math.floor)).toEqual([33, 22]);
  });

  test('a vehicle whose target is no location of the request is free', async () => {
    const { body } = await optimize({ 3: [1] }, { previous_plan_id: planId, change_cost: 50 });
    expect(targets(body.data.allocation_plan)).toEqual({ a: 1, b: 3, c: 1 });
    const { stability } = body.data;
    expect(stability).toMatchObject({ changed_vehicles: 0, compared_vehicles: 2, change_cost: 0 });
  });

  test('targets beyond the limit of distances are no reason for a refusal: their vehicles pay, and the answer counts them', async () => {
    const { body, status } = await call('optimize', {
      demand_forecast: { 2: [1], 3: [0] },
      fleet_state: { vehicles },
      constraints: { min_service_level: 1, max_distance: 15 },
      options: { previous_plan_id: planId, change_cost: 5 },
    });
    expect(status).toBe(200);
    expect(targets(body.data.allocation_plan)).toEqual({ a: 2, b: 1, c: 1 });
    const { stability, total_cost } = body.data;
    expect(stability).toEqual({
      changed_vehicles: 1,
      compared_vehicles: 3,
      unreachable_vehicles: 1,
      change_cost: 5,
      cost_without: total_cost,
    });
  });

  test('vehicles that are new are free, those that are gone are ignored, and capacities may be others', async () => {
    const { body } = await call('optimize', {
      demand_forecast: { 2: [2.5], 3: [0] },
      fleet_state: {
        vehicles: [
          { id: 'a', location: 1, capacity: 2.5 },
          { id: 'c', location: 1, capacity: 0.5 },
          { id: 'new', location: 1, capacity: 2.5 },
        ],
      },
      constraints: { min_service_level: 1 },
      options: { previous_plan_id: planId, change_cost: 5 },
    });
    expect(targets(body.data.allocation_plan)).toEqual({ a: 2, c: 1, new: 1 });
    expect(body.data.stability).toMatchObject({ changed_vehicles: 0, compared_vehicles: 2, change_cost: 0 });
  });

  test('with explain, the figures weigh changes', async () => {
    const options = { previous_plan_id: planId, change_cost: 5, explain: true };
    const { body } = await optimize({ 2: [0], 3: [1] }, options);
    const { insights, stability } = body.data;
    expect(stability.changed_vehicles).toBe(1);
    expect(insights).toMatchObject({ exact: true, complete: true });
    // Vehicle a, which should go to 2, pays 5 for staying, and nothing if it is not there.
    const [at1] = insights.locations;
    expect(at1).toMatchObject({ location_id: 1, one_more_saves: 0, one_fewer_costs: -5 });
  });

  test('with rules about pairs, a change may be what they cost', async () => {
    const options = { previous_plan_id: planId, change_cost: 50, refine: { max_pairs: 1 } };
    const { body } = await optimize({ 2: [0], 3: [1] }, options);
    expect(targets(body.data.allocation_plan)).toEqual({ a: 1, b: 3, c: 1 });
    expect(body.data).toMatchObject({
      stability: { changed_vehicles: 1, change_cost: 50 },
      refinement: { pairs: 1, pairs_without: 2 },
      stages: ['min_cost_flow', 'milp_refinement'],
    });
  });

  test('the certificate is about moves and changes together', async () => {
    const { body } = await optimize({ 2: [0], 3: [1] }, { previous_plan_id: planId, change_cost: 5 });
    const plan = await send(`${service.url}/api/v1/plans/${body.metadata.plan_id}`);
    const { certificate, total_cost } = plan.body.data;
    expect(certificate.objective).toBeCloseTo(total_cost + 5, 4);
    expect(certificate.bound).toBe(certificate.objective);
    expect(certificate.checks).toContain('changes of the previous plan');
  });

  test.each([
    [
      'options.previous_plan_id',
      { previous_plan_id: 'plan_unknown', change_cost: 1 },
      /plan "plan_unknown" is not stored/,
    ],
    ['options.change_cost', { change_cost: 1 }, /state options\.previous_plan_id/],
    ['options.change_cost', { previous_plan_id: 'any', change_cost: 9e10 }, /above the maximum/],
  ])('%s %j is answered with 400 before anything is stored', async (field, options, message) => {
    const { status, body } = await optimize({ 2: [0], 3: [1] }, options);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      expect.objectContaining({ field, message: expect.stringMatching(message) }),
    ]);
  });

  test('a decision of tomorrow keeps to the plan of today', async () => {
    const decide = (options: object) =>
      call('decisions', {
        fleet_state: { vehicles: [...vehicles].reverse() },
        location_ids: [1, 2, 3],
        start_date: START_DATE,
        constraints: { min_service_level: 1 },
        options,
      });
    const free = await decide({ previous_plan_id: planId });
    expect(free.body.data.plan.stability).toMatchObject({ changed_vehicles: 2 });
    const calm = await decide({ previous_plan_id: planId, change_cost: 1 });
    expect(calm.status, calm.text).toBe(200);
    const { plan } = calm.body.data;
    expect(targets(plan.allocation_plan)).toEqual({ a: 2, b: 3, c: 1 });
    expect(plan.stability).toEqual({
      changed_vehicles: 0,
      ...ALL_COMPARED,
      change_cost: 0,
      cost_without: plan.total_cost,
    });
    const unknown = await decide({ previous_plan_id: 'plan_unknown' });
    expect(unknown.body.errors).toEqual([expect.objectContaining({ field: 'options.previous_plan_id' })]);
  });

  test('a decision of the evening before is the previous plan of the one on the day, also for a location that was retired', async () => {
    const decide = (options: object) =>
      call('decisions', {
        fleet_state: { vehicles },
        start_date: START_DATE,
        constraints: { min_service_level: 1 },
        options,
      });
    const evening = await decide({});
    expect(targets(evening.body.data.plan.allocation_plan)).toEqual({ a: 2, b: 3, c: 1 });
    const previous = { previous_plan_id: evening.body.metadata.plan_id, change_cost: 100 };
    const { body, status } = await call('decisions', {
      fleet_state: { vehicles: [...vehicles, { id: 'new', location: 1 }] },
      start_date: START_DATE,
      // Without a change cost one vehicle would move less.
      constraints: { min_service_level: 0.5 },
      options: previous,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    const { plan } = body.data;
    expect(targets(plan.allocation_plan)).toEqual({ a: 2, b: 3, c: 1, new: 1 });
    expect(plan.stability).toMatchObject({ changed_vehicles: 0, ...ALL_COMPARED, change_cost: 0 });
    expect(plan.stability.cost_without).toBeLessThan(plan.total_cost);

    const path = `${service.url}/api/v1/data/locations/2`;
    expect((await send(path, { method: 'PATCH', body: { active: false } })).status).toBe(200);
    const retired = (await decide(previous)).body.data.plan;
    expect(targets(retired.allocation_plan)).toEqual({ a: 1, b: 3, c: 1 });
    const counted = { changed_vehicles: 0, compared_vehicles: 2, change_cost: 0 };
    expect(retired.stability).toMatchObject(counted);
  });
});

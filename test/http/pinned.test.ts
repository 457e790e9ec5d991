import { beforeAll, describe, expect, test } from 'vitest';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

/** Location 1 has one bay. */
const constraints = { min_service_level: 0, max_vehicles_per_location: { 1: 1 } };
const vehicles = [
  { id: 'a', location: 1 },
  { id: 'b', location: 1, pinned: true },
];

describe('a pinned vehicle of a request', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const api = (path: string) => `${service.url}/api/v1/${path}`;
  const optimize = (more: object) =>
    send(api('optimize'), {
      body: { demand_forecast: { 2: [1] }, fleet_state: { vehicles }, constraints, ...more },
    });

  beforeAll(async () => {
    service = await startTestService({});
    for (const id of [1, 2]) await storeDemand(service.pool, id, '1');
  });

  test('keeps the only bay, and the other one leaves; the stored plan says so too', async () => {
    const { status, body } = await optimize({});
    expect(status).toBe(200);
    const moves = [
      expect.objectContaining({ vehicle_id: 'a', source_location: 1, target_location: 2 }),
      expect.objectContaining({ vehicle_id: 'b', target_location: 1, assignment: 'stay' }),
    ];
    expect(body.data.allocation_plan).toEqual(moves);
    const stored = await send(api(`plans/${body.metadata.plan_id}`));
    expect(stored.body.data.allocation_plan).toEqual(moves);
  });

  test('is planned by a decision in the same way', async () => {
    const { status, body } = await send(api('decisions'), {
      body: { fleet_state: { vehicles }, location_ids: [1, 2], start_date: START_DATE, constraints },
    });
    expect(status).toBe(200);
    expect(body.data.plan.allocation_plan).toMatchObject([
      { vehicle_id: 'a', target_location: 2 },
      { vehicle_id: 'b', target_location: 1 },
    ]);
  });

  test('makes a request infeasible if more are pinned than there are bays, and the answer says how many fit', async () => {
    const pinned = vehicles.map((vehicle) => ({ ...vehicle, pinned: true }));
    const { status, body } = await optimize({ fleet_state: { vehicles: pinned } });
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      expect.objectContaining({
        code: 'INFEASIBLE_PROBLEM',
        field: 'constraints.max_vehicles_per_location',
        message: expect.stringContaining('raise it by 1 in total, for example from 1 to 2 at location 1'),
      }),
    ]);
  });

  test.each([
    ['yes', 'fleet_state.vehicles[0].pinned', /true or false/],
    [null, 'fleet_state.vehicles[0].pinned', /true or false/],
  ])('with the value %j is refused, naming the field', async (pinned, field, message) => {
    const { status, body } = await optimize({ fleet_state: { vehicles: [{ ...vehicles[0], pinned }] } });
    expect([status, body.errors[0].field]).toEqual([400, field]);
    expect(body.errors[0].message).toMatch(message);
  });

  test('is one of the vehicles that total_fleet_size lets serve, also in the stored plan', async () => {
    const asked = {
      demand_forecast: { 1: [1], 2: [1] },
      constraints: { total_fleet_size: 2, min_service_level: 1 },
    };
    const { status, body } = await optimize(asked);
    expect(status).toBe(200);
    const moves = [
      expect.objectContaining({ vehicle_id: 'a', source_location: 1, target_location: 2 }),
      expect.objectContaining({ vehicle_id: 'b', target_location: 1, assignment: 'stay' }),
    ];
    expect(body.data.allocation_plan).toEqual(moves);
    expect(body.data.locations.map((one: { vehicles_before: number }) => one.vehicles_before)).toEqual([
      2, 0,
    ]);
    const stored = await send(api(`plans/${body.metadata.plan_id}`));
    expect(stored.body.data.allocation_plan).toEqual(moves);
    const fewer = await optimize({ ...asked, constraints: { ...asked.constraints, total_fleet_size: 1 } });
    expect(fewer.status).toBe(422);
    expect(fewer.body.errors.map(({ message }: { message: string }) => message).join()).toMatch(
      /total_fleet_size 1 .*raise it to at least 2/,
    );
  });
});

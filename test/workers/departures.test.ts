import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { carryOutPlan } from '../../src/db/plans/departures.ts';
import { storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

const MINUTE_MS = 60_000;

describe('a decision that is carried out', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let data: string;
  beforeAll(async () => {
    service = await startTestService({});
    data = `${service.url}/api/v1/data`;
    for (const id of [2, 3]) await storeDemand(service.pool, id, '1');
  });
  const put = (fleet: object[]) => send(`${data}/fleet`, { method: 'PUT', body: { fleet } });
  beforeEach(async () => {
    await service.pool.query('truncate vehicles, travel');
    await put([{ vehicle_id: 'cab', location_id: 1 }]);
  });
  const storeTravel = (minutes: number) => {
    const pair = { from_location_id: 1, to_location_id: 2, distance_km: 11, duration_minutes: minutes };
    return send(`${data}/travel`, { method: 'PUT', body: { travel: [pair] } });
  };
  const fleet = async () => (await send(`${data}/fleet`)).body.data.fleet;
  const decide = async (more: object = {}) => {
    const body = { location_ids: [2], ...more };
    const answer = await send(`${service.url}/api/v1/decisions`, { body });
    expect(answer.status, answer.text).toBe(200);
    const planId: string = answer.body.metadata.plan_id;
    const { created_at } = (await send(`${service.url}/api/v1/plans/${planId}`)).body.data;
    return { planId, moved: answer.body.data.plan.kpis.rebalanced_count, storedMs: Date.parse(created_at) };
  };
  const cab = { vehicle_id: 'cab', location_id: 1, status: 'operational', capacity: 1 };

  test('sends the stored vehicles that it moves on their way, for the minutes of stored travel', async () => {
    await storeTravel(90);
    const { moved, storedMs } = await decide({ carry_out: true });
    expect(moved).toBe(1);
    const available_at = new Date(storedMs + 90 * MINUTE_MS).toISOString();
    expect(await fleet()).toEqual([{ ...cab, location_id: 2, available_at }]);
  });

  test('without stored travel takes the kilometres of the plan at 20 km/h', async () => {
    const { storedMs } = await decide({ carry_out: true });
    const [{ location_id, available_at }] = await fleet();
    const hours = (Date.parse(available_at) - storedMs) / (60 * MINUTE_MS);
    // A tenth of a degree of latitude.
    expect([location_id, hours]).toEqual([2, expect.closeTo(11.12 / 20, 2)]);
  });

  test('takes them at the speed of the plan that looks ahead', async () => {
    const horizon = { speed_kmh: 5 };
    const { moved, storedMs } = await decide({
      mode: 'horizon',
      horizon_hours: 3,
      options: { horizon },
      carry_out: true,
    });
    const [{ available_at }] = await fleet();
    const hours = (Date.parse(available_at) - storedMs) / (60 * MINUTE_MS);
    expect([moved, hours]).toEqual([1, expect.closeTo(11.12 / 5, 2)]);
  });

  test('is followed by decisions that know who is on the way', async () => {
    await storeTravel(90);
    await decide({ carry_out: true });
    expect((await decide()).moved).toBe(0);
    // It cannot leave before it has arrived.
    const wantedElsewhere = { location_ids: [3] };
    expect((await decide(wantedElsewhere)).moved).toBe(0);
    await send(`${data}/fleet/cab`, { method: 'PATCH', body: { location_id: 2 } });
    expect((await decide(wantedElsewhere)).moved).toBe(1);
  });

  test('leaves the stored fleet alone unless it is asked to', async () => {
    await decide();
    expect(await fleet()).toEqual([cab]);
  });

  test('leaves a vehicle alone that has been reported elsewhere since the plan was made', async () => {
    const { planId } = await decide();
    const elsewhere = { location_id: 3 };
    await send(`${data}/fleet/cab`, { method: 'PATCH', body: elsewhere });
    await carryOutPlan(service.db, planId);
    expect(await fleet()).toEqual([{ ...cab, ...elsewhere }]);
  });

  test('leaves a vehicle alone that has been reported out of service since the plan was made', async () => {
    const { planId } = await decide();
    await send(`${data}/fleet/cab`, { method: 'PATCH', body: { status: 'maintenance' } });
    await carryOutPlan(service.db, planId);
    expect(await fleet()).toEqual([{ ...cab, status: 'maintenance' }]);
  });

  test('sends a vehicle that is still on its way when it has arrived, also by an unknown distance', async () => {
    await storeTravel(90);
    const arrival = Date.parse('2999-01-01T00:00:00Z');
    for (const [columns, minutes] of [
      ['', 90],
      ['move_minutes = null, move_km = array_fill(null::float8, array[cardinality(move_km)])', 0],
      ['move_sources = null, move_targets = null, move_km = null, move_minutes = null', 0],
    ] as const) {
      await put([{ ...cab }]);
      const { planId } = await decide();
      if (columns) await service.pool.query(`update plans set ${columns} where plan_id = $1`, [planId]);
      await service.pool.query('update vehicles set available_at = $1', [new Date(arrival)]);
      await carryOutPlan(service.db, planId);
      const available_at = new Date(arrival + minutes * MINUTE_MS).toISOString();
      expect(await fleet(), columns).toEqual([{ ...cab, location_id: 2, available_at }]);
      await service.pool.query('truncate vehicles');
    }
  });

  test('is stored, too, if the target of a move has been deleted since', async () => {
    const { planId } = await decide();
    await service.db
      .transaction(async (tx) => {
        await tx.execute('delete from demand_observations; delete from locations where id = 2');
        await carryOutPlan(tx, planId);
        expect((await tx.execute('select location_id from vehicles')).rows).toEqual([{ location_id: 1 }]);
        tx.rollback();
      })
      .catch((error) => expect(error.message).toBe('Rollback'));
  });

  test('is refused with vehicles of its own', async () => {
    const fleet_state = { vehicles: [{ id: 'a', location: 1 }] };
    const answer = await send(`${service.url}/api/v1/decisions`, { body: { fleet_state, carry_out: true } });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'carry_out']);
  });
});

describe('a vehicle on its way', () => {
  const LATER = '2999-01-01T00:00:00.000Z';
  let service: Awaited<ReturnType<typeof startTestService>>;
  let url: string;
  beforeAll(async () => {
    service = await startTestService({ workers: 0 });
    url = `${service.url}/api/v1/data/fleet`;
  });
  const cab = { vehicle_id: 'cab', location_id: 2, status: 'operational', capacity: 1 };
  const patch = async (body: object) => (await send(`${url}/cab`, { method: 'PATCH', body })).body.data;
  const putJson = (available_at?: string) =>
    send(url, { method: 'PUT', body: { fleet: [{ ...cab, ...(available_at && { available_at }) }] } });
  const putCsv = (available_at = '') =>
    send(url, {
      method: 'PUT',
      body: `vehicle_id,location_id,available_at\ncab,2,${available_at}\n`,
      headers: { 'content-type': 'text/csv' },
    });
  const listed = async () => (await send(url)).body.data.fleet[0];

  test.each([
    ['JSON', putJson],
    ['CSV', putCsv],
  ])('is reported as %s, shown until it arrives, and there when a row says no more', async (_type, put) => {
    await put(LATER);
    expect(await listed()).toEqual({ ...cab, available_at: LATER });
    await put('2020-01-01T00:00:00+02:00');
    expect(await listed()).toEqual(cab);
    await put(LATER);
    await put();
    expect(await listed()).toEqual(cab);
  });

  test('is there as soon as its location is reported, and not by other changes', async () => {
    await putJson();
    expect(await patch({ location_id: 3, available_at: LATER })).toMatchObject({
      location_id: 3,
      available_at: LATER,
    });
    expect(await patch({ capacity: 2 })).toMatchObject({ available_at: LATER });
    expect(await patch({ location_id: 3 })).toEqual({ ...cab, location_id: 3, capacity: 2 });
  });

  test.each([[putJson], [putCsv]])('without an offset in its time is refused', async (put) => {
    const answer = await put('2026-01-01T00:00:00');
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/offset/)]);
  });
});

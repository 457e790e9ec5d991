import { expect, test } from 'vitest';
import { atEnd } from '../helpers/at-end.ts';
import { send, startTestService } from '../helpers/service.ts';

const service = await startTestService({ apis: 0, workers: 0 });
const { pool } = service;
const other = await pool.connect();
atEnd(async () => other.release());

/** Starts an API whose connections have a setting of PostgreSQL, and stores two vehicles by it. */
async function startWith(setting: string) {
  const url = new URL(service.config.DATABASE_URL ?? '');
  url.searchParams.set('options', `-c ${setting}`);
  const api = await service.startApi({ DATABASE_URL: url.href });
  const put = (capacity: number) =>
    send(`${api.url}/api/v1/data/fleet`, {
      method: 'PUT',
      body: { fleet: ['A', 'B'].map((vehicle_id) => ({ vehicle_id, location_id: 1, capacity })) },
    });
  expect((await put(1)).status).toBeLessThan(300);
  return put;
}

/** Another transaction has vehicle B while a request changes both, and then does what the request cannot stand. */
async function meet(put: Awaited<ReturnType<typeof startWith>>, then: () => Promise<unknown>) {
  await other.query('begin');
  await other.query("set local deadlock_timeout = '10min'");
  await other.query("update vehicles set capacity = 5 where vehicle_id = 'B'");
  const answer = put(2);
  const waiting = async () => {
    const { rowCount } = await pool.query(`select from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query ~ 'vehicles'`);
    return rowCount;
  };
  await expect.poll(waiting).toBe(1);
  await then();
  return answer;
}

async function expectRetry(
  put: Awaited<ReturnType<typeof startWith>>,
  answer: Awaited<ReturnType<typeof send>>,
) {
  expect(answer.status, answer.text).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer.body.errors).toMatchObject([
    { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('try again') },
  ]);
  const capacities = async () =>
    (await pool.query('select vehicle_id, capacity from vehicles order by 1')).rows.map(
      (row) => row.capacity,
    );
  expect((await capacities())[0]).not.toBe(2);
  expect((await put(2)).status).toBe(200);
  expect(await capacities()).toEqual([2, 2]);
}

test('a request that PostgreSQL undoes to break a deadlock changes nothing, is told when to come again, and succeeds then', async () => {
  // The request looks for the deadlock first, and when the other transaction surely waits for it.
  const put = await startWith('deadlock_timeout=3s');
  const answer = await meet(put, async () => {
    await other.query("update vehicles set capacity = 5 where vehicle_id = 'A'");
    await other.query('commit');
  });
  await expectRetry(put, answer);
});

test('so is one that cannot be serialized, where the isolation of the database is stricter than usual', async () => {
  const put = await startWith('default_transaction_isolation=repeatable\\ read');
  const answer = await meet(put, () => other.query('commit'));
  await expectRetry(put, answer);
});

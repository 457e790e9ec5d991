import { beforeAll, describe, expect, test } from 'vitest';
import { revokeApiKey } from '../../src/db/service/api-keys.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { runSchedules } from '../../workers/duties/schedules.ts';
import { storeKey } from '../helpers/keys.ts';
import { send, startTestService } from '../helpers/service.ts';

const HOUR_MS = 3_600_000;

describe('the rights of a schedule', async () => {
  const service = await startTestService({ workers: 0, overrides: { AUTH: 'keys' } });
  const { db, config } = service;
  const url = `${service.url}/api/v1/schedules`;
  let queue: Awaited<ReturnType<typeof openQueue>>;
  beforeAll(async () => {
    queue = await openQueue(config, () => {});
    return () => queue.close();
  });
  const operator = await storeKey(db, 'operator');
  let named = 0;
  type Key = Awaited<ReturnType<typeof storeKey>>;
  const store = async (by: Key, decision: object = {}) => {
    const body = { name: `s${++named}`, cron: '0 * * * *', time_zone: 'UTC', decision };
    const answer = await send(url, { body, headers: by.headers });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data.schedule_id as string;
  };
  const get = async (id: string) => (await send(`${url}/${id}`, { headers: operator.headers })).body.data;
  const patch = (id: string, by: Key, body: object) =>
    send(`${url}/${id}`, { method: 'PATCH', body, headers: by.headers });
  const logger = createLogger('worker', config);
  /** Decides on what is due in an hour. */
  const occur = () => runSchedules({ config, db, queue, logger }, new Date(Date.now() + HOUR_MS));

  test('are those of its owner at each occurrence: without them it is paused, and says why', async () => {
    const planner = await storeKey(db, 'planner', { owner: 'desk' });
    const id = await store(planner);
    await occur();
    expect((await get(id)).occurrences).toMatchObject([{ outcome: 'job' }]);
    await revokeApiKey(db, planner.id);
    await service.pool.query("update schedules set next_at = now() - interval '1 second'");
    await occur();
    const paused = await get(id);
    expect(paused).toMatchObject({
      paused: true,
      next_at: null,
      paused_because:
        'its owner "desk" has no valid key with the role planner; give it one, then resume the schedule',
    });
    expect(paused.occurrences).toHaveLength(1);
    // Another key of the owner has the rights, and resuming takes the reason away.
    const again = await storeKey(db, 'planner', { owner: 'desk' });
    const resumed = await patch(id, again, { paused: false });
    expect([resumed.status, resumed.body.data.paused]).toEqual([200, false]);
    expect(resumed.body.data).not.toHaveProperty('paused_because');
    await occur();
    expect((await get(id)).paused).toBe(false);
    await patch(id, operator, { paused: true });
  });

  test('to carry out are those of an operator, at each occurrence and each change', async () => {
    const was = await storeKey(db, 'operator', { owner: 'lead' });
    const id = await store(was, { carry_out: true });
    await revokeApiKey(db, was.id);
    const now = await storeKey(db, 'planner', { owner: 'lead' });
    const changed = await patch(id, now, { cron: '30 * * * *' });
    expect([changed.status, changed.body.errors]).toMatchObject([
      403,
      [{ code: 'FORBIDDEN', field: null, message: expect.stringMatching(/carries out .* role "operator"/) }],
    ]);
    await occur();
    expect(await get(id)).toMatchObject({
      paused: true,
      paused_because: expect.stringMatching(/^its owner "lead" has no valid key with the role operator;/),
    });
    expect((await patch(id, now, { paused: false })).status).toBe(403);
    // Whoever may not let it run may stop it, or let it run without.
    expect((await patch(id, now, { paused: true })).status).toBe(200);
    expect((await patch(id, now, { decision: {}, paused: false })).status).toBe(200);
  });
});

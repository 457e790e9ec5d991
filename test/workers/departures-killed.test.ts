import { beforeAll, describe, expect, test } from 'vitest';
import { openQueue } from '../../src/queue/queue.ts';
import { storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';
import { killWorker, passAnHourSince, spawnWorkerProcess } from '../helpers/worker-process.ts';

const MINUTE_MS = 60_000;
/** Of an advisory lock that holds workers up. */
const LOCK = 16;

describe('a decision that is carried out', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({
      workers: 0,
      overrides: {
        ...{ SWEEP_INTERVAL_SECONDS: 0.3, JOB_MAX_ATTEMPTS: 100, JOB_RETRY_DELAY_SECONDS: 0.1 },
      },
    });
    await storeDemand(service.pool, 2, '1');
    await service.pool.query(`
      insert into travel values (1, 2, 11, 90);
      create function wait_here() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$`);
  });
  const get = async (path: string) => (await send(`${service.url}/api/v1/${path}`)).body.data;

  /** What is stored of a decision: its plans, the times of its vehicle, and how its attempts ended. */
  const stored = async (jobId: string) => {
    const { rows } = await service.pool.query(
      `select (select array_agg(created_at) from plans where job_id = $1) as plans,
        (select json_agg(json_build_array(location_id, available_at)) from vehicles) as fleet, status
      from jobs where job_id = $1`,
      [jobId],
    );
    return rows[0];
  };

  test('sends its vehicles once, whose workers are killed before and after these leave, before the commit', async () => {
    const { pool, url } = service;
    const fleet = [{ vehicle_id: 'cab', location_id: 1 }];
    await send(`${url}/api/v1/data/fleet`, { method: 'PUT', body: { fleet } });
    const headers = { prefer: 'respond-async' };
    const body = { location_ids: [2], carry_out: true };
    const { job_id: jobId } = (await send(`${url}/api/v1/decisions`, { body, headers })).body.data;
    const socket = await openSocket(url);
    socket.send({ type: 'subscribe', job_id: jobId });
    for (const event of ['before update', 'after update']) {
      await pool.query(
        `create trigger wait_here ${event} on vehicles for each row execute function wait_here()`,
      );
      const holder = await pool.connect();
      await holder.query(`select pg_advisory_lock(${LOCK})`);
      const victim = await spawnWorkerProcess(service.config);
      const isWaiting = `select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`;
      while (!(await pool.query(isWaiting)).rowCount);
      await killWorker(victim);
      await holder.query(`select pg_advisory_unlock(${LOCK})`);
      holder.release();
      // Its connection ends, and with it all that it had written.
      while ((await pool.query("select from pg_stat_activity where state = 'idle in transaction'")).rowCount);
      expect(await stored(jobId)).toMatchObject({ plans: null, fleet: [[1, null]], status: 'running' });
      await passAnHourSince(victim, pool);
      await pool.query('drop trigger wait_here on vehicles');
    }
    const worker = await service.startWorker();
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    expect(result.status).toBe('success');
    const after = await stored(jobId);
    const [plannedAt] = after.plans;
    const arrival = new Date(plannedAt.getTime() + 90 * MINUTE_MS);
    expect(after.fleet).toEqual([[2, expect.any(String)]]);
    expect(new Date(after.fleet[0][1])).toEqual(arrival);
    expect([after.status, after.plans.length]).toEqual(['completed', 1]);
    expect((await get(`jobs/${jobId}`)).attempts).toBe(3);
    // Tokens may come again and again: nobody claims a job that has ended.
    const queue = await openQueue(service.config, () => {});
    for (let i = 0; i < 3; i++) await queue.enqueue();
    await queue.close();
    const next = { location_ids: [2], fleet_state: { vehicles: [{ id: 'a', location: 1 }] } };
    expect((await send(`${url}/api/v1/decisions`, { body: next })).status).toBe(200);
    expect(await stored(jobId)).toEqual(after);
    socket.close();
    await service.close(worker);
  });
});

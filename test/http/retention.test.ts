import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

describe('what a client sees of retention', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({ overrides: { SWEEP_INTERVAL_SECONDS: 0.1, RETENTION_PLAN_DAYS: 1 } });
  });
  const get = (path: string) => send(`${service.url}/api/v1/${path}`);
  const solve = async () => (await send(`${service.url}/api/v1/optimize`, { body: simpleRequest() })).body;

  test('an ended job whose input was dropped still answers, and so does the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'kept' };
    const first = await send(`${service.url}/api/v1/optimize`, { body: simpleRequest(), headers });
    const { job_id } = first.body.metadata;
    await service.pool.query('update jobs set input = null where job_id = $1', [job_id]);
    const job = await get(`jobs/${job_id}`);
    expect(job.body.data).toMatchObject({ status: 'completed', result: first.body });
    const again = await send(`${service.url}/api/v1/optimize`, { body: simpleRequest(), headers });
    expect(again.text).toBe(first.text);
  });

  test('a deleted plan is 404 and says that it may have been deleted, and its job still answers', async () => {
    const { plan_id, job_id } = (await solve()).metadata;
    expect((await get(`plans/${plan_id}`)).status).toBe(200);
    await service.pool.query("update plans set created_at = now() - interval '2 days' where plan_id = $1", [
      plan_id,
    ]);
    // Removed while it is read, it breaks off, as below.
    const read = () => get(`plans/${plan_id}`).catch(() => null);
    let gone = await read();
    while (gone === null || gone.status === 200) gone = await read();
    expect(gone.status).toBe(404);
    expect(gone.body.errors[0]).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      field: 'plan_id',
      message: expect.stringMatching(/never existed, or it was deleted after RETENTION_PLAN_DAYS/),
    });
    expect((await get(`plans/${plan_id}/compare/${plan_id}`)).status).toBe(404);
    const job = await get(`jobs/${job_id}`);
    expect(job.body.data).toMatchObject({ plan_id: null, result: { metadata: { plan_id } } });
  });

  test('a deleted job is 404 and says that it may have been deleted; its plan stays', async () => {
    const { plan_id, job_id } = (await solve()).metadata;
    await service.pool.query('delete from jobs where job_id = $1', [job_id]);
    const gone = await get(`jobs/${job_id}`);
    expect(gone.status).toBe(404);
    expect(gone.body.errors[0].message).toContain('RETENTION_JOB_DAYS');
    expect((await get(`plans/${plan_id}`)).body.data).toMatchObject({ plan_id, job_id });
  });

  test.each(['text/csv', 'application/json'])(
    'a plan as %s that is removed while it is read breaks off, instead of ending without some of its vehicles',
    async (accept) => {
      const { plan_id } = (await solve()).metadata;
      await service.pool.query('update plans set vehicle_count = vehicle_count + 1 where plan_id = $1', [
        plan_id,
      ]);
      const broken = await new Promise((resolve, reject) => {
        request(`${service.url}/api/v1/plans/${plan_id}`, { headers: { accept } }, (response) => {
          response.resume();
          response.once('end', () => resolve(!response.complete));
          response.once('error', () => resolve(true));
        })
          .once('error', reject)
          .end();
      });
      expect(broken).toBe(true);
    },
  );

  test.each(['text/csv', 'application/json'])(
    'a plan as %s that is removed before a compressor has let go of the first byte is 404',
    async (accept) => {
      const { plan_id } = (await solve()).metadata;
      await service.pool.query('delete from plan_parts where plan_id = $1', [plan_id]);
      const headers = { accept, 'accept-encoding': 'br' };
      const gone = await fetch(`${service.url}/api/v1/plans/${plan_id}`, { headers });
      expect(gone.status).toBe(404);
      const { errors } = JSON.parse(await gone.text());
      expect(errors[0]).toMatchObject({ code: 'RESOURCE_NOT_FOUND', field: 'plan_id' });
    },
  );

  test('a plan of 100,000 vehicles is exported whole and in order', async () => {
    await service.pool.query(`
      insert into plans (plan_id, job_id, solver_status, total_cost, demand_coverage, utilization, rebalanced_count,
        unmet_demand, vehicle_count, solve_time_ms, certificate)
      values ('plan_large', 'none', 'optimal', 1, 1, 1, 1, 0, 100000, 1, '{}')`);
    await service.pool.query(
      `insert into plan_parts select 'plan_large', 1 + 1000 * p, array_agg('V' || (1000 * p + i) order by i),
         array_fill(1, '{1000}'), array_fill(2, '{1000}'), array_fill(1.0, '{1000}')
       from generate_series(0, 99) p, generate_series(1, 1000) i group by p`,
    );
    const response = await fetch(`${service.url}/api/v1/plans/plan_large`, {
      headers: { accept: 'text/csv' },
    });
    const lines = (await response.text()).trimEnd().split('\r\n');
    expect(lines[0]).toBe('vehicle_id,source_location,target_location,cost,assignment');
    expect(lines.slice(1)).toEqual(Array.from({ length: 100_000 }, (_, i) => `V${i + 1},1,2,1,rebalance`));
  });
});

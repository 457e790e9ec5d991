import { beforeAll, describe, expect, test } from 'vitest';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

describe('the lists of jobs and plans', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let base: string;
  const get = (path: string) => send(`${base}/api/v1/${path}`);
  const id = (kind: string, i: number) => `${kind}_00000000-0000-7000-8000-${String(i).padStart(12, '0')}`;

  beforeAll(async () => {
    service = await startTestService({});
    base = service.url;
    // 25 jobs with plans, five at the same moment each, a minute apart; vehicle moves 1 → 2 in even ones.
    await service.pool.query(`
      insert into jobs (job_id, status, request_id, input_hash, solver_status, http_status, result, finished_at, created_at)
      select 'opt_00000000-0000-7000-8000-' || lpad(i::text, 12, '0'), 'completed', 'r', '',
        case when i % 2 = 0 then 'optimal' else 'feasible' end, 200, '{}', now(),
        '2026-03-01T00:00Z'::timestamptz + (i / 5) * interval '1 minute'
      from generate_series(0, 24) i`);
    await service.pool.query(`
      insert into plans (plan_id, job_id, created_at, solver_status, total_cost, demand_coverage, utilization,
        rebalanced_count, total_distance_km, unmet_demand, vehicle_count, solve_time_ms, certificate, moved_locations)
      select replace(job_id, 'opt', 'plan'), job_id, created_at, solver_status, i, i / 24.0, 0.5, 1, 1, 0, 1, 1, '{}',
        case when i % 2 = 0 then '{1,2}'::int[] else '{}' end
      from (select *, row_number() over (order by job_id) - 1 as i from jobs) j`);
  });

  async function all(list: 'jobs' | 'plans', query = '') {
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await get(`${list}?limit=4${query}${cursor && `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      const rows: Record<string, string>[] = body.data[list];
      ids.push(...rows.map((row) => row[list === 'jobs' ? 'job_id' : 'plan_id']));
      if (body.data.next_cursor === null) return ids;
      expect(rows).toHaveLength(4);
      cursor = body.data.next_cursor;
    }
  }
  const newestFirst = (kind: string, wanted = (_i: number) => true) =>
    Array.from({ length: 25 }, (_, i) => 24 - i)
      .filter(wanted)
      .map((i) => id(kind, i));

  test('list the newest first, every row once, even if many have the same time', async () => {
    expect(await all('jobs')).toEqual(newestFirst('opt'));
    expect(await all('plans')).toEqual(newestFirst('plan'));
  });

  test('filter by status, solver status, time, coverage, cost and location', async () => {
    expect(await all('jobs', '&solver_status=optimal')).toEqual(newestFirst('opt', (i) => i % 2 === 0));
    expect(await all('jobs', '&status=failed')).toEqual([]);
    expect(
      await all('jobs', '&created_after=2026-03-01T00:01:00Z&created_before=2026-03-01T00:02:00Z'),
    ).toEqual(newestFirst('opt', (i) => i >= 5 && i < 10));
    expect(await all('plans', '&created_before=2026-03-01T00:01:00Z')).toEqual(
      newestFirst('plan', (i) => i < 5),
    );
    expect(await all('plans', '&max_cost=3')).toEqual(newestFirst('plan', (i) => i <= 3));
    expect(await all('plans', '&min_coverage=0.9')).toEqual(newestFirst('plan', (i) => i / 24 >= 0.9));
    expect(await all('plans', '&location_id=2')).toEqual(newestFirst('plan', (i) => i % 2 === 0));
    expect(await all('plans', '&location_id=3')).toEqual([]);
  });

  test.each(['jobs', 'plans'])('refuse a period of %s that ends before it begins', async (list) => {
    const { status, body } = await get(
      `${list}?created_after=2026-03-01T00:02:00Z&created_before=2026-03-01T00:01:00Z`,
    );
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'created_before',
      message: expect.stringContaining('is earlier than created_after ("2026-03-01T00:02:00Z")'),
    });
  });

  test('have stable pages while new rows arrive', async () => {
    const first = await get('jobs?limit=4');
    const made = await send(`${base}/api/v1/optimize`, { body: simpleRequest() });
    const second = await get(`jobs?limit=4&cursor=${first.body.data.next_cursor}`);
    expect(second.body.data.jobs.map((job: { job_id: string }) => job.job_id)).toEqual(
      newestFirst('opt').slice(4, 8),
    );
    const newest = await get('jobs?limit=1');
    expect(newest.body.data.jobs[0]).toMatchObject({
      job_id: made.body.metadata.job_id,
      plan_id: made.body.metadata.plan_id,
      status: 'completed',
      progress: 1,
    });
    expect(newest.body.data.jobs[0].result).toBeUndefined();
    await service.pool.query('delete from jobs where job_id = $1', [made.body.metadata.job_id]);
  });

  test.each([
    ['jobs?limit=0', 'limit'],
    ['jobs?limit=1001', 'limit'],
    ['jobs?limit=x', 'limit'],
    ['jobs?cursor=nonsense', 'cursor'],
    [`plans?cursor=${Buffer.from('["2026","a b"]').toString('base64url')}`, 'cursor'],
    [`jobs?cursor=${Buffer.from('["2026 (x)","opt_1"]').toString('base64url')}`, 'cursor'],
    ['jobs?status=paused', 'status'],
    ['jobs?state=queued', 'state'],
    ['plans?created_after=yesterday', 'created_after'],
    ['plans?min_coverage=2', 'min_coverage'],
  ])('refuse GET %s with 400 and name %s', async (path, field) => {
    const { status, body } = await get(path);
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({ code: 'VALIDATION_ERROR', field });
  });
});

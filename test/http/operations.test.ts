import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/client.ts';
import { readOperationsReport } from '../../src/db/service/operations.ts';
import { atEnd } from '../helpers/at-end.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

const STORED = 20_000;

const read = async (url: string) => {
  const { status, body, text } = await send(`${url}/api/v1/operations`);
  expect(status, text).toBe(200);
  return body.data;
};

describe('GET /api/v1/operations', () => {
  test('shows workers and what they run, jobs that wait, what the hour brought, and what failed', async () => {
    const { url, pool } = await startTestService({});
    const before = await read(url);
    expect(before).toMatchObject({ running: 0, running_jobs: [], failed_jobs: [], queue_limit: 10_000 });
    expect(before.queue).toEqual(
      ['high', 'normal', 'low'].map((priority) => ({ priority, jobs: 0, oldest_seconds: 0 })),
    );
    expect(before.last_hour).toHaveLength(12);

    const ended = await send(`${url}/api/v1/optimize`, { body: simpleRequest() });
    expect(ended.status, ended.text).toBe(200);
    const post = async (body: object) =>
      (await send(`${url}/api/v1/optimize`, { body, headers: { prefer: 'respond-async' } })).body.data.job_id;
    const running = await post(longRequest(30));
    const socket = await openSocket(url);
    socket.send({ type: 'subscribe', job_id: running });
    await socket.waitFor((m) => m.type === 'progress' && m.stage !== null);
    const waiting = await post({ ...simpleRequest(), options: { priority: 'high' } });
    await pool.query(`update jobs set created_at = now() - interval '90 seconds' where job_id = $1`, [
      waiting,
    ]);

    const now = await read(url);
    expect(now.workers).toMatchObject([{ is_alive: true, slots: 1 }]);
    const [{ worker_id, started_at, last_seen_at }] = now.workers;
    expect(Date.parse(started_at)).toBeLessThanOrEqual(Date.parse(last_seen_at));
    expect(Date.now() - Date.parse(started_at)).toBeLessThan(600_000);
    expect(now.running).toBe(1);
    expect(now.running_jobs).toMatchObject([{ job_id: running, kind: 'optimize', attempt: 1, worker_id }]);
    expect(now.queue[0]).toMatchObject({ priority: 'high', jobs: 1 });
    expect(now.queue[0].oldest_seconds).toBeGreaterThanOrEqual(90);
    expect(now.last_hour.at(-1)).toMatchObject({ completed: 1, failed: 0, cancelled: 0 });
    expect(now.last_hour.at(-1).median_wait_seconds).toBeGreaterThanOrEqual(0);
    expect(now.last_hour[0]).toMatchObject({
      completed: 0,
      median_wait_seconds: null,
      p95_wait_seconds: null,
    });

    await send(`${url}/api/v1/jobs/${running}`, { method: 'DELETE' });
    await socket.waitFor((m) => m.type === 'complete');
    socket.close();
    await pool.query(`update jobs set status = 'failed', result = $2 where job_id = $1`, [
      running,
      JSON.stringify({ errors: [{ message: 'the worker died' }] }),
    ]);
    const silent = { worker_id: '1:01a20ada-2c00-7000-8000-000000000000', slots: 2 };
    await pool.query(`insert into workers values ($1, $2, now() - interval '40 seconds')`, [
      silent.worker_id,
      silent.slots,
    ]);
    const later = await read(url);
    expect(later.failed_jobs).toMatchObject([{ job_id: running, attempts: 1, message: 'the worker died' }]);
    expect(later.workers).toContainEqual(
      expect.objectContaining({ ...silent, started_at: '2026-11-24T00:00:00.000Z', is_alive: false }),
    );
  });
});

test('reads by index what runs, what ended within the hour and what failed last, however many jobs are stored', async () => {
  const { config, pool } = await startTestService({ apis: 0, workers: 0 });
  // Jobs that ended in the past months: 1,000 of them within the hour, and one in a hundred failed.
  await pool.query(
    `insert into jobs (job_id, kind, status, request_id, input_hash, http_status, result, created_at, started_at,
      finished_at)
    select 'opt_' || gen_random_uuid(), 'optimize', case when i % 100 = 0 then 'failed' else 'completed' end, 'r', '',
      200, '{"errors":[{"message":"m"}]}', at - interval '2 seconds', at - interval '1 second', at
    from generate_series(1, $1::int) i, lateral (select now() - case when i <= 1000
      then make_interval(secs => i * 3.5) else make_interval(hours => 2, mins => i) end as at) t`,
    [STORED],
  );
  await pool.query('analyze jobs');
  // One connection, whose counts are brought up to date before they are read.
  const { db, ...one } = openDatabase(config.DATABASE_URL!, { poolSize: 1, onError: () => {} });
  atEnd(() => one.close());
  const counts = async () => {
    await one.pool.query('select pg_stat_force_next_flush()');
    const { rows } = await one.pool.query(
      `select seq_scan::int as whole, idx_tup_fetch::int as by_index from pg_stat_user_tables where relname = 'jobs'`,
    );
    return rows[0];
  };
  const before = await counts();
  const figures = await readOperationsReport(db, 30);
  const after = await counts();
  expect(figures.last_hour.reduce((sum, { completed, failed }) => sum + completed + failed, 0)).toBe(1000);
  expect(figures.last_hour[5]).toMatchObject({ median_wait_seconds: 1, p95_wait_seconds: 1 });
  expect(figures.failed_jobs).toHaveLength(20);
  expect(after.whole).toBe(before.whole);
  expect(after.by_index - before.by_index).toBeLessThan(1100);
});

import { beforeAll, describe, expect, test } from 'vitest';
import { longRequest } from '../helpers/long-request.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

/** No sweep comes to anybody's help. */
const NEVER_SECONDS = 3600;
const BEHIND_PROXY = { HTTP_TRUSTED_PROXIES: '127.0.0.1', SWEEP_INTERVAL_SECONDS: NEVER_SECONDS };

type Service = Awaited<ReturnType<typeof startTestService>>;

const askerOf =
  (service: Service) =>
  (address: string, body: unknown, headers: Record<string, string> = {}) =>
    send(`${service.url}/api/v1/optimize`, { body, headers: { 'x-forwarded-for': address, ...headers } });

describe('a caller with more long jobs than there are workers', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startTestService({ workers: 3, overrides: BEHIND_PROXY });
  });
  const running = async () => {
    const { rows } = await service.pool.query(
      "select job_id from jobs where status = 'running' order by job_id",
    );
    return rows.map(({ job_id }) => job_id);
  };

  test('leaves a worker to the others, whatever names it invents, and starts its next job when one ends', async () => {
    const ask = askerOf(service);
    const greedy: string[] = [];
    for (let i = 0; i < 6; i++) {
      const { body } = await ask('203.0.113.1', longRequest(600), {
        prefer: 'respond-async',
        'x-client-id': `invented-${i}`,
      });
      greedy.push(body.data.job_id);
    }
    await expect.poll(running).toHaveLength(2);
    for (let i = 0; i < 5; i++) {
      const { status } = await ask('203.0.113.2', simpleRequest(), { prefer: 'wait=20' });
      expect(status).toBe(200);
    }
    expect(await running()).toHaveLength(2);
    // Their tokens were used up long ago by claims that passed them over.
    for (let left = greedy.length; left > 0; left--) {
      const [first] = await running();
      await send(`${service.url}/api/v1/jobs/${first}`, { method: 'DELETE' });
      await expect
        .poll(async () => (await running()).filter((id) => id !== first).length)
        .toBe(Math.min(2, left - 1));
    }
    const { rows } = await service.pool.query(
      "select count(*)::int as n from jobs where status = 'cancelled' and caller = '203.0.113.1'",
    );
    expect(rows[0].n).toBe(greedy.length);
  });
});

describe('one worker', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startTestService({ overrides: BEHIND_PROXY });
  });

  test('gives a caller with long jobs and one with short jobs the same time', async () => {
    const ask = askerOf(service);
    const async = { prefer: 'respond-async' };
    const asked = [];
    for (let i = 0; i < 4; i++) asked.push(ask('203.0.113.1', longRequest(0.4), async));
    for (let i = 0; i < 600; i++) asked.push(ask('203.0.113.2', simpleRequest(), async));
    await Promise.all(asked);
    const waiting = async () => {
      const { rows } = await service.pool.query(
        "select count(*)::int as n from jobs where finished_at is null and caller = '203.0.113.1'",
      );
      return rows[0].n;
    };
    await expect.poll(waiting, { interval: 200 }).toBe(0);
    const { rows } = await service.pool.query(
      `with used as (select j.caller, extract(epoch from a.ended_at - a.started_at)::float8 as seconds, a.ended_at
         from job_attempts a join jobs j using (job_id))
       select sum(seconds) filter (where caller = '203.0.113.1') as long, max(seconds) as longest,
         sum(seconds) filter (where caller = '203.0.113.2' and ended_at <
           (select max(ended_at) from used where caller = '203.0.113.1')) as short,
         (select count(*)::int from jobs where status = 'queued') as waiting
       from used`,
    );
    const [{ long, short, longest, waiting: left }] = rows;
    // All the while the short ones had more to do. The first long job may run before a short one has come, and the
    // last one is ahead of its turn.
    expect(left).toBeGreaterThan(0);
    expect(Math.abs(long - short)).toBeLessThanOrEqual(2 * longest);
  });
});

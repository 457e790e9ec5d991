import { beforeAll, describe, expect, test } from 'vitest';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

describe('GET /api/v1/jobs/{job_id}', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({ apis: 2 });
  });
  const optimize = (body: unknown, headers: Record<string, string> = {}, api = 0) =>
    send(`${service.urls[api]}/api/v1/optimize`, { body, headers });
  const withOptions = (options: object) => ({ ...simpleRequest(), options });
  const job = async (jobId: string) => (await send(`${service.url}/api/v1/jobs/${jobId}`)).body.data;
  const countJobs = async () => (await service.pool.query('select count(*)::int as n from jobs')).rows[0].n;

  test.each([
    [{}, ['queued', 'started', 'build', 'solve', 'verify', 'store', 'finished']],
    [{ explain: true }, ['queued', 'started', 'build', 'solve', 'verify', 'explain', 'store', 'finished']],
  ])('says with options %o when each phase began and how long it took', async (options, phases) => {
    const { body } = await optimize(withOptions(options));
    const done = await job(body.metadata.job_id);
    expect(done.phases.map((p: { phase: string }) => p.phase)).toEqual(phases);
    const times = done.phases.map((p: { at: string }) => Date.parse(p.at));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const { phase, ms } of done.phases) {
      if (phase === 'finished') expect(ms).toBeNull();
      else expect(ms).toBeGreaterThanOrEqual(0);
    }
    expect(done.phases[0].at).toBe(done.created_at);
    expect(done).toMatchObject({
      kind: 'optimize',
      priority: 'normal',
      retry_at: null,
      attempt_history: [
        {
          attempt: 1,
          started_at: done.started_at,
          outcome: 'completed',
          reason: null,
          // Which host it is on is for the log only.
          worker_id: expect.stringMatching(/^\d+:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        },
      ],
    });
    expect(done).not.toHaveProperty('estimate');
  });

  test('gives the request back that made a job, so that it can be sent again; or says that it is not kept', async () => {
    const body = withOptions({ explain: true });
    const { metadata } = (await optimize(body)).body;
    const path = `${service.url}/api/v1/jobs/${metadata.job_id}/request`;
    expect((await send(path)).body.data).toEqual({
      job_id: metadata.job_id,
      kind: 'optimize',
      request: body,
    });
    await service.pool.query('update jobs set input = null where job_id = $1', [metadata.job_id]);
    const gone = await send(path);
    expect(gone.status).toBe(404);
    expect(gone.body.errors[0]).toMatchObject({
      field: 'job_id',
      message: expect.stringMatching(
        /^the request of job "opt_.*" is no longer stored: .*RETENTION_INPUT_DAYS/,
      ),
    });
    const none = await send(`${service.url}/api/v1/jobs/opt_0/request`);
    expect([none.status, none.body.errors[0].code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });

  test('names in the attempt the reason for which a job failed, and does not try it again', async () => {
    await service.pool.query(
      `insert into locations (id, name, latitude, longitude) values (10001, 'young', 0, 0);
      insert into demand_observations select 10001, timestamptz '2017-04-01Z' + h * interval '1 hour', 5 from generate_series(0, 9) h`,
    );
    // Too short a history to test on, which only a worker sees.
    const { status, body } = await send(`${service.url}/api/v1/forecast/backtest`, {
      body: { location_ids: [10_001] },
    });
    expect([status, body.errors[0].code]).toEqual([503, 'MODEL_NOT_LOADED']);
    expect(await job(body.metadata.job_id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      attempt_history: [{ outcome: 'failed', reason: body.errors[0].message }],
    });
  });

  test('gives the same plan for each priority, and keeps the caller', async () => {
    const plans = await Promise.all(
      ['low', 'normal', 'high'].map(async (priority) => {
        const { body } = await optimize(withOptions({ priority }), {
          'x-client-id': `caller-of-${priority}`,
        });
        const { rows } = await service.pool.query('select priority, client_id from jobs where job_id = $1', [
          body.metadata.job_id,
        ]);
        expect(rows).toEqual([{ priority, client_id: `caller-of-${priority}` }]);
        return body.data;
      }),
    );
    expect(plans[1]).toEqual(plans[0]);
    expect(plans[2]).toEqual(plans[0]);
    const { body } = await optimize(simpleRequest());
    const { rows } = await service.pool.query('select caller from jobs where job_id = $1', [
      body.metadata.job_id,
    ]);
    expect(rows).toEqual([{ caller: '127.0.0.1' }]);
  });

  test.each([
    [{ options: { priority: 'urgent' } }, {}, 'options.priority'],
    [{}, { 'x-client-id': 'with space' }, 'X-Client-Id'],
    [{}, { 'x-client-id': 'x'.repeat(129) }, 'X-Client-Id'],
  ])('refuses a priority or client that cannot be: %j %j', async (own, headers, field) => {
    const before = await countJobs();
    const { status, body } = await optimize(
      { ...simpleRequest(), ...own },
      headers as Record<string, string>,
    );
    expect([status, body.errors[0].code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.errors[0].field.toLowerCase()).toBe(field.toLowerCase());
    expect(await countJobs()).toBe(before);
  });

  test('an expired Idempotency-Key is free: it makes one new job for all callers, also with another body', async () => {
    const headers = { 'idempotency-key': 'daily' };
    const first = await optimize(simpleRequest(3), headers);
    expect((await optimize(simpleRequest(3), headers)).text).toBe(first.text);
    const { rows } = await service.pool.query(
      "select extract(epoch from idempotency_expires_at - created_at)::float8 as seconds from jobs where idempotency_key = 'daily'",
    );
    expect(rows).toEqual([{ seconds: 24 * 3600 }]);
    await service.pool.query(
      "update jobs set idempotency_expires_at = now() - make_interval(secs => 1) where idempotency_key = 'daily'",
    );
    const before = await countJobs();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => optimize(simpleRequest(4), headers, i % 2)),
    );
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0].body.metadata.job_id).not.toBe(first.body.metadata.job_id);
    expect(answers[0].body.data.allocation_plan).toHaveLength(4);
    expect(await countJobs()).toBe(before + 1);
    expect((await optimize(simpleRequest(3), headers)).body.errors[0].code).toBe('IDEMPOTENCY_CONFLICT');
    expect((await job(first.body.metadata.job_id)).status).toBe('completed');
  });
});

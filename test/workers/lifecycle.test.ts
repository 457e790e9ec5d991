import { beforeAll, expect, test } from 'vitest';
import { findSilentJobs, giveBackJob } from '../../src/db/jobs/job-claims.ts';
import { openConsumer, openQueue } from '../../src/queue/queue.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { describeOnBothBackends } from '../helpers/services.ts';
import { openSocket } from '../helpers/socket.ts';

describeOnBothBackends('the life of a job', (redisUrl) => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({
      redisUrl,
      workers: 0,
      // Nothing here is made good by a sweep or a heartbeat, unless a test asks for it.
      overrides: { JOB_LOCK_SECONDS: 3600, SWEEP_INTERVAL_SECONDS: 3600, SHUTDOWN_TIMEOUT_SECONDS: 0.2 },
    });
  });
  const submit = async (body: unknown, clientId = 'tests'): Promise<string> => {
    const headers = { prefer: 'respond-async', 'x-client-id': clientId };
    const answer = await send(`${service.url}/api/v1/optimize`, { body, headers });
    expect(answer.status).toBe(202);
    return answer.body.data.job_id;
  };
  const withPriority = (priority: string) => ({ ...simpleRequest(), options: { priority } });
  const job = async (jobId: string) => (await send(`${service.url}/api/v1/jobs/${jobId}`)).body.data;
  const cancel = (jobId: string) => send(`${service.url}/api/v1/jobs/${jobId}`, { method: 'DELETE' });
  /** Waits for a message about a job. */
  const heard = async (
    jobId: string,
    wanted: (message: { type: string; stage?: string | null }) => boolean,
  ) => {
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    const message = await socket.waitFor(wanted);
    socket.close();
    return message;
  };
  const ended = (jobId: string) => heard(jobId, (m) => m.type === 'complete');
  const solving = (jobId: string) => heard(jobId, (m) => m.type === 'progress' && m.stage === 'solve');
  /** Asks PostgreSQL until a row is there. */
  const until = async (query: string, values: unknown[]) => {
    while ((await service.pool.query(query, values)).rowCount === 0);
  };
  const started = (jobId: string) =>
    until("select 1 from jobs where job_id = $1 and status <> 'queued'", [jobId]);

  test('is done in the order of priority, and a caller with many jobs does not hold up one with few', async () => {
    const many: string[] = [];
    for (let i = 0; i < 12; i++) many.push(await submit(simpleRequest(), 'many'));
    const few = [await submit(simpleRequest(), 'few'), await submit(simpleRequest(), 'few')];
    const high = [await submit(withPriority('high'), 'many'), await submit(withPriority('high'), 'many')];
    const low = await submit(withPriority('low'), 'few');
    const ids = [...many, ...few, ...high, low];
    const worker = await service.startWorker();
    await Promise.all(ids.map(ended));
    const { rows } = await service.pool.query(
      'select job_id from job_attempts where job_id = any($1) order by started_at, job_id',
      [ids],
    );
    const order = rows.map((row) => row.job_id);
    expect(order.slice(0, 4)).toEqual([...high, many[0], few[0]]);
    // Then it goes by the time that the jobs of each used: by about one from each.
    expect(order.filter((id) => many.includes(id))).toEqual(many);
    expect(order.indexOf(few[1])).toBeLessThan(order.indexOf(many[8]));
    // The fourth claim, the eighth and the twelfth go to normal priority first, the sixteenth to low.
    expect(order[15]).toBe(low);
    await service.close(worker);
  });

  test('is cancelled between its claim and its solve, and its worker continues with the next one', async () => {
    const worker = await service.startWorker();
    const client = await service.pool.connect();
    await client.query('begin');
    // The worker cannot read the travel it needs: it has claimed the job and does not solve yet.
    await client.query('lock table travel_revision in access exclusive mode');
    const jobId = await insertJob();
    await started(jobId);
    const cancelling = cancel(jobId);
    await until('select 1 from jobs where job_id = $1 and cancel_requested', [jobId]);
    await client.query('rollback');
    client.release();
    expect((await cancelling).body.data).toMatchObject({
      status: 'cancelled',
      attempt_history: [{ outcome: 'cancelled' }],
      phases: [{ phase: 'queued' }, { phase: 'started' }, { phase: 'store' }, { phase: 'finished' }],
    });
    expect((await send(`${service.url}/api/v1/optimize`, { body: simpleRequest() })).status).toBe(200);
    await service.close(worker);

    /** The API would read the travel, too: the job is stored by hand and a token sent for it. */
    async function insertJob() {
      const id = 'opt_00000000-0000-7000-8000-00000000000c';
      await service.pool.query(
        `insert into jobs (job_id, status, request_id, input, input_hash, facts)
         values ($1, 'queued', 'r', $2, '', '{"timeLimitSeconds": null, "storedTravel": true}')`,
        [id, JSON.stringify(simpleRequest())],
      );
      const queue = await openQueue(service.config, () => {});
      await queue.enqueue();
      await queue.close();
      return id;
    }
  });

  test('is cancelled in the middle of its solve although the event that says so was lost', async () => {
    const worker = await service.startWorker();
    const jobId = await submit(longRequest(60));
    await solving(jobId);
    // Only the mark in PostgreSQL, and the next heartbeat is an hour away.
    await service.pool.query('update jobs set cancel_requested = true where job_id = $1', [jobId]);
    expect(await ended(jobId)).toMatchObject({ result: { errors: [{ code: 'JOB_CANCELLED' }] } });
    await service.close(worker);
  });

  test('either completes or is cancelled, with one answer for everybody, when both happen at the same moment', async () => {
    const worker = await service.startWorker();
    for (let i = 0; i < 8; i++) {
      const jobId = await submit(simpleRequest());
      const end = ended(jobId);
      if (i % 2 === 0) await started(jobId);
      await cancel(jobId);
      const { status, http_status: httpStatus } = (
        await service.pool.query('select status, http_status from jobs where job_id = $1', [jobId])
      ).rows[0];
      expect([`completed 200`, `cancelled 409`]).toContain(`${status} ${httpStatus}`);
      const { result } = (await end) as unknown as { result: unknown };
      expect((await job(jobId)).result).toEqual(result);
    }
    await service.close(worker);
  });

  test('continues at once on another worker when its own is stopped in the middle of the solve', async () => {
    const first = await service.startWorker();
    const jobId = await submit(longRequest(3));
    await solving(jobId);
    const second = await service.startWorker();
    await service.close(first);
    expect(await ended(jobId)).toMatchObject({ result: { status: 'success' } });
    expect((await job(jobId)).attempt_history).toMatchObject([
      { outcome: 'released', reason: expect.stringContaining('was stopped') },
      { outcome: 'completed', reason: null },
    ]);
    await service.close(second);
  });

  test('is done although every token was lost, and only once although there are extra tokens', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await submit(simpleRequest()));
    let eaten = 0;
    const { promise: allEaten, resolve } = Promise.withResolvers<void>();
    const thief = await openConsumer(
      service.config,
      async () => {
        if (++eaten === ids.length) resolve();
      },
      () => {},
    );
    await allEaten;
    await thief.close();
    // The first sweep of a worker counts jobs and tokens.
    const worker = await service.startWorker();
    await Promise.all(ids.map(ended));
    // The tokens were only slow: now they come after all.
    const queue = await openQueue(service.config, () => {});
    await queue.enqueueMany(ids.length);
    ids.push(await submit(simpleRequest()));
    await ended(ids[5]);
    const { rows } = await service.pool.query(
      `select j.attempts, count(p.plan_id)::int as plans from jobs j left join plans p using (job_id)
       where j.job_id = any($1) group by j.job_id, j.attempts`,
      [ids],
    );
    expect(rows).toEqual(ids.map(() => ({ attempts: 1, plans: 1 })));
    await queue.close();
    await service.close(worker);
  });

  test('is dropped by a live worker that has lost it, with the reason on record', async () => {
    const worker = await service.startWorker({ JOB_LOCK_SECONDS: 1 });
    const jobId = await submit(longRequest(60));
    await solving(jobId);
    const crash = { outcome: 'crashed' as const, reason: 'thought dead', phases: [] };
    const [silent] = await findSilentJobs(service.db, -60);
    expect(silent).toMatchObject({ jobId, attempt: 1 });
    expect(await giveBackJob(service.db, silent, crash, 3600)).toBe(true);
    await until("select 1 from job_attempts where job_id = $1 and reason like '%cut off from PostgreSQL%'", [
      jobId,
    ]);
    expect(await job(jobId)).toMatchObject({ status: 'queued', retry_at: expect.any(String) });
    expect((await cancel(jobId)).body.data).toMatchObject({ status: 'cancelled', retry_at: null });
    await service.close(worker);
  });
});

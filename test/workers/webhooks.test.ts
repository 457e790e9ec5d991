import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimJob, finishJob } from '../../src/db/jobs/job-claims.ts';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { createLogger } from '../../src/process/logger.ts';
import { applyRetention } from '../../workers/duties/retention.ts';
import { openWebhookSender } from '../../workers/duties/webhooks.ts';
import { newJob } from '../helpers/jobs.ts';
import { longRequest } from '../helpers/long-request.ts';
import { type Received, replyWith, startReceiver } from '../helpers/receiver.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';
import { killWorker, passAnHourSince, spawnWorkerProcess } from '../helpers/worker-process.ts';

describe('a webhook', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startTestService({
      workers: 0,
      overrides: {
        SWEEP_INTERVAL_SECONDS: 0.3,
        JOB_RETRY_DELAY_SECONDS: 0.1,
        JOB_MAX_ATTEMPTS: 20,
        SHUTDOWN_TIMEOUT_SECONDS: 0.2,
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
        WEBHOOK_TIMEOUT_SECONDS: 20,
      },
    });
  });
  beforeEach(async () => {
    await service.pool.query('truncate webhooks, webhook_deliveries, jobs, plans cascade');
  });

  let paths = 0;
  const store = async (more: object = {}) => {
    const path = `/receiver-${++paths}`;
    const body = { url: `${receiver.url}${path}`, events: ['job.completed', 'job.failed'], ...more };
    const answer = await send(`${service.url}/api/v1/webhooks`, { body });
    expect(answer.status, answer.text).toBe(201);
    const { webhook_id: id, secret } = answer.body.data as { webhook_id: string; secret: string };
    return { id, secret, path };
  };
  const get = async (path: string) => (await send(`${service.url}/api/v1/${path}`)).body.data;
  const deliveries = async (id: string, query = '') =>
    (await get(`webhooks/${id}/deliveries${query}`)).deliveries;
  const submit = async (body: unknown = simpleRequest()): Promise<string> => {
    const headers = { prefer: 'respond-async' };
    const answer = await send(`${service.url}/api/v1/optimize`, { body, headers });
    expect(answer.status, answer.text).toBe(202);
    return answer.body.data.job_id;
  };
  const watch = async (jobId: string, until: (m: { type: string; stage?: string }) => boolean) => {
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    await socket.waitFor(until);
    socket.close();
  };
  const isSignedBy = (secret: string, { headers, text }: Received): boolean => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    const expected = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    return String(headers['webhook-signature']).split(' ').includes(expected);
  };
  /** Ends a job as a worker does that dies right afterwards. */
  const endJob = async (status: 'completed' | 'failed' | 'cancelled' = 'completed'): Promise<string> => {
    await insertJob(service.db, newJob());
    const job = await claimJob(service.db, 'w');
    if (!job) throw new Error('no job');
    if (status === 'cancelled') await service.pool.query('update jobs set cancel_requested = true');
    const ending = { status, solverStatus: null, answer: { httpStatus: 200, body: '{}' } };
    const end = {
      outcome: status,
      reason: status === 'failed' ? 'the model is too large' : null,
      phases: [],
    };
    expect(await finishJob(service.db, job, ending, end)).not.toBeNull();
    return job.jobId;
  };
  /** A sender as workers have one, with the outcomes of its attempts. */
  const openSender = (more: { WEBHOOK_TIMEOUT_SECONDS?: number } = {}) => {
    const outcomes: string[] = [];
    let wake = () => {};
    const metrics = {
      webhookAttempted: (outcome: string) => {
        outcomes.push(outcome);
        wake();
      },
    };
    const config = { ...service.config, ...more };
    const sender = openWebhookSender({
      config,
      db: service.db,
      logger: createLogger('worker', config),
      metrics,
    });
    return {
      ...sender,
      /** Sends what is due, and waits for so many outcomes in all. */
      async until(count: number): Promise<string[]> {
        await sender.send();
        while (outcomes.length < count) await new Promise<void>((resolve) => (wake = resolve));
        return outcomes;
      },
    };
  };
  const makeDue = () => service.pool.query("update webhook_deliveries set next_at = now() - interval '1 s'");

  test('is told of the end of a job, signed, with its plan; not of events that it does not want', async () => {
    const told = await store();
    const other = await store({ events: ['job.failed', 'worker.lost'] });
    const off = await store({ active: false });
    const worker = await service.startWorker();
    const jobId = await submit();
    const [one] = await receiver.count(told.path, 1);
    const job = await get(`jobs/${jobId}`);
    expect(isSignedBy(told.secret, one)).toBe(true);
    expect(isSignedBy(other.secret, one)).toBe(false);
    expect(JSON.parse(one.text)).toEqual({
      type: 'job.completed',
      timestamp: job.finished_at,
      data: {
        job_id: jobId,
        kind: 'optimize',
        status: 'completed',
        solver_status: 'optimal',
        http_status: 200,
        reason: null,
        plan_id: job.plan_id,
        schedule_id: null,
        request_id: job.request_id,
        created_at: job.created_at,
        finished_at: job.finished_at,
        links: { job: `/api/v1/jobs/${jobId}`, plan: `/api/v1/plans/${job.plan_id}` },
      },
    });
    for (const link of Object.values<string>(JSON.parse(one.text).data.links))
      expect((await send(`${service.url}${link}`)).status, link).toBe(200);
    // A close waits until what became of the attempt is stored.
    await service.close(worker);
    expect(await deliveries(told.id)).toMatchObject([
      { delivery_id: one.headers['webhook-id'], type: 'job.completed', job_id: jobId },
    ]);
    for (const { id } of [other, off]) expect(await deliveries(id)).toEqual([]);
    expect(JSON.stringify(await get(`webhooks/${told.id}`))).not.toContain('secret');
  });

  test('has its event as soon as the job has ended, and never without: nothing is between the two', async () => {
    const { id, path } = await store();
    const jobId = await endJob('failed');
    expect(await deliveries(id)).toMatchObject([{ job_id: jobId, status: 'waiting', attempts: 0 }]);
    const sender = openSender();
    expect(await sender.until(1)).toEqual(['delivered']);
    const [one] = receiver.at(path);
    expect(JSON.parse(one.text)).toMatchObject({
      type: 'job.failed',
      data: { job_id: jobId, reason: 'the model is too large' },
    });
    await endJob('cancelled');
    expect(await deliveries(id)).toHaveLength(1);
    await service.pool.query('alter table webhook_deliveries add constraint no_more check (false) not valid');
    await expect(endJob()).rejects.toThrow();
    const { rows } = await service.pool.query("select status from jobs where status = 'running'");
    expect(rows).toHaveLength(1);
    await service.pool.query('alter table webhook_deliveries drop constraint no_more');
    await sender.close();
  });

  test('gets the same event again when the worker that was sending it is killed', async () => {
    const { path, secret, id } = await store();
    receiver.answer(path, () => {});
    await endJob();
    const victim = await spawnWorkerProcess(service.config);
    await receiver.count(path, 1);
    await killWorker(victim);
    receiver.answer(path, replyWith(200));
    // Its lease ends.
    await makeDue();
    const sender = openSender();
    expect(await sender.until(1)).toEqual(['delivered']);
    const [first, second] = receiver.at(path);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.text).toBe(first.text);
    expect(isSignedBy(secret, second)).toBe(true);
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 2, last_http_status: 200 }]);
    await sender.close();
  });

  test('loses no event when each worker is killed at the moment in which its job has ended', async () => {
    const { path } = await store();
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) {
      const victim = await spawnWorkerProcess(service.config);
      const jobId = await submit();
      await watch(jobId, (m) => m.type === 'complete');
      await killWorker(victim);
      ids.push(jobId);
    }
    await makeDue();
    const sender = openSender();
    await sender.send();
    const told = () => receiver.at(path).map((one) => JSON.parse(one.text).data.job_id);
    for (let count = 2; !ids.every((id) => told().includes(id)); count++) await receiver.count(path, count);
    expect(new Set(told())).toEqual(new Set(ids));
    await sender.close();
  });

  test('is told once of each attempt whose worker was lost, and how its job ended', async () => {
    const { path, id } = await store({ events: ['worker.lost', 'job.completed'] });
    const victim = await spawnWorkerProcess(service.config);
    const jobId = await submit(longRequest(3));
    await watch(jobId, (m) => m.type === 'progress' && m.stage !== null);
    await killWorker(victim);
    await passAnHourSince(victim, service.pool);
    const workers = [await service.startWorker(), await service.startWorker()];
    await watch(jobId, (m) => m.type === 'complete');
    const { attempt_history: attempts } = await get(`jobs/${jobId}`);
    const events = (await receiver.count(path, 2)).map((one) => JSON.parse(one.text));
    expect(events.map(({ type }) => type).toSorted()).toEqual(['job.completed', 'worker.lost']);
    expect(events.find(({ type }) => type === 'worker.lost').data).toEqual({
      worker_id: attempts[0].worker_id,
      job_id: jobId,
      kind: 'optimize',
      attempt: 1,
      reason: attempts[0].reason,
      job_status: 'queued',
      request_id: expect.any(String),
      links: { job: `/api/v1/jobs/${jobId}` },
    });
    for (const worker of workers) await service.close(worker);
    expect(await deliveries(id)).toHaveLength(2);
  });

  test('is told of a decision as a job and as a decision', async () => {
    const { path } = await store({ events: ['job.completed', 'decision.completed'] });
    await insertJob(
      service.db,
      newJob({ jobId: 'dec_00000000-0000-7000-8000-000000000001', kind: 'decision' }),
    );
    const job = await claimJob(service.db, 'w');
    if (!job) throw new Error('no job');
    const ending = {
      status: 'completed' as const,
      solverStatus: null,
      answer: { httpStatus: 200, body: '{}' },
    };
    await finishJob(service.db, job, ending, { outcome: 'completed', reason: null, phases: [] });
    const sender = openSender();
    await sender.until(2);
    const events = receiver.at(path).map((one) => JSON.parse(one.text));
    expect(events.map(({ type }) => type).toSorted()).toEqual(['decision.completed', 'job.completed']);
    expect(events[0].data.links.decision).toBe(`/api/v1/decisions/${job.jobId}`);
    await sender.close();
  });

  test('that answers 500, hangs or redirects is tried again with the same id; after a day it is dead, and can be resent', async () => {
    const { id, path } = await store();
    await endJob();
    const sender = openSender();
    const impatient = openSender({ WEBHOOK_TIMEOUT_SECONDS: 0.5 });
    receiver.answer(path, replyWith(500, {}, 'not \u0000 now'));
    await sender.until(1);
    const [failed] = await deliveries(id);
    expect(failed).toMatchObject({
      status: 'waiting',
      attempts: 1,
      last_http_status: 500,
      last_answer: 'not  now',
      last_error: 'the receiver answered 500',
    });
    const waits = Date.parse(failed.next_at) - Date.parse(failed.last_attempt_at);
    expect(waits).toBeGreaterThanOrEqual(5000);
    const { rows } = await service.pool.query(
      "select retry_until - created_at = interval '1 day' as is_day from webhook_deliveries where webhook_id = $1",
      [id],
    );
    expect(rows).toEqual([{ is_day: true }]);
    receiver.answer(path, () => {});
    await makeDue();
    await impatient.until(1);
    expect((await deliveries(id))[0].last_error).toBe('no answer within 0.5 s');
    receiver.answer(path, replyWith(302, { location: `${receiver.url}/elsewhere` }));
    await makeDue();
    await sender.until(2);
    expect((await deliveries(id))[0].last_error).toBe(
      'the receiver answered 302, and redirects are not followed',
    );
    await service.pool.query(
      "update webhook_deliveries set next_at = now(), retry_until = now() - interval '1 s'",
    );
    expect(await sender.until(3)).toEqual(['retried', 'retried', 'dead']);
    expect(await deliveries(id, '?status=dead')).toMatchObject([{ attempts: 4, next_at: null }]);
    const [{ delivery_id }] = await deliveries(id);
    const resend = `${service.url}/api/v1/webhooks/${id}/deliveries/${delivery_id}/resend`;
    receiver.answer(path, replyWith(200));
    expect((await send(resend, { method: 'POST' })).body.data).toMatchObject({
      status: 'waiting',
      ended_at: null,
    });
    await sender.until(4);
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', last_error: null }]);
    const all = receiver.at(path);
    expect(new Set(all.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery_id]));
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    await sender.close();
    await impatient.close();
  });

  test('that answers 410 is switched off, and says why; it can be switched on again', async () => {
    const { id, path } = await store();
    receiver.answer(path, replyWith(410));
    await endJob();
    const sender = openSender();
    expect(await sender.until(1)).toEqual(['dead']);
    expect(await get(`webhooks/${id}`)).toMatchObject({
      active: false,
      switched_off_because: 'the receiver answered 410: it wants no more events',
    });
    await endJob();
    expect(await deliveries(id)).toHaveLength(1);
    const on = await send(`${service.url}/api/v1/webhooks/${id}`, {
      method: 'PATCH',
      body: { active: true },
    });
    expect(on.body.data).toMatchObject({ active: true, switched_off_because: null });
    await sender.close();
  });

  test('that hangs delays no other, and two senders never send the same at once', async () => {
    const slow = await store();
    const quick = await store();
    const held: Received[] = [];
    receiver.answer(slow.path, (one) => held.push(one));
    for (let i = 0; i < 10; i++) await endJob();
    const senders = [openSender(), openSender()];
    await Promise.all(senders.map((sender) => sender.send()));
    const told = await receiver.count(quick.path, 10);
    expect(new Set(told.map(({ headers }) => headers['webhook-id'])).size).toBe(10);
    await receiver.count(slow.path, 8);
    const ids = held.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
    // What a sender breaks off is due again.
    await Promise.all(senders.map((sender) => sender.close()));
    const { rows } = await service.pool.query(
      `select count(*)::int from webhook_deliveries
       where webhook_id = $1 and next_at <= now() + interval '1 second' and attempts = 0`,
      [slow.id],
    );
    expect(rows).toEqual([{ count: 10 }]);
  });

  test('signs with both secrets for a day after a change of its secret', async () => {
    const { id, path, secret } = await store();
    const changed = await send(`${service.url}/api/v1/webhooks/${id}/secret`, { method: 'POST' });
    await endJob();
    const sender = openSender();
    await sender.until(1);
    const [one] = receiver.at(path);
    expect([isSignedBy(secret, one), isSignedBy(changed.body.data.secret, one)]).toEqual([true, true]);
    await service.pool.query("update webhooks set previous_secret_until = now() - interval '1 second'");
    await endJob();
    await sender.until(2);
    const [, two] = receiver.at(path);
    expect([isSignedBy(secret, two), isSignedBy(changed.body.data.secret, two)]).toEqual([false, true]);
    await sender.close();
  });

  test('is sent nothing after it is deleted; its deliveries go with their retention', async () => {
    const { id, path } = await store();
    await endJob();
    expect((await send(`${service.url}/api/v1/webhooks/${id}`, { method: 'DELETE' })).status).toBe(200);
    const sender = openSender();
    await sender.send();
    await sender.close();
    expect(receiver.at(path)).toEqual([]);
    await service.pool.query("update webhook_deliveries set created_at = now() - interval '31 days'");
    const { config, db } = service;
    const logger = createLogger('worker', config);
    await applyRetention({ config, db, logger }, new AbortController().signal);
    expect((await service.pool.query('select from webhook_deliveries')).rowCount).toBe(0);
  });
});

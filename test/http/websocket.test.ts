import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import { greatCircleKm } from '../../src/core/geo.ts';
import { openProxy } from '../chaos/proxy.ts';
import { cityInstance } from '../core/optimize/instances.ts';
import { atEnd } from '../helpers/at-end.ts';
import { storeKey } from '../helpers/keys.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { type Message, openSocket } from '../helpers/socket.ts';

describe('WS /ws/optimization', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    // Jobs wait until a test starts a worker: so nothing ends before somebody listens.
    service = await startTestService({
      apis: 2,
      workers: 0,
      overrides: {
        WEBSOCKET_MAX_SUBSCRIPTIONS: 5,
        WEBSOCKET_MAX_MESSAGE_BYTES: 500,
        WEBSOCKET_MAX_BUFFERED_BYTES: 1_000_000,
      },
    });
  });
  const submit = async (body: unknown = simpleRequest()): Promise<string> => {
    const answer = await send(`${service.urls[0]}/api/v1/optimize`, {
      body,
      headers: { prefer: 'respond-async' },
    });
    return answer.body.data.job_id;
  };
  const subscribe = (job_id: string) => ({ type: 'subscribe', job_id });
  const completeOf = (jobId: string) => (m: { type: string; job_id: string }) =>
    m.type === 'complete' && m.job_id === jobId;
  const withWorker = async (work: () => Promise<void>) => {
    const worker = await service.startWorker();
    await work().finally(() => service.close(worker));
  };

  test('reports progress that never falls and exactly one complete, through any API process', async () => {
    const jobId = await submit();
    const sockets = await Promise.all(service.urls.map((url) => openSocket(url)));
    for (const socket of sockets) {
      socket.send(subscribe(jobId));
      socket.send(subscribe(jobId)); // the second one changes nothing
      await socket.waitFor((m) => m.type === 'progress');
      expect(socket.messages[0]).toEqual({
        type: 'progress',
        job_id: jobId,
        progress: 0,
        stage: null,
        incumbent: null,
        bound: null,
        gap: null,
        iterations: null,
      });
    }
    await withWorker(async () => {
      const stored = async () => (await send(`${service.urls[1]}/api/v1/jobs/${jobId}`)).body.data;
      for (const socket of sockets) {
        const complete = await socket.waitFor(completeOf(jobId));
        const progress = socket.messages.filter((m) => m.type === 'progress').map((m) => m.progress);
        expect(progress.length).toBeGreaterThan(1);
        expect(progress).toEqual([...progress].sort((a, b) => a - b));
        expect(complete.result).toEqual((await stored()).result);
        expect(complete.result).toMatchObject({ status: 'success', data: { solver_status: 'optimal' } });
        await socket.roundTrip('after');
        expect(socket.messages.filter(completeOf(jobId))).toHaveLength(1);
        socket.close();
      }
    });
  });

  test('a client that sends thousands of faulty messages at once does not hold up another one', async () => {
    const [flood, other] = await Promise.all([openSocket(service.urls[0]), openSocket(service.urls[0])]);
    const count = 5000;
    for (let i = 0; i < count; i++) flood.send('{}');
    await flood.waitFor((m) => m.type === 'error');
    other.send('{}');
    await other.waitFor((m) => m.type === 'error');
    expect(flood.messages.length).toBeLessThan(count / 2);
    await expect.poll(() => flood.messages.length).toBe(count);
    for (const socket of [flood, other]) socket.close();
  });

  const FIGURES = ['stage', 'incumbent', 'bound', 'gap', 'iterations'] as const;
  /** Fails where a figure that was known is not any more, or progress falls. */
  const expectNothingForgotten = (told: Record<string, unknown>[]) => {
    for (let t = 1; t < told.length; t++) {
      expect(told[t].progress).toBeGreaterThanOrEqual(told[t - 1].progress as number);
      for (const name of FIGURES) if (told[t - 1][name] !== null) expect(told[t][name], name).not.toBeNull();
    }
  };

  test('never loses a figure that it has reported, and keeps reporting while it explains', async () => {
    const { request, locations } = cityInstance(2, {
      locations: 30,
      perLocation: 5,
      fractional: true,
      load: 0.7,
      capacities: [1, 2, 4],
    });
    const network = {
      location_ids: locations.map(({ id }) => id),
      costs: locations.map((from) => locations.map((to) => Math.ceil(1e4 * greatCircleKm(from, to)) / 1e4)),
    };
    // A plan that is good enough at once leaves the time to its explanation.
    const options = { explain: true, time_limit_seconds: 8, optimality_gap: 0.3 };
    const jobId = await submit({ ...request, network, options });
    const socket = await openSocket(service.urls[0]);
    socket.send(subscribe(jobId));
    await withWorker(async () => {
      await socket.waitFor(completeOf(jobId));
    });
    const told = socket.messages.filter((m) => m.type === 'progress');
    expectNothingForgotten(told);
    const explaining = told.filter(({ stage }) => stage === 'explain');
    expect(new Set(explaining.map(({ progress }) => progress)).size).toBeGreaterThan(8);
    expect(explaining.at(-1)).toMatchObject({
      incumbent: expect.any(Number),
      bound: expect.any(Number),
      gap: expect.any(Number),
    });
    // The record says what was told last.
    const { incumbent, bound, gap, stage } = explaining.at(-1)!;
    const job = (await send(`${service.urls[1]}/api/v1/jobs/${jobId}`)).body.data;
    expect(job).toMatchObject({ status: 'completed', progress: 1, stage, incumbent, bound, gap });
    socket.close();
  });

  test('a job that is tried again keeps the figures of its last attempt until it has newer ones', async () => {
    const jobId = await submit();
    await service.pool.query(
      `update jobs set attempts = 1, progress = 0.5, stage = 'solve', incumbent = 900, bound = 1, gap = 0.9
      where job_id = $1`,
      [jobId],
    );
    const socket = await openSocket(service.urls[0]);
    socket.send(subscribe(jobId));
    const first = { progress: 0.5, stage: 'solve', incumbent: 900, bound: 1, gap: 899 / 900 };
    expect(await socket.waitFor((m) => m.type === 'progress')).toMatchObject(first);
    await withWorker(async () => {
      await socket.waitFor(completeOf(jobId));
    });
    const told = socket.messages.filter((m) => m.type === 'progress');
    expectNothingForgotten(told);
    expect(told[1]).toMatchObject({ progress: 0.5, stage: 'build', incumbent: 900, bound: 1 });
    expect(told.at(-1)!.incumbent).toBeLessThan(900);
    socket.close();
  });

  test('answers a subscription to a job that ended before, from PostgreSQL', async () => {
    const jobId = await submit(simpleRequest(1, 5));
    await withWorker(async () => {
      const socket = await openSocket(service.urls[0]);
      socket.send(subscribe(jobId));
      expect((await socket.waitFor(completeOf(jobId))).result).toMatchObject({
        status: 'error',
        errors: expect.arrayContaining([expect.objectContaining({ code: 'INFEASIBLE_PROBLEM' })]),
      });
      // A new subscription is answered anew.
      socket.send(subscribe(jobId));
      await socket.roundTrip('after');
      expect(socket.messages.filter(completeOf(jobId))).toHaveLength(2);
      socket.close();
    });
  });

  test('completes a cancelled job with the envelope that says so', async () => {
    const jobId = await submit();
    const socket = await openSocket(service.urls[1]);
    socket.send(subscribe(jobId));
    await socket.waitFor((m) => m.type === 'progress');
    await send(`${service.urls[0]}/api/v1/jobs/${jobId}`, { method: 'DELETE' });
    expect((await socket.waitFor(completeOf(jobId))).result).toMatchObject({
      errors: [{ code: 'JOB_CANCELLED' }],
    });
    socket.close();
  });

  test('sends nothing more after unsubscribe', async () => {
    const jobId = await submit();
    const [quiet, other] = await Promise.all(service.urls.map((url) => openSocket(url)));
    for (const socket of [quiet, other]) socket.send(subscribe(jobId));
    quiet.send({ type: 'unsubscribe', job_id: jobId });
    await quiet.roundTrip('unsubscribed');
    const before = quiet.messages.length;
    await withWorker(async () => {
      await other.waitFor(completeOf(jobId));
      await quiet.roundTrip('after');
    });
    expect(quiet.messages.slice(before).filter((m) => m.job_id === jobId)).toEqual([]);
    for (const socket of [quiet, other]) socket.close();
  });

  test('answers malformed messages and unknown jobs with an error and stays open', async () => {
    const socket = await openSocket(service.urls[0]);
    const cases: [unknown, string, string | null, RegExp][] = [
      ['not json', 'VALIDATION_ERROR', null, /not a JSON object/],
      ['[]', 'VALIDATION_ERROR', null, /not a JSON object/],
      [{ type: 'shout', job_id: 'opt_1' }, 'VALIDATION_ERROR', 'opt_1', /"shout"/],
      [{ type: 'subscribe' }, 'VALIDATION_ERROR', null, /job_id/],
      [{ type: 'subscribe', job_id: 7 }, 'VALIDATION_ERROR', null, /7/],
      [{ type: 'subscribe', job_id: 'opt_2', extra: 1 }, 'VALIDATION_ERROR', 'opt_2', /extra/],
      [
        { type: 'subscribe', job_id: 'opt_unknown' },
        'RESOURCE_NOT_FOUND',
        'opt_unknown',
        /^job "opt_unknown" not found/,
      ],
    ];
    for (const [index, [message, code, job_id, text]] of cases.entries()) {
      socket.send(message);
      await socket.waitFor(() => socket.messages.length > index);
      expect(socket.messages[index]).toEqual({
        type: 'error',
        code,
        job_id,
        message: expect.stringMatching(text),
      });
    }
    socket.close();
  });

  const ANSWERS = 60;
  test('closes a socket that does not read with 1013, and the others continue', async () => {
    const request = { ...simpleRequest(3000, 2000), constraints: { max_rebalancing_cost: null } };
    const big = await submit(request);
    // A reader that is paused for long answers no heartbeat.
    const api = await service.startApi({ WEBSOCKET_HEARTBEAT_SECONDS: 3600, LARGE_ANSWERS_AT_ONCE: 1 });
    await withWorker(async () => {
      const [slow, quick] = await Promise.all([openSocket(api.url), openSocket(api.url)]);
      quick.send(subscribe(big));
      expect((await quick.waitFor(completeOf(big))).result.status).toBe('success');
      slow.socket.pause();
      // Each answer is about 400 kB, and nobody reads them: 60 are more than all buffers on the way hold. Then
      // the other one waits for the only place.
      for (let i = 1; i <= ANSWERS; i++) {
        slow.send(subscribe(big));
        quick.send(subscribe(big));
        await quick.waitFor(() => quick.messages.filter(completeOf(big)).length > i);
      }
      // Only a reader that goes on reading learns the code; by then the service has let go of it.
      slow.socket.resume();
      expect(await slow.closed).toEqual({ code: 1013, reason: expect.stringMatching(/too slow/) });
      expect(slow.messages.length).toBeLessThan(ANSWERS);
      quick.close();
    });
    await service.close(api);
  });

  test('closes a socket that does not answer its heartbeat', async () => {
    const api = await service.startApi({ WEBSOCKET_HEARTBEAT_SECONDS: 0.2 });
    const dead = await openSocket(api.url, { autoPong: false });
    expect((await dead.closed).code).toBe(1006);
    await service.close(api);
  });

  test('keeps sockets whose clients answer heartbeats while PostgreSQL hangs, and serves them afterwards', async () => {
    const databaseUrl = new URL(service.config.DATABASE_URL ?? '');
    const wire = await openProxy(Number(databaseUrl.port));
    atEnd(() => wire.close());
    databaseUrl.hostname = '127.0.0.1';
    databaseUrl.port = String(wire.port);
    const { headers } = await storeKey(service.db, 'operator');
    const open = async (AUTH: 'off' | 'keys') => {
      const api = await service.startApi({
        ...{ AUTH, DATABASE_URL: databaseUrl.href },
        ...{ WEBSOCKET_HEARTBEAT_SECONDS: 1, WEBSOCKET_MAX_SUBSCRIPTIONS: 1000 },
      });
      const [quiet, busy] = await Promise.all([1, 2].map(() => openSocket(api.url, { headers })));
      return { api, quiet, busy };
    };
    const both = [await open('off'), await open('keys')];
    const jobId = await submit();

    wire.hang();
    for (const { busy } of both) {
      busy.send(subscribe(jobId));
      for (let i = 0; i < 100; i++) busy.send(subscribe(`opt_unknown_${i}`));
    }
    const heartbeats = async ({ socket, closed }: (typeof both)[number]['quiet'], count: number) => {
      const end = closed.then(({ code }) => Promise.reject(new Error(`closed with ${code}`)));
      for (let i = 0; i < count; i++) await Promise.race([once(socket, 'ping'), end]);
    };
    // For 8 s: after 6 the service gives its connections to PostgreSQL up, and new ones hang, too.
    await Promise.all(both.flatMap(({ quiet, busy }) => [heartbeats(quiet, 8), heartbeats(busy, 8)]));
    wire.resume();

    const isUnknown = ({ type, job_id }: Message) => type === 'error' && job_id.startsWith('opt_unknown');
    for (const { api, quiet, busy } of both) {
      await quiet.roundTrip('opt_after');
      await busy.roundTrip('opt_after');
      expect(busy.messages.filter(isUnknown)).toHaveLength(100);
      // What was asked while PostgreSQL hung may have been refused: it can be asked again.
      busy.send(subscribe(jobId));
      await busy.waitFor(({ type, job_id }) => type === 'progress' && job_id === jobId);
      for (const { close } of [quiet, busy]) close();
      await service.close(api);
    }
  });

  test('notifies sockets and waiting callers when the service stops', async () => {
    const api = await service.startApi();
    const socket = await openSocket(api.url);
    const waiting = send(`${api.url}/api/v1/optimize`, {
      body: simpleRequest(),
      headers: { 'idempotency-key': 'stop' },
    });
    // The caller waits once its job is stored.
    while ((await service.pool.query("select 1 from jobs where idempotency_key = 'stop'")).rowCount === 0);
    await service.close(api);
    expect((await socket.closed).code).toBe(1001);
    const answer = await waiting;
    expect(answer.status).toBe(202);
    await withWorker(async () => {
      const other = await openSocket(service.urls[0]);
      other.send(subscribe(answer.body.data.job_id));
      expect((await other.waitFor(completeOf(answer.body.data.job_id))).result.status).toBe('success');
      other.close();
    });
  });

  test('bounds the subscriptions and the message size of a socket', async () => {
    const socket = await openSocket(service.urls[0]);
    for (let i = 0; i < 6; i++) socket.send(subscribe(await submit()));
    const error = await socket.waitFor((m) => m.type === 'error');
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/5 subscriptions/),
    });
    socket.send({ type: 'subscribe', job_id: 'x'.repeat(600) });
    expect((await socket.closed).code).toBe(1009);
  });
});

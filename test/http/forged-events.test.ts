import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { JobEvent } from '../../src/contracts/events.ts';
import { openSigner } from '../../src/queue/signed-events.ts';
import { atEnd } from '../helpers/at-end.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { describeOnBothBackends } from '../helpers/services.ts';
import { openSocket } from '../helpers/socket.ts';

describeOnBothBackends('whoever can publish events but does not know their secret', (redisUrl) => {
  test('cannot make up an answer, progress or an end: who waits and who follows get those of the worker', async () => {
    const { url, pool, config, startWorker } = await startTestService({ redisUrl, workers: 0 });
    const redis = redisUrl ? new Redis(redisUrl) : undefined;
    atEnd(async () => redis?.disconnect());
    const publish = async (type: string, message: string) => {
      const channel = `${config.QUEUE_PREFIX}_${type}`;
      if (redis) expect(await redis.publish(channel, message)).toBe(1);
      else await pool.query('select pg_notify($1, $2)', [channel, message]);
    };

    const waiting = send(`${url}/api/v1/optimize`, { body: simpleRequest() });
    const stored = async () =>
      (await pool.query<{ job_id: string }>('select job_id from jobs')).rows[0]?.job_id;
    await expect.poll(stored).toBeDefined();
    const job_id = (await stored())!;
    const socket = await openSocket(url);
    socket.send({ type: 'subscribe', job_id });
    await socket.waitFor(({ type }) => type === 'progress');

    const answer = { httpStatus: 200, body: '{"status":"success","data":"made up"}' };
    const figures = { attempt: 1, stage: 'made up', incumbent: 1, bound: 1, gap: 0, iterations: 1 };
    const madeUp: JobEvent[] = [
      { type: 'progress', job_id, progress: 0.99, ...figures },
      { type: 'ended', job_id, answer },
      { type: 'ended', job_id },
    ];
    const { sign } = openSigner(randomBytes(32), () => {});
    for (const event of madeUp) {
      await publish(event.type, JSON.stringify(event));
      await publish(event.type, sign(event));
    }
    for (const noEvent of ['not json', '{', 'null', '']) {
      await publish('ended', noEvent);
      await publish('progress', noEvent);
    }
    // Events come in order, so all of it has come before those of the worker.
    await startWorker();
    for (const noEvent of ['not json', sign({ type: 'cancel', job_id })]) await publish('cancel', noEvent);

    const { status, body } = await waiting;
    expect([status, body.data.solver_status]).toEqual([200, 'optimal']);
    const { result } = await socket.waitFor(({ type }) => type === 'complete');
    expect(result).toEqual(body);
    expect(JSON.stringify(socket.messages)).not.toContain('made up');
    expect(socket.messages.filter(({ type }) => type === 'complete')).toHaveLength(1);
    socket.close();
  });
});

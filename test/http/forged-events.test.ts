import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { JobEvent } from '../../src/contracts/events.ts';
import { readEventSecret } from '../../src/db/service/event-secret.ts';
import { openCipher } from '../../src/queue/encrypted-events.ts';
import { atEnd } from '../helpers/at-end.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { describeOnBothBackends } from '../helpers/services.ts';
import { openSocket } from '../helpers/socket.ts';

/** Collects what is published on channels, as anybody can. */
async function listen(databaseUrl: string | undefined, redisUrl: string | undefined, channels: string[]) {
  const heard: string[] = [];
  if (redisUrl) {
    const subscriber = new Redis(redisUrl);
    atEnd(async () => subscriber.disconnect());
    subscriber.on('message', (_channel, message) => heard.push(message));
    await subscriber.subscribe(...channels);
    return heard;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  atEnd(() => client.end());
  client.on('notification', ({ payload }) => heard.push(payload ?? ''));
  for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
  return heard;
}

describeOnBothBackends('whoever can publish events but does not know their secret', (redisUrl) => {
  test('cannot make up an answer, progress or an end: who waits and who follows get those of the worker', async () => {
    const { url, pool, config, startWorker } = await startTestService({ redisUrl, workers: 0 });
    const redis = redisUrl ? new Redis(redisUrl) : undefined;
    atEnd(async () => redis?.disconnect());
    const publish = async (type: string, message: string) => {
      const channel = `${config.QUEUE_PREFIX}_${type}`;
      // A worker that has just started may not listen yet.
      if (redis) await expect.poll(() => redis.publish(channel, message)).toBeGreaterThan(0);
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
    const { encrypt } = openCipher(randomBytes(32), () => {});
    for (const event of madeUp) {
      await publish(event.type, JSON.stringify(event));
      await publish(event.type, encrypt(event));
    }
    for (const noEvent of ['not json', '{', 'null', '']) {
      await publish('ended', noEvent);
      await publish('progress', noEvent);
    }
    // Events come in order, so all of it has come before those of the worker.
    await startWorker();
    for (const noEvent of ['not json', encrypt({ type: 'cancel', job_id })]) await publish('cancel', noEvent);

    const { status, body } = await waiting;
    expect([status, body.data.solver_status]).toEqual([200, 'optimal']);
    const { result } = await socket.waitFor(({ type }) => type === 'complete');
    expect(result).toEqual(body);
    expect(JSON.stringify(socket.messages)).not.toContain('made up');
    expect(socket.messages.filter(({ type }) => type === 'complete')).toHaveLength(1);
    socket.close();
  });

  test('can listen to them, but learns neither jobs nor answers', async () => {
    const { url, config, db, startWorker } = await startTestService({ redisUrl, workers: 0 });
    const channels = ['ended', 'progress'].map((type) => `${config.QUEUE_PREFIX}_${type}`);
    const heard = await listen(config.DATABASE_URL, redisUrl, channels);
    const calling = send(`${url}/api/v1/optimize`, { body: simpleRequest() });
    await startWorker();
    const { text, body } = await calling;
    const ended: JobEvent[] = [];
    const { hear } = openCipher(await readEventSecret(db), () => expect.fail('not encrypted'));
    // The answer does go over the bus.
    await expect
      .poll(() => {
        for (const message of heard.slice()) hear(['ended'], (event) => ended.push(event))(message);
        return ended[0];
      })
      .toMatchObject({ job_id: body.metadata.job_id, answer: { body: text } });
    for (const message of heard) {
      const shown = message + Buffer.from(message, 'base64').toString('latin1');
      for (const secret of [body.metadata.job_id, 'job_id', 'optimal', text])
        expect(shown).not.toContain(secret);
    }
  });
});

import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { JobEvent } from '../../src/contracts/events.ts';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { cancelJob } from '../../src/db/jobs/jobs.ts';
import { readEventSecret } from '../../src/db/service/event-secret.ts';
import { openJobWatch } from '../../src/http/jobs/job-watch.ts';
import { openEventBus } from '../../src/queue/bus.ts';
import type { EventBus } from '../../src/queue/event-bus.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase, testConfig } from '../helpers/services.ts';

/** A bus that brings what a test says. */
const busOf = (subscribe: (listener: (event: JobEvent) => void, look: () => void) => void): EventBus => ({
  publish: async () => {},
  subscribe: async (_types, listener, look) => subscribe(listener as never, look),
  close: async () => {},
});

test('a caller that does not wait never gets the answer, even if the job ends while it is enqueued', async () => {
  const url = await createTestDatabase();
  const { db } = openTestDatabase(url);
  const fail = (error: Error) => {
    throw error;
  };
  const bus = openEventBus(testConfig({ DATABASE_URL: url }), await readEventSecret(db), fail);
  atEnd(() => bus.close());
  const watch = openJobWatch({ db, bus, onError: fail });
  atEnd(() => watch.close());
  const endedWhileEnqueued = async () => {
    const job = newJob();
    await insertJob(db, job);
    const start = async () => {
      const heard = Promise.withResolvers<void>();
      watch.watch(job.jobId, { ended: () => heard.resolve() });
      await cancelJob(db, job.jobId, { httpStatus: 409, body: '{}' });
      // Events are heard once the bus has connected.
      const repeat = setInterval(() => bus.publish({ type: 'ended', job_id: job.jobId }).catch(fail), 20);
      await heard.promise.finally(() => clearInterval(repeat));
    };
    return { jobId: job.jobId, start };
  };
  const signal = new AbortController().signal;
  const first = await endedWhileEnqueued();
  expect(await watch.waitForAnswer(first.jobId, 0, signal, first.start)).toBeUndefined();
  const second = await endedWhileEnqueued();
  expect(await watch.waitForAnswer(second.jobId, 1000, signal, second.start)).toMatchObject({
    httpStatus: 409,
  });
});

test('a thousand watchers of a job get the same progress, and its job and its answer are read once for all of them', async () => {
  const url = await createTestDatabase();
  const { db, pool } = openTestDatabase(url);
  const job = newJob();
  await insertJob(db, job);
  const fail = (error: Error) => {
    throw error;
  };
  const events = new EventEmitter();
  const bus = busOf((listener) => void events.on('event', listener));
  const watch = openJobWatch({ db, bus, onError: fail });
  atEnd(async () => watch.close());
  let queries = 0;
  const query = pool.query.bind(pool);
  // biome-ignore lint/suspicious/noExplicitAny: it is called in one of its many forms
  pool.query = ((...args: any[]) => ++queries && (query as any)(...args)) as any;
  const told = new Set<object>();
  const answers: (() => Promise<unknown>)[] = [];
  const watched = Array.from({ length: 1000 }, () =>
    watch.watch(job.jobId, {
      progress: (progress) => told.add(progress),
      ended: (answer) => answers.push(answer),
    }),
  );
  const read = await Promise.all(watched.map((one) => one.read()));
  expect(new Set(read.map(({ known }) => known)).size).toBe(1);
  expect(queries).toBe(1);
  const figures = { stage: 'solve', incumbent: 5, bound: null, gap: null, iterations: null };
  events.emit('event', { type: 'progress', job_id: job.jobId, progress: 0.5, ...figures });
  expect([...told]).toEqual([{ progress: 0.5, ...figures, gap: 1 }]);
  await cancelJob(db, job.jobId, { httpStatus: 409, body: '{}' });
  queries = 0;
  events.emit('event', { type: 'ended', job_id: job.jobId });
  expect(answers).toHaveLength(1000);
  const texts = new Set(await Promise.all(answers.map((answer) => answer())));
  expect([...texts]).toEqual([{ httpStatus: 409, body: '{}' }]);
  expect(queries).toBe(1);
  // An answer that comes with the end is not read at all.
  queries = 0;
  const sent = { httpStatus: 200, body: '{"data":  1}' };
  const end = async () => void events.emit('event', { type: 'ended', job_id: job.jobId, answer: sent });
  expect(await watch.waitForAnswer(job.jobId, 1000, new AbortController().signal, end)).toBe(sent);
  expect(queries).toBe(0);
});

test('looks that are asked for at once are one query, and an end that is too late for it is seen by the next', async () => {
  const url = await createTestDatabase();
  const [{ db, pool }, other] = [openTestDatabase(url), openTestDatabase(url)];
  const job = newJob();
  await insertJob(db, job);
  let look = () => {};
  const bus = busOf((_listener, onDoubt) => {
    look = onDoubt;
  });
  const fail = (error: Error) => {
    throw error;
  };
  const watch = openJobWatch({ db, bus, onError: fail });
  atEnd(async () => watch.close());
  // The first answer of PostgreSQL takes its time to arrive.
  const [answered, arrives] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let queries = 0;
  const query = pool.query.bind(pool);
  // biome-ignore lint/suspicious/noExplicitAny: it is called in one of its many forms
  pool.query = (async (...args: any[]) => {
    queries++;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const answer = await (query as any)(...args);
    answered.resolve();
    await arrives.promise;
    return answer;
  }) as never;
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  watch.watch(job.jobId, { ended: () => resolve() });
  look();
  await answered.promise;
  await cancelJob(other.db, job.jobId, { httpStatus: 409, body: '{}' });
  for (let i = 0; i < 100; i++) look();
  expect(queries).toBe(1);
  arrives.resolve();
  await isOver;
  expect(queries).toBe(2);
});

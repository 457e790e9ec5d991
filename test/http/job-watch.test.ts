import { expect, test } from 'vitest';
import { insertJob } from '../../src/db/job-intake.ts';
import { cancelJob } from '../../src/db/jobs.ts';
import { openJobWatch } from '../../src/http/job-watch.ts';
import { openEventBus } from '../../src/queue/bus.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase, testConfig } from '../helpers/services.ts';

test('a caller that does not wait never gets the answer, even if the job ends while it is enqueued', async () => {
  const url = await createTestDatabase();
  const { db } = openTestDatabase(url);
  const fail = (error: Error) => {
    throw error;
  };
  const bus = openEventBus(testConfig({ DATABASE_URL: url }), fail);
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

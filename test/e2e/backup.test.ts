import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { startApi } from '../../src/main.ts';
import { createLogger } from '../../src/process/logger.ts';
import { startWorker } from '../../workers/main.ts';
import { readBlocks } from '../docs/blocks.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, simpleRequest, TEST_LOCATIONS } from '../helpers/service.ts';
import { describeOnBothBackends, testConfig } from '../helpers/services.ts';
import { openSocket } from '../helpers/socket.ts';
import { findSystemPostgres, startSystemPostgres } from '../helpers/system-postgres.ts';

const DOCUMENT = 'docs/operator/backup.md';
const text = readFileSync(path.join(import.meta.dirname, '../..', DOCUMENT), 'utf8');
const [dump, restore, change, archive, base, goBack, ...others] = readBlocks(text).map((block) => block.text);

const bin = findSystemPostgres();
if (!bin)
  console.warn(
    '\n  No PostgreSQL with pg_dump and pg_basebackup is installed: tests of backups are SKIPPED.\n',
  );

/** A service on a PostgreSQL whose programs for backups are installed, too. */
async function startService(redisUrl: string | undefined) {
  const folder = await newTemporaryFolder('backup');
  atEnd(() => removeFolder(folder));
  const postgres = await startSystemPostgres(bin as string, folder);
  atEnd(() => postgres.stop());
  await migrateDatabase(postgres.url);
  const config = testConfig(
    { DATABASE_URL: postgres.url, REDIS_URL: redisUrl },
    { SWEEP_INTERVAL_SECONDS: 0.5, JOB_LOCK_SECONDS: 5, JOB_RETRY_DELAY_SECONDS: 0.1 },
  );
  const api = await startApi(config, createLogger('api', config));
  atEnd(() => api.close());
  const work = () => startWorker(config, createLogger('worker', config));
  const locations = [
    ...TEST_LOCATIONS,
    ...Array.from({ length: 120 }, (_, i) => ({ id: 100 + i, name: `L${i}`, latitude: 40, longitude: -74 })),
  ];
  const put = await send(`${api.url}/api/v1/data/locations`, { method: 'PUT', body: { locations } });
  expect(put.status, put.text).toBe(201);
  const post = (key: string, body: object, prefer = 'wait=60') =>
    send(`${api.url}/api/v1/optimize`, { body, headers: { 'idempotency-key': key, prefer } });
  const job = async (jobId: string) => send(`${api.url}/api/v1/jobs/${jobId}`);
  /** Calls again as long as the database is away. */
  const again = async (key: string) => {
    for (;;) {
      const answer = await post(key, simpleRequest());
      if (answer.status !== 503) return answer;
    }
  };
  return { postgres, api, work, post, job, again };
}

describe.skipIf(!bin)('the backup', () => {
  test('is described in six steps, and each of them is run below', () => {
    expect(goBack).toContain('recovery.signal');
    expect(others).toEqual([]);
  });

  describeOnBothBackends('that pg_dump makes while jobs run', (redisUrl) => {
    test('is restored below the running service: ended jobs are there, waiting and running ones are done, later ones can be sent again', async () => {
      const { postgres, api, work, post, job, again } = await startService(redisUrl);
      const worker = await work();
      const ended = (await post('ended', simpleRequest())).body.metadata.job_id;
      const body = longRequest(5);
      const running = (await post('running', body, 'respond-async')).body.data.job_id;
      const socket = await openSocket(api.url);
      socket.send({ type: 'subscribe', job_id: running });
      await socket.waitFor((m) => m.type === 'progress' && m.stage === 'solve');
      const waiting = (await post('waiting', simpleRequest(), 'respond-async')).body.data.job_id;
      await postgres.run(dump);
      const later = await post('later', simpleRequest());
      expect(later.status).toBe(200);
      await socket.waitFor((m) => m.type === 'complete');
      socket.close();

      await postgres.run(restore);
      await postgres.run(change);
      const repeated = await again('later');
      expect(repeated.status, repeated.text).toBe(200);
      const laterId = later.body.metadata.job_id;
      expect(repeated.body.metadata.job_id).not.toBe(laterId);
      expect((await job(laterId)).status).toBe(404);
      expect((await post('ended', simpleRequest())).body.metadata.job_id).toBe(ended);
      for (const [key, request, jobId] of [
        ['waiting', simpleRequest(), waiting],
        ['running', body, running],
      ] as const) {
        const answer = await post(key, request);
        expect([answer.status, answer.body.metadata.job_id]).toEqual([200, jobId]);
      }
      const { attempt_history: attempts } = (await job(running)).body.data;
      expect(attempts).toMatchObject([{ outcome: 'crashed' }, { outcome: 'completed' }]);
      await worker.close();
    });
  });

  test('brings back the moment before a mistake, and the running service goes on from there', async () => {
    const { postgres, work, post, job, again } = await startService(inject('redisUrl') || undefined);
    const worker = await work();
    await postgres.run(archive);
    expect((await again('before')).status).toBe(200);
    await postgres.run(base);
    const between = await again('between');
    await worker.close();
    const waiting = (await post('waiting', simpleRequest(), 'respond-async')).body.data.job_id;
    const client = new pg.Client({ connectionString: postgres.url });
    client.on('error', () => {}); // the server goes
    await client.connect();
    const [{ at }] = (await client.query('select clock_timestamp()::text as at')).rows;
    await client.query('delete from jobs');
    expect((await job(waiting)).status).toBe(404);

    await postgres.run(goBack, { BEFORE: at });
    const next = await work();
    const done = await again('waiting');
    expect([done.status, done.body.metadata.job_id]).toEqual([200, waiting]);
    expect((await again('between')).body.metadata.job_id).toBe(between.body.metadata.job_id);
    await next.close();
  });
});

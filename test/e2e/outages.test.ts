import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort, startEmbeddedPostgres } from '../../src/commands/start/embedded-postgres.ts';
import { isDatabaseUnavailable, openDatabase } from '../../src/db/client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { watchPulse } from '../../src/db/service/pulse.ts';
import { startApi } from '../../src/main.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openConsumer, openQueue } from '../../src/queue/queue.ts';
import { startWorker } from '../../workers/main.ts';
import { openProxy } from '../chaos/proxy.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { redisCommand, startRedisServer, stopProcess } from '../helpers/global-setup.ts';
import { send, simpleRequest } from '../helpers/service.ts';
import { createTestDatabase, testConfig } from '../helpers/services.ts';

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await removeFolder(folder);
});
async function newFolder(): Promise<string> {
  const folder = await newTemporaryFolder('outage');
  folders.push(folder);
  return folder;
}
/** Asks until the answer fits. */
async function until(url: string, status: number) {
  for (;;) {
    const answer = await send(url);
    if (answer.status === status) return answer;
  }
}
const network = {
  location_ids: [1, 2],
  costs: [
    [0, 3],
    [3, 0],
  ],
};

describe('when a server goes away and comes back, no process needs a restart', () => {
  test('PostgreSQL: 503 with Retry-After at once, health says so, everything works again, and a caller that waited for a stored job gets its path', async () => {
    const folder = await newFolder();
    const port = String(await freePort());
    const postgres = await startEmbeddedPostgres(folder, { fsync: 'off', port });
    await migrateDatabase(postgres.url);
    const config = testConfig(
      { DATABASE_URL: postgres.url },
      { SWEEP_INTERVAL_SECONDS: 0.3, JOB_LOCK_SECONDS: 1, WORKER_PORT: 0 },
    );
    const api = await startApi(config, createLogger('api', config));
    const worker = await startWorker(config, createLogger('worker', config));
    const workerStatus = async (path: string) => (await send(`${worker.statusUrl}${path}`)).status;
    const body = { ...simpleRequest(), network };
    expect((await send(`${api.url}/api/v1/optimize`, { body })).status).toBe(200);

    await postgres.stop();
    const away = await send(`${api.url}/api/v1/optimize`, { body });
    expect([away.status, away.body.errors[0].code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send(`${api.url}/health`)).body).toMatchObject({
      status: 'error',
      data: null,
      errors: [{ code: 'SERVICE_UNAVAILABLE', field: 'database' }],
    });
    // A restart would not help: it is alive, and only not ready.
    expect((await send(`${api.url}/livez`)).status).toBe(200);
    expect((await send(`${api.url}/readyz`)).body.errors).toMatchObject([{ field: 'database' }]);
    expect([await workerStatus('/livez'), await workerStatus('/readyz')]).toEqual([200, 503]);

    const again = await startEmbeddedPostgres(folder, { fsync: 'off', port });
    await until(`${api.url}/health`, 200);
    expect((await send(`${api.url}/readyz`)).status).toBe(200);
    expect((await send(`${api.url}/api/v1/optimize`, { body })).status).toBe(200);
    await until(`${worker.statusUrl}/readyz`, 200);
    await worker.close();

    const waiting = send(`${api.url}/api/v1/optimize`, { body, headers: { prefer: 'wait=3' } });
    const isStored = async () =>
      (await send(`${api.url}/api/v1/jobs?status=queued`)).body.data.jobs.length > 0;
    while (!(await isStored()));
    await again.stop();
    const told = await waiting;
    expect(told.status).toBe(202);
    expect(told.headers.get('location')).toBe(`/api/v1/jobs/${told.body.data.job_id}`);
    await api.close();
  });

  test.skipIf(!redisCommand())(
    'Redis restarted empty: 503 while it is down, and a job that only PostgreSQL remembers is still done',
    async () => {
      const folder = await newFolder();
      const port = await freePort();
      let redis = await startRedisServer(port, folder);
      const config = testConfig(
        { DATABASE_URL: await createTestDatabase(), REDIS_URL: `redis://127.0.0.1:${port}` },
        { SWEEP_INTERVAL_SECONDS: 0.3, JOB_LOCK_SECONDS: 1 },
      );
      const api = await startApi(config, createLogger('api', config));
      const body = { ...simpleRequest(), network };
      const accepted = await send(`${api.url}/api/v1/optimize`, {
        body,
        headers: { prefer: 'respond-async' },
      });
      expect(accepted.status).toBe(202);

      await stopProcess(redis, 'SIGKILL');
      await until(`${api.url}/health`, 503);
      const away = await send(`${api.url}/api/v1/optimize`, { body });
      expect([away.status, away.body.errors[0].code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      // Whatever is only read is still served.
      expect((await send(`${api.url}/readyz`)).body.data).toEqual({
        ready: true,
        checks: { database: 'up', queue: 'down' },
      });
      expect((await send(`${api.url}${accepted.headers.get('location')}`)).status).toBe(200);

      redis = await startRedisServer(port, folder);
      await until(`${api.url}/health`, 200);
      const worker = await startWorker(config, createLogger('worker', config));
      expect((await send(`${api.url}/api/v1/optimize`, { body })).status).toBe(200);
      const job = `${api.url}${accepted.headers.get('location')}`;
      while ((await send(job)).body.data.status !== 'completed');
      await api.close();
      await worker.close();
      await stopProcess(redis);
    },
  );
});

describe('when a server falls silent, and its connections stay open', () => {
  test('PostgreSQL: requests get 503 within seconds, health says so, and everything works again with it', async () => {
    const url = new URL(await createTestDatabase());
    const wire = await openProxy(Number(url.port));
    url.port = String(wire.port);
    const config = testConfig(
      { DATABASE_URL: url.href },
      { SWEEP_INTERVAL_SECONDS: 0.3, JOB_LOCK_SECONDS: 1 },
    );
    const api = await startApi(config, createLogger('api', config));
    const worker = await startWorker(config, createLogger('worker', config));
    const body = { ...simpleRequest(), network };
    expect((await send(`${api.url}/api/v1/optimize`, { body })).status).toBe(200);

    wire.hang();
    const [health, refused] = await Promise.all([
      send(`${api.url}/health`),
      send(`${api.url}/api/v1/optimize`, { body }),
    ]);
    expect([health.status, health.body.errors[0].field]).toEqual([503, 'database']);
    expect([refused.status, refused.body.errors[0].code]).toEqual([503, 'SERVICE_UNAVAILABLE']);

    wire.resume();
    await until(`${api.url}/health`, 200);
    expect((await send(`${api.url}/api/v1/optimize`, { body })).status).toBe(200);
    await worker.close();
    await api.close();
    await wire.close();
  });

  test.skipIf(!redisCommand())(
    'Redis: health says so, a job is still accepted, and is done once Redis answers',
    async () => {
      const port = await freePort();
      const redis = await startRedisServer(port, await newFolder());
      const wire = await openProxy(port);
      const config = testConfig(
        { DATABASE_URL: await createTestDatabase(), REDIS_URL: `redis://127.0.0.1:${wire.port}` },
        { SWEEP_INTERVAL_SECONDS: 0.3, JOB_LOCK_SECONDS: 1 },
      );
      const api = await startApi(config, createLogger('api', config));
      const body = { ...simpleRequest(), network };
      const headers = { prefer: 'wait=1' };
      expect((await send(`${api.url}/api/v1/optimize`, { body, headers })).status).toBe(202);

      wire.hang();
      const answers = [send(`${api.url}/health`), send(`${api.url}/readyz`)];
      const first = Promise.race(answers);
      const [health, ready, accepted] = await Promise.all([
        ...answers,
        send(`${api.url}/api/v1/optimize`, { body, headers }),
      ]);
      // A probe that waited as long would take this process out of service.
      expect(ready.body.data).toEqual({ ready: true, checks: { database: 'up', queue: 'down' } });
      expect(await first).toBe(ready);
      expect([health.status, health.body.errors[0].field]).toEqual([503, 'queue']);
      expect(accepted.status).toBe(202);

      wire.resume();
      const worker = await startWorker(config, createLogger('worker', config));
      const job = `${api.url}${accepted.headers.get('location')}`;
      while ((await send(job)).body.data.status !== 'completed');
      await api.close();
      await worker.close();
      await wire.close();
      await stopProcess(redis);
    },
  );

  test('a query on such a connection fails as on a lost one; a query that only takes long continues', async () => {
    const url = new URL(await createTestDatabase());
    const wire = await openProxy(Number(url.port));
    url.port = String(wire.port);
    const pool = new pg.Pool({ connectionString: url.href, max: 1 });
    pool.on('connect', (client) => client.on('error', () => {}));
    const told: string[] = [];
    const pulse = { intervalMs: 20, silenceMs: 4000 };
    const endWatch = watchPulse(pool, url.href, ({ message }) => told.push(message), pulse);
    expect((await pool.query('select 1 as one from pg_sleep(5)')).rows).toEqual([{ one: 1 }]);
    expect(told).toEqual([]);
    wire.hang();
    const error = await pool.query('select 1').catch((error) => error);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(told).toEqual([
      expect.stringMatching(/^PostgreSQL has not answered for \d+ s; its connections are ended$/),
    ]);
    wire.resume();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
    await endWatch();
    await wire.close();
  });
});

describe('a connection that is lost while it is in use', () => {
  test('fails its transaction and nothing else', async () => {
    const errors: Error[] = [];
    const { db, pool, close } = openDatabase(await createTestDatabase(), {
      poolSize: 2,
      onError: (error) => errors.push(error),
    });
    const transaction = db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
      await tx.execute(sql`select 1`);
    });
    await expect(transaction).rejects.toThrow();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(errors.length).toBeGreaterThan(0);
    await close();
  });

  test('does not use up the pool when it is lost at the very start of a transaction', async () => {
    const url = new URL(await createTestDatabase());
    const wire = await openProxy(Number(url.port));
    url.port = String(wire.port);
    const { db, pool, close } = openDatabase(url.href, { poolSize: 1, onError: () => {} });
    pool.once('acquire', () => wire.cut());
    await expect(db.transaction((tx) => tx.execute(sql`select 1`))).rejects.toThrow();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await close();
    await wire.close();
  });

  test('ends no process if nobody listens for its loss, as on new or closing connections of the queue', async () => {
    const url = await createTestDatabase();
    const queue = await openQueue(testConfig({ DATABASE_URL: url }), () => {});
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await ended;
    await expect(client.query('select 1')).rejects.toThrow();
    await other.end();
    await queue.close();
  });

  test('and then refused does not delay the end of a worker that waits for jobs', async () => {
    const url = new URL(await createTestDatabase());
    const wire = await openProxy(Number(url.port));
    url.port = String(wire.port);
    const lost = Promise.withResolvers<void>();
    const config = testConfig({ DATABASE_URL: url.href });
    const consumer = await openConsumer(
      config,
      async () => {},
      () => lost.resolve(),
    );
    await wire.refuse();
    await lost.promise;
    // The worker's next attempt is refused, as these are.
    for (let i = 0; i < 5; i++) {
      await expect(new pg.Client({ connectionString: url.href }).connect()).rejects.toThrow('ECONNREFUSED');
    }
    const ended = consumer.close().then(() => 'ended');
    // By default the queue waits as long as this.
    expect(await Promise.race([ended, delay(15_000, 'waited', { ref: false })])).toBe('ended');
  });
});

import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { redisCommand, startRedisServer, stopProcess } from '../helpers/global-setup.ts';
import { send, startTestService } from '../helpers/service.ts';

const healthOf = async (url: string) => {
  const { status, body } = await send(`${url}/health`);
  return [
    status,
    ...(body.errors ?? []).map((e: { field: string; message: string }) => `${e.field}: ${e.message}`),
  ];
};
const WELL = [200];

describe('a database that answers, but refuses writes', async () => {
  const { url, config } = await startTestService({ workers: 0 });
  const name = new URL(config.DATABASE_URL!).pathname.slice(1);
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  atEnd(() => admin.end());
  /** As a failover does: the setting is that of all connections that are opened from now on, and all others end. */
  const change = async (setting: string) => {
    await admin.query(`alter database ${name} ${setting}`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  };
  const store = () => {
    const observations = [{ location_id: 1, hour: '2026-01-05T00:00:00Z', demand: 3 }];
    return send(`${url}/api/v1/data/demand`, { body: { observations } });
  };

  test('is a fault of health and readiness that says it is read-only, until it takes writes again', async () => {
    expect(await healthOf(url)).toEqual(WELL);
    await change('set default_transaction_read_only = on');
    const words = /^database: the database is read-only; .* DATABASE_URL has to lead to the primary/;
    await expect.poll(() => healthOf(url)).toEqual([503, expect.stringMatching(words)]);
    const readiness = await send(`${url}/readyz`);
    expect([readiness.status, readiness.body.errors[0].message]).toEqual([
      503,
      expect.stringMatching(/is read-only/),
    ]);
    const refused = await store();
    expect([refused.status, refused.body.errors[0].message]).toEqual([
      503,
      expect.stringMatching(/^the database is read-only/),
    ]);
    expect((await send(`${url}/api/v1/data/locations`)).status).toBe(200);
    // Connections that were opened meanwhile stay read-only for ever: nothing but the service ends them now.
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    await expect.poll(() => healthOf(url)).toEqual(WELL);
    await expect.poll(async () => (await store()).status).toBeLessThan(202);
  });

  test('is one that says the disk is full', async () => {
    await change('set temp_file_limit = 0');
    await expect
      .poll(() => healthOf(url))
      .toEqual([503, expect.stringMatching(/^database: the database has no room left on its disk/)]);
    await change('reset temp_file_limit');
    await expect.poll(() => healthOf(url)).toEqual(WELL);
  });
});

describe.skipIf(!redisCommand())('a Redis that answers, but refuses writes', async () => {
  const folder = await newTemporaryFolder('refusing-redis');
  const port = await freePort();
  const server = await startRedisServer(port, folder);
  atEnd(async () => {
    await stopProcess(server);
    await removeFolder(folder);
  });
  const admin = new Redis(port);
  atEnd(async () => admin.disconnect());
  const redisUrl = `redis://127.0.0.1:${port}`;
  const { url, config } = await startTestService({ workers: 0, redisUrl });
  const databaseUrl = config.DATABASE_URL!;
  const queueOf = async () => (await send(`${url}/readyz`)).body.data.checks.queue;

  test.each([
    [
      'without memory',
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['CONFIG', 'SET', 'maxmemory', '0'],
      /^queue: Redis has no memory left/,
    ],
    [
      'a read-only replica',
      ['REPLICAOF', '127.0.0.1', '1'],
      ['REPLICAOF', 'NO', 'ONE'],
      /^queue: Redis is a read-only replica/,
    ],
  ])('%s is a fault of health, and in readiness the queue is down', async (_name, fault, repair, words) => {
    await expect.poll(() => healthOf(url)).toEqual(WELL);
    await admin.call(fault[0], ...fault.slice(1));
    await expect.poll(() => healthOf(url)).toEqual([503, expect.stringMatching(words)]);
    expect(await queueOf()).toBe('down');
    await admin.call(repair[0], ...repair.slice(1));
    await expect.poll(() => healthOf(url)).toEqual(WELL);
    expect(await queueOf()).toBe('up');
  });

  test('that may evict keys is a fault of health: jobs would be forgotten', async () => {
    await admin.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const words = /^queue: Redis may evict keys \(maxmemory-policy allkeys-lru\).*noeviction/;
    await expect.poll(() => healthOf(url)).toEqual([503, expect.stringMatching(words)]);
    const worker = spawn(process.execPath, [path.join(import.meta.dirname, '../../workers/main.ts')], {
      env: { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const records: { msg: string; err?: { message: string } }[] = [];
    // Each line is a record, those of BullMQ as well.
    for await (const line of createInterface(worker.stdout)) {
      records.push(JSON.parse(line));
      const texts = records.map(({ msg, err }) => `${msg} ${err?.message}`);
      if (texts.some((text) => /Redis may evict/.test(text)) && texts.some((text) => /IMPORTANT/.test(text)))
        break;
    }
    await stopProcess(worker);
    await admin.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await expect.poll(() => healthOf(url)).toEqual(WELL);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { openProxy, type Wire } from '../chaos/proxy.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { redisCommand, startRedisServer, stopProcess } from '../helpers/global-setup.ts';
import { send } from '../helpers/send.ts';
import { createTestDatabase } from '../helpers/services.ts';

const SCRIPTS = {
  api: 'src/main.ts',
  worker: 'workers/main.ts',
  migrate: 'src/commands/migrate.ts',
  start: 'src/commands/start/main.ts',
};
const SERVICE = ['api', 'worker'] as const;
const WAITING = /waiting for (PostgreSQL|Redis), for \d+ s at most: cannot connect to .*ECONNREFUSED/;

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

/** Runs an entry of the service and gathers what it prints. */
function start(name: keyof typeof SCRIPTS, env: Record<string, string>) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../../${SCRIPTS[name]}`, import.meta.url))], {
    env: { PATH: process.env.PATH ?? '', QUEUE_PREFIX: 'waits', WORKERS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.add(child);
  const waits = Promise.withResolvers<void>();
  const run = {
    child,
    out: '',
    err: '',
    waits: waits.promise,
    ended: once(child, 'close').then(([code]) => code),
  };
  child.stdout?.on('data', (chunk) => {
    run.out += chunk;
    if (WAITING.test(run.out)) waits.resolve();
  });
  child.stderr?.on('data', (chunk) => {
    run.err += chunk;
    if (WAITING.test(run.err)) waits.resolve();
  });
  return run;
}

const database = await createTestDatabase();

describe('a start while PostgreSQL is unreachable', () => {
  const url = new URL(database);
  let wire: Wire;
  beforeAll(async () => {
    wire = await openProxy(Number(url.port));
    url.port = String(wire.port);
    await wire.refuse();
  });
  afterAll(() => wire.close());

  test('waits, says so, and continues once PostgreSQL is there: API, worker and migration, in any order', async () => {
    const port = String(await freePort());
    const env = { DATABASE_URL: url.href, PORT: port };
    const service = SERVICE.map((name) => start(name, env));
    const migrate = start('migrate', env);
    await Promise.all([...service, migrate].map(({ waits }) => waits));
    const ready = service.map(({ child }) => once(child, 'message'));
    await wire.accept();
    await Promise.all(ready);
    expect(await migrate.ended).toBe(0);
    expect((await send(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    for (const { child } of service) child.kill('SIGTERM');
    expect(await Promise.all(service.map(({ ended }) => ended))).toEqual([0, 0]);
    await wire.refuse();
  });

  test.each(SERVICE)('fails with one clear line when its time is up (%s)', async (name) => {
    const run = start(name, { DATABASE_URL: url.href, START_WAIT_SECONDS: '1' });
    expect(await run.ended).toBe(1);
    expect(run.err).toMatch(
      /^PostgreSQL was unreachable for 1 s \(START_WAIT_SECONDS\): cannot connect to 127\.0\.0\.1:\d+ \(ECONNREFUSED\); .*\n$/,
    );
    expect(run.out).toMatch(WAITING);
  });

  test.each(SERVICE)('fails at once if START_WAIT_SECONDS is 0 (%s)', async (name) => {
    const run = start(name, { DATABASE_URL: url.href, START_WAIT_SECONDS: '0' });
    expect(await run.ended).toBe(1);
    expect(run.err).toMatch(/^cannot connect to 127\.0\.0\.1:\d+ \(ECONNREFUSED\); .*\n$/);
    expect(run.out).toBe('');
  });

  test.each([
    ['api', 'SIGTERM'],
    ['worker', 'SIGINT'],
    ['start', 'SIGTERM'],
  ] as const)('ends in order when it is told to stop meanwhile (%s, %s)', async (name, signal) => {
    const folder = await newTemporaryFolder('wait');
    const run = start(name, {
      DATABASE_URL: url.href,
      DATA_DIR: folder,
      PORT: '0',
      START_WAIT_SECONDS: '3600',
    });
    await run.waits;
    run.child.kill(signal);
    expect(await run.ended).toBe(0);
    expect(run.err).toBe('');
    await removeFolder(folder);
  });

  test.each(SERVICE)('ends when the process that supervises it dies meanwhile (%s)', async (name) => {
    const { child, waits } = start(name, { DATABASE_URL: url.href, START_WAIT_SECONDS: '3600' });
    await waits;
    const exited = once(child, 'exit');
    child.disconnect();
    expect(await exited).toEqual([0, null]);
  });
});

describe('a start that would fail again', () => {
  const wrong: [keyof typeof SCRIPTS, string, (url: URL) => void, RegExp][] = [
    [
      'api',
      'a wrong password',
      (url) => (url.password = 'wrong'),
      /^password authentication failed for user .*\n$/,
    ],
    [
      'worker',
      'an unknown database',
      (url) => (url.pathname = '/nowhere'),
      /^database "nowhere" does not exist\n$/,
    ],
  ];
  test.each(wrong)('does not wait (%s, %s)', async (name, _what, change, line) => {
    const url = new URL(database);
    change(url);
    const run = start(name, { DATABASE_URL: url.href, START_WAIT_SECONDS: '3600' });
    expect(await run.ended).toBe(1);
    expect(run.err).toMatch(line);
  });
});

describe.skipIf(!redisCommand())('npm start while Redis is unreachable', () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map(removeFolder)));

  test('waits for it, and continues once it is there', async () => {
    const folder = await newTemporaryFolder('wait');
    folders.push(folder);
    const port = await freePort();
    const url = new URL(database);
    url.password = 'wrong';
    const run = start('start', {
      DATA_DIR: folder,
      PORT: '0',
      REDIS_URL: `redis://127.0.0.1:${port}`,
      DATABASE_URL: url.href,
    });
    await run.waits;
    const redis = await startRedisServer(port, folder);
    // It has come as far as the database.
    expect(await run.ended).toBe(1);
    expect(run.err).toMatch(/^password authentication failed/);
    await stopProcess(redis);
  });
});

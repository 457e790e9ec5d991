import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort, startEmbeddedPostgres } from '../../src/commands/start/embedded-postgres.ts';
import { BEFORE_FIRST_RELEASE } from '../../src/db/migrate.ts';
import { copyCheckout, newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { processesLeft, processesUsing } from '../helpers/processes.ts';
import { send } from '../helpers/service.ts';

const SCRIPT = fileURLToPath(new URL('../../src/commands/start/main.ts', import.meta.url));
const folders: string[] = [];
const children = new Set<ChildProcess>();

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) await removeFolder(folder);
});

async function newFolder(): Promise<string> {
  const folder = await newTemporaryFolder('start');
  folders.push(folder);
  return folder;
}

/** Runs `npm start`'s script and gathers what it prints. */
function start(env: Record<string, string>, script = SCRIPT) {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH ?? '', WORKERS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const output = { out: '', err: '' };
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  /** Waits until it prints a text. @returns all that it has printed */
  const said = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => output.out.includes(text) && resolve(output.out);
      child.stdout.on('data', look);
      look();
      exited.then((code) => reject(new Error(`ended with ${code}: ${output.out}${output.err}`)));
    });
  const ready = said('Ctrl-C stops it');
  ready.catch(() => {});
  return { child, output, ready, said, exited };
}

/** Lets the administrator of a data folder's PostgreSQL do something. */
async function asAdministrator(folder: string, work: (admin: pg.Client, url: string) => Promise<unknown>) {
  const server = await startEmbeddedPostgres(path.join(folder, 'postgres'), { fsync: 'off' });
  const admin = new pg.Client({ connectionString: server.adminUrl });
  await admin.connect();
  await work(admin, server.url).finally(() => admin.end());
  await server.stop();
}

test.each([
  [
    'a schema of that time',
    async (_: pg.Client, url: string) => {
      const service = new pg.Client({ connectionString: url });
      await service.connect();
      await service.query(`create schema drizzle;
        create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
        insert into drizzle.__drizzle_migrations (hash, created_at) values ('old', 1795724327322)`);
      await service.end();
    },
  ],
  [
    'a database of the administrator',
    (admin: pg.Client) => admin.query('alter database fleet owner to fleet'),
  ],
])(
  'npm start leaves a data folder from before the first release as it is, and says what to do: %s',
  async (_, age) => {
    const folder = await newFolder();
    await asAdministrator(folder, age);
    const { exited, output } = start({ DATA_DIR: folder, PORT: String(await freePort()) });
    expect(await exited).toBe(1);
    expect(output.err).toBe(`${BEFORE_FIRST_RELEASE}\n`);
    expect(await processesLeft(folder)).toEqual([]);
  },
);

describe('npm start', () => {
  test('solves a first plan on real demand in a folder that nobody else can read, and Ctrl-C leaves no process; the next start has its data', async () => {
    const folder = await newFolder();
    const env = { DATA_DIR: folder, PORT: String(await freePort()) };

    const first = start(env);
    const text = await first.ready;
    expect(text).toMatch(/First plan: 2017-05-04, 73 locations, 12,523 operational vehicles/);
    const passwordFile = /DATABASE_PASSWORD_FILE=(\S+)/.exec(text)?.[1] ?? '';
    expect(text).not.toContain(await readFile(passwordFile, 'utf8'));
    expect(text).not.toMatch(/:\/\/[^/\s]+:[^/\s]+@/);
    const modes = ['logs', 'logs/api.log', 'logs/worker-1.log', 'postgres'].map(async (name) => {
      return ((await stat(path.join(folder, name))).mode & 0o777).toString(8);
    });
    expect(await Promise.all(modes)).toEqual(['700', '600', '600', '700']);
    const decisionUrl = /this decision\s+(\S+)/.exec(text)?.[1] ?? '';
    expect((await send(decisionUrl)).body.data).toMatchObject({
      status: 'completed',
      solver_status: 'optimal',
    });
    const jobUrl = decisionUrl.replace('/decisions/', '/jobs/');
    const job = await send(jobUrl);
    expect(job.body.data).toMatchObject({ status: 'completed', attempts: 1 });
    expect((await send(`${new URL(jobUrl).origin}/docs/static/index.html`)).status).toBe(200);
    const traced = await send(`${new URL(jobUrl).origin}/api/v1/optimize`, {
      body: { demand_forecast: { '4': [1] }, fleet_state: { vehicles: [{ id: 'V', location: 12 }] } },
      headers: { 'x-request-id': 'follow-me' },
    });
    // As from a terminal: it signals all of the foreground, and npm sends on what it gets.
    first.child.kill('SIGINT');
    await first.said('stopping …');
    first.child.kill('SIGINT');
    expect(await first.exited).toBe(0);
    expect(await processesLeft(folder)).toEqual([]);
    // One request is followed through the logs of both processes, one JSON object per line.
    const { job_id } = traced.body.metadata;
    const trace = async (file: string) =>
      (await readFile(path.join(folder, 'logs', file), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter((line) => line.request_id === 'follow-me');
    expect((await trace('api.log')).map((line) => line.msg)).toEqual(['job stored', 'request']);
    expect((await trace('worker-1.log')).map((line) => [line.msg, line.job_id])).toEqual([
      ['job started', job_id],
      ['job ended', job_id],
    ]);

    const second = start(env);
    expect(await second.ready).not.toMatch(/loading the New York sample/);
    expect((await send(jobUrl)).body.data.result).toEqual(job.body.data.result);
    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);
    expect(await processesLeft(folder)).toEqual([]);
  });

  test('refuses a data folder that is in use; after it was killed its processes end by themselves, and it starts again', async () => {
    const folder = await newFolder();
    const env = { DATA_DIR: folder, SAMPLE_DATA: 'false', PORT: String(await freePort()) };
    const first = start(env);
    await first.ready;
    const other = start({ ...env, PORT: String(await freePort()) });
    expect(await other.exited).toBe(1);
    expect(other.output.err).toMatch(
      /^the service is already running \(process \d+\) on this data folder; .*\n$/,
    );
    first.child.kill('SIGKILL');
    await first.exited;
    // API and worker notice that their supervisor is gone; only PostgreSQL stays, for the next start to stop.
    const running = async () =>
      (await processesUsing(folder)).filter(({ command }) => /main\.ts/.test(command));
    await expect.poll(running).toEqual([]);
    const second = start(env);
    await second.ready;
    second.child.kill('SIGINT');
    expect(await second.exited).toBe(0);
    expect(await processesLeft(folder)).toEqual([]);
  });

  test('serves the API while the console is still built, and the console when it is', async () => {
    const folder = await newFolder();
    await copyCheckout(folder, ['package.json', 'console', 'src', 'workers']);
    const script = path.join(folder, 'src/commands/start/main.ts');
    const port = await freePort();
    const env = { DATA_DIR: path.join(folder, '.own'), PORT: String(port), SAMPLE_DATA: 'false' };
    const page = () => fetch(`http://127.0.0.1:${port}/console`, { headers: { accept: 'text/html' } });

    // Vite that never ends.
    const hanging = path.join(folder, 'hang.mjs');
    await writeFile(
      hanging,
      "if (process.argv[1]?.endsWith('vite.js')) await new Promise(() => setInterval(() => {}, 1000));",
    );
    const first = start({ ...env, NODE_OPTIONS: `--import=${hanging}` }, script);
    expect(await first.ready).not.toContain('its console');
    expect((await send(`http://127.0.0.1:${port}/api/v1/data/locations`)).status).toBe(200);
    expect((await page()).status).toBe(404);
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(await processesLeft(folder)).toEqual([]);

    const second = start(env, script);
    await second.said(`console at http://127.0.0.1:${port}/console`);
    second.child.kill('SIGINT');
    expect(await second.exited).toBe(0);
  });

  const failures: [string, Record<string, string>, RegExp][] = [
    ['a setting out of range', { PORT: '70000' }, /^PORT: "70000" .*\n$/],
    ['a broken database URL', { DATABASE_URL: 'nonsense' }, /^DATABASE_URL: .*\n$/],
    [
      'an unreachable Redis',
      { REDIS_URL: 'redis://u:secret@127.0.0.1:1', START_WAIT_SECONDS: '0' },
      /^cannot connect to Redis \((?!.*secret).*; check REDIS_URL\n$/,
    ],
    [
      'an unreachable database',
      { DATABASE_URL: 'postgresql://x:y@127.0.0.1:1/z', START_WAIT_SECONDS: '0' },
      /^cannot connect to 127\.0\.0\.1:1 .*\n$/,
    ],
  ];
  test.each(failures)('says %s in one clear line and exits with 1', async (_what, env, line) => {
    const { exited, output } = start({ DATA_DIR: await newFolder(), PORT: String(await freePort()), ...env });
    expect(await exited).toBe(1);
    expect(output.err).toMatch(line);
  });

  test('says a port in use in one clear line and exits with 1, before it starts anything', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const folder = await newFolder();
    const { exited, output } = start({ DATA_DIR: folder, PORT: String(port) });
    expect(await exited).toBe(1);
    expect(output.err).toMatch(new RegExp(`^port ${port} on 127\\.0\\.0\\.1 is in use; .*\\n$`));
    expect(await readdir(folder)).toEqual([]);
    server.close();
  });
});

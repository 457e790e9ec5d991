import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { JOB_FORMAT } from '../../src/contracts/jobs.ts';
import { FLEET, START_DATE, storeDemand } from '../helpers/decisions.ts';
import { newTemporaryFolder } from '../helpers/folders.ts';
import { send, simpleRequest, TEST_LOCATIONS } from '../helpers/service.ts';
import { createEmptyTestDatabase, describeOnBothBackends, openTestDatabase } from '../helpers/services.ts';
import { openSocket } from '../helpers/socket.ts';
import {
  checkOut,
  findVersionBefore,
  migrateWith,
  type Part,
  startPart,
  THIS_VERSION,
} from '../helpers/version-before.ts';

/** Vehicles whose request and plan have more than 64 KiB each. */
const LARGE_FLEET = 2000;

type Kind = 'optimize' | 'decision' | 'backtest' | 'replay';

const decision = {
  ...{ location_ids: [1, 2], horizon_hours: 2, step_hours: 1 },
  fleet_state: { vehicles: FLEET.map(({ status: _, ...vehicle }) => vehicle) },
};
const JOBS: Record<Kind, { path: string; body: object }> = {
  optimize: { path: 'optimize', body: simpleRequest() },
  decision: { path: 'decisions', body: { ...decision, start_date: START_DATE } },
  backtest: {
    path: 'forecast/backtest',
    body: { location_ids: [1, 2], horizon_hours: 24, step_hours: 6, origins: 2 },
  },
  replay: {
    path: 'replays',
    body: {
      ...{ from: '2026-02-04', to: '2026-02-05', trips_per_vehicle_hour: 2, unmet_demand_cost: 40 },
      policies: [{ mode: 'none' }, { mode: 'static' }],
    },
  },
};
const KINDS = Object.keys(JOBS) as Kind[];

/** What a document says a request may be: the schemas of the bodies that make jobs, without words for people. */
function jobRequests(document: { paths: object; components: { schemas: Record<string, unknown> } }): string {
  const seen = new Map<string, unknown>();
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(
      ([key]) => !['description', 'example', 'examples'].includes(key),
    );
    for (const [key, name] of kept) {
      const schema = key === '$ref' ? String(name).split('/').at(-1) : undefined;
      if (schema === undefined || seen.has(schema)) continue;
      seen.set(schema, undefined);
      seen.set(schema, strip(document.components.schemas[schema]));
    }
    return Object.fromEntries(kept.map(([key, inner]) => [key, strip(inner)]));
  };
  const makesJobs = /\/(optimize|decisions|backtest|replays|schedules)$/;
  const bodies = Object.entries(document.paths).flatMap(([path, { post }]) =>
    makesJobs.test(path) && post ? [[path, strip(post.requestBody)]] : [],
  );
  return JSON.stringify([bodies, [...seen].sort(([a], [b]) => (a < b ? -1 : 1))]);
}

const before = findVersionBefore();
const folder = await newTemporaryFolder('before');
afterAll(() => rm(folder, { recursive: true, force: true }));
const isThere = before !== undefined && (await checkOut(before, folder));
const formatBefore = isThere ? await lowerFormat() : 0;

/**
 * Lets the version before know only formats of jobs below that of this version, as after a release that adds to
 * requests. @returns the format that it knows by itself
 */
async function lowerFormat(): Promise<number> {
  const file = path.join(folder, 'src/contracts/jobs.ts');
  const text = await readFile(file, 'utf8');
  const line = /export const JOB_FORMAT = (\d+);/;
  const own = Number(line.exec(text)?.[1]);
  await writeFile(file, text.replace(line, `export const JOB_FORMAT = ${Math.min(own, JOB_FORMAT - 1)};`));
  return own;
}

describe.skipIf(!isThere)('an upgrade', () => {
  describeOnBothBackends('of migrations, workers and API while calls arrive', (redisUrl) => {
    test('loses, doubles and fails nothing, and both versions serve what the other one has stored', async ({
      signal,
    }) => {
      const databaseUrl = await createEmptyTestDatabase();
      const { pool } = openTestDatabase(databaseUrl);
      const common = {
        ...{ DATABASE_URL: databaseUrl, ...(redisUrl && { REDIS_URL: redisUrl }) },
        ...{ QUEUE_PREFIX: `upgrade${process.pid}`, LOG_LEVEL: 'error', SWEEP_INTERVAL_SECONDS: '0.5' },
      };
      const startApi = async (version: string) =>
        startPart(version, 'src/main.ts', { ...common, PORT: String(await freePort()) });
      const startWorker = (version: string) => startPart(version, 'workers/main.ts', common);

      /** Ids of the job of every call, by its key. */
      const jobIds = new Map<string, Set<string>>();
      let calls = 0;
      /** One caller: repeats a call with its key until it is answered, at another API where one is going away. */
      const call = async (apis: Part[], kind: Kind): Promise<string> => {
        const { path, body } = JOBS[kind];
        const key = `${kind}-${calls++}`;
        const ids = new Set<string>();
        jobIds.set(key, ids);
        for (let i = calls; ; i++) {
          signal.throwIfAborted();
          const headers = { 'idempotency-key': key, prefer: 'wait=60' };
          const url = `${apis[i % apis.length].url}/api/v1/${path}`;
          const answer = await send(url, { body, headers, signal }).catch(() => undefined);
          const jobId = answer?.body?.metadata?.job_id ?? answer?.body?.data?.job_id;
          if (jobId) ids.add(jobId);
          if (answer?.status === 200) return jobId;
          // Nobody listens there any more, or the API has told its caller to come again.
          if (answer && ![202, 503].includes(answer.status)) throw new Error(`${kind}: ${answer.text}`);
        }
      };
      const stream = (apis: Part[], kinds: Kind[], each: number) =>
        Promise.all(
          kinds.map(async (kind) => {
            for (let i = 0; i < each; i++) await call(apis, kind);
          }),
        );

      migrateWith(folder, databaseUrl);
      for (const { id, name, latitude, longitude } of TEST_LOCATIONS) {
        const row = [id, name, latitude, longitude];
        await pool.query(
          'insert into locations (id, name, latitude, longitude) values ($1, $2, $3, $4)',
          row,
        );
        await storeDemand(pool, id, `(h / 6 % 4 = ${id - 1})::int * 9 + 1`);
      }
      await pool.query(`insert into vehicles (vehicle_id, location_id, status, capacity)
        select 'v' || i, 1 + i % 4, 'operational', 1 from generate_series(1, 8) i`);
      const [oldApi, oldWorker] = [await startApi(folder), await startWorker(folder)];
      await stream([oldApi], KINDS, 1);

      // First the schema, then the workers, then the API, and calls all the time.
      const duringMigration = stream([oldApi], KINDS, 2);
      migrateWith(THIS_VERSION, databaseUrl);
      await duringMigration;
      const [newWorker] = await Promise.all([startWorker(THIS_VERSION), stream([oldApi], KINDS, 2)]);
      const [newApi] = await Promise.all([startApi(THIS_VERSION), stream([oldApi], KINDS, 2)]);

      // Side by side: whatever the order, a job that only the new version understands waits for it.
      const sideBySide = stream([oldApi, newApi], KINDS, 2);
      const socket = await openSocket(oldApi.url);
      const { path, body } = JOBS.replay;
      const headers = { prefer: 'respond-async', 'idempotency-key': 'watched' };
      const watched = (await send(`${newApi.url}/api/v1/${path}`, { body, headers })).body.data.job_id;
      jobIds.set('watched', new Set([watched]));
      socket.send({ type: 'subscribe', job_id: watched });
      const { result } = await socket.waitFor((m) => m.type === 'complete' || m.type === 'error');
      expect(result.data.replay_id).toBe(watched);
      socket.close();
      await sideBySide;

      // What is large, too.
      const many = { body: simpleRequest(LARGE_FLEET), headers: { 'idempotency-key': 'large' } };
      const large = (await send(`${newApi.url}/api/v1/optimize`, many)).body.metadata.job_id;
      jobIds.set('large', new Set([large]));
      const seen = await send(`${oldApi.url}/api/v1/jobs/${large}`);
      expect(seen.body.data.result.data.allocation_plan).toHaveLength(LARGE_FLEET);

      // The same key and body at both versions is the same job.
      for (const kind of KINDS) {
        const same = { body: JOBS[kind].body, headers: { 'idempotency-key': `both-${kind}` } };
        const [first, second] = [
          await send(`${oldApi.url}/api/v1/${JOBS[kind].path}`, same),
          await send(`${newApi.url}/api/v1/${JOBS[kind].path}`, same),
        ];
        expect([first.status, second.status]).toEqual([200, 200]);
        expect(second.body.metadata.job_id).toBe(first.body.metadata.job_id);
        jobIds.set(`both-${kind}`, new Set([first.body.metadata.job_id]));
      }

      // Each API serves what was stored by way of the other one.
      const { rows: stored } = await pool.query<{ job_id: string; kind: string; plan_id: string | null }>(
        'select job_id, kind, plan_id from reports.job_history',
      );
      for (const { url } of [oldApi, newApi]) {
        for (const { job_id, kind, plan_id } of stored) {
          const job = await send(`${url}/api/v1/jobs/${job_id}`);
          expect(job.body.data).toMatchObject({ job_id, kind, status: 'completed' });
          const paths = [];
          if (plan_id) paths.push(`plans/${plan_id}`, `plans/${plan_id}/moves`);
          if (kind === 'decision') paths.push(`decisions/${job_id}`);
          for (const path of paths)
            expect([path, (await send(`${url}/api/v1/${path}`)).status]).toEqual([path, 200]);
        }
        const list = (await send(`${url}/api/v1/jobs?limit=100`)).body.data.jobs;
        expect(list.map((job: { job_id: string }) => job.job_id).toSorted()).toEqual(
          stored.map((job) => job.job_id).toSorted(),
        );
      }

      // A version that makes other jobs than the one before says so.
      const documents = await Promise.all(
        [oldApi, newApi].map(async ({ url }) => jobRequests((await send(`${url}/openapi.json`)).body)),
      );
      if (documents[0] !== documents[1]) expect(JOB_FORMAT).toBeGreaterThan(formatBefore);

      // The old version goes while calls arrive at both.
      const atTheEnd = stream([oldApi, newApi], KINDS, 2);
      expect([await oldWorker.stop(), await oldApi.stop()]).toEqual([0, 0]);
      await atTheEnd;
      await stream([newApi], KINDS, 1);

      const { rows } = await pool.query<{ job_id: string; by: string[]; outcomes: string[]; made: number }>(`
        select j.job_id, j.kind, j.status, j.http_status, j.format, array_agg(distinct split_part(a.worker_id, ':', 1)) as by,
          array_agg(a.outcome order by a.attempt) as outcomes,
          (select count(*) from plans p where p.job_id = j.job_id)::int
            + (select count(*) from replays r where r.replay_id = j.job_id)::int as made
        from jobs j join job_attempts a on a.job_id = j.job_id group by j.job_id`);
      expect([...jobIds.values()].every((ids) => ids.size === 1)).toBe(true);
      expect(rows.map((job) => job.job_id).toSorted()).toEqual(
        [...jobIds.values()].flatMap((ids) => [...ids]).toSorted(),
      );
      for (const job of rows) {
        expect(job).toMatchObject({ status: 'completed', http_status: 200 });
        // A worker that stops may give a job back.
        expect(job.outcomes.filter((outcome) => outcome !== 'released')).toEqual(['completed']);
        expect(job.made).toBe('kind' in job && job.kind === 'backtest' ? 0 : 1);
      }
      const workedOn = (format: number) =>
        new Set(rows.filter((job) => 'format' in job && job.format === format).flatMap((job) => job.by));
      expect(workedOn(JOB_FORMAT)).toEqual(new Set([String(newWorker.pid)]));
      expect(workedOn(Math.min(formatBefore, JOB_FORMAT - 1))).toContain(String(oldWorker.pid));
      expect([await newWorker.stop(), await newApi.stop()]).toEqual([0, 0]);
    });
  });
});

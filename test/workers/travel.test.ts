import { beforeEach, describe, expect, test } from 'vitest';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { openTravel, PAIR_BYTES } from '../../src/db/travel/packed-travel.ts';
import { takeTravel } from '../../src/db/travel/travel-packs.ts';
import { createTravelCache } from '../../workers/run/travel-cache.ts';
import { newJob } from '../helpers/jobs.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';
import { killWorker, passAnHourSince, spawnWorkerProcess } from '../helpers/worker-process.ts';

const service = await startTestService({
  workers: 0,
  overrides: { SWEEP_INTERVAL_SECONDS: 0.3, JOB_RETRY_DELAY_SECONDS: 0.1 },
});
const { db, pool } = service;
const IDS = TEST_LOCATIONS.map(({ id }) => id);
/** Bytes of the travel that begins at a location. */
const SOURCE_BYTES = (IDS.length - 1) * PAIR_BYTES;

const setKm = (km: number, from = IDS) =>
  pool.query(
    `insert into travel select f, t, $1, 1 from unnest($2::int[]) f, unnest($3::int[]) t where f <> t
     on conflict (from_location_id, to_location_id) do update set distance_km = excluded.distance_km`,
    [km, from, IDS],
  );
const takeAnew = async () => {
  const job = newJob();
  await insertJob(db, job);
  return { jobId: job.jobId, keys: (await takeTravel(db, job.jobId, IDS))! };
};

beforeEach(() => setKm(3));

describe('the travel that a worker keeps', () => {
  const counted = () => {
    let queries = 0;
    const run = <T>(query: () => Promise<T>) => {
      queries++;
      return query();
    };
    return { run, queries: () => queries };
  };

  test('is read once per version, by jobs that begin at once, too, and is shared', async () => {
    const cache = createTravelCache();
    const { run, queries } = counted();
    const { keys } = await takeAnew();
    const [a, b] = await Promise.all([cache.read(db, keys, run), cache.read(db, keys, run)]);
    expect(queries()).toBe(1);
    expect(a.packs[0]).toBe(b.packs[0]);
    await setKm(4, [2]);
    const later = await cache.read(db, (await takeAnew()).keys, run);
    expect(queries()).toBe(2);
    expect(later.packs[0]).toBe(a.packs[0]);
    expect(openTravel(later).get(2)?.km).toEqual(Float64Array.of(4, 4, 4));
    expect(openTravel(a).get(2)?.km).toEqual(Float64Array.of(3, 3, 3));
    // The newer version has replaced the older one.
    expect(cache.readBytes()).toBe(IDS.length * SOURCE_BYTES);
  });

  test('of an old version serves the attempt that needs it, and does not replace the new one', async () => {
    const cache = createTravelCache();
    const { run, queries } = counted();
    const old = await takeAnew();
    await setKm(5);
    const young = await takeAnew();
    await cache.read(db, young.keys, run);
    const again = await cache.read(db, old.keys, run);
    expect(openTravel(again).get(1)?.km).toEqual(Float64Array.of(3, 3, 3));
    expect(queries()).toBe(2);
    await cache.read(db, young.keys, run);
    expect(queries()).toBe(2);
  });

  test('stays within its bound: sources that were not used for longest are dropped', async () => {
    const cache = createTravelCache(2 * SOURCE_BYTES);
    const { run, queries } = counted();
    const { keys } = await takeAnew();
    const whole = await cache.read(db, keys, run);
    expect(openTravel(whole).size).toBe(IDS.length);
    expect(cache.readBytes()).toBe(2 * SOURCE_BYTES);
    await cache.read(db, keys.slice(-2), run);
    expect(queries()).toBe(1);
    await cache.read(db, keys.slice(0, 1), run);
    expect(queries()).toBe(2);
  });

  test('is read by the next job if reading fails once', async () => {
    const cache = createTravelCache();
    const { keys } = await takeAnew();
    const failing = cache.read(db, keys, () => Promise.reject(new Error('lost')));
    await expect(failing).rejects.toThrow('lost');
    expect((await cache.read(db, keys, (query) => query())).packs).toHaveLength(IDS.length);
  });
});

test('a job whose worker is killed is planned by the next one with the travel that the first one took', async () => {
  const { demand_forecast, ...request } = longRequest(3);
  const ids = Object.keys(demand_forecast).map(Number);
  const locations = ids.map((id) => ({ id, name: `L${id}`, latitude: 40 + id / 1000, longitude: -74 }));
  await send(`${service.url}/api/v1/data/locations`, { method: 'PUT', body: { locations } });
  const setAll = (km: string) =>
    pool.query(
      `insert into travel select f, t, ${km}, 1 from unnest($1::int[]) f, unnest($1::int[]) t
       on conflict (from_location_id, to_location_id) do update set distance_km = excluded.distance_km`,
      [ids],
    );
  await setAll('1 + abs(f - t) / 100.0');
  const victim = await spawnWorkerProcess(service.config);
  const answer = await send(`${service.url}/api/v1/optimize`, {
    body: {
      ...request,
      demand_forecast,
      network: undefined,
      constraints: { ...request.constraints, max_distance: 1000 },
      options: { ...request.options, travel: 'stored' },
    },
    headers: { prefer: 'respond-async' },
  });
  expect(answer.status, answer.text).toBe(202);
  const { job_id } = answer.body.data;
  const socket = await openSocket(service.url);
  socket.send({ type: 'subscribe', job_id });
  await socket.waitFor((m) => m.type === 'progress' && m.stage === 'solve');
  await killWorker(victim);
  await passAnHourSince(victim, pool);
  await setAll('500 + abs(f - t)');
  await service.startWorker();
  const { result } = await socket.waitFor((m) => m.type === 'complete');
  expect(result.status, JSON.stringify(result.errors)).toBe('success');
  const { kpis } = result.data;
  expect(kpis.rebalanced_count).toBeGreaterThan(0);
  expect(kpis.total_distance_km / kpis.rebalanced_count).toBeLessThan(100);
  const job = (await send(`${service.url}/api/v1/jobs/${job_id}`)).body.data;
  expect(job.attempts).toBe(2);
  socket.close();
});

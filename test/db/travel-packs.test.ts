import { beforeEach, describe, expect, test } from 'vitest';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { openTravel, sharePack } from '../../src/db/travel/packed-travel.ts';
import { deleteTravelPacks, type PackKey, readPacks, takeTravel } from '../../src/db/travel/travel-packs.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const { db, pool } = openTestDatabase(await createTestDatabase());

const IDS = [1, 2, 3, 4];
const count = async (rows: string) => (await pool.query(`select count(*)::int as n from ${rows}`)).rows[0].n;
const revision = async (): Promise<number> =>
  (await pool.query('select revision from travel_revision')).rows[0].revision;
const startJob = async () => {
  const job = newJob();
  await insertJob(db, job);
  return job.jobId;
};
const endJob = (jobId: string) =>
  pool.query(
    `update jobs set status = 'completed', result = '{}', http_status = 200, finished_at = now() where job_id = $1`,
    [jobId],
  );
const take = async (jobId: string, ids: readonly number[] = IDS) => (await takeTravel(db, jobId, ids))!;
const read = async (keys: PackKey[]) => {
  const packs = (await readPacks(db, keys)).map(sharePack);
  return openTravel({ sources: Int32Array.from(keys, ({ source }) => source), packs });
};
/** Kilometres by pair. */
const kmOf = async (jobId: string) =>
  Object.fromEntries(
    [...(await read(await take(jobId)))].flatMap(([from, { to, km }]) =>
      [...to].map((id, at) => [`${from}-${id}`, km[at]]),
    ),
  );

beforeEach(async () => {
  await pool.query('truncate travel, travel_packs, travel_sources, jobs cascade');
  await pool.query(
    `insert into travel select f, t, f + t / 10.0, 60 + f * t
    from unnest($1::int[]) f, unnest($1::int[]) t where f <> t`,
    [IDS],
  );
});

test('a pack holds exactly the travel that begins at its source, by ascending target', async () => {
  await pool.query('insert into travel values (2, -7, 1e-9, 1e6), (9, 1, 5, 5)');
  const jobId = await startJob();
  const table = await read(await take(jobId, [2, 3, 77]));
  expect([...table.keys()]).toEqual([2, 3]);
  expect(table.get(2)).toEqual({
    to: Int32Array.of(-7, 1, 3, 4),
    km: Float64Array.of(1e-9, 2.1, 2.3, 2.4),
    minutes: Float64Array.of(1e6, 62, 66, 68),
  });
});

describe('the revision of travel', () => {
  test.each<[string, string, number[]]>([
    ['an insert', 'insert into travel values (1, 1, 0, 0), (9, 2, 1, 1)', [1, 9]],
    ['an update', 'update travel set distance_km = 7 where from_location_id = 2', [2]],
    [
      'pairs that get another source',
      'update travel set from_location_id = 8 where from_location_id = 1',
      [1, 8],
    ],
    ['a delete', 'delete from travel where to_location_id = 1', [2, 3, 4]],
    ['a truncate', 'truncate travel', IDS],
    [
      'an upsert',
      'insert into travel values (1, 2, 1, 1), (3, 3, 0, 0) on conflict (from_location_id, to_location_id) do update set distance_km = 1',
      [1, 3],
    ],
  ])('rises with %s, for the sources that it touches', async (_name, statement, sources) => {
    const before = await revision();
    await pool.query(statement);
    expect(await revision()).toBeGreaterThan(before);
    const { rows } = await pool.query(
      'select from_location_id as id from travel_sources where revision > $1 order by 1',
      [before],
    );
    expect(rows.map(({ id }) => id)).toEqual(sources);
  });

  test('does not rise with a statement that changes nothing', async () => {
    const before = await revision();
    await pool.query('delete from travel where from_location_id = 99');
    await pool.query('insert into travel values (1, 2, 1, 1) on conflict do nothing');
    expect(await revision()).toBe(before);
  });
});

test('every attempt of a job plans with the version that the first one took, and a new job with the new one', async () => {
  const job = await startJob();
  const first = await kmOf(job);
  expect(first['1-2']).toBe(1.2);
  await pool.query('update travel set distance_km = 50 where from_location_id = 1');
  await pool.query('delete from travel where from_location_id = 2');
  expect(await kmOf(job)).toEqual(first);
  const later = await startJob();
  expect(await kmOf(later)).toMatchObject({ '1-2': 50, '3-1': 3.1 });
  expect(await kmOf(later)).not.toHaveProperty('2-1');
  expect(await kmOf(job)).toEqual(first);
});

test('only sources that have changed since are packed again', async () => {
  await take(await startJob());
  expect(await count('travel_packs')).toBe(4);
  await take(await startJob());
  expect(await count('travel_packs')).toBe(4);
  await pool.query('update travel set distance_km = 50 where from_location_id = 3');
  await take(await startJob());
  expect(await count('travel_packs')).toBe(5);
});

test('a job that has ended gets nothing', async () => {
  const job = await startJob();
  await endJob(job);
  expect(await takeTravel(db, job, IDS)).toBe(null);
});

test('packs are deleted when no job can need them any more, and never before', async () => {
  const [old, young] = [await startJob(), await startJob()];
  const first = await kmOf(old);
  for (const km of [10, 20, 30]) {
    await pool.query('update travel set distance_km = $1 where from_location_id <= 2', [km]);
    if (km === 20) await take(young);
  }
  await take(await startJob());
  // 4 of the first version, and 2 each of the third and the last.
  expect(await count('travel_packs')).toBe(8);
  expect(await deleteTravelPacks(db, 100)).toBe(0);
  expect(await kmOf(old)).toEqual(first);
  await endJob(old);
  expect(await deleteTravelPacks(db, 1)).toBe(1);
  expect(await deleteTravelPacks(db, 100)).toBe(1);
  expect((await kmOf(young))['1-2']).toBe(20);
  await pool.query('update jobs set travel_revision = null');
  await pool.query('update travel set distance_km = 40 where from_location_id = 4');
  expect(await deleteTravelPacks(db, 100)).toBe(3);
  expect(await count('travel_packs')).toBe(3);
});

test('while the table changes and packs are deleted, each job has one version, which never changes', async () => {
  // Each transaction sets all kilometres to its number, in two statements: any mixture shows.
  let isOver = false;
  const write = async () => {
    for (let km = 1; !isOver; km++) {
      const client = await pool.connect();
      await client.query('begin');
      await client.query('lock table travel in share row exclusive mode');
      await client.query('update travel set distance_km = $1 where from_location_id > 2', [km]);
      await client.query('update travel set distance_km = $1 where from_location_id <= 2', [km]);
      await client.query('commit');
      client.release();
    }
  };
  const clean = async () => {
    while (!isOver) await db.transaction((tx) => deleteTravelPacks(tx, 3));
  };
  await pool.query('update travel set distance_km = 0');
  const wrong: unknown[] = [];
  const seen = new Set<number>();
  const plan = async () => {
    for (let i = 0; i < 40; i++) {
      const job = await startJob();
      const first = await kmOf(job);
      const kinds = new Set(Object.values(first));
      seen.add([...kinds][0]);
      if (kinds.size !== 1 || Object.keys(first).length !== 12) wrong.push(first);
      const again = await kmOf(job);
      if (JSON.stringify(again) !== JSON.stringify(first)) wrong.push({ first, again });
      if (i % 4 !== 0) await endJob(job);
    }
  };
  const others = [write(), clean()];
  await Promise.all([plan(), plan(), plan()]);
  isOver = true;
  await Promise.all(others);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(seen.size).toBeGreaterThan(20);
});

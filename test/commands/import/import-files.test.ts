import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ImportError } from '../../../src/commands/import/faults.ts';
import {
  type ImportFiles,
  type ImportProgress,
  importFiles,
} from '../../../src/commands/import/import-files.ts';
import { isDatabaseUnavailable } from '../../../src/db/client.ts';
import { bumpDemandRevision } from '../../../src/db/data/demand.ts';
import { upsertVehicles } from '../../../src/db/data/fleet.ts';
import { packVehicles } from '../../../src/db/data/packed-rows.ts';
import { atEnd } from '../../helpers/at-end.ts';
import { createTestDatabase, openTestDatabase } from '../../helpers/services.ts';

const LOCATIONS = 'id,name,latitude,longitude\n1,One,40,-74\n2,"Two, and ""more""",41,-74\n';
const FLEET = 'vehicle_id,location_id\na,1\nb,2\n';
const DEMAND = 'location_id,hour_utc_iso,pickups\n1,2026-03-01T05:00:00Z,7\n2,2026-03-01T05:00:00Z,0\n';

describe('importing files', () => {
  let database: ReturnType<typeof openTestDatabase>;
  let folder: string;
  beforeAll(async () => {
    database = openTestDatabase(await createTestDatabase());
    folder = await mkdtemp(path.join(tmpdir(), 'fleet-import-'));
    atEnd(() => rm(folder, { recursive: true }));
  });
  beforeEach(() => database.pool.query('truncate locations, vehicles, demand_observations, demand_events'));

  /** Writes the contents to files and imports them. */
  async function importText(contents: Partial<Record<keyof ImportFiles, string | Buffer>>) {
    const files: ImportFiles = {};
    for (const [stage, content] of Object.entries(contents)) {
      const file = path.join(folder, `${stage}.csv`);
      await writeFile(file, content);
      files[stage as keyof ImportFiles] = file;
    }
    return importFiles(database.pool, files);
  }
  /** The lines an import fails with. */
  async function faultsOf(contents: Parameters<typeof importText>[0]): Promise<string[]> {
    const error = await importText(contents).then(
      () => undefined,
      (e) => e,
    );
    expect(error).toBeInstanceOf(ImportError);
    expect(await rows('vehicles')).toEqual([]);
    return error.problems.map((line: string) => line.replace(`${folder}/`, ''));
  }
  const rows = async (table: string) =>
    (await database.pool.query(`select * from ${table} order by 1, 2`)).rows;
  const revision = async () => (await rows('demand_revision'))[0].revision;

  test('stores all of them, counts what was created and updated, and announces new demand', async () => {
    const before = await revision();
    expect(await importText({ locations: LOCATIONS, fleet: FLEET, demand: DEMAND })).toEqual({
      locations: { created: 2, updated: 0 },
      fleet: { created: 2, updated: 0 },
      demand: { created: 2, updated: 0 },
    });
    expect(await rows('locations')).toMatchObject([
      { id: 1 },
      { id: 2, name: 'Two, and "more"', time_zone: null },
    ]);
    expect(await rows('vehicles')).toMatchObject([
      { vehicle_id: 'a', location_id: 1, status: 'operational', capacity: 1 },
      { vehicle_id: 'b', location_id: 2, status: 'operational', capacity: 1 },
    ]);
    expect(await rows('demand_observations')).toEqual([
      { location_id: 1, hour: new Date('2026-03-01T05:00:00Z'), demand: 7 },
      { location_id: 2, hour: new Date('2026-03-01T05:00:00Z'), demand: 0 },
    ]);
    expect(await revision()).toBe(before + 1);
    expect(
      await importText({ fleet: 'vehicle_id,location_id,status,capacity\nb,1,downtime,2.5\nc,1,,\n' }),
    ).toEqual({
      fleet: { created: 1, updated: 1 },
    });
    expect((await rows('vehicles'))[1]).toMatchObject({
      vehicle_id: 'b',
      location_id: 1,
      status: 'downtime',
      capacity: 2.5,
    });
    expect(await revision()).toBe(before + 1);
  });

  test('takes gzip whatever the name, byte order marks, line ends of every system and columns in any order', async () => {
    const result = await importText({
      locations: `\uFEFF${'time_zone,latitude,name,longitude,id\nEurope/Berlin,52,Mitte,13,1\n,53,Nord,13,2\n'.replaceAll('\n', '\r\n')}`,
      fleet: gzipSync(FLEET),
      demand: 'hour,demand,location_id\n2026-03-01 00:00-05:00,1.5e1,1\n\n\n2026-03-01T06:00Z,.5,1',
    });
    expect(result).toMatchObject({
      locations: { created: 2 },
      fleet: { created: 2 },
      demand: { created: 2 },
    });
    expect(await rows('locations')).toMatchObject([
      { time_zone: 'Europe/Berlin', name: 'Mitte' },
      { time_zone: null },
    ]);
    expect(await rows('demand_observations')).toMatchObject([
      { hour: new Date('2026-03-01T05:00:00Z'), demand: 15 },
      { hour: new Date('2026-03-01T06:00:00Z'), demand: 0.5 },
    ]);
  });

  test('keeps backslashes of a name', async () => {
    const name = 'a\\c\\N';
    await importText({ locations: `id,name,latitude,longitude\n1,"${name}",40,-74\n` });
    expect((await rows('locations'))[0].name).toBe(name);
  });

  test('a fault in the last line of the last file leaves nothing of any file', async () => {
    const before = await revision();
    const problems = await faultsOf({
      locations: LOCATIONS,
      fleet: FLEET,
      demand: `${DEMAND}2,2026-03-01T06:00:00Z,many\n`,
    });
    expect(problems).toEqual([
      'demand.csv:4: pickups "many" is not a number, for example 12.5',
      'nothing was stored',
    ]);
    expect([await rows('locations'), await rows('demand_observations')]).toEqual([[], []]);
    expect(await revision()).toBe(before);
  });

  const fleet = (line: string) => ({
    locations: LOCATIONS,
    fleet: `vehicle_id,location_id,status,capacity\n${line}\n`,
  });
  const demand = (line: string) => ({ locations: LOCATIONS, demand: `location_id,hour,demand\n${line}\n` });
  const location = (line: string) => ({ locations: `id,name,latitude,longitude,time_zone\n${line}\n` });
  // Faults of every kind are those of HTTP (`same-faults.test.ts`).
  test.each<[string, Parameters<typeof importText>[0], RegExp]>([
    ['an empty name', location('1,,1,1,'), /^locations\.csv:2: name is empty/],
    ['a decimal comma', location('1,One,"1,5",1,'), /:2: latitude "1,5" is not a number/],
    ['a number beyond all numbers', fleet('a,1,,1e999'), /:2: capacity "1e999" is not a number/],
    [
      'an id that is too long',
      fleet(`${'x'.repeat(129)},1,,`),
      /:2: vehicle_id .* has 129 characters; at most 128/,
    ],
    [
      'an unknown location',
      fleet('a,1,,\nb,99,,\nc,99,,'),
      /^fleet\.csv:3: .* stored location \(2 rows name it\)/,
    ],
    ['no time at all', demand('1,yesterday,3'), /:2: hour "yesterday" is not a time with its offset/],
    ['a time without offset', demand('1,2026-03-01T05:00:00,3'), /:2: .* offset/],
    ['an empty file', { fleet: '' }, /fleet\.csv: is empty; the columns are/],
    [
      'a damaged gzip file',
      { fleet: gzipSync(FLEET.repeat(50)).subarray(0, 40) },
      /fleet\.csv: the gzip data is damaged/,
    ],
  ])('%s is named with file, line and value', async (_what, contents, message) => {
    const problems = await faultsOf(contents);
    expect(problems).toEqual([expect.stringMatching(message), 'nothing was stored']);
  });

  test('a missing file or a folder is named, and so are the faults of the other files', async () => {
    const missing = path.join(folder, 'missing.csv');
    const file = path.join(folder, 'demand.csv');
    await writeFile(file, 'location_id,hour,demand\n1,later,2\n');
    const error = await importFiles(database.pool, { locations: missing, fleet: folder, demand: file }).catch(
      (e) => e,
    );
    expect(error.problems).toEqual([
      `${missing}: no such file`,
      `${folder}: this is a folder; give a file`,
      expect.stringMatching(/demand\.csv:2: hour "later" is not a time/),
      'nothing was stored',
    ]);
  });

  test('faults of all files are named together, by file and line', async () => {
    const problems = await faultsOf({
      locations: LOCATIONS,
      fleet: 'vehicle_id,location_id\na,1\nb,nowhere\na,2\n',
      demand: `${DEMAND}1,later,-1\n`,
    });
    expect(problems.map((line) => line.split(' ')[0])).toEqual([
      'fleet.csv:3:',
      'fleet.csv:4:',
      'demand.csv:4:',
      'demand.csv:4:',
      'nothing',
    ]);
  });

  test('names 100 faults of a file, as HTTP does, and the connection serves the next import', async () => {
    const bad = `vehicle_id,location_id\n${'a,nowhere\n'.repeat(200_000)}`;
    const problems = await faultsOf({ locations: LOCATIONS, fleet: bad });
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe('at most 100 faults of a file are listed; nothing was stored');
    for (let i = 0; i < 6; i++) await importText({ locations: LOCATIONS });
  });

  test('lines are counted in the file: empty ones, and those within quotes', async () => {
    const problems = await faultsOf({
      locations: 'id,name,latitude,longitude\n\n1,"One\nTwo",40,-74\n\n2,Two,far,-74\n',
    });
    expect(problems[0]).toMatch(/^locations\.csv:4: name "One\\nTwo" contains the control character/);
    expect(problems[1]).toMatch(/^locations\.csv:6: latitude "far"/);
  });

  test('progress never falls, and ends with all bytes read and every file stored', async () => {
    const file = path.join(folder, 'progress.csv');
    const lines = Array.from({ length: 30_000 }, (_, i) => `${i},Place ${i},1,1\n`);
    await writeFile(file, `id,name,latitude,longitude\n${lines.join('')}`);
    const seen: ImportProgress[] = [];
    await importFiles(
      database.pool,
      { locations: file },
      { onProgress: (progress) => seen.push({ ...progress }) },
    );
    const reading = seen.filter((progress) => progress.phase === 'reading');
    expect(reading.length).toBeGreaterThan(3);
    expect(reading.map((p) => p.bytes)).toEqual(reading.map((p) => p.bytes).toSorted((a, b) => a - b));
    expect(reading.at(-1)).toMatchObject({ rows: 30_000, bytes: reading[0].totalBytes });
    expect(seen.at(-1)).toEqual({ phase: 'storing', stage: 'locations' });
  });

  test.each(['reading', 'storing'] as const)(
    'a connection that is lost while %s ends the import and stores nothing',
    async (phase) => {
      const file = path.join(folder, 'lost.csv');
      const lines = Array.from({ length: 30_000 }, (_, i) => `${i},Place ${i},1,1\n`);
      await writeFile(file, `id,name,latitude,longitude\n${lines.join('')}`);
      const ends: Promise<unknown>[] = [];
      const endConnections = () =>
        database.pool.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
      const lost = importFiles(
        database.pool,
        { locations: file },
        {
          onProgress: (progress) =>
            progress.phase === phase && ends.length === 0 && ends.push(endConnections()),
        },
      );
      await expect(lost).rejects.toSatisfy(isDatabaseUnavailable);
      await Promise.all(ends);
      expect(await rows('locations')).toEqual([]);
    },
  );

  test('imports and bulk requests that write the same rows at the same time wait for each other', async () => {
    await importText({ locations: LOCATIONS });
    const ids = Array.from({ length: 5000 }, (_, i) => `v${i}`);
    const file = path.join(folder, 'many.csv');
    await writeFile(
      file,
      `vehicle_id,location_id\n${ids
        .toReversed()
        .map((id) => `${id},1\n`)
        .join('')}`,
    );
    const bulk = () =>
      database.db.transaction((tx) =>
        upsertVehicles(
          tx,
          packVehicles(ids.map((id) => ({ vehicle_id: id, location_id: 2, status: 'downtime' as const }))),
        ),
      );
    const done = await Promise.all([
      importFiles(database.pool, { fleet: file }),
      bulk(),
      importFiles(database.pool, { fleet: file }),
      bulk(),
    ]);
    expect(done).toHaveLength(4);
    expect(await rows('vehicles')).toHaveLength(5000);
  });

  test('an import of locations and demand waits for a request that writes demand, which ends first', async () => {
    await importText({ locations: LOCATIONS });
    const done = database.db.transaction(async (tx) => {
      const { rows: own } = await tx.execute<{ pid: number }>('select pg_backend_pid() as pid');
      await tx.execute(`insert into demand_observations values (1, '2026-03-01T05:00Z', 1)`);
      const imported = importText({ locations: LOCATIONS, demand: DEMAND });
      const isBlocked = `select from pg_stat_activity where ${own[0].pid} = any(pg_blocking_pids(pid))`;
      while ((await database.pool.query(isBlocked)).rowCount === 0);
      await bumpDemandRevision(tx);
      return { imported };
    });
    expect(await (await done).imported).toMatchObject({ demand: { created: 1, updated: 1 } });
  });
});

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/contracts/time.ts';
import { openDatabase } from '../../src/db/client.ts';
import {
  readDemandRevision,
  readDemandSeries,
  readNewestHours,
  upsertDemand,
} from '../../src/db/data/demand.ts';
import { packDemand } from '../../src/db/data/packed-rows.ts';
import { atEnd } from '../helpers/at-end.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const START = Date.UTC(2026, 2, 1) / HOUR_MS;

describe('stored demand', () => {
  let url: string;
  let database: ReturnType<typeof openTestDatabase>;
  beforeAll(async () => {
    url = await createTestDatabase();
    database = openTestDatabase(url);
  });
  beforeEach(async () => {
    await database.pool.query(`truncate locations, vehicles, demand_observations, demand_events;
      insert into locations values (1, 'A', 0, 0, 'Europe/Berlin'), (2, 'B', 0, 0, null), (3, 'C', 0, 0, null)`);
  });
  const store = (rows: [number, number, number][]) =>
    database.db.transaction((tx) =>
      upsertDemand(
        tx,
        packDemand(rows.map(([locationId, hour, demand]) => ({ locationId, hour: START + hour, demand }))),
      ),
    );

  test('comes as consecutive hours from the first to the last observation, gaps are NaN', async () => {
    await store([
      [1, 5, 2.5],
      [1, 2, 0],
      [2, -40_000, 9],
      [2, 200_000, 1],
    ]);
    const all = await readDemandSeries(database.db, [2, 1, 3, 99], START - 300_000, START + 300_000);
    expect(all.map((series) => series.locationId)).toEqual([2, 1, 3]);
    expect(all[1]).toEqual({
      locationId: 1,
      timeZone: 'Europe/Berlin',
      startHour: START + 2,
      values: Float64Array.of(0, NaN, NaN, 2.5),
    });
    expect(all[0].startHour).toBe(START - 40_000);
    expect([all[0].values.length, all[0].values[0], all[0].values.at(-1)]).toEqual([240_001, 9, 1]);
    expect(all[2]).toMatchObject({ timeZone: null, values: new Float64Array(0) });
  });

  test('is read from the first hour on and before the last one', async () => {
    await store([
      [1, 0, 1],
      [1, 1, 2],
      [1, 2, 3],
      [1, 3, 4],
    ]);
    const [series] = await readDemandSeries(database.db, [1], START + 1, START + 3);
    expect([series.startHour, [...series.values]]).toEqual([START + 1, [2, 3]]);
  });

  test('of two thousand locations over eight weeks is read in one pass', async () => {
    await database.pool.query(
      `insert into locations select i, 'L', 0, 0, null from generate_series(1001, 3000) i`,
    );
    await database.pool.query(
      `insert into demand_observations select i, '2026-03-01T00:00Z'::timestamptz + h * interval '1 hour', i + h
       from generate_series(0, 1343) h, generate_series(1001, 1200) i`,
    );
    const ids = Array.from({ length: 2000 }, (_, i) => 3000 - i);
    // One connection, whose counts are brought up to date before they are read.
    const { db, pool, close } = openDatabase(url, { poolSize: 1, onError: () => {} });
    atEnd(close);
    const rowsRead = async (): Promise<number> => {
      await pool.query('select pg_stat_force_next_flush()');
      const { rows } = await pool.query(
        `select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes i where i.relid = t.relid) as n
         from pg_stat_user_tables t where relname = 'demand_observations'`,
      );
      return Number(rows[0].n);
    };
    const before = await rowsRead();
    const all = await readDemandSeries(db, ids, START, START + 1344);
    expect((await rowsRead()) - before).toBeLessThan(1.1 * 200 * 1344);
    const filled = all.filter((series) => series.values.length > 0);
    expect(filled.map((series) => series.locationId)).toEqual(ids.slice(1800));
    for (const { locationId, values } of filled) {
      expect(values).toHaveLength(1344);
      expect([values[0], values[1343]]).toEqual([locationId, locationId + 1343]);
    }
  });

  test('is kept so that a history is read from the index alone, and vacuumed soon after rows arrive', async () => {
    const { rows } = await database.pool.query(`
      select pg_get_constraintdef(k.oid) as key, t.reloptions as options
      from pg_constraint k join pg_class t on t.oid = k.conrelid
      where t.relname = 'demand_observations' and k.contype = 'p'`);
    expect(rows).toEqual([
      {
        key: 'PRIMARY KEY (location_id, hour) INCLUDE (demand)',
        options: ['autovacuum_vacuum_insert_scale_factor=0', 'autovacuum_vacuum_insert_threshold=120000'],
      },
    ]);
  });

  test('knows the newest hour of each of some locations, before an hour, and without locations', async () => {
    await store([
      [1, 3, 1],
      [2, 7, 1],
      [3, 5, 1],
    ]);
    const { db } = database;
    const newest = async (ids: number[], before?: number) =>
      (await readNewestHours(db, ids, before)).toSorted((a, b) => a.hour - b.hour);
    const one = { locationId: 1, timeZone: 'Europe/Berlin', hour: START + 3 };
    const two = { locationId: 2, timeZone: null, hour: START + 7 };
    const three = { locationId: 3, timeZone: null, hour: START + 5 };
    expect(await newest([1, 2, 3])).toEqual([one, three, two]);
    expect(await newest([1, 3])).toEqual([one, three]);
    expect(await newest([1, 2, 3], START + 7)).toEqual([one, three]);
    expect(await newest([1, 2], START + 3)).toEqual([]);
    expect(await newest([99])).toEqual([]);
    expect(await newest([])).toEqual([]);
  });

  test('has another revision once a change is committed, and the same one if it is rolled back', async () => {
    const before = await readDemandRevision(database.db);
    const failing = database.db.transaction(async (tx) => {
      await upsertDemand(tx, packDemand([{ locationId: 1, hour: START, demand: 1 }]));
      expect(await readDemandRevision(database.db)).toBe(before);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await readDemandRevision(database.db)).toBe(before);
    await store([[1, 0, 1]]);
    expect(await readDemandRevision(database.db)).toBe(before + 1);
  });
});

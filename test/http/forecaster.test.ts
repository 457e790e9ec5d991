import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { HOUR_MS } from '../../src/contracts/time.ts';
import type { Database } from '../../src/db/client.ts';
import { upsertDemand } from '../../src/db/data/demand.ts';
import { upsertLocations } from '../../src/db/data/locations.ts';
import { packDemand, packLocations } from '../../src/db/data/packed-rows.ts';
import { type Forecaster, type ForecastTask, openForecaster } from '../../src/http/forecasts/forecaster.ts';
import { atEnd } from '../helpers/at-end.ts';
import { createTestDatabase, openTestDatabase, testConfig } from '../helpers/services.ts';

const FIRST = Date.UTC(2026, 0, 5) / HOUR_MS;
const BEFORE = FIRST + 5 * 168;

describe('the forecaster', () => {
  let database: ReturnType<typeof openTestDatabase>;
  let config: Config;
  let cached: Forecaster;
  let uncached: Forecaster;
  beforeAll(async () => {
    const url = await createTestDatabase();
    database = openTestDatabase(url);
    config = testConfig({ DATABASE_URL: url });
    cached = openForecaster({ ...config, FEATURES_ENABLE_CACHING: true }, database.db);
    uncached = openForecaster({ ...config, FEATURES_ENABLE_CACHING: false }, database.db);
    atEnd(() => Promise.all([cached.close(), uncached.close()]));
  });
  beforeEach(async () => {
    await database.pool.query(`truncate locations, vehicles, demand_observations, demand_events;
      insert into locations select i, 'L' || i, 0, 0, null from generate_series(1, 6) i;
      insert into demand_observations
        select i, to_timestamp((${FIRST} + h) * 3600.0), (h * (i + 3)) % (20 + i) + i * (h % 24)
        from generate_series(1, 5) i, generate_series(0, 5 * 168 - 1) h;
      update demand_revision set revision = revision + 1`);
  });
  const task = (locationIds: number[], options: Partial<ForecastTask['options']> = {}): ForecastTask => ({
    locationIds,
    fromHour: FIRST,
    beforeHour: BEFORE,
    options: { startDate: '2026-02-09', horizonHours: 48, stepHours: 6, confidenceLevel: null, ...options },
  });
  /** Changes what is stored without telling caches. */
  const changeSecretly = () => database.pool.query('update demand_observations set demand = demand + 500');
  const announce = () => database.pool.query('update demand_revision set revision = revision + 1');

  test('gives the same answers with and without its cache: for any mix of locations, with and without intervals', async () => {
    const mixes = [[1], [1, 2], [2, 1], [3, 1, 6, 2], [1, 2, 3, 4, 5, 6], [5, 4], [6]];
    for (const confidenceLevel of [null, 0.8, null, 0.95, 0.8]) {
      for (const ids of mixes) {
        const asked = task(ids, { confidenceLevel });
        expect(await cached.forecast(asked, 'a')).toEqual(await uncached.forecast(asked, 'a'));
      }
    }
  });

  test('gives the same answers if effects of holidays and events are learned from the other locations', async () => {
    const mixes = [[1], [1, 2], [2, 1], [3, 1, 2], [5, 4]];
    const same = async (own: Forecaster, other: Forecaster) => {
      for (const ids of mixes)
        expect(await own.forecast(task(ids), 'a')).toEqual(await other.forecast(task(ids), 'a'));
    };
    await database.pool.query(`insert into demand_events (event_id, location_id, starts_at, ends_at, kind)
      select 'e' || i, null, to_timestamp((${FIRST} + i * 240) * 3600.0), to_timestamp((${FIRST} + i * 240 + 9) * 3600.0), 'run'
      from generate_series(1, 4) i`);
    await announce();
    await same(cached, uncached);
    await database.pool.query('truncate demand_events');
    await announce();
    const calendar = { between: () => ['2026-01-19', '2026-02-09'].map((date) => ({ date, name: date })) };
    const [withCache, without] = [true, false].map((FEATURES_ENABLE_CACHING) =>
      openForecaster({ ...config, FEATURES_ENABLE_CACHING }, database.db, calendar),
    );
    await same(withCache, without);
    await Promise.all([withCache.close(), without.close()]);
  });

  test('keeps the forecasts of a set of locations, until observations arrive', async () => {
    const before = await cached.forecast(task([1, 2, 3]), 'a');
    await changeSecretly();
    expect(await cached.forecast(task([1, 2, 3]), 'a')).toEqual(before);
    const fresh = await uncached.forecast(task([1, 2]), 'a');
    expect(await cached.forecast(task([1, 2]), 'a')).toEqual(fresh);
    expect(before[0]).not.toEqual(fresh[0]);
    await database.db.transaction((tx) =>
      upsertDemand(tx, packDemand([{ locationId: 5, hour: BEFORE - 1, demand: 1 }])),
    );
    expect(await cached.forecast(task([1, 2, 3]), 'a')).toEqual(
      await uncached.forecast(task([1, 2, 3]), 'a'),
    );
  });

  test.each<[string, Partial<ForecastTask>]>([
    ['start', { options: { ...task([]).options, startDate: '2026-02-10' } }],
    ['horizon', { options: { ...task([]).options, horizonHours: 24 } }],
    ['step', { options: { ...task([]).options, stepHours: 24 } }],
    ['confidence', { options: { ...task([]).options, confidenceLevel: 0.5 } }],
    ['history', { fromHour: FIRST + 168 }],
    ['end of the history', { beforeHour: BEFORE - 24 }],
  ])('another %s is another forecast', async (_what, change) => {
    await cached.forecast(task([1, 2]), 'a');
    const other = { ...task([1, 2]), ...change };
    expect(await cached.forecast(other, 'a')).toEqual(await uncached.forecast(other, 'a'));
  });

  test('a location that moves to another time zone is forecast anew', async () => {
    const before = await cached.forecast(task([1]), 'a');
    await database.db.transaction((tx) =>
      upsertLocations(
        tx,
        packLocations([{ id: 1, name: 'L1', latitude: 0, longitude: 0, time_zone: 'Asia/Tokyo' }]),
      ),
    );
    const after = await cached.forecast(task([1]), 'a');
    expect(after).not.toEqual(before);
    expect(after).toEqual(await uncached.forecast(task([1]), 'a'));
  });

  test('requests at the same time share their work and get the same', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => cached.forecast(task([1 + (i % 5), 6]), 'a')),
    );
    for (const [i, set] of all.entries()) {
      expect(set).toEqual(await uncached.forecast(task([1 + (i % 5), 6]), 'a'));
    }
  });

  /** A forecaster with one thread. A forecast that has started waits until the test opens the gate of its location. */
  function openGated(isCached: boolean) {
    const started: number[] = [];
    const gates = new Map([1, 2, 3, 4, 5].map((id) => [id, Promise.withResolvers<void>()]));
    const gated: Database = Object.create(database.db, {
      execute: {
        // The history of the location is read first.
        async value(statement: SQL) {
          const [id] = (new PgDialect().sqlToQuery(statement).params.find(Array.isArray) ?? []) as number[];
          const gate = gates.get(id);
          if (gate && !started.includes(id)) {
            started.push(id);
            await gate.promise;
          }
          return database.db.execute(statement);
        },
      },
    });
    const settings = { ...config, FEATURES_ENABLE_CACHING: isCached };
    const forecaster = openForecaster(settings, gated);
    atEnd(() => forecaster.close());
    return { forecaster, started, open: (id: number) => gates.get(id)?.resolve() };
  }

  test('while the line of one caller holds all places, the forecast of another caller is the next that starts', async () => {
    const { forecaster, started, open } = openGated(false);
    const ofOne = [1, 2, 3, 4].map((id) => forecaster.forecast(task([id]), 'a'));
    const ofOther = forecaster.forecast(task([5]), 'b');
    expect(started).toEqual([1, 2]);
    open(1);
    await expect.poll(() => started).toEqual([1, 2, 5]);
    for (const id of [2, 3, 4, 5]) open(id);
    expect(await Promise.all([...ofOne, ofOther])).toEqual(
      await Promise.all([1, 2, 3, 4, 5].map((id) => uncached.forecast(task([id]), 'a'))),
    );
  });

  test('what is known needs no turn: it comes while all places are taken', async () => {
    const { forecaster, started, open } = openGated(true);
    open(1);
    const known = await forecaster.forecast(task([1]), 'a');
    const waiting = [2, 3, 4].map((id) => forecaster.forecast(task([id]), 'a'));
    await expect.poll(() => started).toHaveLength(3);
    expect(await forecaster.forecast(task([1]), 'a')).toEqual(known);
    for (const id of [2, 3, 4]) open(id);
    await Promise.all(waiting);
  });

  test('a failure is not kept', async () => {
    await announce();
    await database.pool.query('alter table demand_observations rename to away');
    await expect(cached.forecast(task([1, 2]), 'a')).rejects.toThrow(/demand_observations/);
    await database.pool.query('alter table away rename to demand_observations');
    expect(await cached.forecast(task([1, 2]), 'a')).toEqual(await uncached.forecast(task([1, 2]), 'a'));
  });
});

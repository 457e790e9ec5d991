import { beforeAll, describe, expect, test } from 'vitest';
import { readFleetSummary, readVehiclePage, upsertVehicles } from '../../src/db/data/fleet.ts';
import {
  findKnownLocationIds,
  hadLocations,
  readLocationPage,
  readLocations,
  upsertLocations,
} from '../../src/db/data/locations.ts';
import { packLocations, packVehicles } from '../../src/db/data/packed-rows.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

describe('locations and fleet', () => {
  let database: ReturnType<typeof openTestDatabase>;
  beforeAll(async () => {
    database = openTestDatabase(await createTestDatabase());
  });
  const place = (id: number) => ({ id, name: `Place ${id}`, latitude: id, longitude: -id });

  test('stored locations are known, read by id and paged', async () => {
    const { db, pool } = database;
    expect(await hadLocations(pool)).toBe(false);
    const ids = [7, -2147483648, 3, 2147483647];
    const counts = await db.transaction((tx) =>
      upsertLocations(tx, packLocations(ids.map(place).filter((p) => Math.abs(p.id) < 90))),
    );
    expect(counts).toEqual({ created: 2, updated: 0 });
    expect(await hadLocations(pool)).toBe(true);
    expect(await findKnownLocationIds(db, ids)).toEqual(new Set([3, 7]));
    expect(await findKnownLocationIds(db, [])).toEqual(new Set());
    expect(await readLocations(db, [7, 8, 3])).toEqual([place(3), place(7)]);
    expect(await readLocations(db, [])).toEqual([]);
    expect(await readLocationPage(db, null, 1)).toEqual([place(3)]);
    expect(await readLocationPage(db, 3, 5)).toEqual([place(7)]);
  });

  test('an upsert of more rows than one statement takes counts them all, and rewrites only what changes', async () => {
    const { db, pool } = database;
    const rows = Array.from({ length: 45_000 }, (_, i) => ({ vehicle_id: `v${i}`, location_id: 3 }));
    const write = () => db.transaction((tx) => upsertVehicles(tx, packVehicles(rows)));
    expect(await write()).toEqual({ created: 45_000, updated: 0 });
    const versions = async () =>
      (await pool.query('select count(distinct xmin::text)::int as n from vehicles')).rows[0].n;
    const before = await versions();
    expect(await write()).toEqual({ created: 0, updated: 45_000 });
    expect(await versions()).toBe(before);
    expect(await readFleetSummary(db)).toEqual({
      total_vehicles: 45_000,
      operational: 45_000,
      maintenance: 0,
      downtime: 0,
    });
    expect(await readVehiclePage(db, null, 2, { locationId: 7 })).toEqual([]);
    expect(await readVehiclePage(db, 'v0', 1)).toEqual([
      { vehicle_id: 'v1', location_id: 3, status: 'operational', capacity: 1 },
    ]);
  });
});

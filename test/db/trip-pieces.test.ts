import { beforeAll, expect, test } from 'vitest';
import { openTrips } from '../../src/db/travel/packed-trips.ts';
import { type AskedHours, readTripPieces } from '../../src/db/travel/trip-pieces.ts';
import { readTrips } from '../../src/inputs/trip-input.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const { db, pool } = openTestDatabase(await createTestDatabase());

beforeAll(async () => {
  await pool.query(`insert into trip_flows (from_location_id, to_location_id, hour_of_week, trips) values
    (1, 2, 8, 5), (1, 2, 167, 2.5), (1, 1, null, 3), (2, 1, 0, 1), (2, 1, 9, 0), (2, 70000, 8, 4)`);
});

const read = async (ids: number[], hours: AskedHours) => {
  const { from, to, hour, trips } = openTrips((await readTripPieces(db, ids, hours, 100))!);
  return Array.from(from, (id, row) => [id, to[row], hour[row], trips[row]]);
};

test('a plan reads the counts of its hours and those of all hours, between its locations, above 0', async () => {
  expect(await read([1, 2], { first: 8, count: 2 })).toEqual([
    [1, 1, -1, 3],
    [1, 2, 8, 5],
  ]);
  expect(await read([2, 1], { first: 166, count: 3 })).toEqual([
    [1, 1, -1, 3],
    [1, 2, 167, 2.5],
    [2, 1, 0, 1],
  ]);
  expect(await read([1, 2, 70_000], { first: 8, count: 1 })).toContainEqual([2, 70_000, 8, 4]);
});

test('a look of a week or more reads each hour once, as a replay does', async () => {
  const each = await read([1, 2], 'each');
  expect(each).toHaveLength(4);
  expect(await read([1, 2], { first: 100, count: 500 })).toEqual(each);
});

test('a plan without a known start reads the sum of all hours', async () => {
  expect(await read([1, 2], 'together')).toEqual([
    [1, 1, -1, 3],
    [1, 2, -1, 7.5],
    [2, 1, -1, 1],
  ]);
});

test('more counts than may be read are refused with field, limit and remedy; as many are read', async () => {
  expect(openTrips(await readTrips(db, [1, 2], 'each', 'location_ids', 4)).trips).toHaveLength(4);
  await expect(readTrips(db, [1, 2], 'each', 'location_ids', 3)).rejects.toMatchObject({
    faults: [
      {
        field: 'location_ids',
        message: expect.stringMatching(/more than 3 counts .* 2 locations .*fewer .*trip_flows to "none"/),
      },
    ],
  });
});

test('counts of several pieces are read in the order of ids', async () => {
  await pool.query(`insert into trip_flows
    select from_id, to_id, null, from_id * 1000 + to_id
    from generate_series(100, 499) from_id, generate_series(100, 399) to_id`);
  const ids = Array.from({ length: 400 }, (_, i) => 499 - i);
  const pieces = (await readTripPieces(db, ids, 'each', 200_000))!;
  const { from, to, trips } = openTrips(pieces);
  expect([pieces.length, trips.length]).toEqual([2, 120_000]);
  expect(trips.every((count, row) => count === from[row] * 1000 + to[row])).toBe(true);
  expect(trips.every((count, row) => row === 0 || count > trips[row - 1])).toBe(true);
});

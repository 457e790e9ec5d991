import { type SQL, sql } from 'drizzle-orm';
import type { RemovedCounts, TravelPair } from '../../contracts/data.ts';
import type { Queryable } from '../client.ts';
import type { PackedRows } from '../data/packed-rows.ts';
import { NOTHING_REMOVED } from '../data/removal.ts';
import { type Counts, type UpsertTarget, upsertInOrder, upsertText } from '../data/upsert.ts';
import { travel } from '../schema.ts';

/** Ids of both locations. */
export type TravelKey = [from: number, to: number];

/**
 * A page of pairs by ascending ids, after `after` (null: from the first one).
 * @param fromLocationId only pairs that begin there
 */
export async function readTravelPage(
  db: Queryable,
  after: TravelKey | null,
  limit: number,
  fromLocationId?: number,
): Promise<TravelPair[]> {
  const start = after && sql`(from_location_id, to_location_id) > (${after[0]}, ${after[1]})`;
  const from = fromLocationId === undefined ? undefined : sql`from_location_id = ${fromLocationId}`;
  const { rows } = await db.execute<TravelPair>(sql`
    select from_location_id, to_location_id, distance_km, duration_minutes from ${travel}
    where ${start ?? sql`true`} and ${from ?? sql`true`}
    order by from_location_id, to_location_id limit ${limit}`);
  return rows;
}

/** Travel that is stored between these locations, by the location where it begins and ascending target. */
export async function readTravelBetween(
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, { to: Int32Array; km: Float64Array; minutes: Float64Array }>> {
  const { rows } = await db.execute<TravelPair>(sql`
    select from_location_id, to_location_id, distance_km, duration_minutes from ${travel}
    where from_location_id = any(${sql.param(ids)}::int[]) and to_location_id = any(${sql.param(ids)}::int[])
    order by from_location_id, to_location_id`);
  const bySource = Map.groupBy(rows, (row) => row.from_location_id);
  return new Map(
    Array.from(bySource, ([from, pairs]) => [
      from,
      {
        to: Int32Array.from(pairs, (row) => row.to_location_id),
        km: Float64Array.from(pairs, (row) => row.distance_km),
        minutes: Float64Array.from(pairs, (row) => row.duration_minutes),
      },
    ]),
  );
}

export const TRAVEL_UPSERT: UpsertTarget = {
  table: 'travel',
  key: ['from_location_id', 'to_location_id'],
  values: ['distance_km', 'duration_minutes'],
};
/**
 * Stores the staged pairs, and returns the number `created`. The table must be locked against other writers. Not an
 * upsert, which locks and logs each pair that is stored already, even an unchanged one, and keeps 24 bytes of it until
 * its end: 600 MB for 25 million.
 */
export const STORE_STAGED_TRAVEL = `
  with changed as (
    update travel t set distance_km = i.distance_km, duration_minutes = i.duration_minutes from import_travel i
    where t.from_location_id = i.from_location_id and t.to_location_id = i.to_location_id
      and (t.distance_km, t.duration_minutes) is distinct from (i.distance_km, i.duration_minutes)),
  fresh as (
    insert into travel (from_location_id, to_location_id, distance_km, duration_minutes)
    select from_location_id, to_location_id, distance_km, duration_minutes from import_travel i
    where not exists (select from travel t
      where t.from_location_id = i.from_location_id and t.to_location_id = i.to_location_id)
    returning 1)
  select count(*)::int as created from fresh`;

const [BEFORE, AFTER] = upsertText(TRAVEL_UPSERT).map((text) => sql.raw(text));

/**
 * Blocks other writers of travel until the transaction ends; readers continue. Each statement that changes travel takes
 * the row of the revision at its end: writers of several statements would deadlock.
 */
async function lockTravel(tx: Queryable): Promise<void> {
  await tx.execute(sql`lock table ${travel} in share row exclusive mode`);
}

/**
 * Creates or replaces pairs (`packTravel`). Call it in a transaction. Each pair may occur once; all locations must be
 * stored, and held by the transaction.
 */
export async function upsertTravel(tx: Queryable, rows: PackedRows): Promise<Counts> {
  await lockTravel(tx);
  return upsertInOrder(rows, async ([from, to, km, minutes]) => {
    const result = await tx.execute<{ created: number }>(
      sql`${BEFORE} unnest(${from}::int[], ${to}::int[], ${km}::float8[], ${minutes}::float8[])
        as row (from_location_id, to_location_id, distance_km, duration_minutes) ${AFTER}`,
    );
    return result.rows[0].created;
  });
}

/**
 * Deletes all pairs except the named ones, and blocks other writers of travel until the transaction ends.
 * @param named a query of their two ids
 */
export async function deleteOtherTravel(tx: Queryable, named: SQL): Promise<RemovedCounts> {
  await lockTravel(tx);
  const { rowCount } = await tx.execute(
    sql`delete from ${travel} t where not exists (select from (${named}) named (a, b)
      where named.a = t.from_location_id and named.b = t.to_location_id)`,
  );
  return { ...NOTHING_REMOVED, travel: rowCount ?? 0 };
}

/** Whether travel between any two of these locations is stored. */
export async function hasTravel(db: Queryable, locationIds: readonly number[]): Promise<boolean> {
  const ids = sql`${sql.param(locationIds)}::int[]`;
  const { rows } = await db.execute<{ found: boolean }>(sql`
    select exists (select from ${travel} where from_location_id = any(${ids}) and to_location_id = any(${ids})
      and from_location_id <> to_location_id) as found`);
  return rows[0].found;
}

import { asc, gt, sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Location, LocationInput } from '../contracts/data.ts';
import { type Database, executePrepared, type Queryable } from './client.ts';
import { bumpDemandRevision } from './demand.ts';
import { locations } from './schema.ts';
import { type Counts, type UpsertTarget, upsertInOrder, upsertText } from './upsert.ts';

const columns = {
  id: locations.id,
  name: locations.name,
  latitude: locations.latitude,
  longitude: locations.longitude,
};

const isOneOf = (ids: readonly number[]) => sql`${locations.id} = any(${sql.param(ids)}::int[])`;

/** Whether any location is stored. */
export async function hasLocations(pool: Pick<pg.Pool, 'query'>): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>('select exists (select from locations) as found');
  return rows[0].found;
}

/** Stored ids, ascending, at most `limit`. */
export async function readLocationIds(db: Queryable, limit: number): Promise<number[]> {
  const rows = await db.select({ id: locations.id }).from(locations).orderBy(asc(locations.id)).limit(limit);
  return rows.map((row) => row.id);
}

/** Which of these ids are stored. */
export async function findKnownLocationIds(db: Queryable, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db.select({ id: locations.id }).from(locations).where(isOneOf(ids));
  return new Set(rows.map((row) => row.id));
}

/** The stored ones among these locations, by ascending id. */
export async function readLocations(db: Database, ids: readonly number[]): Promise<Location[]> {
  const statement = sql`select id, name, latitude, longitude from ${locations} where ${isOneOf(ids)} order by id`;
  return executePrepared<Location>(db, 'read_locations', statement);
}

/** A page of locations by ascending id, after `after` (null: from the first one). */
export async function readLocationPage(
  db: Queryable,
  after: number | null,
  limit: number,
): Promise<Location[]> {
  return db
    .select(columns)
    .from(locations)
    .where(after === null ? undefined : gt(locations.id, after))
    .orderBy(asc(locations.id))
    .limit(limit);
}

export const LOCATION_UPSERT: UpsertTarget = {
  table: 'locations',
  key: ['id'],
  values: ['name', 'latitude', 'longitude', 'time_zone'],
  // GET does not return the time zone: what was read may be written back without losing it.
  keepWhereNull: ['time_zone'],
};
const [BEFORE, AFTER] = upsertText(LOCATION_UPSERT).map((text) => sql.raw(text));

/**
 * Creates or replaces locations and bumps the revision; to be called in a transaction. Ids are unique within `rows`.
 * A location that states no time zone keeps the one it has.
 */
export async function upsertLocations(tx: Queryable, rows: readonly LocationInput[]): Promise<Counts> {
  const counts = await upsertInOrder(
    rows,
    (a, b) => a.id - b.id,
    async (chunk) => {
      const column = (pick: (row: LocationInput) => unknown) => sql.param(chunk.map(pick));
      const result = await tx.execute<{ created: number }>(
        sql`${BEFORE} unnest(${column((r) => r.id)}::int[], ${column((r) => r.name)}::text[],
          ${column((r) => r.latitude)}::float8[], ${column((r) => r.longitude)}::float8[],
          ${column((r) => r.time_zone)}::text[]) as row (id, name, latitude, longitude, time_zone) ${AFTER}`,
      );
      return result.rows[0].created;
    },
  );
  await bumpDemandRevision(tx);
  return counts;
}

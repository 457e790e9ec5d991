import { asc, eq, gt, sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Location, LocationPatch } from '../../contracts/data.ts';
import type { Queryable } from '../client.ts';
import { locations } from '../schema.ts';
import { bumpDemandRevision } from './demand.ts';
import type { PackedRows } from './packed-rows.ts';
import { type Counts, type UpsertTarget, upsertInOrder, upsertText } from './upsert.ts';

const columns = {
  id: locations.id,
  name: locations.name,
  latitude: locations.latitude,
  longitude: locations.longitude,
  active: locations.active,
  expected_daily_demand: locations.expectedDailyDemand,
  priority: locations.priority,
  time_zone: locations.timeZone,
};
type Nullable = 'expected_daily_demand' | 'time_zone';
type Row = Required<Omit<Location, Nullable>> & {
  expected_daily_demand: number | null;
  time_zone: string | null;
};

/** Unknown fields are omitted. `active` is given only if it is false, `priority` only if it is above 0. */
function onWire({ active, expected_daily_demand, priority, time_zone, ...location }: Row): Location {
  return {
    ...location,
    ...(!active && { active }),
    ...(expected_daily_demand !== null && { expected_daily_demand }),
    ...(priority > 0 && { priority }),
    ...(time_zone !== null && { time_zone }),
  };
}

const isOneOf = (ids: readonly number[]) => sql`${locations.id} = any(${sql.param(ids)}::int[])`;

/** Whether any location was ever stored. The revision also counts locations that were deleted. */
export async function hadLocations(pool: Pick<pg.Pool, 'query'>): Promise<boolean> {
  const { rows } = await pool.query<{ had: boolean }>(
    'select exists (select from locations) or exists (select from demand_revision where revision > 0) as had',
  );
  return rows[0].had;
}

/** Ids of the active locations, ascending, at most `limit`. */
export async function readActiveLocationIds(db: Queryable, limit = 2 ** 31 - 1): Promise<number[]> {
  const rows = await db
    .select({ id: locations.id })
    .from(locations)
    .where(eq(locations.active, true))
    .orderBy(asc(locations.id))
    .limit(limit);
  return rows.map((row) => row.id);
}

/** Which of these ids are stored. */
export async function findKnownLocationIds(db: Queryable, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db.select({ id: locations.id }).from(locations).where(isOneOf(ids));
  return new Set(rows.map((row) => row.id));
}

/**
 * Which of these ids are stored. They cannot be deleted until the transaction ends, so it can store rows that refer to
 * them.
 */
export async function holdLocations(tx: Queryable, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const { rows } = await tx.execute<{ id: number }>(
    sql`select id from ${locations} where ${isOneOf(ids)} order by id for key share`,
  );
  return new Set(rows.map((row) => row.id));
}

/** The stored ones among these locations, by ascending id, as plans need them. */
export async function readLocations(db: Queryable, ids: readonly number[]): Promise<Location[]> {
  const { id, name, latitude, longitude, priority } = columns;
  const rows = await db
    .select({ id, name, latitude, longitude, priority })
    .from(locations)
    .where(isOneOf(ids))
    .orderBy(asc(id));
  return rows.map((row) => onWire({ ...row, active: true, expected_daily_demand: null, time_zone: null }));
}

/** Expected demand of an average day, for the locations that have one. */
export async function readExpectedDailyDemand(
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await db.execute<{ id: number; expected: number }>(
    sql`select id, expected_daily_demand as expected from ${locations}
      where ${isOneOf(ids)} and expected_daily_demand is not null`,
  );
  return new Map(rows.map(({ id, expected }) => [id, expected]));
}

/** IANA zone of each stored location among these, null if it has none. */
export async function readTimeZones(
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, string | null>> {
  const rows = await db
    .select({ id: locations.id, timeZone: locations.timeZone })
    .from(locations)
    .where(isOneOf(ids));
  return new Map(rows.map(({ id, timeZone }) => [id, timeZone]));
}

/** A page of locations by ascending id, after `after` (null: from the first one). */
export async function readLocationPage(
  db: Queryable,
  after: number | null,
  limit: number,
): Promise<Location[]> {
  const rows = await db
    .select(columns)
    .from(locations)
    .where(after === null ? undefined : gt(locations.id, after))
    .orderBy(asc(locations.id))
    .limit(limit);
  return rows.map(onWire);
}

/**
 * Changes the fields of `patch` in one location, and bumps the revision. Call it in a transaction.
 * @returns the changed location, null if no location has this id
 */
export async function patchLocation(
  tx: Queryable,
  id: number,
  patch: LocationPatch,
): Promise<Location | null> {
  const { time_zone: timeZone, expected_daily_demand: expectedDailyDemand, ...same } = patch;
  const [location] = await tx
    .update(locations)
    .set({ ...same, timeZone, expectedDailyDemand })
    .where(eq(locations.id, id))
    .returning(columns);
  if (!location) return null;
  await bumpDemandRevision(tx);
  return onWire(location);
}

/**
 * Blocks other writers of locations until the transaction ends; readers continue. Call it before any row is locked:
 * otherwise two transactions could wait for each other.
 */
export async function lockLocations(tx: Queryable): Promise<void> {
  await tx.execute(sql`lock table ${locations} in share row exclusive mode`);
}

export const LOCATION_UPSERT: UpsertTarget = {
  table: 'locations',
  key: ['id'],
  values: ['name', 'latitude', 'longitude', 'time_zone', 'active', 'expected_daily_demand', 'priority'],
  // Time zone, expected demand, priority and `active` come from other sources than the list of places.
  keepWhereNull: ['time_zone', 'expected_daily_demand'],
  defaults: { active: 'true', priority: '0' },
};
const [BEFORE, AFTER] = upsertText(LOCATION_UPSERT).map((text) => sql.raw(text));

/**
 * Creates or replaces locations (`packLocations`) and bumps the revision. Call it in a transaction. Each id may occur
 * once. A location without time zone, `active`, expected demand or priority keeps the stored values; a new one is
 * active and has priority 0.
 */
export async function upsertLocations(tx: Queryable, rows: PackedRows): Promise<Counts> {
  await lockLocations(tx);
  const counts = await upsertInOrder(rows, async (columns) => {
    const [ids, names, latitudes, longitudes, zones, active, expected, priorities] = columns;
    const result = await tx.execute<{ created: number }>(
      sql`${BEFORE} unnest(${ids}::int[], ${names}::text[], ${latitudes}::float8[], ${longitudes}::float8[],
        ${zones}::text[], ${active}::bool[], ${expected}::float8[], ${priorities}::smallint[])
        as row (id, name, latitude, longitude, time_zone, active, expected_daily_demand, priority) ${AFTER}`,
    );
    return result.rows[0].created;
  });
  await bumpDemandRevision(tx);
  return counts;
}

import { type SQL, sql } from 'drizzle-orm';
import type { DemandObservation } from '../../contracts/data.ts';
import { HOUR_MS } from '../../contracts/time.ts';
import type { Queryable } from '../client.ts';
import { demandObservations, demandRevision, locations } from '../schema.ts';
import type { PackedRows } from './packed-rows.ts';
import { type Counts, type UpsertTarget, upsertInOrder, upsertText } from './upsert.ts';

/** Hourly demand of one location; hours are consecutive and counted in UTC. */
export type StoredSeries = {
  locationId: number;
  /** IANA zone, null if the location has none */
  timeZone: string | null;
  /** UTC hours since the epoch of `values[0]` */
  startHour: number;
  /**
   * demand per hour from the first observation to the last one, NaN between them if unknown; empty without observations
   */
  values: Float64Array;
};

/** Locations per query. A usual history then gives a result of a few MB, and other work runs between queries. */
const LOCATIONS_PER_QUERY = 200;
/** An observation in PostgreSQL's binary form: microseconds since 2000-01-01 (int8), demand (float8). */
const RECORD_BYTES = 16;
const MICROSECONDS_PER_HOUR = 3_600_000_000;
const POSTGRES_EPOCH_HOUR = Date.UTC(2000, 0, 1) / HOUR_MS;

/**
 * Reads the observations of `[fromHour, beforeHour)`, UTC hours since the epoch. The result has one row per location,
 * its observations packed into bytes: millions of observations need no objects and no parsed texts.
 * @returns the stored locations among `locationIds`, in the order given
 */
export async function readDemandSeries(
  db: Queryable,
  locationIds: readonly number[],
  fromHour: number,
  beforeHour: number,
): Promise<StoredSeries[]> {
  const found = new Map<number, StoredSeries>();
  for (let i = 0; i < locationIds.length; i += LOCATIONS_PER_QUERY) {
    const ids = sql.param(locationIds.slice(i, i + LOCATIONS_PER_QUERY));
    const { rows } = await db.execute<{ id: number; time_zone: string | null; packed: Buffer | null }>(
      sql`select l.id, l.time_zone, d.packed from ${locations} l left join lateral (
         select string_agg(timestamptz_send(o.hour) || float8send(o.demand), ''::bytea) as packed
         from ${demandObservations} o where o.location_id = l.id and ${isWithin(fromHour, beforeHour)}
       ) d on true where l.id = any(${ids}::int[])`,
    );
    for (const { id, time_zone, packed } of rows) {
      found.set(id, { locationId: id, timeZone: time_zone, ...unpack(packed, fromHour) });
    }
  }
  return locationIds.flatMap((id) => found.get(id) ?? []);
}

/** Key of an observation in the list of all: location and UTC hour since the epoch. */
export type DemandKey = [locationId: number, hour: number];
/** Which observations a list has: of one location, of the hours `[fromHour, beforeHour)`, UTC since the epoch. */
export type DemandFilter = {
  locationId: number | undefined;
  fromHour: number | undefined;
  beforeHour: number | undefined;
};

const at = (hour: number) => sql`to_timestamp(${hour * 3600}::float8)`;

/** Whether a list has an observation `o`. */
function isListed({ locationId, fromHour, beforeHour }: DemandFilter): SQL {
  return sql.join(
    [
      sql`true`,
      ...(locationId === undefined ? [] : [sql`o.location_id = ${locationId}`]),
      ...(fromHour === undefined ? [] : [sql`o.hour >= ${at(fromHour)}`]),
      ...(beforeHour === undefined ? [] : [sql`o.hour < ${at(beforeHour)}`]),
    ],
    sql` and `,
  );
}

/** Reads at most `limit` observations after one (null: from the first), by location and hour. */
export async function readDemandPage(
  db: Queryable,
  after: DemandKey | null,
  limit: number,
  filter: DemandFilter,
): Promise<DemandObservation[]> {
  const isAfter = after ? sql`(o.location_id, o.hour) > (${after[0]}, ${at(after[1])})` : sql`true`;
  const { rows } = await db.execute<DemandObservation>(sql`
    select o.location_id, to_char(o.hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as hour, o.demand
    from ${demandObservations} o where ${isAfter} and ${isListed(filter)}
    order by o.location_id, o.hour limit ${limit}`);
  return rows;
}

/** Hours of one location, or of all locations that are read (null); UTC since the epoch. */
export type Stretch = { locationId: number | null; fromHour: number; beforeHour: number };

/** Reads the observations of several stretches of time, by location. Locations without any are left out. */
export async function readOlderDemand(
  db: Queryable,
  locationIds: readonly number[],
  stretches: readonly Stretch[],
): Promise<Map<number, Pick<StoredSeries, 'startHour' | 'values'>[]>> {
  const older = new Map<number, Pick<StoredSeries, 'startHour' | 'values'>[]>();
  for (const { locationId, fromHour, beforeHour } of stretches) {
    const ids = locationId === null ? locationIds : [locationId];
    for (const series of await readDemandSeries(db, ids, fromHour, beforeHour)) {
      if (series.values.length === 0) continue;
      const ofLocation = older.get(series.locationId) ?? [];
      older.set(series.locationId, ofLocation);
      ofLocation.push({ startHour: series.startHour, values: series.values });
    }
  }
  return older;
}

/** Whether an observation `o` is within `[fromHour, beforeHour)`. */
const isWithin = (fromHour: number, beforeHour: number) =>
  sql`o.hour >= ${at(fromHour)} and o.hour < ${at(beforeHour)}`;

/** Number of observed locations from which the profile of a location without observations is made. */
const NEIGHBOUR_COUNT = 3;

/**
 * For each of some locations, the nearest active locations that have observations within `[fromHour, beforeHour)`,
 * nearest first, by great circle. O(observed × given locations), in PostgreSQL.
 * @returns nothing for a location if no location was observed
 */
export async function readObservedNeighbours(
  db: Queryable,
  locationIds: readonly number[],
  fromHour: number,
  beforeHour: number,
): Promise<Map<number, number[]>> {
  if (locationIds.length === 0) return new Map();
  const { rows } = await db.execute<{ id: number; neighbours: number[] }>(sql`
    with observed as materialized (
      select l.id, l.latitude, l.longitude from ${locations} l where l.active and exists (
        select from ${demandObservations} o where o.location_id = l.id and ${isWithin(fromHour, beforeHour)}))
    select s.id, array(select n.id from observed n where n.id <> s.id
      order by power(sin(radians(n.latitude - s.latitude) / 2), 2) + cos(radians(s.latitude)) * cos(radians(n.latitude))
        * power(sin(radians(n.longitude - s.longitude) / 2), 2), n.id limit ${NEIGHBOUR_COUNT}) as neighbours
    from ${locations} s where s.id = any(${sql.param(locationIds)}::int[])`);
  return new Map(rows.map(({ id, neighbours }) => [id, neighbours]));
}

/** Spreads packed observations, in any order, over consecutive hours. */
function unpack(packed: Buffer | null, fromHour: number): Pick<StoredSeries, 'startHour' | 'values'> {
  if (packed === null) return { startHour: fromHour, values: new Float64Array(0) };
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const count = packed.byteLength / RECORD_BYTES;
  const hours = new Int32Array(count);
  let first = Infinity;
  let last = -Infinity;
  for (let i = 0; i < count; i++) {
    // Two halves instead of a BigInt. This is exact, since microseconds of any stored year fit into 53 bits.
    const microseconds = view.getInt32(i * RECORD_BYTES) * 2 ** 32 + view.getUint32(i * RECORD_BYTES + 4);
    const hour = microseconds / MICROSECONDS_PER_HOUR + POSTGRES_EPOCH_HOUR;
    hours[i] = hour;
    first = Math.min(first, hour);
    last = Math.max(last, hour);
  }
  const values = new Float64Array(last - first + 1).fill(NaN);
  for (let i = 0; i < count; i++) values[hours[i] - first] = view.getFloat64(i * RECORD_BYTES + 8);
  return { startHour: first, values };
}

/** Later than any observation, and within PostgreSQL's range. */
export const LAST_HOUR = 0x7fffffff;

/** The newest hour with an observation, UTC hours since the epoch, of a location. */
export type NewestHour = { locationId: number; timeZone: string | null; hour: number };

/**
 * The newest hour with an observation of each location that has one.
 * @param beforeHour only before this hour
 */
export async function readNewestHours(
  db: Queryable,
  locationIds: readonly number[],
  beforeHour = LAST_HOUR,
): Promise<NewestHour[]> {
  // One look at the end of the index per location, instead of a scan of all observations.
  const { rows } = await db.execute<{ id: number; time_zone: string | null; seconds: number }>(
    sql`select ${locations.id}, ${locations.timeZone}, date_part('epoch', newest.hour) as seconds from ${locations}, lateral (
      select o.hour from ${demandObservations} o
      where o.location_id = ${locations.id} and o.hour < ${at(beforeHour)}
      order by o.hour desc limit 1) newest
      where ${locations.id} = any(${sql.param(locationIds)}::int[])`,
  );
  return rows.map(({ id, time_zone, seconds }) => ({
    locationId: id,
    timeZone: time_zone,
    hour: seconds / 3600,
  }));
}

/** A number that changes with every change of the observations, or of the locations (their time zones matter). */
export async function readDemandRevision(db: Queryable): Promise<number> {
  const [row] = await db.select({ revision: demandRevision.revision }).from(demandRevision);
  return row.revision;
}

/**
 * Tells caches that observations have changed. Call it in the transaction that changes them, at its end: the next call
 * waits until that transaction commits.
 */
export async function bumpDemandRevision(tx: Queryable): Promise<void> {
  await tx.update(demandRevision).set({ revision: sql`${demandRevision.revision} + 1` });
}

/**
 * Deletes the observations that a filter names, and bumps the revision. Call it in a transaction: it blocks other
 * writers of observations until that ends.
 * @returns how many were deleted
 */
export async function deleteDemand(tx: Queryable, filter: DemandFilter): Promise<number> {
  await tx.execute(sql`lock table ${demandObservations} in share row exclusive mode`);
  const { rowCount } = await tx.execute(sql`delete from ${demandObservations} o where ${isListed(filter)}`);
  await bumpDemandRevision(tx);
  return rowCount ?? 0;
}

export const DEMAND_UPSERT: UpsertTarget = {
  table: 'demand_observations',
  key: ['location_id', 'hour'],
  values: ['demand'],
};
const [BEFORE, AFTER] = upsertText(DEMAND_UPSERT).map((text) => sql.raw(text));

/**
 * Creates or replaces observations (`packDemand`) and bumps the revision. Call it in a transaction. Each location and
 * hour may occur once; all locations must be stored.
 */
export async function upsertDemand(tx: Queryable, rows: PackedRows): Promise<Counts> {
  const counts = await upsertInOrder(rows, async (columns) => {
    const [locationIds, seconds, demand] = columns;
    const result = await tx.execute<{ created: number }>(
      sql`${BEFORE} (select location_id, to_timestamp(seconds) as hour, demand
        from unnest(${locationIds}::int[], ${seconds}::float8[], ${demand}::float8[])
        as row (location_id, seconds, demand)) observation ${AFTER}`,
    );
    return result.rows[0].created;
  });
  await bumpDemandRevision(tx);
  return counts;
}

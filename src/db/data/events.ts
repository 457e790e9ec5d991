import { and, asc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { KnownEvent, RemovedCounts } from '../../contracts/data.ts';
import { HOUR_MS } from '../../contracts/time.ts';
import type { Queryable } from '../client.ts';
import { demandEvents } from '../schema.ts';
import { bumpDemandRevision } from './demand.ts';
import { formatHour } from './hour.ts';
import type { PackedRows } from './packed-rows.ts';
import { NOTHING_REMOVED } from './removal.ts';
import { type Counts, type UpsertTarget, upsertInOrder, upsertText } from './upsert.ts';

export type EventFilter = { kind?: string | undefined; locationId?: number | undefined };

/**
 * A page of events by ascending id, after `after` (null: from the first one). With a location, also the events of all
 * locations.
 */
export async function readEventPage(
  db: Queryable,
  after: string | null,
  limit: number,
  { kind, locationId }: EventFilter = {},
): Promise<KnownEvent[]> {
  const { eventId, locationId: location, kind: ofKind } = demandEvents;
  const rows = await db
    .select()
    .from(demandEvents)
    .where(
      and(
        after === null ? undefined : gt(eventId, after),
        kind === undefined ? undefined : eq(ofKind, kind),
        locationId === undefined ? undefined : or(isNull(location), eq(location, locationId)),
      ),
    )
    .orderBy(asc(eventId))
    .limit(limit);
  return rows.map(({ startsAt, endsAt, ...row }) =>
    eventOnWire({ ...row, fromHour: startsAt.getTime() / HOUR_MS, untilHour: endsAt.getTime() / HOUR_MS }),
  );
}

/** An event as forecasts read it. Hours are UTC since the epoch, `untilHour` is the first one after it. */
export type StoredEvent = {
  eventId: string;
  name: string | null;
  kind: string;
  locationId: number | null;
  fromHour: number;
  untilHour: number;
  factor: number | null;
};

/** Unknown fields are omitted; `location_id` null means all locations. */
export function eventOnWire(event: StoredEvent): KnownEvent {
  const { eventId, locationId, fromHour, untilHour, kind, factor, name } = event;
  return {
    event_id: eventId,
    location_id: locationId,
    from: formatHour(fromHour),
    to: formatHour(untilHour),
    kind,
    ...(factor !== null && { factor }),
    ...(name !== null && { name }),
  };
}

/** Locations per query: other work runs between queries. */
const LOCATIONS_PER_QUERY = 500;

/** The events of these locations, and of all locations, that overlap `[fromHour, untilHour)`. */
export async function readEvents(
  db: Queryable,
  locationIds: readonly number[],
  fromHour: number,
  untilHour: number,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  // One query even without locations: the first query also reads events of all locations.
  for (let i = 0; i === 0 || i < locationIds.length; i += LOCATIONS_PER_QUERY) {
    const ids = sql.param(locationIds.slice(i, i + LOCATIONS_PER_QUERY));
    const { rows } = await db.execute<StoredEvent>(sql`
      select event_id as "eventId", name, kind, location_id as "locationId", factor,
        date_part('epoch', starts_at) / 3600 as "fromHour", date_part('epoch', ends_at) / 3600 as "untilHour"
      from ${demandEvents} where (location_id = any(${ids}::int[]) or (${i === 0} and location_id is null))
        and ends_at > to_timestamp(${fromHour * 3600}::float8) and starts_at < to_timestamp(${untilHour * 3600}::float8)
      order by starts_at, event_id`);
    for (const row of rows) events.push(row);
  }
  return events;
}

export const EVENT_UPSERT: UpsertTarget = {
  table: 'demand_events',
  key: ['event_id'],
  values: ['location_id', 'starts_at', 'ends_at', 'kind', 'factor', 'name'],
};
const [BEFORE, AFTER] = upsertText(EVENT_UPSERT).map((text) => sql.raw(text));

/**
 * Creates or replaces events (`packEvents`) and bumps the revision, since forecasts depend on them. Call it in a
 * transaction. Each id may occur once; all locations must be stored.
 */
export async function upsertEvents(tx: Queryable, rows: PackedRows): Promise<Counts> {
  const counts = await upsertInOrder(rows, async (columns) => {
    const [ids, locationIds, starts, ends, kinds, factors, names] = columns;
    const result = await tx.execute<{ created: number }>(
      sql`${BEFORE} (select event_id, location_id, to_timestamp(starts) as starts_at, to_timestamp(ends) as ends_at,
          kind, factor, name
        from unnest(${ids}::text[], ${locationIds}::int[], ${starts}::float8[], ${ends}::float8[], ${kinds}::text[],
          ${factors}::float8[], ${names}::text[])
        as row (event_id, location_id, starts, ends, kind, factor, name)) event ${AFTER}`,
    );
    return result.rows[0].created;
  });
  await bumpDemandRevision(tx);
  return counts;
}

/** Deletes one event and bumps the revision. Call it in a transaction. @returns whether it was stored */
export async function deleteEvent(tx: Queryable, eventId: string): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`delete from ${demandEvents} where event_id = ${eventId}`);
  if (rowCount === 1) await bumpDemandRevision(tx);
  return rowCount === 1;
}

/**
 * Deletes all events except the named ones, and blocks other writers of events until the transaction ends. It leaves
 * the revision to the code that stores the named events.
 * @param named a query of their ids
 */
export async function deleteOtherEvents(tx: Queryable, named: SQL): Promise<RemovedCounts> {
  await tx.execute(sql`lock table ${demandEvents} in share row exclusive mode`);
  const { rowCount } = await tx.execute(
    sql`delete from ${demandEvents} where not exists (select from (${named}) named (id) where named.id = event_id)`,
  );
  return { ...NOTHING_REMOVED, events: rowCount ?? 0 };
}

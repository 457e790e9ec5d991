import { type SQL, sql } from 'drizzle-orm';
import { ALL_HOURS } from '../../contracts/bounds.ts';
import type { RemovedCounts, TripFlow } from '../../contracts/data.ts';
import type { Queryable } from '../client.ts';
import type { PackedRows } from '../data/packed-rows.ts';
import { NOTHING_REMOVED } from '../data/removal.ts';
import { type Counts, type UpsertTarget, upsertInOrder, upsertText } from '../data/upsert.ts';
import { tripFlows } from '../schema.ts';

/** Ids of both locations, and the hour of the week or `ALL_HOURS`. */
export type TripFlowKey = [from: number, to: number, hour: number];

/**
 * A page of rows by ascending ids and hour, after `after` (null: from the first one); counts of all hours come first.
 * @param fromLocationId only trips that begin there
 */
export async function readTripFlowPage(
  db: Queryable,
  after: TripFlowKey | null,
  limit: number,
  fromLocationId?: number,
): Promise<TripFlow[]> {
  const { fromLocationId: from, toLocationId: to, hourOfWeek: hour } = tripFlows;
  const start =
    after &&
    sql`(${from}, ${to}) >= (${after[0]}, ${after[1]})
      and (${from}, ${to}, coalesce(${hour}, ${ALL_HOURS})) > (${after[0]}, ${after[1]}, ${after[2]})`;
  const source = fromLocationId === undefined ? undefined : sql`${from} = ${fromLocationId}`;
  const { rows } = await db.execute<Omit<TripFlow, 'hour_of_week'> & { hour_of_week: number | null }>(sql`
    select from_location_id, to_location_id, trips, hour_of_week from ${tripFlows}
    where ${start ?? sql`true`} and ${source ?? sql`true`}
    order by from_location_id, to_location_id, hour_of_week nulls first limit ${limit}`);
  return rows.map(({ hour_of_week, ...row }) => ({ ...row, ...(hour_of_week !== null && { hour_of_week }) }));
}

export const TRIP_FLOW_UPSERT: UpsertTarget = {
  table: 'trip_flows',
  key: ['from_location_id', 'to_location_id', 'hour_of_week'],
  values: ['trips'],
};

const [BEFORE, AFTER] = upsertText(TRIP_FLOW_UPSERT).map((text) => sql.raw(text));

/**
 * Creates or replaces rows (`packTripFlows`). Call it in a transaction. Each pair and hour may occur once; all
 * locations must be stored, and held by the transaction.
 */
export function upsertTripFlows(tx: Queryable, rows: PackedRows): Promise<Counts> {
  return upsertInOrder(rows, async ([from, to, hour, trips]) => {
    const result = await tx.execute<{ created: number }>(
      sql`${BEFORE} unnest(${from}::int[], ${to}::int[], ${hour}::smallint[], ${trips}::float8[])
        as row (from_location_id, to_location_id, hour_of_week, trips) ${AFTER}`,
    );
    return result.rows[0].created;
  });
}

/**
 * Deletes all rows except the named ones, and blocks other writers of trip flows until the transaction ends.
 * @param named a query of two ids and the hour
 */
export async function deleteOtherTripFlows(tx: Queryable, named: SQL): Promise<RemovedCounts> {
  await tx.execute(sql`lock table ${tripFlows} in share row exclusive mode`);
  const { rowCount } = await tx.execute(
    sql`delete from ${tripFlows} t where not exists (select from (${named}) named (a, b, hour)
      where named.a = t.from_location_id and named.b = t.to_location_id
        and named.hour is not distinct from t.hour_of_week)`,
  );
  return { ...NOTHING_REMOVED, trip_flows: rowCount ?? 0 };
}

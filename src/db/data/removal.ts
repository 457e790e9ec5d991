import { type SQL, sql } from 'drizzle-orm';
import type { RemovedCounts } from '../../contracts/data.ts';
import type { Queryable } from '../client.ts';
import { demandEvents, demandObservations, locations, travel, tripFlows, vehicles } from '../schema.ts';
import { bumpDemandRevision } from './demand.ts';

/**
 * Deleting locations and vehicles. Plans, decisions and jobs have no foreign keys to them, and keep their data.
 *
 * Locks are taken in one order: locations, vehicles, observations, events, travel, trip flows, revision; for each
 * table, the lock of the table before those of its rows. `holdLocations`, bulk upserts and the import use the same
 * order. So writers wait for each other, and never deadlock.
 */

export const NOTHING_REMOVED: RemovedCounts = {
  locations: 0,
  vehicles: 0,
  observations: 0,
  events: 0,
  travel: 0,
  trip_flows: 0,
};

/** A location that cannot be deleted because other rows refer to it. */
export type Occupied = { id: number } & Omit<RemovedCounts, 'locations'>;

/** @returns whether the vehicle was stored */
export async function deleteVehicle(db: Queryable, vehicleId: string): Promise<boolean> {
  const { rowCount } = await db.execute(sql`delete from ${vehicles} where vehicle_id = ${vehicleId}`);
  return rowCount === 1;
}

/** Blocks other writers of vehicles until the transaction ends; readers continue. */
async function lockVehicles(tx: Queryable): Promise<void> {
  await tx.execute(sql`lock table ${vehicles} in share row exclusive mode`);
}

/**
 * Deletes all vehicles except the named ones, and blocks other writers of vehicles until the transaction ends.
 * @param named a query of their ids
 */
export async function deleteOtherVehicles(tx: Queryable, named: SQL): Promise<RemovedCounts> {
  await lockVehicles(tx);
  const { rowCount } = await tx.execute(
    sql`delete from ${vehicles} where not exists (select from (${named}) named (id) where named.id = vehicle_id)`,
  );
  return { ...NOTHING_REMOVED, vehicles: rowCount ?? 0 };
}

/** As `deleteLocations`, for all locations except the named ones. @param named a query of their ids */
export async function deleteOtherLocations(
  tx: Queryable,
  named: SQL,
  options: { cascade: boolean; limit: number },
): Promise<RemovedCounts | Occupied[]> {
  const { rows } = await tx.execute<{ id: number }>(
    sql`select id from ${locations} where not exists (select from (${named}) named (id) where named.id = locations.id)`,
  );
  const ids = rows.map(({ id }) => id);
  return ids.length === 0 ? NOTHING_REMOVED : deleteLocations(tx, ids, options);
}

/**
 * Deletes locations and bumps the revision. Call it in a transaction, under `lockLocations`.
 * @param options.cascade also deletes the vehicles, observations, events, travel and trip flows of these locations
 * @returns the locations that other rows refer to, at most `limit`. If there are any and `cascade` is false, nothing is
 * deleted.
 */
export async function deleteLocations(
  tx: Queryable,
  ids: readonly number[],
  { cascade, limit }: { cascade: boolean; limit: number },
): Promise<RemovedCounts | Occupied[]> {
  const list = sql`any(${sql.param(ids)}::int[])`;
  // From here on nobody can store a row that refers to one of them.
  await tx.execute(sql`select from ${locations} where id = ${list} order by id for update`);
  const counts = { ...NOTHING_REMOVED };
  if (cascade) {
    await lockVehicles(tx);
    await tx.execute(
      sql`lock table ${demandObservations}, ${demandEvents}, ${travel}, ${tripFlows} in share row exclusive mode`,
    );
    const gone = await tx.execute(sql`delete from ${vehicles} where location_id = ${list}`);
    const forgotten = await tx.execute(sql`delete from ${demandObservations} where location_id = ${list}`);
    const cancelled = await tx.execute(sql`delete from ${demandEvents} where location_id = ${list}`);
    const pairs = await tx.execute(
      sql`delete from ${travel} where from_location_id = ${list} or to_location_id = ${list}`,
    );
    const flows = await tx.execute(
      sql`delete from ${tripFlows} where from_location_id = ${list} or to_location_id = ${list}`,
    );
    counts.vehicles = gone.rowCount ?? 0;
    counts.observations = forgotten.rowCount ?? 0;
    counts.events = cancelled.rowCount ?? 0;
    counts.travel = pairs.rowCount ?? 0;
    counts.trip_flows = flows.rowCount ?? 0;
  } else {
    const occupied = await findOccupied(tx, list, limit);
    if (occupied.length > 0) return occupied;
  }
  const { rowCount } = await tx.execute(sql`delete from ${locations} where id = ${list}`);
  await bumpDemandRevision(tx);
  return { ...counts, locations: rowCount ?? 0 };
}

async function findOccupied(tx: Queryable, list: SQL, limit: number): Promise<Occupied[]> {
  // Pairs and trip flows are counted in one pass: no index finds those that end at a location.
  const ending = (table: SQL) => sql`(
      select id, count(*)::int as count from ${table} t
      cross join lateral (values (t.from_location_id), (nullif(t.to_location_id, t.from_location_id))) as ends (id)
      where id = ${list} group by id)`;
  const { rows } = await tx.execute<Occupied>(sql`
    with pairs as ${ending(sql`${travel}`)}, flows as ${ending(sql`${tripFlows}`)}
    select l.id, (select count(*)::int from ${vehicles} v where v.location_id = l.id) as vehicles,
      (select count(*)::int from ${demandObservations} o where o.location_id = l.id) as observations,
      (select count(*)::int from ${demandEvents} e where e.location_id = l.id) as events,
      coalesce(pairs.count, 0) as travel, coalesce(flows.count, 0) as trip_flows
    from ${locations} l left join pairs on pairs.id = l.id left join flows on flows.id = l.id
    where l.id = ${list} and (pairs.id is not null or flows.id is not null
      or exists (select from ${vehicles} v where v.location_id = l.id)
      or exists (select from ${demandObservations} o where o.location_id = l.id)
      or exists (select from ${demandEvents} e where e.location_id = l.id))
    order by l.id limit ${limit}`);
  return rows;
}

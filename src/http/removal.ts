import { type SQL, sql } from 'drizzle-orm';
import { AppError } from '../answers/errors.ts';
import type { RemovedCounts } from '../contracts/data.ts';
import { MAX_REPORTED_ERRORS } from '../contracts/errors.ts';
import type { Queryable } from '../db/client.ts';
import { deleteOtherEvents } from '../db/events.ts';
import { lockLocations } from '../db/locations.ts';
import type { PackedRows } from '../db/packed-rows.ts';
import { deleteLocations, deleteOtherLocations, deleteOtherVehicles, type Occupied } from '../db/removal.ts';
import type { Stage } from '../db/staging.ts';
import { deleteOtherTravel } from '../db/travel.ts';

/** What `?replace=true` adds to storing the rows: it deletes all others. */
export type Replace = { cascade: boolean };

/** The tables that a body can replace as a whole. */
export type ReplacedTable = Exclude<Stage, 'demand'>;

const LIMIT = MAX_REPORTED_ERRORS;

/**
 * Deletes the rows that a set does not name. Call it in the transaction that stores the set, before storing: the locks
 * of vehicles and observations must come before the lock of the revision, which storing locations takes.
 * @param named a query of the keys in the set
 * @throws AppError CONFLICT naming locations that are still referred to, at most 100; VALIDATION_ERROR if the set is
 * empty
 */
export async function removeOthers(
  tx: Queryable,
  table: ReplacedTable,
  named: SQL,
  { cascade }: Replace,
): Promise<RemovedCounts> {
  const { rows } = await tx.execute(sql`select from (${named}) named limit 1`);
  if (rows.length === 0) {
    const message = 'the body has no rows, and replace=true would delete everything; send at least one row';
    throw new AppError('VALIDATION_ERROR', message);
  }
  if (table === 'fleet') return deleteOtherVehicles(tx, named);
  if (table === 'events') return deleteOtherEvents(tx, named);
  if (table === 'travel') return deleteOtherTravel(tx, named);
  await lockLocations(tx);
  return removedOrRefused(
    await deleteOtherLocations(tx, named, { cascade, limit: LIMIT }),
    'replace',
    'include it in the body',
  );
}

/** Deletes one location, under `lockLocations`. @throws AppError CONFLICT */
export async function removeLocation(tx: Queryable, id: number, cascade: boolean): Promise<RemovedCounts> {
  const removed = await deleteLocations(tx, [id], { cascade, limit: LIMIT });
  return removedOrRefused(removed, 'location_id', 'retire it with PATCH and {"active": false}');
}

/** The keys of a set that was sent as JSON: the first columns of its rows. */
export function packedKeys({ chunks }: PackedRows, table: ReplacedTable): SQL {
  if (table === 'travel') {
    return sql.join(
      chunks.map(([from, to]) => sql`select * from unnest(${from}::int[], ${to}::int[])`),
      sql` union all `,
    );
  }
  const type = sql.raw(table === 'locations' ? 'int[]' : 'text[]');
  return sql.join(
    chunks.map(([ids]) => sql`select unnest(${ids}::${type})`),
    sql` union all `,
  );
}

function removedOrRefused(
  removed: RemovedCounts | Occupied[],
  field: string,
  otherwise: string,
): RemovedCounts {
  if (!Array.isArray(removed)) return removed;
  const faults = removed.map(({ id, vehicles, observations, events, travel }) => ({
    field,
    message:
      `location ${id} cannot be deleted: it has ${counted(vehicles, 'vehicle')}, ` +
      `${counted(observations, 'observation')}, ${counted(events, 'event')} and ` +
      `${counted(travel, 'travel pair')}; ` +
      `delete these too with cascade=true, or ${otherwise}`,
  }));
  throw new AppError('CONFLICT', faults);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

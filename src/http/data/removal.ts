import { type SQL, sql } from 'drizzle-orm';
import { AppError } from '../../answers/errors.ts';
import type { RemovedCounts } from '../../contracts/data.ts';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import type { Queryable } from '../../db/client.ts';
import { deleteOtherEvents } from '../../db/data/events.ts';
import { lockLocations } from '../../db/data/locations.ts';
import type { PackedRows } from '../../db/data/packed-rows.ts';
import {
  deleteLocations,
  deleteOtherLocations,
  deleteOtherVehicles,
  type Occupied,
} from '../../db/data/removal.ts';
import type { Stage } from '../../db/data/staging.ts';
import { deleteOtherTravel } from '../../db/travel/travel.ts';
import { deleteOtherTripFlows } from '../../db/travel/trip-flows.ts';

/** The effect of `?replace=true` beside storing the rows: it deletes all others. */
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
  if (table === 'trip_flows') return deleteOtherTripFlows(tx, named);
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

/** The types of the columns that are the key of a table. */
const KEY_TYPES: Record<ReplacedTable, readonly string[]> = {
  locations: ['int[]'],
  fleet: ['text[]'],
  events: ['text[]'],
  travel: ['int[]', 'int[]'],
  trip_flows: ['int[]', 'int[]', 'smallint[]'],
};

/** The keys of a set that was sent as JSON: the first columns of its rows. */
export function packedKeys({ chunks }: PackedRows, table: ReplacedTable): SQL {
  const types = KEY_TYPES[table];
  return sql.join(
    chunks.map((columns) => {
      const keys = types.map((type, i) => sql`${columns[i]}::${sql.raw(type)}`);
      return sql`select * from unnest(${sql.join(keys, sql`, `)})`;
    }),
    sql` union all `,
  );
}

function removedOrRefused(
  removed: RemovedCounts | Occupied[],
  field: string,
  otherwise: string,
): RemovedCounts {
  if (!Array.isArray(removed)) return removed;
  const faults = removed.map(({ id, vehicles, observations, events, travel, trip_flows }) => ({
    field,
    message:
      `location ${id} cannot be deleted: it has ${counted(vehicles, 'vehicle')}, ` +
      `${counted(observations, 'observation')}, ${counted(events, 'event')}, ` +
      `${counted(travel, 'travel pair')} and ${counted(trip_flows, 'row')} of trip flows; ` +
      `delete these too with cascade=true, or ${otherwise}`,
  }));
  throw new AppError('CONFLICT', faults);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

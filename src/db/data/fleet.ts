import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { FleetSummary, FleetVehicle, FleetVehiclePatch } from '../../contracts/data.ts';
import { VEHICLE_STATUSES, type VehicleStatus } from '../../contracts/vehicles.ts';
import type { Queryable } from '../client.ts';
import { vehicles } from '../schema.ts';
import type { PackedRows } from './packed-rows.ts';
import { type Counts, type UpsertTarget, upsertInOrder, upsertText } from './upsert.ts';

export type VehicleFilter = { status?: VehicleStatus | undefined; locationId?: number | undefined };

const columns = {
  vehicle_id: vehicles.vehicleId,
  location_id: vehicles.locationId,
  status: vehicles.status,
  capacity: vehicles.capacity,
  acquired_on: vehicles.acquiredOn,
  last_maintenance_on: vehicles.lastMaintenanceOn,
  utilization_rate: vehicles.utilizationRate,
  // A vehicle that has arrived is at its target.
  available_at: sql`case when ${vehicles.availableAt} > now() then ${vehicles.availableAt} end`.mapWith(
    (text: string | null) => text && new Date(text).toISOString(),
  ),
};
type Optional = 'acquired_on' | 'last_maintenance_on' | 'utilization_rate' | 'available_at';
type Row = Omit<FleetVehicle, Optional> & {
  acquired_on: string | null;
  last_maintenance_on: string | null;
  utilization_rate: number | null;
  available_at: string | null;
};

/** Unknown fields are omitted. */
function onWire(row: Row): FleetVehicle {
  const { acquired_on, last_maintenance_on, utilization_rate, available_at, ...vehicle } = row;
  return {
    ...vehicle,
    ...(available_at !== null && { available_at }),
    ...(acquired_on !== null && { acquired_on }),
    ...(last_maintenance_on !== null && { last_maintenance_on }),
    ...(utilization_rate !== null && { utilization_rate }),
  };
}

/** A page of vehicles by ascending id, after `after` (null: from the first one). */
export async function readVehiclePage(
  db: Queryable,
  after: string | null,
  limit: number,
  { status, locationId }: VehicleFilter = {},
): Promise<FleetVehicle[]> {
  const rows = await db
    .select(columns)
    .from(vehicles)
    .where(
      and(
        after === null ? undefined : gt(vehicles.vehicleId, after),
        status && eq(vehicles.status, status),
        locationId === undefined ? undefined : eq(vehicles.locationId, locationId),
      ),
    )
    .orderBy(asc(vehicles.vehicleId))
    .limit(limit);
  return rows.map(onWire);
}

/**
 * The whole fleet as JSON text, as `GET /api/v1/data/fleet` lists it. One statement, so all vehicles are of one moment.
 */
export async function readFleetText(db: Queryable): Promise<string> {
  const { rows } = await db.execute<{ fleet: string }>(sql`
    select coalesce(json_agg(json_strip_nulls(row_to_json(v)) order by v.vehicle_id), '[]')::text as fleet
    from (select vehicle_id, location_id, status, capacity, acquired_on, last_maintenance_on, utilization_rate,
        case when available_at > now() then to_char(available_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
          end as available_at
      from ${vehicles}) v`);
  return rows[0].fleet;
}

/** Locations of stored vehicles, ascending. */
export async function readFleetLocationIds(db: Queryable): Promise<number[]> {
  const rows = await db
    .selectDistinct({ id: vehicles.locationId })
    .from(vehicles)
    .orderBy(asc(vehicles.locationId));
  return rows.map((row) => row.id);
}

/** Operational vehicles by location, of these locations. */
export async function countVehiclesByLocation(
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await db.execute<{ id: number; count: number }>(sql`
    select location_id as id, count(*)::int as count from ${vehicles}
    where status = 'operational' and location_id = any(${sql.param(ids)}::int[]) group by location_id`);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Vehicles of the whole fleet by status. */
export async function readFleetSummary(db: Queryable): Promise<FleetSummary> {
  const rows = await db
    .select({ status: vehicles.status, count: sql<number>`count(*)::int` })
    .from(vehicles)
    .groupBy(vehicles.status);
  const summary = emptyFleetSummary();
  for (const { status, count } of rows) {
    summary[status] = count;
    summary.total_vehicles += count;
  }
  return summary;
}

/** The summary of no vehicles, to be added to. */
export function emptyFleetSummary(): FleetSummary {
  const counts = Object.fromEntries(VEHICLE_STATUSES.map((status) => [status, 0]));
  return { total_vehicles: 0, ...(counts as Record<VehicleStatus, number>) };
}

/**
 * Changes the fields of `patch` in one vehicle. Its location must be stored. A vehicle whose location is reported is
 * there, unless the patch says when it will be.
 * @returns the changed vehicle, null if no vehicle has this id
 */
export async function patchVehicle(
  db: Queryable,
  vehicleId: string,
  patch: FleetVehiclePatch,
): Promise<FleetVehicle | null> {
  const [vehicle] = await db
    .update(vehicles)
    .set({
      locationId: patch.location_id,
      status: patch.status,
      capacity: patch.capacity,
      acquiredOn: patch.acquired_on,
      lastMaintenanceOn: patch.last_maintenance_on,
      utilizationRate: patch.utilization_rate,
      availableAt: patch.available_at
        ? sql`${patch.available_at}::timestamptz`
        : patch.location_id === undefined
          ? undefined
          : null,
    })
    .where(eq(vehicles.vehicleId, vehicleId))
    .returning(columns);
  return vehicle ? onWire(vehicle) : null;
}

export const VEHICLE_UPSERT: UpsertTarget = {
  table: 'vehicles',
  key: ['vehicle_id'],
  values: [
    ...['location_id', 'status', 'capacity', 'acquired_on', 'last_maintenance_on', 'utilization_rate'],
    'available_at',
  ],
  // Place and age of a vehicle come from different sources: one must not erase the other.
  keepWhereNull: ['acquired_on', 'last_maintenance_on', 'utilization_rate'],
};
const [BEFORE, AFTER] = upsertText(VEHICLE_UPSERT).map((text) => sql.raw(text));

/**
 * Creates or replaces vehicles (`packVehicles`). Call it in a transaction. Each id may occur once; all locations must
 * be stored. Without status or capacity the default is written. Without dates or utilization the stored values stay.
 * Without `available_at` the vehicle is where the row says.
 */
export function upsertVehicles(tx: Queryable, rows: PackedRows): Promise<Counts> {
  return upsertInOrder(rows, async (columns) => {
    const [ids, locationIds, statuses, capacities, acquired, maintained, utilization, available] = columns;
    const result = await tx.execute<{ created: number }>(
      sql`${BEFORE} unnest(${ids}::text[], ${locationIds}::int[], ${statuses}::text[], ${capacities}::float8[],
        ${acquired}::date[], ${maintained}::date[], ${utilization}::float8[], ${available}::timestamptz[])
        as row (vehicle_id, location_id, status, capacity, acquired_on, last_maintenance_on, utilization_rate,
          available_at)
        ${AFTER}`,
    );
    return result.rows[0].created;
  });
}

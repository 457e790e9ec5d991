/**
 * Rows in the form that bulk upserts take: sorted, in chunks, each column an array in PostgreSQL's text form. Pure, and
 * without the database: large bodies are packed in the thread that reads them.
 */
import type {
  FleetVehicleInput,
  KnownEvent,
  LocationInput,
  TravelPair,
  TripFlow,
} from '../../contracts/data.ts';
import { arrayText } from '../array-text.ts';

/** Rows per statement: memory stays bounded, and other work runs between statements. */
const ROWS_PER_STATEMENT = 5000;

export type PackedRows = {
  rowCount: number;
  /** chunks of rows; each has an array per column, in the order of the statement */
  chunks: string[][];
};

/** Demand of one hour; `hour` in UTC hours since the epoch. */
export type Observation = { locationId: number; hour: number; demand: number };

/** An event with its hours as numbers, UTC hours since the epoch; `untilHour` is the first one after it. */
export type HourlyEvent = KnownEvent & { fromHour: number; untilHour: number };

/** The status and capacity of a vehicle that states none. */
export const VEHICLE_DEFAULTS = { status: 'operational', capacity: 1 } as const;

type Value = string | number | boolean | undefined;

/**
 * @param compare total order of the keys: transactions that write the same rows lock them in the same order. So they
 * wait for each other instead of deadlocking.
 */
function pack<R>(
  rows: readonly R[],
  compare: (a: R, b: R) => number,
  columns: readonly ((row: R) => Value)[],
): PackedRows {
  const sorted = rows.toSorted(compare);
  const chunks: string[][] = [];
  for (let start = 0; start < sorted.length; start += ROWS_PER_STATEMENT) {
    const chunk = sorted.slice(start, start + ROWS_PER_STATEMENT);
    chunks.push(columns.map((pick) => arrayText(chunk.map(pick))));
  }
  return { rowCount: rows.length, chunks };
}

/** Columns: id, name, latitude, longitude, time zone, active, expected daily demand, priority. */
export function packLocations(rows: readonly LocationInput[]): PackedRows {
  return pack(rows, (a, b) => a.id - b.id, [
    (row) => row.id,
    (row) => row.name,
    (row) => row.latitude,
    (row) => row.longitude,
    (row) => row.time_zone,
    (row) => row.active,
    (row) => row.expected_daily_demand,
    (row) => row.priority,
  ]);
}

/** Columns: vehicle, location, status, capacity, acquired on, last maintenance on, utilization rate, available at. */
export function packVehicles(rows: readonly FleetVehicleInput[]): PackedRows {
  return pack(rows, (a, b) => (a.vehicle_id < b.vehicle_id ? -1 : 1), [
    (row) => row.vehicle_id,
    (row) => row.location_id,
    (row) => row.status ?? VEHICLE_DEFAULTS.status,
    (row) => row.capacity ?? VEHICLE_DEFAULTS.capacity,
    (row) => row.acquired_on,
    (row) => row.last_maintenance_on,
    (row) => row.utilization_rate,
    (row) => row.available_at,
  ]);
}

/** Columns: location, seconds since the epoch, demand. */
export function packDemand(rows: readonly Observation[]): PackedRows {
  return pack(rows, (a, b) => a.locationId - b.locationId || a.hour - b.hour, [
    (row) => row.locationId,
    (row) => row.hour * 3600,
    (row) => row.demand,
  ]);
}

/** Columns: event, location, start and end in seconds since the epoch, kind, factor, name. */
export function packEvents(rows: readonly HourlyEvent[]): PackedRows {
  return pack(rows, (a, b) => (a.event_id < b.event_id ? -1 : 1), [
    (row) => row.event_id,
    (row) => row.location_id ?? undefined,
    (row) => row.fromHour * 3600,
    (row) => row.untilHour * 3600,
    (row) => row.kind,
    (row) => row.factor,
    (row) => row.name,
  ]);
}

/** Columns: from location, to location, km, minutes. */
export function packTravel(rows: readonly TravelPair[]): PackedRows {
  return pack(
    rows,
    (a, b) => a.from_location_id - b.from_location_id || a.to_location_id - b.to_location_id,
    [
      (row) => row.from_location_id,
      (row) => row.to_location_id,
      (row) => row.distance_km,
      (row) => row.duration_minutes,
    ],
  );
}

/** Columns: from location, to location, hour of the week, trips. */
export function packTripFlows(rows: readonly TripFlow[]): PackedRows {
  return pack(
    rows,
    (a, b) =>
      a.from_location_id - b.from_location_id ||
      a.to_location_id - b.to_location_id ||
      (a.hour_of_week ?? -1) - (b.hour_of_week ?? -1),
    [
      (row) => row.from_location_id,
      (row) => row.to_location_id,
      (row) => row.hour_of_week,
      (row) => row.trips,
    ],
  );
}

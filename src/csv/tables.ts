import {
  EventFactor,
  EventId,
  EventKind,
  EventName,
  FleetVehicle,
  HourlyDemand,
  Location,
  TravelPair,
  TripFlow,
} from '../contracts/data.ts';
import { LocationId } from '../contracts/optimize.ts';
import { HOUR_MS } from '../contracts/time.ts';
import { VEHICLE_STATUSES } from '../contracts/vehicles.ts';
import { formatHour, parseHour, tooLate } from '../db/data/hour.ts';
import { VEHICLE_DEFAULTS } from '../db/data/packed-rows.ts';
import type { Stage } from '../db/data/staging.ts';
import {
  asIsoTime,
  type Cell,
  type CellLimits,
  readDate,
  readInstant,
  readInteger,
  readNumber,
  readOneOf,
  readText,
  readTimeZone,
} from './cells.ts';
import { show } from './faults.ts';

/** A column of a CSV text. */
export type Column = {
  /** accepted names, the usual one first, in lower case with underscores */
  names: readonly string[];
  /** null or this value is used if the text lacks the column, or a row has no value in it */
  optional?: { default: string | null };
  read(text: string): Cell<unknown>;
  /** Whether a value may have decimals. */
  isDecimal?: true;
};

const decimal = (limits: CellLimits): Pick<Column, 'read' | 'isDecimal'> => ({
  read: (text) => readNumber(text, limits),
  isDecimal: true,
});

const locationId: Column = {
  names: ['location_id'],
  read: (text) => readInteger(text, LocationId as CellLimits),
};

/** The columns of each table, in the order of its stage. */
export const COLUMNS: Record<Stage, readonly Column[]> = {
  locations: [
    { names: ['id'], read: (text) => readInteger(text, LocationId as CellLimits) },
    { names: ['name'], read: (text) => readText(text, Location.properties.name as CellLimits) },
    { names: ['latitude'], ...decimal(Location.properties.latitude as CellLimits) },
    { names: ['longitude'], ...decimal(Location.properties.longitude as CellLimits) },
    { names: ['time_zone'], optional: { default: null }, read: readTimeZone },
    { names: ['active'], optional: { default: null }, read: (text) => readOneOf(text, ['true', 'false']) },
    {
      names: ['expected_daily_demand'],
      optional: { default: null },
      ...decimal(Location.properties.expected_daily_demand as CellLimits),
    },
    {
      names: ['priority'],
      optional: { default: null },
      read: (text) => readInteger(text, Location.properties.priority as CellLimits),
    },
  ],
  fleet: [
    {
      names: ['vehicle_id'],
      read: (text) => readText(text, FleetVehicle.properties.vehicle_id as CellLimits),
    },
    locationId,
    {
      names: ['status'],
      optional: { default: VEHICLE_DEFAULTS.status },
      read: (text) => readOneOf(text, VEHICLE_STATUSES),
    },
    {
      names: ['capacity'],
      optional: { default: String(VEHICLE_DEFAULTS.capacity) },
      ...decimal(FleetVehicle.properties.capacity as CellLimits),
    },
    { names: ['acquired_on'], optional: { default: null }, read: readDate },
    { names: ['last_maintenance_on'], optional: { default: null }, read: readDate },
    {
      names: ['utilization_rate'],
      optional: { default: null },
      ...decimal(FleetVehicle.properties.utilization_rate as CellLimits),
    },
    { names: ['available_at'], optional: { default: null }, read: readInstant },
  ],
  demand: [
    locationId,
    { names: ['hour_utc_iso', 'hour'], read: readObservedHour },
    { names: ['pickups', 'demand'], ...decimal(HourlyDemand as CellLimits) },
  ],
  events: [
    { names: ['event_id'], read: (text) => readText(text, EventId as CellLimits) },
    { ...locationId, optional: { default: null } },
    { names: ['from'], read: readHour },
    { names: ['to'], read: readHour },
    { names: ['kind'], read: (text) => readText(text, EventKind as CellLimits) },
    {
      names: ['factor'],
      optional: { default: null },
      ...decimal(EventFactor as CellLimits),
    },
    { names: ['name'], optional: { default: null }, read: (text) => readText(text, EventName as CellLimits) },
  ],
  travel: [
    { names: ['from_location_id'], read: locationId.read },
    { names: ['to_location_id'], read: locationId.read },
    {
      names: ['distance_km'],
      ...decimal(TravelPair.properties.distance_km as CellLimits),
    },
    {
      names: ['duration_minutes'],
      ...decimal(TravelPair.properties.duration_minutes as CellLimits),
    },
  ],
  trip_flows: [
    { names: ['from_location_id'], read: locationId.read },
    { names: ['to_location_id'], read: locationId.read },
    { names: ['trips'], read: (text) => readNumber(text, TripFlow.properties.trips as CellLimits) },
    {
      names: ['hour_of_week'],
      optional: { default: null },
      read: (text) => readInteger(text, TripFlow.properties.hour_of_week as CellLimits),
    },
  ],
};

/** The columns that identify a row, for messages. */
export function describeKey(stage: Stage, key: Record<string, unknown>): string {
  if (stage === 'locations') return `location ${key.id}`;
  if (stage === 'fleet') return `vehicle ${show(String(key.vehicle_id))}`;
  if (stage === 'events') return `event ${show(String(key.event_id))}`;
  if (stage === 'travel') return `travel from ${key.from_location_id} to ${key.to_location_id}`;
  if (stage === 'trip_flows') {
    const hour = key.hour_of_week === null ? '' : ` in hour ${key.hour_of_week} of the week`;
    return `trips from ${key.from_location_id} to ${key.to_location_id}${hour}`;
  }
  return `location ${key.location_id} at ${(key.hour as Date).toISOString()}`;
}

/** Every location has the same hours, so most cells are found in this map. */
const hours = new Map<string, Cell<string>>();
const MAX_REMEMBERED_HOURS = 100_000;

function readHour(text: string): Cell<string> {
  const remembered = hours.get(text);
  if (remembered) return remembered;
  const hour = parseHour(asIsoTime(text));
  const cell = typeof hour === 'string' ? { fault: `${show(text)} ${hour}` } : { value: formatHour(hour) };
  if (hours.size >= MAX_REMEMBERED_HOURS) hours.clear();
  hours.set(text, cell);
  return cell;
}

/** An hour of an observation, which is over or at least begun. */
function readObservedHour(text: string): Cell<string> {
  const cell = readHour(text);
  const late = 'value' in cell ? tooLate(Date.parse(cell.value) / HOUR_MS) : undefined;
  return late === undefined ? cell : { fault: `${show(text)} ${late}` };
}

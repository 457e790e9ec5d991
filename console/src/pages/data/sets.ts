import type { texts } from '../../texts.ts';

/** A stored row, as the service lists it; fields that are unknown are absent. */
export type DataRow = Record<string, string | number | boolean | null | undefined>;

export type SetName = keyof typeof texts.data.sets;

export type DataSet = {
  path: string;
  /** The list in `data` of an answer. */
  list: string;
  /** How a CSV is sent. */
  method: 'PUT' | 'POST';
  /** Whether the service changes single fields of a row; else a whole row takes the place of the one before. */
  isPatched?: boolean;
  /** Whether the service deletes single rows. */
  isDeletable?: boolean;
  /** Fields that name a row. */
  keys: string[];
  fields: string[];
  /** Columns of its CSV; those in brackets may be left out. */
  csv: string;
  /** The filter without which the list is too long for a page: it shows one location. */
  locationFilter?: string;
};

const VEHICLE = ['vehicle_id', 'location_id', 'status', 'capacity'];
const VEHICLE_FIGURES = ['acquired_on', 'last_maintenance_on', 'utilization_rate', 'available_at'];
const PAIR = ['from_location_id', 'to_location_id'];

export const SETS: Record<SetName, DataSet> = {
  locations: {
    path: '/api/v1/data/locations',
    list: 'locations',
    method: 'PUT',
    isPatched: true,
    isDeletable: true,
    keys: ['id'],
    fields: [
      'id',
      'name',
      'latitude',
      'longitude',
      'time_zone',
      'active',
      'expected_daily_demand',
      'priority',
    ],
    csv: 'id,name,latitude,longitude[,time_zone][,active][,expected_daily_demand][,priority]',
  },
  fleet: {
    path: '/api/v1/data/fleet',
    list: 'fleet',
    method: 'PUT',
    isPatched: true,
    isDeletable: true,
    keys: ['vehicle_id'],
    fields: [...VEHICLE, ...VEHICLE_FIGURES],
    csv: `vehicle_id,location_id${[...VEHICLE.slice(2), ...VEHICLE_FIGURES].map((name) => `[,${name}]`).join('')}`,
  },
  demand: {
    path: '/api/v1/data/demand',
    list: 'observations',
    method: 'POST',
    isDeletable: true,
    keys: ['hour'],
    fields: ['hour', 'demand'],
    csv: 'location_id,hour,demand',
    locationFilter: 'location_id',
  },
  events: {
    path: '/api/v1/data/events',
    list: 'events',
    method: 'PUT',
    isDeletable: true,
    keys: ['event_id'],
    fields: ['event_id', 'name', 'kind', 'location_id', 'from', 'to', 'factor'],
    csv: 'event_id[,location_id],from,to,kind[,factor][,name]',
  },
  travel: {
    path: '/api/v1/data/travel',
    list: 'travel',
    method: 'PUT',
    keys: PAIR,
    fields: ['to_location_id', 'distance_km', 'duration_minutes'],
    csv: 'from_location_id,to_location_id,distance_km,duration_minutes',
    locationFilter: 'from_location_id',
  },
  'trip-flows': {
    path: '/api/v1/data/trip-flows',
    list: 'trip_flows',
    method: 'PUT',
    keys: [...PAIR, 'hour_of_week'],
    fields: ['to_location_id', 'trips', 'hour_of_week'],
    csv: 'from_location_id,to_location_id,trips[,hour_of_week]',
    locationFilter: 'from_location_id',
  },
};

export const keyOf = (set: DataSet, row: DataRow) => set.keys.map((name) => row[name] ?? '').join('/');

/** The address of one row, where the service changes or deletes single ones. */
export const pathOf = (set: DataSet, row: DataRow) => `${set.path}/${encodeURIComponent(keyOf(set, row))}`;

/** The address under which one row is deleted: an hour of demand is a period of one hour. */
export const deletionOf = (set: DataSet, row: DataRow) =>
  set === SETS.demand
    ? periodOf(Number(row.location_id), String(row.hour), new Date(Date.parse(String(row.hour)) + 3_600_000))
    : pathOf(set, row);

/** The address of the demand of a location from one time to before another; null: without end. */
export function periodOf(locationId: number, from: string, to: Date | null): string {
  const until = to ? `&to=${to.toISOString()}` : '';
  return `${SETS.demand.path}?location_id=${locationId}&from=${from}${until}`;
}

/** The values of a field that are times, and those that are numbers to be added up or compared. */
export const TIMES = new Set(['hour', 'from', 'to', 'available_at']);
export const NUMBERS = new Set([
  'latitude',
  'longitude',
  'expected_daily_demand',
  'priority',
  'capacity',
  'utilization_rate',
  'demand',
  'factor',
  'distance_km',
  'duration_minutes',
  'trips',
  'hour_of_week',
]);

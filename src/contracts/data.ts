import { type Static, Type } from 'typebox';
import {
  HOURS_OF_WEEK,
  MAX_DAILY_DEMAND,
  MAX_DISTANCE_KM,
  MAX_EVENT_FACTOR,
  MAX_EVENT_ID_LENGTH,
  MAX_EVENT_KIND_LENGTH,
  MAX_HOURLY_DEMAND,
  MAX_LATITUDE,
  MAX_LONGITUDE,
  MAX_NAME_LENGTH,
  MAX_TIME_ZONE_LENGTH,
  MAX_TRAVEL_MINUTES,
  MAX_TRIPS,
} from './bounds.ts';
import { LocationId, PriorityLevel } from './optimize.ts';
import { Capacity, STORABLE_TEXT, VEHICLE_STATUSES, VehicleFigures, VehicleId } from './vehicles.ts';

/** Maximum number of rows of one bulk request. */
const MAX_BULK_ROWS = 200_000;

const TimeZone = Type.String({
  format: 'time-zone',
  maxLength: MAX_TIME_ZONE_LENGTH,
  description: 'IANA time zone of its local days, e.g. America/New_York',
});

export const Location = Type.Object(
  {
    id: LocationId,
    name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: STORABLE_TEXT }),
    latitude: Type.Number({ minimum: -MAX_LATITUDE, maximum: MAX_LATITUDE }),
    longitude: Type.Number({ minimum: -MAX_LONGITUDE, maximum: MAX_LONGITUDE }),
    active: Type.Optional(
      Type.Boolean({
        description:
          'false: retired, so planned only if a request names it; returned only if false; default true',
      }),
    ),
    expected_daily_demand: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_DAILY_DEMAND,
        description: 'demand of an average day; decisions use it until there are observations',
      }),
    ),
    priority: Type.Optional({
      ...PriorityLevel,
      description:
        'of its demand: a higher level is served first. 0, the default, is ordinary demand; returned only if above 0',
    }),
    time_zone: Type.Optional(TimeZone),
  },
  { $id: 'Location' },
);
export type Location = Static<typeof Location>;

export const LocationInput = Type.Object(
  { ...Location.properties },
  { $id: 'LocationInput', additionalProperties: false },
);
export type LocationInput = Static<typeof LocationInput>;

const { id: _id, ...LocationFigures } = Type.Partial(LocationInput).properties;
/** JSON merge patch (RFC 7396) of a location. null is refused, as in `FleetVehiclePatch`. */
export const LocationPatch = Type.Object(LocationFigures, {
  $id: 'LocationPatch',
  additionalProperties: false,
  minProperties: 1,
});
export type LocationPatch = Static<typeof LocationPatch>;

const AvailableAt = Type.String({
  format: 'date-time',
  maxLength: 100,
  description:
    'the vehicle is on its way to `location_id`, and there from this time on; absent, or past: it is there',
});

export const FleetVehicle = Type.Object(
  {
    vehicle_id: VehicleId,
    location_id: LocationId,
    status: Type.Enum([...VEHICLE_STATUSES]),
    capacity: Capacity,
    available_at: Type.Optional(AvailableAt),
    ...VehicleFigures,
  },
  { $id: 'FleetVehicle' },
);
export type FleetVehicle = Static<typeof FleetVehicle>;

export const FleetVehicleInput = Type.Object(
  {
    vehicle_id: VehicleId,
    location_id: LocationId,
    status: Type.Optional(Type.Enum([...VEHICLE_STATUSES], { default: 'operational' })),
    capacity: Type.Optional({ ...Capacity, default: 1 }),
    available_at: Type.Optional(AvailableAt),
    ...VehicleFigures,
  },
  { $id: 'FleetVehicleInput', additionalProperties: false },
);
export type FleetVehicleInput = Static<typeof FleetVehicleInput>;

/** JSON merge patch (RFC 7396) of a vehicle. null is refused, since known data cannot become unknown. */
export const FleetVehiclePatch = Type.Object(
  {
    location_id: Type.Optional(LocationId),
    status: Type.Optional(Type.Enum([...VEHICLE_STATUSES])),
    capacity: Type.Optional(Capacity),
    available_at: Type.Optional(AvailableAt),
    ...VehicleFigures,
  },
  { $id: 'FleetVehiclePatch', additionalProperties: false, minProperties: 1 },
);
export type FleetVehiclePatch = Static<typeof FleetVehiclePatch>;

export const FleetSummary = Type.Object(
  {
    total_vehicles: Type.Integer(),
    operational: Type.Integer(),
    maintenance: Type.Integer(),
    downtime: Type.Integer(),
  },
  { $id: 'FleetSummary' },
);
export type FleetSummary = Static<typeof FleetSummary>;

/** Demand of a location in one hour. */
export const HourlyDemand = Type.Number({ minimum: 0, maximum: MAX_HOURLY_DEMAND });

const hour = (description: string) => Type.String({ format: 'date-time', maxLength: 100, description });

export const DemandObservation = Type.Object(
  {
    location_id: LocationId,
    hour: hour('start of the hour, ISO 8601 with offset'),
    demand: HourlyDemand,
  },
  { $id: 'DemandObservation', additionalProperties: false },
);
export type DemandObservation = Static<typeof DemandObservation>;

/** Columns of the demand as CSV, as it is read and written. */
export const DEMAND_CSV_COLUMNS = [
  'location_id',
  'hour',
  'demand',
] as const satisfies (keyof DemandObservation)[];

/** The sender of an event chooses its id: 1 to 128 characters. */
export const EventId = Type.String({ minLength: 1, maxLength: MAX_EVENT_ID_LENGTH, pattern: STORABLE_TEXT });
export const EventKind = Type.String({
  minLength: 1,
  maxLength: MAX_EVENT_KIND_LENGTH,
  pattern: STORABLE_TEXT,
  description: 'strike, marathon, closed, …: events of the same kind are assumed to have the same effect',
});
export const EventFactor = Type.Number({
  minimum: 0,
  maximum: MAX_EVENT_FACTOR,
  description:
    'factor on demand during the event, 0 for a closed place; absent: learned from past events of its kind',
});
export const EventName = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: STORABLE_TEXT });

/** An event that is known to change demand for some hours: a strike, a closed station, a promotion. */
export const KnownEvent = Type.Object(
  {
    event_id: EventId,
    location_id: Type.Union([LocationId, Type.Null()], { description: 'null: all locations' }),
    from: hour('first hour: start of a full UTC hour, ISO 8601 with offset'),
    to: hour('first hour after the event, later than `from`'),
    kind: EventKind,
    factor: Type.Optional(EventFactor),
    name: Type.Optional(EventName),
  },
  { $id: 'DemandEvent', additionalProperties: false },
);
export type KnownEvent = Static<typeof KnownEvent>;

/** Travel from one location to another. */
export const TravelPair = Type.Object(
  {
    from_location_id: LocationId,
    to_location_id: LocationId,
    distance_km: Type.Number({ minimum: 0, maximum: MAX_DISTANCE_KM }),
    duration_minutes: Type.Number({ minimum: 0, maximum: MAX_TRAVEL_MINUTES }),
  },
  { $id: 'TravelPair', additionalProperties: false },
);
export type TravelPair = Static<typeof TravelPair>;

export const TRAVEL_CSV_COLUMNS = [
  'from_location_id',
  'to_location_id',
  'distance_km',
  'duration_minutes',
] as const satisfies (keyof TravelPair)[];

/** Trips from one location that ended at another. */
export const TripFlow = Type.Object(
  {
    from_location_id: LocationId,
    to_location_id: LocationId,
    trips: Type.Number({ minimum: 0, maximum: MAX_TRIPS, description: 'number of trips that were counted' }),
    hour_of_week: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: HOURS_OF_WEEK - 1,
        description:
          'hour in which the trips began, on the clock of the plan: 0 is Monday from 0:00 to 1:00, 167 the last hour of ' +
          'Sunday; absent: all hours for which the first location has no rows',
      }),
    ),
  },
  { $id: 'TripFlow', additionalProperties: false },
);
export type TripFlow = Static<typeof TripFlow>;

export const TRIP_FLOW_CSV_COLUMNS = [
  'from_location_id',
  'to_location_id',
  'trips',
  'hour_of_week',
] as const satisfies (keyof TripFlow)[];

const rows = <T extends Type.TSchema>(schema: T) =>
  Type.Array(schema, { minItems: 1, maxItems: MAX_BULK_ROWS });

export const LocationUpload = Type.Object(
  { locations: rows(LocationInput) },
  { $id: 'LocationUpload', additionalProperties: false },
);
export type LocationUpload = Static<typeof LocationUpload>;
export const FleetUpload = Type.Object(
  { fleet: rows(FleetVehicleInput) },
  { $id: 'FleetUpload', additionalProperties: false },
);
export type FleetUpload = Static<typeof FleetUpload>;
export const DemandUpload = Type.Object(
  { observations: rows(DemandObservation) },
  { $id: 'DemandUpload', additionalProperties: false },
);
export type DemandUpload = Static<typeof DemandUpload>;

export const EventUpload = Type.Object(
  { events: rows(KnownEvent) },
  { $id: 'EventUpload', additionalProperties: false },
);
export type EventUpload = Static<typeof EventUpload>;

export const TravelUpload = Type.Object(
  { travel: rows(TravelPair) },
  { $id: 'TravelUpload', additionalProperties: false },
);
export type TravelUpload = Static<typeof TravelUpload>;

export const TripFlowUpload = Type.Object(
  { trip_flows: rows(TripFlow) },
  { $id: 'TripFlowUpload', additionalProperties: false },
);
export type TripFlowUpload = Static<typeof TripFlowUpload>;

export const RemovedCounts = Type.Object(
  {
    locations: Type.Integer(),
    vehicles: Type.Integer(),
    observations: Type.Integer(),
    events: Type.Integer(),
    travel: Type.Integer({ description: 'pairs of locations' }),
    trip_flows: Type.Integer({ description: 'rows of counted trips' }),
  },
  { $id: 'RemovedCounts', description: 'rows that were deleted' },
);
export type RemovedCounts = Static<typeof RemovedCounts>;

export const Removed = Type.Object({ removed: RemovedCounts }, { $id: 'Removal' });

export const UpsertCounts = Type.Object(
  { created: Type.Integer(), updated: Type.Integer(), removed: Type.Optional(RemovedCounts) },
  { $id: 'UpsertCounts', description: '`removed` only if the whole set was replaced' },
);
export type UpsertCounts = Static<typeof UpsertCounts>;

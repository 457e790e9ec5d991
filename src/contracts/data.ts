import { type Static, Type } from 'typebox';
import { LocationId } from './optimize.ts';
import { STORABLE_TEXT, VEHICLE_STATUSES, VehicleFigures, VehicleId } from './vehicles.ts';

/** Most rows of one bulk request. */
export const MAX_BULK_ROWS = 200_000;

const TimeZone = Type.String({
  format: 'time-zone',
  maxLength: 64,
  description: 'IANA zone whose days the demand follows, e.g. America/New_York',
});

export const Location = Type.Object(
  {
    id: LocationId,
    name: Type.String({ minLength: 1, maxLength: 200, pattern: STORABLE_TEXT }),
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
  },
  { $id: 'Location' },
);
export type Location = Static<typeof Location>;

export const LocationInput = Type.Object(
  { ...Location.properties, time_zone: Type.Optional(TimeZone) },
  { $id: 'LocationInput', additionalProperties: false },
);
export type LocationInput = Static<typeof LocationInput>;

export const FleetVehicle = Type.Object(
  {
    vehicle_id: VehicleId,
    location_id: LocationId,
    status: Type.Enum([...VEHICLE_STATUSES]),
    capacity: Type.Number({ exclusiveMinimum: 0 }),
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
    capacity: Type.Optional(Type.Number({ exclusiveMinimum: 0, default: 1 })),
    ...VehicleFigures,
  },
  { $id: 'FleetVehicleInput', additionalProperties: false },
);
export type FleetVehicleInput = Static<typeof FleetVehicleInput>;

/** JSON merge patch (RFC 7396) of a vehicle; nothing that is known becomes unknown, so null is refused. */
export const FleetVehiclePatch = Type.Object(
  {
    location_id: Type.Optional(LocationId),
    status: Type.Optional(Type.Enum([...VEHICLE_STATUSES])),
    capacity: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
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

export const DemandObservation = Type.Object(
  {
    location_id: LocationId,
    hour: Type.String({ format: 'date-time', description: 'start of the hour, ISO 8601 with offset' }),
    demand: Type.Number({ minimum: 0 }),
  },
  { $id: 'DemandObservation', additionalProperties: false },
);
export type DemandObservation = Static<typeof DemandObservation>;

const rows = <T extends Type.TSchema>(schema: T) =>
  Type.Array(schema, { minItems: 1, maxItems: MAX_BULK_ROWS });

export const PutLocationsRequest = Type.Object(
  { locations: rows(LocationInput) },
  { $id: 'PutLocationsRequest', additionalProperties: false },
);
export type PutLocationsRequest = Static<typeof PutLocationsRequest>;
export const PutFleetRequest = Type.Object(
  { fleet: rows(FleetVehicleInput) },
  { $id: 'PutFleetRequest', additionalProperties: false },
);
export type PutFleetRequest = Static<typeof PutFleetRequest>;
export const PostDemandRequest = Type.Object(
  { observations: rows(DemandObservation) },
  { $id: 'PostDemandRequest', additionalProperties: false },
);
export type PostDemandRequest = Static<typeof PostDemandRequest>;

export const UpsertCounts = Type.Object(
  { created: Type.Integer(), updated: Type.Integer() },
  { $id: 'UpsertCounts' },
);
export type UpsertCounts = Static<typeof UpsertCounts>;

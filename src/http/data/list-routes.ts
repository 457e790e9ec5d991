import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { FleetSummary, FleetVehicle, Location } from '../../contracts/data.ts';
import { LocationId } from '../../contracts/optimize.ts';
import { VEHICLE_STATUSES } from '../../contracts/vehicles.ts';
import { emptyFleetSummary, readFleetSummary, readVehiclePage } from '../../db/data/fleet.ts';
import { readLocationPage } from '../../db/data/locations.ts';
import { sendJsonText } from '../bodies/raw-json.ts';
import type { Deps } from '../deps.ts';
import { decodeCursor } from '../lists/cursor.ts';
import { STREAM_PAGE_ROWS, streamList } from '../lists/list-stream.ts';
import { cutPage, DEFAULT_LIMIT, isStorableText, NextCursor, PAGE_QUERY } from '../lists/paging.ts';
import { answers, errors } from '../responses.ts';

const LocationQuery = Type.Object(PAGE_QUERY, { additionalProperties: false });
const FleetQuery = Type.Object(
  {
    ...PAGE_QUERY,
    status: Type.Optional(
      Type.Enum([...VEHICLE_STATUSES], { description: 'only vehicles with this status' }),
    ),
    location_id: Type.Optional(LocationId),
  },
  { additionalProperties: false },
);
// PostgreSQL would refuse a query with more than 32 bits.
const isLocationId = (value: unknown): value is number => value === (Number(value) | 0);

const LocationList = Type.Object(
  { locations: Type.Array(Location), next_cursor: Type.Optional(NextCursor) },
  { $id: 'LocationList' },
);
const FleetList = Type.Object(
  { fleet: Type.Array(FleetVehicle), summary: FleetSummary, next_cursor: Type.Optional(NextCursor) },
  { $id: 'FleetList' },
);
/** Reading `/api/v1/data`: locations and fleet. */
export function dataRoutes({ database: { db } }: Pick<Deps, 'database'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/data/locations',
      {
        schema: {
          operationId: 'list_locations',
          tags: ['data'],
          summary: 'The locations, by id',
          description: 'The whole list in one streamed answer, or in pages with `limit` and `cursor`.',
          querystring: LocationQuery,
          response: { 200: answers('the locations', LocationList), ...errors(400, 503) },
        },
      },
      async (request, reply) => {
        const { limit, cursor } = request.query;
        if (limit === undefined && cursor === undefined) {
          const readPage = (after: Location | null) =>
            readLocationPage(db, after?.id ?? null, STREAM_PAGE_ROWS);
          return sendJsonText(reply, await streamList(request.id, 'locations', readPage, async () => ({})));
        }
        const after = cursor === undefined ? null : decodeCursor(cursor, isLocationId);
        const rows = await readLocationPage(db, after, (limit ?? DEFAULT_LIMIT) + 1);
        const { items, next_cursor } = cutPage(rows, limit ?? DEFAULT_LIMIT, (location) => location.id);
        return success(request.id, { locations: items, next_cursor });
      },
    );

    app.get(
      '/api/v1/data/fleet',
      {
        schema: {
          operationId: 'list_fleet',
          tags: ['data'],
          summary: 'The fleet, by vehicle id, and the number of vehicles per status',
          description:
            'The whole fleet in one streamed answer, or in pages with `limit` and `cursor`. `summary` counts the ' +
            'whole fleet, regardless of page and filter. `data.fleet` can be sent as ' +
            '`fleet_state.vehicles` to POST /api/v1/optimize.',
          querystring: FleetQuery,
          response: { 200: answers('the fleet', FleetList), ...errors(400, 503) },
        },
      },
      async (request, reply) => {
        const { limit, cursor, status, location_id: locationId } = request.query;
        const filter = { status, locationId };
        if (limit === undefined && cursor === undefined) {
          const isWhole = status === undefined && locationId === undefined;
          const counted = emptyFleetSummary();
          const readPage = async (after: FleetVehicle | null) => {
            const rows = await readVehiclePage(db, after?.vehicle_id ?? null, STREAM_PAGE_ROWS, filter);
            for (const row of rows) counted[row.status]++;
            counted.total_vehicles += rows.length;
            return rows;
          };
          // For the whole fleet, count the rows that were sent: vehicles may change while they are streamed.
          const rest = async () => ({ summary: isWhole ? counted : await readFleetSummary(db) });
          return sendJsonText(reply, await streamList(request.id, 'fleet', readPage, rest));
        }
        const after = cursor === undefined ? null : decodeCursor(cursor, isStorableText);
        const rows = await readVehiclePage(db, after, (limit ?? DEFAULT_LIMIT) + 1, filter);
        const { items, next_cursor } = cutPage(rows, limit ?? DEFAULT_LIMIT, (vehicle) => vehicle.vehicle_id);
        return success(request.id, { fleet: items, summary: await readFleetSummary(db), next_cursor });
      },
    );
  };
}

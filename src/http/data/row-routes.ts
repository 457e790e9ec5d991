import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import { Location, LocationPatch, Removed } from '../../contracts/data.ts';
import { LocationId } from '../../contracts/optimize.ts';
import { VehicleId } from '../../contracts/vehicles.ts';
import { lockLocations, patchLocation } from '../../db/data/locations.ts';
import { deleteVehicle, NOTHING_REMOVED } from '../../db/data/removal.ts';
import { factsOf, JSON_TYPE, MERGE_PATCH_TYPE } from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { answers, errors } from '../responses.ts';
import { removeLocation } from './removal.ts';

const LocationParams = Type.Object({ location_id: LocationId });
const DeleteQuery = Type.Object(
  {
    cascade: Type.Optional(
      Type.Boolean({
        description:
          'true: the vehicles, observations, events, travel and trip flows of the location are ' +
          'deleted too; default false',
      }),
    ),
  },
  { additionalProperties: false },
);
const patchExample = { active: false };

/** Single rows of `/api/v1/data`: change a location, delete a location or a vehicle. */
export function dataRowRoutes({ database: { db } }: Pick<Deps, 'database'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.patch(
      '/api/v1/data/locations/:location_id',
      {
        config: { operation: 'location_patch' },
        schema: {
          operationId: 'change_location',
          tags: ['data'],
          summary: 'Change one location',
          description:
            'A JSON merge patch: the fields in the body are changed, the rest stay; null is refused. ' +
            '`active` false retires the ' +
            'location: it keeps its vehicles and its history, but is planned only if a request names it.',
          params: LocationParams,
          body: {
            content: {
              [JSON_TYPE]: { schema: { ...LocationPatch, examples: [patchExample] } },
              [MERGE_PATCH_TYPE]: { schema: { ...LocationPatch, examples: [patchExample] } },
            },
          },
          response: { 200: answers('the location', Location), ...errors(400, 404, 413, 415, 503) },
        },
      },
      async (request) => {
        const { location_id: id } = request.params;
        const patch = factsOf(request, 'location_patch');
        const location = await db.transaction((tx) => patchLocation(tx, id, patch));
        if (location) return success(request.id, location);
        throw unknownLocation(id, 'PUT /api/v1/data/locations creates it');
      },
    );

    app.delete(
      '/api/v1/data/locations/:location_id',
      {
        schema: {
          operationId: 'delete_location',
          tags: ['data'],
          summary: 'Delete one location',
          description:
            'Refused with 409 while it has vehicles, observations, events, travel or trip flows, unless `cascade` is ' +
            'true. ' +
            'Plans and decisions keep their data about it.',
          params: LocationParams,
          querystring: DeleteQuery,
          response: { 200: answers('number of rows deleted', Removed), ...errors(400, 404, 409, 503) },
        },
      },
      async (request) => {
        const { location_id: id } = request.params;
        const { cascade = false } = request.query;
        const removed = await db.transaction(async (tx) => {
          await lockLocations(tx);
          return removeLocation(tx, id, cascade);
        });
        if (removed.locations > 0) return success(request.id, { removed });
        throw unknownLocation(id, 'GET /api/v1/data/locations lists the stored locations');
      },
    );

    app.delete(
      '/api/v1/data/fleet/:vehicle_id',
      {
        schema: {
          operationId: 'delete_vehicle',
          tags: ['data'],
          summary: 'Delete one vehicle',
          description: 'Plans and decisions keep their data about it.',
          params: Type.Object({ vehicle_id: { ...VehicleId, examples: ['NYC-00001'] } }),
          response: { 200: answers('number of rows deleted', Removed), ...errors(400, 404, 503) },
        },
      },
      async (request) => {
        const { vehicle_id: id } = request.params;
        if (await deleteVehicle(db, id))
          return success(request.id, { removed: { ...NOTHING_REMOVED, vehicles: 1 } });
        const message = `vehicle ${JSON.stringify(id)} not found; GET /api/v1/data/fleet lists the stored vehicles`;
        throw new AppError('RESOURCE_NOT_FOUND', [{ field: 'vehicle_id', message }]);
      },
    );
  };
}

function unknownLocation(id: number, advice: string): AppError {
  const message = `location ${id} not found; ${advice}`;
  return new AppError('RESOURCE_NOT_FOUND', [{ field: 'location_id', message }]);
}

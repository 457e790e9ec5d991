import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import {
  FleetVehicle,
  FleetVehiclePatch,
  PostDemandRequest,
  PutFleetRequest,
  PutLocationsRequest,
  UpsertCounts,
} from '../../contracts/data.ts';
import { VehicleId } from '../../contracts/vehicles.ts';
import { describeColumns } from '../../csv/copy-rows.ts';
import { COLUMNS } from '../../csv/tables.ts';
import { upsertDemand } from '../../db/demand.ts';
import { patchVehicle, upsertVehicles } from '../../db/fleet.ts';
import { findKnownLocationIds, upsertLocations } from '../../db/locations.ts';
import type { Stage } from '../../db/staging.ts';
import type { Counts } from '../../db/upsert.ts';
import { success } from '../../envelope.ts';
import { AppError } from '../../errors.ts';
import type { Deps } from '../app.ts';
import { CSV_TYPE, type CsvBody, isCsv, JSON_TYPE, MERGE_PATCH_TYPE } from '../bodies.ts';
import { checkDemand, checkFleet, checkLocation, checkLocations } from '../data-faults.ts';
import { answers, errors } from '../responses.ts';
import { storeCsv } from '../store-csv.ts';

const written = {
  200: answers('everything was there and is replaced', UpsertCounts),
  201: answers('something was created', UpsertCounts),
  ...errors(400, 413, 415, 503),
};
const bulk =
  'JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-Encoding: gzip`. ' +
  'All or nothing: one fault, and nothing is stored; every fault is named with its row or line. 201 where something was created.';

const locationsExample = {
  locations: [
    {
      id: 4,
      name: 'Alphabet City',
      latitude: 40.723752,
      longitude: -73.976968,
      time_zone: 'America/New_York',
    },
  ],
};
const fleetExample = {
  fleet: [
    { vehicle_id: 'EXAMPLE-1', location_id: 12, status: 'maintenance' as const, capacity: 1 },
    {
      vehicle_id: 'EXAMPLE-2',
      location_id: 13,
      acquired_on: '2015-06-01',
      last_maintenance_on: '2017-04-20',
    },
  ],
};
const patchExample = { location_id: 13, status: 'operational' as const, last_maintenance_on: '2017-05-02' };
const demandExample = {
  observations: [
    { location_id: 4, hour: '2017-01-01T05:00:00Z', demand: 119 },
    { location_id: 12, hour: '2017-01-01T00:00:00-05:00', demand: 3 },
  ],
};

const csvExamples: Record<Stage, string> = {
  locations: 'id,name,latitude,longitude,time_zone\n4,Alphabet City,40.723752,-73.976968,America/New_York\n',
  fleet:
    'vehicle_id,location_id,status,capacity,acquired_on\nEXAMPLE-1,12,maintenance,1,2014-02-03\nEXAMPLE-2,13,,,\n',
  demand: 'location_id,hour,demand\n4,2017-01-01T05:00:00Z,119\n12,2017-01-01T00:00:00-05:00,3\n',
};

/** A bulk body: JSON of the schema, or CSV of the same table. */
function bulkBody<S extends TSchema>(stage: Stage, schema: S, example: Static<S>) {
  const csv = Type.String({ description: describeColumns(COLUMNS[stage]), examples: [csvExamples[stage]] });
  return {
    content: {
      [JSON_TYPE]: { schema: { ...schema, examples: [example] } },
      [CSV_TYPE]: { schema: csv },
    },
  };
}

/** Writing `/api/v1/data`: locations, fleet, observed demand. */
export function dataInRoutes({ database: { db, pool } }: Pick<Deps, 'database'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.put(
      '/api/v1/data/locations',
      {
        schema: {
          tags: ['data'],
          summary: 'Create or replace locations',
          description: `${bulk} A location without \`time_zone\` keeps the one it has.`,
          body: bulkBody('locations', PutLocationsRequest, locationsExample),
          response: written,
        },
      },
      (request, reply) =>
        storeBulk<PutLocationsRequest>(request, reply, 'locations', async ({ locations }) => {
          checkLocations(locations);
          return db.transaction((tx) => upsertLocations(tx, locations));
        }),
    );

    app.put(
      '/api/v1/data/fleet',
      {
        schema: {
          tags: ['data'],
          summary: 'Create or replace vehicles',
          description: `${bulk} A vehicle without \`status\` is operational, one without \`capacity\` has 1; dates and utilization that are not given stay as they are. Vehicles that are not named stay as they are.`,
          body: bulkBody('fleet', PutFleetRequest, fleetExample),
          response: written,
        },
      },
      (request, reply) =>
        storeBulk<PutFleetRequest>(request, reply, 'fleet', async ({ fleet }) => {
          checkFleet(fleet, await findKnown(fleet));
          return db.transaction((tx) => upsertVehicles(tx, fleet));
        }),
    );

    app.patch(
      '/api/v1/data/fleet/:vehicle_id',
      {
        schema: {
          tags: ['data'],
          summary: 'Change one vehicle',
          description:
            'A JSON merge patch: what is named is changed, the rest stays; null is refused. ' +
            'The answer is the vehicle as GET /api/v1/data/fleet shows it.',
          params: Type.Object({ vehicle_id: { ...VehicleId, examples: ['NYC-0001'] } }),
          body: {
            content: {
              [JSON_TYPE]: { schema: { ...FleetVehiclePatch, examples: [patchExample] } },
              [MERGE_PATCH_TYPE]: { schema: { ...FleetVehiclePatch, examples: [patchExample] } },
            },
          },
          response: { 200: answers('the vehicle', FleetVehicle), ...errors(400, 404, 413, 415, 503) },
        },
      },
      async (request) => {
        const { vehicle_id: vehicleId } = request.params;
        const patch = request.body as FleetVehiclePatch;
        const { location_id: locationId } = patch;
        if (locationId !== undefined) {
          checkLocation(locationId, await findKnownLocationIds(db, [locationId]));
        }
        const vehicle = await patchVehicle(db, vehicleId, patch);
        if (vehicle) return success(request.id, vehicle);
        const message = `there is no vehicle ${JSON.stringify(vehicleId)}; PUT /api/v1/data/fleet creates one`;
        throw new AppError('RESOURCE_NOT_FOUND', [{ field: 'vehicle_id', message }]);
      },
    );

    app.post(
      '/api/v1/data/demand',
      {
        schema: {
          tags: ['data'],
          summary: 'Add or correct observed hourly demand',
          description: `${bulk} \`hour\` is the start of a full UTC hour, with any offset. Forecasts use the observations at once.`,
          body: bulkBody('demand', PostDemandRequest, demandExample),
          response: written,
        },
      },
      (request, reply) =>
        storeBulk<PostDemandRequest>(request, reply, 'demand', async ({ observations }) => {
          const rows = checkDemand(observations, await findKnown(observations));
          return db.transaction((tx) => upsertDemand(tx, rows));
        }),
    );
  };

  /** Stores a bulk body of either type. @param storeJson checks and stores what came as JSON */
  async function storeBulk<B>(
    request: FastifyRequest,
    reply: FastifyReply,
    stage: Stage,
    storeJson: (body: B) => Promise<Counts>,
  ) {
    const counts = isCsv(request)
      ? await storeCsv(pool, stage, request.body as CsvBody)
      : await storeJson(request.body as B);
    reply.code(counts.created > 0 ? 201 : 200);
    return success(request.id, counts);
  }

  function findKnown(rows: readonly { location_id: number }[]): Promise<Set<number>> {
    return findKnownLocationIds(db, [...new Set(rows.map((row) => row.location_id))]);
  }
}

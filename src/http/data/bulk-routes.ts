import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import {
  DemandUpload,
  EventUpload,
  FleetUpload,
  FleetVehicle,
  FleetVehiclePatch,
  LocationUpload,
  TravelUpload,
  TripFlowUpload,
  UpsertCounts,
} from '../../contracts/data.ts';
import { VehicleId } from '../../contracts/vehicles.ts';
import { describeColumns } from '../../csv/row-reader.ts';
import { COLUMNS } from '../../csv/tables.ts';
import type { Queryable } from '../../db/client.ts';
import { upsertDemand } from '../../db/data/demand.ts';
import { upsertEvents } from '../../db/data/events.ts';
import { patchVehicle, upsertVehicles } from '../../db/data/fleet.ts';
import { holdLocations, upsertLocations } from '../../db/data/locations.ts';
import type { PackedRows } from '../../db/data/packed-rows.ts';
import type { Stage } from '../../db/data/staging.ts';
import type { Counts } from '../../db/data/upsert.ts';
import { upsertTravel } from '../../db/travel/travel.ts';
import { upsertTripFlows } from '../../db/travel/trip-flows.ts';
import type { ReceivedBody } from '../bodies/intake.ts';
import {
  bodyOf,
  CSV_TYPE,
  csvOf,
  factsOf,
  isCsv,
  JSON_TYPE,
  MERGE_PATCH_TYPE,
} from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { answers, errors } from '../responses.ts';
import { checkLocation } from './data-faults.ts';
import { packedKeys, type Replace, removeOthers } from './removal.ts';
import { storeCsv } from './store-csv.ts';

const written = {
  200: answers('all rows existed and were replaced', UpsertCounts),
  201: answers('at least one row was created', UpsertCounts),
  ...errors(400, 413, 415, 503),
};
const bulk =
  'JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-Encoding: gzip`. ' +
  'All or nothing: with any fault nothing is stored, and every fault is reported with its row or line. ' +
  '201 if a row was created.';

const replace = Type.Optional(
  Type.Boolean({
    description:
      'true: the body is the whole set, and rows that it does not contain are deleted; default false',
  }),
);
const cascade = Type.Optional(
  Type.Boolean({
    description:
      'with `replace`: also deletes the vehicles, observations, events, travel and trip flows of those locations; ' +
      'default false',
  }),
);
const NoQuery = Type.Object({}, { additionalProperties: false });
const SetQuery = Type.Object({ replace }, { additionalProperties: false });
const LocationsQuery = Type.Object({ replace, cascade }, { additionalProperties: false });

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

const eventsExample = {
  events: [
    {
      event_id: 'EXAMPLE-MARATHON',
      location_id: null,
      from: '2017-05-07T08:00:00-04:00',
      to: '2017-05-07T16:00:00-04:00',
      kind: 'marathon',
    },
    {
      event_id: 'EXAMPLE-CLOSED',
      location_id: 12,
      from: '2017-05-04T04:00:00Z',
      to: '2017-05-05T04:00:00Z',
      kind: 'closed',
      factor: 0,
      name: 'Ferry terminal closed',
    },
  ],
};

const travelExample = {
  travel: [
    { from_location_id: 4, to_location_id: 12, distance_km: 5.681, duration_minutes: 11.99 },
    { from_location_id: 12, to_location_id: 4, distance_km: 6.12, duration_minutes: 14.5 },
  ],
};

const tripFlowsExample = {
  trip_flows: [
    { from_location_id: 4, to_location_id: 12, trips: 79 },
    { from_location_id: 4, to_location_id: 12, trips: 3, hour_of_week: 8 },
  ],
};

const csvExamples: Record<Stage, string> = {
  locations: 'id,name,latitude,longitude,time_zone\n4,Alphabet City,40.723752,-73.976968,America/New_York\n',
  fleet:
    'vehicle_id,location_id,status,capacity,acquired_on\nEXAMPLE-1,12,maintenance,1,2014-02-03\nEXAMPLE-2,13,,,\n',
  demand: 'location_id,hour,demand\n4,2017-01-01T05:00:00Z,119\n12,2017-01-01T00:00:00-05:00,3\n',
  events:
    'event_id,location_id,from,to,kind,factor,name\n' +
    'EXAMPLE-MARATHON,,2017-05-07T12:00:00Z,2017-05-07T20:00:00Z,marathon,,\n' +
    'EXAMPLE-CLOSED,12,2017-05-04T04:00:00Z,2017-05-05T04:00:00Z,closed,0,Ferry terminal closed\n',
  travel: 'from_location_id,to_location_id,distance_km,duration_minutes\n4,12,5.681,11.99\n12,4,6.12,14.5\n',
  trip_flows: 'from_location_id,to_location_id,trips,hour_of_week\n4,12,79,\n4,12,3,8\n',
};

/** A bulk body: JSON that fits the schema, or CSV of the same table. */
function bulkBody<S extends TSchema>(stage: Stage, schema: S, example: Static<S>) {
  const csv = Type.String({ description: describeColumns(COLUMNS[stage]), examples: [csvExamples[stage]] });
  return {
    content: {
      [JSON_TYPE]: { schema: { ...schema, examples: [example] } },
      [CSV_TYPE]: { schema: csv },
    },
  };
}

/** Writing `/api/v1/data`: locations, fleet, observed demand, events, travel, trip flows. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of routes with their schemas
export function dataInRoutes({ database: { db, pool } }: Pick<Deps, 'database'>): FastifyPluginAsyncTypebox {
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of routes with their schemas
  return async (app) => {
    app.put(
      '/api/v1/data/locations',
      {
        config: { operation: 'locations' },
        schema: {
          operationId: 'put_locations',
          tags: ['data'],
          summary: 'Create or replace locations',
          description:
            `${bulk} \`time_zone\`, \`active\`, \`expected_daily_demand\` and \`priority\` that a row ` +
            'does not give stay as they are. ' +
            'With `replace` all other locations are deleted; one with vehicles, observations, events, ' +
            'travel or trip flows is refused.',
          querystring: LocationsQuery,
          body: bulkBody('locations', LocationUpload, locationsExample),
          response: { ...written, ...errors(409) },
        },
      },
      (request, reply) => storeBulk(request, reply, 'locations', upsertLocations, readReplace(request.query)),
    );

    app.put(
      '/api/v1/data/fleet',
      {
        config: { operation: 'fleet' },
        schema: {
          operationId: 'put_fleet',
          tags: ['data'],
          summary: 'Create or replace vehicles',
          description:
            `${bulk} A vehicle without \`status\` is operational, one without \`capacity\` has 1; dates ` +
            'and utilization that are not given stay as they are. Other vehicles stay as they are; with ' +
            `\`replace\` they are deleted.`,
          querystring: SetQuery,
          body: bulkBody('fleet', FleetUpload, fleetExample),
          response: written,
        },
      },
      (request, reply) => storeBulk(request, reply, 'fleet', upsertVehicles, readReplace(request.query)),
    );

    app.patch(
      '/api/v1/data/fleet/:vehicle_id',
      {
        config: { operation: 'vehicle_patch' },
        schema: {
          operationId: 'change_vehicle',
          tags: ['data'],
          summary: 'Change one vehicle',
          description:
            'A JSON merge patch (also taken as `application/json`): the fields in the body are changed, ' +
            'the rest stay; null is refused. ' +
            'The answer is the vehicle as GET /api/v1/data/fleet shows it.',
          params: Type.Object({ vehicle_id: { ...VehicleId, examples: ['NYC-00001'] } }),
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
        const patch = factsOf(request, 'vehicle_patch');
        const { location_id: locationId } = patch;
        const vehicle = await db.transaction(async (tx) => {
          if (locationId !== undefined) checkLocation(locationId, await holdLocations(tx, [locationId]));
          return patchVehicle(tx, vehicleId, patch);
        });
        if (vehicle) return success(request.id, vehicle);
        const message = `vehicle ${JSON.stringify(vehicleId)} not found; PUT /api/v1/data/fleet creates it`;
        throw new AppError('RESOURCE_NOT_FOUND', [{ field: 'vehicle_id', message }]);
      },
    );

    app.post(
      '/api/v1/data/demand',
      {
        config: { operation: 'demand' },
        schema: {
          operationId: 'add_demand',
          tags: ['data'],
          summary: 'Add or correct observed hourly demand',
          description:
            `${bulk} \`hour\` is the start of a full UTC hour, with any offset. Forecasts use the ` +
            'observations at once.',
          querystring: NoQuery,
          body: bulkBody('demand', DemandUpload, demandExample),
          response: written,
        },
      },
      (request, reply) => storeBulk(request, reply, 'demand', upsertDemand, null),
    );

    app.put(
      '/api/v1/data/events',
      {
        config: { operation: 'events' },
        schema: {
          operationId: 'put_events',
          tags: ['data'],
          summary: 'Create or replace events that change demand',
          description:
            `${bulk} An event covers the hours from \`from\` to before \`to\`, full UTC hours with any ` +
            'offset, of one location or ' +
            'of all (`location_id` null; in CSV an empty cell). Forecasts multiply its hours by ' +
            '`factor`; without one they learn ' +
            'from past events of the same `kind`. An event that is already stored is replaced as a ' +
            'whole. With `replace` ' +
            'all other events are deleted.',
          querystring: SetQuery,
          body: bulkBody('events', EventUpload, eventsExample),
          response: written,
        },
      },
      (request, reply) => storeBulk(request, reply, 'events', upsertEvents, readReplace(request.query)),
    );

    app.put(
      '/api/v1/data/travel',
      {
        config: { operation: 'travel', csvLimit: 'HTTP_TRAVEL_LIMIT_BYTES' },
        schema: {
          operationId: 'put_travel',
          tags: ['data'],
          summary: 'Create or replace travel between locations',
          description:
            `${bulk} Kilometres and minutes from one location to another; the way back is a row of its own. ` +
            'Other pairs stay as they are; with `replace` they are deleted.',
          querystring: SetQuery,
          body: bulkBody('travel', TravelUpload, travelExample),
          response: written,
        },
      },
      (request, reply) => storeBulk(request, reply, 'travel', upsertTravel, readReplace(request.query)),
    );

    app.put(
      '/api/v1/data/trip-flows',
      {
        config: { operation: 'trip_flows' },
        schema: {
          operationId: 'put_trip_flows',
          tags: ['data'],
          summary: 'Create or replace counts of trips between locations',
          description:
            `${bulk} How many trips from one location ended at another: in an hour of the week or, without ` +
            '`hour_of_week`, in all hours for which the first location has no rows. Only the shares of a location ' +
            'matter, not how long was counted. Other rows stay as they are; with `replace` they are deleted.',
          querystring: SetQuery,
          body: bulkBody('trip_flows', TripFlowUpload, tripFlowsExample),
          response: written,
        },
      },
      (request, reply) =>
        storeBulk(request, reply, 'trip_flows', upsertTripFlows, readReplace(request.query)),
    );
  };

  /**
   * Stores a bulk body of either type.
   * @param upsert stores rows that were sent as JSON
   * @param replace how to delete rows that the body does not name; null: keep them
   */
  async function storeBulk(
    request: FastifyRequest,
    reply: FastifyReply,
    stage: Stage,
    upsert: (tx: Queryable, rows: PackedRows) => Promise<Counts>,
    replace: Replace | null,
  ) {
    const counts = isCsv(request)
      ? await storeCsv(pool, stage, csvOf(request), replace)
      : await storeJson(stage, bodyOf(request, stage), upsert, replace);
    reply.code(counts.created > 0 ? 201 : 200);
    return success(request.id, counts);
  }

  async function storeJson(
    stage: Stage,
    body: ReceivedBody<Stage>,
    upsert: (tx: Queryable, rows: PackedRows) => Promise<Counts>,
    replace: Replace | null,
  ): Promise<UpsertCounts> {
    const { locationIds, rows } = body.facts;
    return db.transaction(async (tx) => {
      await body.check(await holdLocations(tx, locationIds));
      if (!replace || stage === 'demand') return upsert(tx, rows);
      const removed = await removeOthers(tx, stage, packedKeys(rows, stage), replace);
      return { ...(await upsert(tx, rows)), removed };
    });
  }
}

/** @throws AppError VALIDATION_ERROR if `cascade` is set without `replace` */
function readReplace({ replace, cascade }: { replace?: boolean; cascade?: boolean }): Replace | null {
  if (cascade && !replace) {
    const message = 'cascade=true requires replace=true; set both or neither';
    throw new AppError('VALIDATION_ERROR', [{ field: 'cascade', message }]);
  }
  return replace ? { cascade: cascade ?? false } : null;
}

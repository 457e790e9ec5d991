import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { ALL_HOURS } from '../../contracts/bounds.ts';
import { TRAVEL_CSV_COLUMNS, TRIP_FLOW_CSV_COLUMNS, TravelPair, TripFlow } from '../../contracts/data.ts';
import { LocationId } from '../../contracts/optimize.ts';
import { readTravelPage, type TravelKey } from '../../db/travel/travel.ts';
import { readTripFlowPage, type TripFlowKey } from '../../db/travel/trip-flows.ts';
import type { Deps } from '../deps.ts';
import { NextCursor, PAGE_QUERY } from '../lists/paging.ts';
import { answerRowList, areIntegers, ROW_LIST_PAGES, rowListAnswers } from '../lists/row-list.ts';

const query = (from: string) =>
  Type.Object(
    { ...PAGE_QUERY, from_location_id: Type.Optional({ ...LocationId, description: from }) },
    { additionalProperties: false },
  );
const TravelQuery = query('only travel that begins here');
const TripFlowQuery = query('only trips that begin here');
const TravelList = Type.Object(
  { travel: Type.Array(TravelPair), next_cursor: Type.Optional(NextCursor) },
  { $id: 'TravelList' },
);
const TripFlowList = Type.Object(
  { trip_flows: Type.Array(TripFlow), next_cursor: Type.Optional(NextCursor) },
  { $id: 'TripFlowList' },
);

const isTravelKey = (value: unknown): value is TravelKey => areIntegers(value, 2);
const isTripFlowKey = (value: unknown): value is TripFlowKey => areIntegers(value, 3);

/** Reading the tables of pairs of locations of `/api/v1/data`: travel and trip flows. `bulk-routes.ts` stores them. */
export function dataTravelRoutes({ database: { db } }: Pick<Deps, 'database'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/data/travel',
      {
        schema: {
          operationId: 'list_travel',
          tags: ['data'],
          summary: 'Travel between locations, by the ids of both',
          description: `${ROW_LIST_PAGES}per pair.`,
          querystring: TravelQuery,
          response: rowListAnswers(
            'the pairs of locations',
            TravelList,
            TRAVEL_CSV_COLUMNS,
            '4,12,5.681,11.99',
          ),
        },
      },
      (request, reply) =>
        answerRowList(request, reply, request.query, {
          name: 'travel',
          columns: TRAVEL_CSV_COLUMNS,
          cursorOf: (row): TravelKey => [row.from_location_id, row.to_location_id],
          isCursor: isTravelKey,
          readPage: (after, limit) => readTravelPage(db, after, limit, request.query.from_location_id),
        }),
    );

    app.get(
      '/api/v1/data/trip-flows',
      {
        schema: {
          operationId: 'list_trip_flows',
          tags: ['data'],
          summary: 'Counted trips between locations, by the ids of both and the hour of the week',
          description: `${ROW_LIST_PAGES}per pair and hour.`,
          querystring: TripFlowQuery,
          response: rowListAnswers('the counted trips', TripFlowList, TRIP_FLOW_CSV_COLUMNS, '4,12,79,'),
        },
      },
      (request, reply) =>
        answerRowList(request, reply, request.query, {
          name: 'trip_flows',
          columns: TRIP_FLOW_CSV_COLUMNS,
          cursorOf: (row: TripFlow): TripFlowKey => [
            row.from_location_id,
            row.to_location_id,
            row.hour_of_week ?? ALL_HOURS,
          ],
          isCursor: isTripFlowKey,
          readPage: (after, limit) => readTripFlowPage(db, after, limit, request.query.from_location_id),
        }),
    );
  };
}

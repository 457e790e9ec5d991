import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { DEMAND_CSV_COLUMNS, DemandObservation } from '../../contracts/data.ts';
import { LocationId } from '../../contracts/optimize.ts';
import { HOUR_MS, instantMs } from '../../contracts/time.ts';
import { type DemandKey, readDemandPage } from '../../db/demand.ts';
import type { Deps } from '../deps.ts';
import { checkPeriod, NextCursor, PAGE_QUERY } from '../paging.ts';
import { answerRowList, areIntegers, ROW_LIST_PAGES, rowListAnswers } from '../row-list.ts';

const time = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', maxLength: 100, description }));

const DemandQuery = Type.Object(
  {
    ...PAGE_QUERY,
    location_id: Type.Optional({ ...LocationId, description: 'only observations of this location' }),
    from: time('only hours that begin at this time or later; ISO 8601 with offset'),
    to: time('only hours that begin before this time; ISO 8601 with offset'),
  },
  { additionalProperties: false },
);
const DemandList = Type.Object(
  { observations: Type.Array(DemandObservation), next_cursor: Type.Optional(NextCursor) },
  { $id: 'DemandList' },
);

const isDemandKey = (value: unknown): value is DemandKey => areIntegers(value, 2);

/** The first full hour at or after a time, in UTC hours since the epoch; undefined for no time. */
const hourOf = (text: string | undefined) =>
  text === undefined ? undefined : Math.ceil(instantMs(text) / HOUR_MS);

/** Reading the observed demand of `/api/v1/data`. `data-in.ts` stores it. */
export function dataDemandRoutes({ database: { db } }: Pick<Deps, 'database'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/data/demand',
      {
        schema: {
          operationId: 'list_demand',
          tags: ['data'],
          summary: 'Observed hourly demand, by location and hour',
          description: `${ROW_LIST_PAGES}per observation, as \`POST\` takes it.`,
          querystring: DemandQuery,
          response: rowListAnswers(
            'the observations',
            DemandList,
            DEMAND_CSV_COLUMNS,
            '161,2017-05-03T22:00:00Z,917',
          ),
        },
      },
      (request, reply) => {
        const { location_id: locationId, from, to } = request.query;
        checkPeriod(request.query, 'from', 'to');
        const filter = { locationId, fromHour: hourOf(from), beforeHour: hourOf(to) };
        return answerRowList(request, reply, request.query, {
          name: 'observations',
          columns: DEMAND_CSV_COLUMNS,
          cursorOf: ({ location_id, hour }): DemandKey => [location_id, instantMs(hour) / HOUR_MS],
          isCursor: isDemandKey,
          readPage: (after, limit) => readDemandPage(db, after, limit, filter),
        });
      },
    );
  };
}

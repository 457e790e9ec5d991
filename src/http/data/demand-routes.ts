import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import { DEMAND_CSV_COLUMNS, DemandObservation, Removed } from '../../contracts/data.ts';
import { LocationId } from '../../contracts/optimize.ts';
import { HOUR_MS, instantMs } from '../../contracts/time.ts';
import { type DemandFilter, type DemandKey, deleteDemand, readDemandPage } from '../../db/data/demand.ts';
import { NOTHING_REMOVED } from '../../db/data/removal.ts';
import type { Deps } from '../deps.ts';
import { checkPeriod, NextCursor, PAGE_QUERY } from '../lists/paging.ts';
import { answerRowList, areIntegers, ROW_LIST_PAGES, rowListAnswers } from '../lists/row-list.ts';
import { answers, errors } from '../responses.ts';
import { noteMade } from '../service/audit.ts';

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
const DeleteQuery = Type.Pick(DemandQuery, ['location_id', 'from', 'to'], { additionalProperties: false });
const DemandList = Type.Object(
  { observations: Type.Array(DemandObservation), next_cursor: Type.Optional(NextCursor) },
  { $id: 'DemandList' },
);

const isDemandKey = (value: unknown): value is DemandKey => areIntegers(value, 2);

/** The first full hour at or after a time, in UTC hours since the epoch; undefined for no time. */
const hourOf = (text: string | undefined) =>
  text === undefined ? undefined : Math.ceil(instantMs(text) / HOUR_MS);

type Period = { location_id?: number; from?: string; to?: string };

/** @throws AppError VALIDATION_ERROR if the period ends before it begins */
function filterOf(query: Period): DemandFilter {
  checkPeriod(query, 'from', 'to');
  const { location_id: locationId, from, to } = query;
  return { locationId, fromHour: hourOf(from), beforeHour: hourOf(to) };
}

/** Reading and deleting the observed demand of `/api/v1/data`. `bulk-routes.ts` stores it. */
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
        const filter = filterOf(request.query);
        return answerRowList(request, reply, request.query, {
          name: 'observations',
          columns: DEMAND_CSV_COLUMNS,
          cursorOf: ({ location_id, hour }): DemandKey => [location_id, instantMs(hour) / HOUR_MS],
          isCursor: isDemandKey,
          readPage: (after, limit) => readDemandPage(db, after, limit, filter),
        });
      },
    );

    app.delete(
      '/api/v1/data/demand',
      {
        schema: {
          operationId: 'delete_demand',
          tags: ['data'],
          summary: 'Delete observed hourly demand',
          description:
            'Deletes the observations of a location, of a time, or of both: what GET lists with the same parameters. At ' +
            'least one of them is required. Forecasts forget the observations at once; plans and decisions keep what ' +
            'they say.',
          querystring: DeleteQuery,
          response: { 200: answers('number of rows deleted', Removed), ...errors(400, 503) },
        },
      },
      async (request) => {
        const { location_id: locationId } = request.query;
        if (Object.keys(request.query).length === 0) {
          const message =
            'name what to delete: location_id, from or to; from=1970-01-01T00:00:00Z deletes all observations';
          throw new AppError('VALIDATION_ERROR', message);
        }
        const filter = filterOf(request.query);
        if (locationId !== undefined) noteMade(request, { resourceId: String(locationId) });
        const observations = await db.transaction((tx) => deleteDemand(tx, filter));
        return success(request.id, { removed: { ...NOTHING_REMOVED, observations } });
      },
    );
  };
}

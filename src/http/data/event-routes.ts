import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import { EventId, EventKind, KnownEvent, Removed } from '../../contracts/data.ts';
import { LocationId } from '../../contracts/optimize.ts';
import { deleteEvent, readEventPage } from '../../db/data/events.ts';
import { NOTHING_REMOVED } from '../../db/data/removal.ts';
import { sendJsonText } from '../bodies/raw-json.ts';
import type { Deps } from '../deps.ts';
import { decodeCursor } from '../lists/cursor.ts';
import { STREAM_PAGE_ROWS, streamList } from '../lists/list-stream.ts';
import { cutPage, DEFAULT_LIMIT, isStorableText, NextCursor, PAGE_QUERY } from '../lists/paging.ts';
import { answers, errors } from '../responses.ts';

const EventQuery = Type.Object(
  {
    ...PAGE_QUERY,
    kind: Type.Optional({ ...EventKind, description: 'only events of this kind' }),
    location_id: Type.Optional({
      ...LocationId,
      description: 'only events of this location or of all locations',
    }),
  },
  { additionalProperties: false },
);
const EventList = Type.Object(
  { events: Type.Array(KnownEvent), next_cursor: Type.Optional(NextCursor) },
  { $id: 'EventList' },
);

/** Reading and deleting the events of `/api/v1/data`. `bulk-routes.ts` stores them. */
export function dataEventRoutes({ database: { db } }: Pick<Deps, 'database'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/data/events',
      {
        schema: {
          operationId: 'list_events',
          tags: ['data'],
          summary: 'Events that change demand, by id',
          description: 'The whole list in one streamed answer, or in pages with `limit` and `cursor`.',
          querystring: EventQuery,
          response: { 200: answers('the events', EventList), ...errors(400, 503) },
        },
      },
      async (request, reply) => {
        const { limit, cursor, kind, location_id: locationId } = request.query;
        const filter = { kind, locationId };
        if (limit === undefined && cursor === undefined) {
          const readPage = (after: KnownEvent | null) =>
            readEventPage(db, after?.event_id ?? null, STREAM_PAGE_ROWS, filter);
          return sendJsonText(reply, await streamList(request.id, 'events', readPage, async () => ({})));
        }
        const after = cursor === undefined ? null : decodeCursor(cursor, isStorableText);
        const rows = await readEventPage(db, after, (limit ?? DEFAULT_LIMIT) + 1, filter);
        const { items, next_cursor } = cutPage(rows, limit ?? DEFAULT_LIMIT, (event) => event.event_id);
        return success(request.id, { events: items, next_cursor });
      },
    );

    app.delete(
      '/api/v1/data/events/:event_id',
      {
        schema: {
          operationId: 'delete_event',
          tags: ['data'],
          summary: 'Delete one event',
          description: 'Forecasts stop using it at once.',
          params: Type.Object({ event_id: EventId }),
          response: { 200: answers('number of rows deleted', Removed), ...errors(400, 404, 503) },
        },
      },
      async (request) => {
        const { event_id: id } = request.params;
        if (await db.transaction((tx) => deleteEvent(tx, id)))
          return success(request.id, { removed: { ...NOTHING_REMOVED, events: 1 } });
        const message = `event ${JSON.stringify(id)} not found; GET /api/v1/data/events lists the stored events`;
        throw new AppError('RESOURCE_NOT_FOUND', [{ field: 'event_id', message }]);
      },
    );
  };
}

import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { TRAVEL_CSV_COLUMNS, TravelPair } from '../../contracts/data.ts';
import { Envelope } from '../../contracts/envelope.ts';
import { LocationId } from '../../contracts/optimize.ts';
import { readTravelPage, type TravelKey } from '../../db/travel.ts';
import { acceptedType } from '../accepted-type.ts';
import { CSV_TYPE, JSON_TYPE } from '../bodies.ts';
import { decodeCursor } from '../cursor.ts';
import type { Deps } from '../deps.ts';
import { STREAM_PAGE_ROWS, streamList } from '../list-stream.ts';
import { cutPage, DEFAULT_LIMIT, NextCursor, PAGE_QUERY } from '../paging.ts';
import { sendJsonText } from '../raw-json.ts';
import { errors } from '../responses.ts';

const TravelQuery = Type.Object(
  {
    ...PAGE_QUERY,
    from_location_id: Type.Optional({ ...LocationId, description: 'only travel that begins here' }),
  },
  { additionalProperties: false },
);
const TravelList = Type.Object(
  { travel: Type.Array(TravelPair), next_cursor: Type.Optional(NextCursor) },
  { $id: 'TravelList' },
);
const HEADER = `${TRAVEL_CSV_COLUMNS.join(',')}\n`;
const TRAVEL_CSV_EXAMPLE = `${HEADER}4,12,5.681,11.99\n`;
const TravelCsv = Type.String({
  description: `\`${TRAVEL_CSV_COLUMNS.join(',')}\``,
});

type Key = [from: number, to: number];
// PostgreSQL would refuse a query with more than 32 bits.
const isKey = (value: unknown): value is Key =>
  Array.isArray(value) && value.length === 2 && value.every((id) => id === (Number(id) | 0));
const keyOf = ([from_location_id, to_location_id]: Key): TravelKey => ({ from_location_id, to_location_id });

/** Reading the travel table of `/api/v1/data`. `data-in.ts` stores it. */
export function dataTravelRoutes({ database: { db } }: Pick<Deps, 'database'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/data/travel',
      {
        schema: {
          operationId: 'list_travel',
          tags: ['data'],
          summary: 'Travel between locations, by the ids of both',
          description:
            'The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv` gives ' +
            'one line per pair.',
          querystring: TravelQuery,
          response: {
            200: {
              description: 'the pairs of locations',
              content: {
                [JSON_TYPE]: { schema: Envelope(TravelList) },
                [CSV_TYPE]: { schema: TravelCsv, example: TRAVEL_CSV_EXAMPLE },
              },
            },
            ...errors(400, 503),
          },
        },
      },
      async (request, reply) => {
        const { limit, cursor, from_location_id: from } = request.query;
        const readPage = (after: TravelKey | null) => readTravelPage(db, after, STREAM_PAGE_ROWS, from);
        const isWhole = limit === undefined && cursor === undefined;
        const asCsv = acceptedType(request) === CSV_TYPE;
        if (isWhole && !asCsv)
          return sendJsonText(reply, await streamList(request.id, 'travel', readPage, async () => ({})));
        const start = cursor === undefined ? null : keyOf(decodeCursor(cursor, isKey));
        if (!asCsv) {
          const rows = await readTravelPage(db, start, (limit ?? DEFAULT_LIMIT) + 1, from);
          const { items, next_cursor } = cutPage(rows, limit ?? DEFAULT_LIMIT, (pair) => [
            pair.from_location_id,
            pair.to_location_id,
          ]);
          return success(request.id, { travel: items, next_cursor });
        }
        const first = isWhole
          ? await readPage(null)
          : await readTravelPage(db, start, limit ?? DEFAULT_LIMIT, from);
        const text = csv(first, isWhole ? readPage : null);
        return (reply as FastifyReply)
          .type('text/csv; charset=utf-8')
          .send(Readable.from(text, { highWaterMark: 1 }));
      },
    );
  };
}

/** Lines of CSV, a chunk per page. @param readPage reads the pages after the first; null: there is only the first */
async function* csv(first: TravelPair[], readPage: ((after: TravelKey) => Promise<TravelPair[]>) | null) {
  yield HEADER;
  for (let page = first; page.length > 0; page = await readPage(page[page.length - 1])) {
    yield page.map((pair) => `${TRAVEL_CSV_COLUMNS.map((column) => pair[column]).join(',')}\n`).join('');
    if (!readPage || page.length < STREAM_PAGE_ROWS) return;
  }
}

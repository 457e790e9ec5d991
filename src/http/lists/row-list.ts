import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { Envelope } from '../../contracts/envelope.ts';
import { acceptedType } from '../bodies/accepted-type.ts';
import { sendJsonText } from '../bodies/raw-json.ts';
import { CSV_TYPE, JSON_TYPE } from '../bodies/receive-body.ts';
import { errors } from '../responses.ts';
import { decodeCursor } from './cursor.ts';
import { STREAM_PAGE_ROWS, streamList } from './list-stream.ts';
import { cutPage, DEFAULT_LIMIT } from './paging.ts';

/** A table of stored data that is listed by its key. */
export type RowList<R, K> = {
  /** the list in `data` */
  name: string;
  columns: readonly (keyof R & string)[];
  /** the content of a cursor, from the last row of a page */
  cursorOf(row: R): K;
  isCursor(value: unknown): value is K;
  /** A page after the row with this key; null: from the first row. */
  readPage(after: K | null, limit: number): Promise<R[]>;
};

/**
 * Answers with a list: the whole one in a streamed answer, or a page if the query has `limit` or `cursor`; as JSON or,
 * if the request accepts it, as lines of CSV.
 */
export async function answerRowList<R, K>(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, cursor }: { limit?: number; cursor?: string },
  { name, columns, cursorOf, isCursor, readPage }: RowList<R, K>,
) {
  const isWhole = limit === undefined && cursor === undefined;
  const asCsv = acceptedType(request) === CSV_TYPE;
  const readNext = (after: R | null) => readPage(after && cursorOf(after), STREAM_PAGE_ROWS);
  if (isWhole && !asCsv)
    return sendJsonText(reply, await streamList(request.id, name, readNext, async () => ({})));
  const start = cursor === undefined ? null : decodeCursor(cursor, isCursor);
  if (!asCsv) {
    const rows = await readPage(start, (limit ?? DEFAULT_LIMIT) + 1);
    const { items, next_cursor } = cutPage(rows, limit ?? DEFAULT_LIMIT, cursorOf);
    return success(request.id, { [name]: items, next_cursor });
  }
  const first = await (isWhole ? readNext(null) : readPage(start, limit ?? DEFAULT_LIMIT));
  const text = csv(columns, first, isWhole ? readNext : null);
  return reply.type('text/csv; charset=utf-8').send(Readable.from(text, { highWaterMark: 1 }));
}

/** The first line of a list as CSV. */
const csvHeader = (columns: readonly string[]) => `${columns.join(',')}\n`;

/** Begins the description of a list of rows. */
export const ROW_LIST_PAGES =
  'The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv` gives one line ';

/** The answer of a list: JSON, or CSV with these columns, of which there is an example line. */
export function rowListAnswers(description: string, list: TSchema, columns: readonly string[], line: string) {
  const csv = Type.String({ description: `\`${columns.join(',')}\`` });
  return {
    200: {
      description,
      content: {
        [JSON_TYPE]: { schema: Envelope(list) },
        [CSV_TYPE]: { schema: csv, example: `${csvHeader(columns)}${line}\n` },
      },
    },
    ...errors(400, 503),
  };
}

/** Lines of CSV, a chunk per page. @param readNext reads the pages after the first; null: there is only the first */
async function* csv<R>(
  columns: readonly (keyof R & string)[],
  first: R[],
  readNext: ((after: R) => Promise<R[]>) | null,
) {
  yield csvHeader(columns);
  for (let page = first; page.length > 0; page = await readNext(page[page.length - 1])) {
    yield page.map((row) => `${columns.map((column) => row[column] ?? '').join(',')}\n`).join('');
    if (!readNext || page.length < STREAM_PAGE_ROWS) return;
  }
}

/** Whether a value is a list of `length` 32-bit integers: PostgreSQL would refuse a query with more bits. */
export function areIntegers(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length && value.every((id) => id === (Number(id) | 0));
}

import { Type } from 'typebox';
import { AppError } from '../../answers/errors.ts';
import { instantMs, isUtcTime } from '../../contracts/time.ts';
import { encodeCursor } from './cursor.ts';

/** Rows of a page if the request does not set `limit`. */
export const DEFAULT_LIMIT = 50;

/** The query parameters of every list that comes in pages. */
export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `rows per page; default ${DEFAULT_LIMIT}` }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: '`next_cursor` of the previous page; keep the same filters',
    }),
  ),
};

/** The query parameters of lists that are searched by time. */
export const CREATED_QUERY = {
  created_after: Type.Optional(
    Type.String({ format: 'date-time', description: 'created at this time or later' }),
  ),
  created_before: Type.Optional(
    Type.String({ format: 'date-time', description: 'created before this time' }),
  ),
};

/**
 * Refuses a period that ends before it begins: its list would be empty for ever, and look like missing data. A period
 * that ends where it begins is empty.
 * @param query the query of a list @param first name of the parameter with its first time @param last with its end
 * @throws AppError VALIDATION_ERROR
 */
export function checkPeriod<K extends string>(query: { [key in K]?: string }, first: K, last: K): void {
  const { [first]: from, [last]: to } = query;
  if (from === undefined || to === undefined || instantMs(to) >= instantMs(from)) return;
  const message = `"${to}" is earlier than ${first} ("${from}"), so nothing lies between; give a later time`;
  throw new AppError('VALIDATION_ERROR', [{ message, field: last }]);
}

export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'cursor of the next page; null at the end of the list',
});

/**
 * Cuts a page from rows that were read with one more than its limit.
 * @param keyOf the content of the cursor, from the last row of the page
 */
export function cutPage<R>(rows: R[], limit: number, keyOf: (row: R) => unknown) {
  if (rows.length <= limit) return { items: rows, next_cursor: null };
  const items = rows.slice(0, limit);
  return { items, next_cursor: encodeCursor(keyOf(items[limit - 1])) };
}

/** Whether a value can be the key of a list ordered by a text id: a text that PostgreSQL can store. */
export const isStorableText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0');

/** Key of the lists that are newest first: time and id of the last row seen. */
export type NewestFirstKey = [createdAt: string, id: string];

export function isNewestFirstKey(value: unknown): value is NewestFirstKey {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [createdAt, id] = value;
  return (
    typeof createdAt === 'string' &&
    isUtcTime(createdAt) &&
    typeof id === 'string' &&
    /^[!-~]{1,64}$/.test(id)
  );
}

import { AppError } from '../../answers/errors.ts';

/** Turns the key of a page's last row into an opaque page cursor. */
export function encodeCursor(key: unknown): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Reads a cursor that `encodeCursor` made.
 * @param isKey whether a value is a key of the list
 * @throws AppError VALIDATION_ERROR naming `cursor`
 */
export function decodeCursor<K>(cursor: string, isKey: (value: unknown) => value is K): K {
  const text = Buffer.from(cursor, 'base64url').toString();
  const key = parse(text);
  if (isKey(key)) return key;
  const message =
    `"${cursor.slice(0, 80)}" is not a cursor of this list; use next_cursor of an earlier page, or leave ` +
    'it out';
  throw new AppError('VALIDATION_ERROR', [{ field: 'cursor', message }]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { AppError } from '../answers/errors.ts';
import { MAX_TRIP_COUNTS } from '../contracts/bounds.ts';
import type { Queryable } from '../db/client.ts';
import { type AskedHours, readTripPieces } from '../db/travel/trip-pieces.ts';

/**
 * Stored counts of trips between the locations of a plan or replay, packed (`openTrips`).
 * @param field the part of the request that makes them many; null: it names none
 * @throws AppError VALIDATION_ERROR if there are too many
 */
export async function readTrips(
  db: Queryable,
  ids: readonly number[],
  hours: AskedHours,
  field: string | null,
  most = MAX_TRIP_COUNTS,
): Promise<Uint8Array[]> {
  const pieces = await readTripPieces(db, ids, hours, most);
  if (pieces) return pieces;
  const message =
    `more than ${most} counts of trips are stored between its ${ids.length} locations for its hours; ` +
    'ask for fewer locations or hours, store trip flows without hour_of_week (PUT /api/v1/data/trip-flows), or set ' +
    'trip_flows to "none"';
  throw new AppError('VALIDATION_ERROR', [{ field, message }]);
}

import { AppError } from '../../answers/errors.ts';
import type { JobFacts } from '../../contracts/job-facts.ts';
import type { Queryable } from '../../db/client.ts';
import { hasTravel } from '../../db/travel/travel.ts';

/**
 * Checks that a request for stored travel finds some between its locations.
 * @throws AppError VALIDATION_ERROR
 */
export async function checkTravel(
  db: Queryable,
  facts: JobFacts,
  locationIds: readonly number[],
  field = 'options.travel',
): Promise<void> {
  if (!('storedTravel' in facts) || locationIds.length < 2 || (await hasTravel(db, locationIds))) return;
  const message =
    'no travel between these locations is stored; PUT /api/v1/data/travel stores it, or leave ' +
    `${field} out`;
  throw new AppError('VALIDATION_ERROR', [{ field, message }]);
}

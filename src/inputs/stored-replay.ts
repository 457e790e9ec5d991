/** The stored data of a replay, for workers and for the command. */
import type { Config } from '../config.ts';
import type { ReplayRequest } from '../contracts/replays.ts';
import { HISTORY_WEEKS } from '../core/forecast/local-series.ts';
import type { StoredReplay } from '../core/replay/stored-replay.ts';
import type { Queryable } from '../db/client.ts';
import { readLocations } from '../db/data/locations.ts';
import { locationField, noObservations, readForecastInput } from './forecast-input.ts';
import type { HolidayCalendar } from './holidays.ts';
import { replayScope } from './replay-input.ts';
import { optimizeSettings } from './settings.ts';
import { readTrips } from './trip-input.ts';

/** Hours that plans look beyond the end of the period. */
const BEYOND_HOURS = 48;

/**
 * Reads all but travel. Call it in a transaction, so that it is as of one moment.
 * @returns with the counts of trips, packed (`openTrips`); null if there are none, or none are asked for
 * @throws AppError as `replayScope`; some data may have been deleted since the request was accepted
 */
export async function readStoredReplay(
  tx: Queryable,
  config: Config,
  calendar: HolidayCalendar | null,
  request: ReplayRequest,
): Promise<{ stored: StoredReplay; trips: Uint8Array[] | null }> {
  const { locationIds, timeZone, firstHour, endHour, vehicles } = await replayScope(tx, config, request);
  const { series, ...known } = await readForecastInput(tx, config, calendar, {
    locationIds,
    fromHour: firstHour - HISTORY_WEEKS * 168 - 48,
    beforeHour: endHour,
    untilHour: endHour + BEYOND_HOURS,
    aheadFromHour: firstHour,
  });
  const silent = series.filter(({ values, startHour }) => values.length === 0 || startHour >= firstHour);
  if (silent.length > 0) {
    const ids = silent.map(({ locationId }) => locationId);
    throw await noObservations(tx, ids, request.from, locationField(request.location_ids));
  }
  const field = request.location_ids ? 'location_ids' : null;
  const trips = request.trip_flows === 'none' ? [] : await readTrips(tx, locationIds, 'each', field);
  const stored = {
    ...{ request, series, known, firstHour, hours: endHour - firstHour, timeZone },
    points: await readLocations(tx, locationIds),
    vehicles: vehicles && [...vehicles],
    costPerKm: optimizeSettings(config).costPerKm,
  };
  return { stored, trips: trips.length > 0 ? trips : null };
}

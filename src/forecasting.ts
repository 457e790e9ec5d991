import type { Config } from './config.ts';
import { MAX_FORECAST_LOCATIONS } from './contracts/forecast.ts';
import { localDate, zoneClock } from './core/forecast/local-time.ts';
import type { DemandSeries } from './core/forecast/types.ts';
import type { Database, Queryable } from './db/client.ts';
import {
  LAST_HOUR,
  type NewestHour,
  readDemandSeries,
  readNewestHourOfEach,
  readNewestHours,
} from './db/demand.ts';
import { findKnownLocationIds, readLocationIds } from './db/locations.ts';
import { AppError, type Fault } from './errors.ts';
import type { HolidayCalendar } from './holidays.ts';

const HOUR_MS = 3_600_000;
/** Furthest start after the newest observation: the model knows no more than a year ahead. */
const MAX_LEAD_DAYS = 366;
const MOST_FAULTS = 100;

/** The hours whose observations a forecast may use, UTC since the epoch, and the first day it is of. */
export type History = { fromHour: number; beforeHour: number; startDate: string };

type Settings = Pick<Config, 'FORECASTING_HISTORY_WEEKS' | 'FORECASTING_TIME_ZONE'>;

/**
 * Checks that each location is named once and is stored.
 * @param field name of the list in the request
 * @throws AppError VALIDATION_ERROR, RESOURCE_NOT_FOUND
 */
export async function checkForecastLocations(
  db: Queryable,
  ids: readonly number[],
  field = 'location_ids',
): Promise<void> {
  const first = new Map<number, number>();
  const repeated: Fault[] = [];
  for (const [i, id] of ids.entries()) {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, i);
    else {
      const message = `location ${id} stands at ${field}[${earlier}] already; name each once`;
      repeated.push({ field: `${field}[${i}]`, message });
    }
  }
  if (repeated.length > 0) throw new AppError('VALIDATION_ERROR', repeated.slice(0, MOST_FAULTS));
  const known = await findKnownLocationIds(db, ids);
  const unknown = ids.flatMap((id, i) =>
    known.has(id)
      ? []
      : [
          {
            field: `${field}[${i}]`,
            message: `location ${id} is not stored; GET /api/v1/data/locations lists them`,
          },
        ],
  );
  if (unknown.length > 0) throw new AppError('RESOURCE_NOT_FOUND', unknown.slice(0, MOST_FAULTS));
}

/**
 * The locations that a request is about: those it names, else those of its network, else all that are stored.
 * @throws AppError VALIDATION_ERROR where these are too many, MODEL_NOT_LOADED where there is none
 */
export async function requestedLocations(
  db: Queryable,
  request: { location_ids?: number[]; network?: { location_ids: number[] } },
): Promise<number[]> {
  const named = request.location_ids ?? request.network?.location_ids;
  if (named) return named;
  const ids = await readLocationIds(db, MAX_FORECAST_LOCATIONS + 1);
  const field = 'location_ids';
  if (ids.length > MAX_FORECAST_LOCATIONS) {
    const message = `more than ${MAX_FORECAST_LOCATIONS} locations are stored; name at most so many of them`;
    throw new AppError('VALIDATION_ERROR', [{ field, message }]);
  }
  if (ids.length > 0) return ids;
  const message =
    'no location is stored; store locations (PUT /api/v1/data/locations) and their demand first';
  throw new AppError('MODEL_NOT_LOADED', [{ field, message }]);
}

/**
 * What a forecast reads: back by the setting from the newest observation of the locations.
 * @param asked first day asked for; default: the local day after the newest observation
 * @param field name of that day in the request
 * @throws AppError MODEL_NOT_LOADED where nothing was observed, VALIDATION_ERROR where the day is too far ahead
 */
export async function forecastHistory(
  db: Queryable,
  config: Settings,
  ids: readonly number[],
  asked: string | undefined,
  field = 'start_date',
): Promise<History> {
  const limit = hourLimit(asked);
  const hours = await readNewestHours(db, ids, limit);
  if (hours.length === 0) throw await noObservations(db, config, ids, asked);
  const newest = Math.max(...hours.map(({ hour }) => hour));
  if (asked !== undefined && Date.parse(asked) / HOUR_MS - newest > MAX_LEAD_DAYS * 24) {
    const day = new Date(newest * HOUR_MS).toISOString().slice(0, 10);
    const message = `${asked} is more than ${MAX_LEAD_DAYS} days after the newest observation (${day}); take an earlier date or add observations`;
    throw new AppError('VALIDATION_ERROR', [{ field, message }]);
  }
  const beforeHour = Math.min(limit, newest + 1);
  return {
    fromHour: beforeHour - config.FORECASTING_HISTORY_WEEKS * 168 - 48,
    beforeHour,
    startDate: asked ?? dayAfter(hours, config.FORECASTING_TIME_ZONE),
  };
}

/** One day more than UTC midnight: west of Greenwich the local day starts later; the engine cuts exactly. */
function hourLimit(startDate: string | undefined): number {
  return startDate === undefined ? LAST_HOUR : Date.parse(startDate) / HOUR_MS + 24;
}

/** The local day after the newest observation: the first that has none anywhere. */
function dayAfter(hours: readonly NewestHour[], defaultTimeZone: string): string {
  const local = hours.map(({ timeZone, hour }) => hour + zoneClock(timeZone ?? defaultTimeZone)(hour));
  return localDate(Math.max(...local) + 24);
}

/** Locations without any observation in the hours that a forecast reads. */
export async function findSilentLocations(
  db: Queryable,
  ids: readonly number[],
  { fromHour, beforeHour }: Pick<History, 'fromHour' | 'beforeHour'>,
): Promise<number[]> {
  const newest = await readNewestHourOfEach(db, ids, beforeHour);
  return ids.filter((id) => !((newest.get(id) ?? -Infinity) >= fromHour));
}

/** Says of each location whether it was never observed, or fell silent, and when. */
export async function noObservations(
  db: Queryable,
  config: Settings,
  ids: readonly number[],
  startDate: string | undefined,
): Promise<AppError> {
  const named = ids.slice(0, MOST_FAULTS);
  const newest = await readNewestHourOfEach(db, named);
  const weeks = config.FORECASTING_HISTORY_WEEKS;
  const faults = named.map((id) => {
    const hour = newest.get(id);
    const message =
      hour === undefined
        ? `location ${id} has no demand observations; add them with POST /api/v1/data/demand, or leave it out`
        : `location ${id} has no demand observations in the ${weeks} weeks before ${startDate ?? 'the newest of the request'}, ` +
          `its newest is of ${new Date(hour * HOUR_MS).toISOString().slice(0, 13)}:00Z; ` +
          'add newer ones with POST /api/v1/data/demand (an hour without demand is an observation of 0), or leave it out';
    return { field: 'location_ids', message };
  });
  return new AppError('MODEL_NOT_LOADED', faults);
}

/**
 * Reads what the engine works on: the observations of `[fromHour, beforeHour)`, and the public holidays from there to
 * `untilHour`. Locations that state no time zone get that of the setting.
 */
export async function readForecastInput(
  db: Pick<Database, '$client'>,
  config: Pick<Config, 'FORECASTING_TIME_ZONE'>,
  calendar: HolidayCalendar | null,
  asked: { locationIds: readonly number[]; fromHour: number; beforeHour: number; untilHour: number },
): Promise<{ series: DemandSeries[]; holidays?: string[] }> {
  const stored = await readDemandSeries(db, asked.locationIds, asked.fromHour, asked.beforeHour);
  const series = stored.map((one) => ({ ...one, timeZone: one.timeZone ?? config.FORECASTING_TIME_ZONE }));
  const holidays = calendar?.between(asked.fromHour, Math.max(asked.beforeHour, asked.untilHour));
  return { series, ...(holidays && { holidays }) };
}

/** The hour, in UTC and with a day to spare, at which a forecast from a day on ends. */
export function forecastEnd(startDate: string, horizonHours: number): number {
  return Date.parse(startDate) / HOUR_MS + 24 + horizonHours;
}

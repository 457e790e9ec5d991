import { AppError, type Fault } from '../answers/errors.ts';
import type { Config } from '../config.ts';
import type { OnMissingHistory } from '../contracts/decisions.ts';
import { MAX_REPORTED_ERRORS } from '../contracts/errors.ts';
import { MAX_FORECAST_LOCATIONS, MAX_FORECAST_VALUES, MAX_NAMED_EVENTS } from '../contracts/forecast.ts';
import { HOUR_MS } from '../contracts/time.ts';
import { eventsAhead } from '../core/forecast/event-hours.ts';
import type { Ahead } from '../core/forecast/forecast-text.ts';
import { HISTORY_WEEKS } from '../core/forecast/local-series.ts';
import { createClocks, localDate } from '../core/forecast/local-time.ts';
import type { MissingHistory } from '../core/forecast/missing-history.ts';
import { olderStretches } from '../core/forecast/older.ts';
import { HOLIDAY_REACH_HOURS, holidaysAhead, specialDays } from '../core/forecast/special-days.ts';
import type { DemandSeries, ForecastStart, Holiday, Horizon } from '../core/forecast/types.ts';
import type { Queryable } from '../db/client.ts';
import {
  readDemandSeries,
  readNewestHours,
  readObservedNeighbours,
  readOlderDemand,
  type StoredSeries,
} from '../db/data/demand.ts';
import { eventOnWire, readEvents, type StoredEvent } from '../db/data/events.ts';
import {
  findKnownLocationIds,
  readActiveLocationIds,
  readExpectedDailyDemand,
  readTimeZones,
} from '../db/data/locations.ts';
import { type AskedStart, forecastSpan, readStart, startAtHour, type WantedStart } from './forecast-start.ts';
import type { HolidayCalendar } from './holidays.ts';
import { newestDay } from './newest-day.ts';

/** Furthest start after the newest observation: the model knows the days up to a year ahead. */
const MAX_LEAD_DAYS = 366;
/** How far back past events and their effects are read: three years. */
const LEARNING_HOURS = 3 * 366 * 24;

/** The hours whose observations a forecast may use, UTC since the epoch, and when the forecast begins. */
export type History = { fromHour: number; beforeHour: number; start: ForecastStart };
/** Besides, of each location with observations before that, the hour of its newest. */
type FoundHistory = History & { newest: ReadonlyMap<number, number> };

type Settings = Pick<Config, 'FORECASTING_TIME_ZONE'>;

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
      const message = `location ${id} is a duplicate of ${field}[${earlier}]; name each once`;
      repeated.push({ field: `${field}[${i}]`, message });
    }
  }
  if (repeated.length > 0) throw new AppError('VALIDATION_ERROR', repeated.slice(0, MAX_REPORTED_ERRORS));
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
  if (unknown.length > 0) throw new AppError('RESOURCE_NOT_FOUND', unknown.slice(0, MAX_REPORTED_ERRORS));
}

/**
 * Checks that a forecast has no more values than one request may compute.
 * @throws AppError VALIDATION_ERROR
 */
export function checkForecastSize(
  locationCount: number,
  horizonHours: number,
  stepHours: number,
  field: string | null,
): void {
  const values = locationCount * Math.ceil(horizonHours / stepHours);
  if (values <= MAX_FORECAST_VALUES) return;
  const message =
    `${horizonHours} hours in steps of ${stepHours} are ${values} values for ${locationCount} locations, more than ` +
    `${MAX_FORECAST_VALUES}; request a shorter horizon, longer steps or fewer locations`;
  throw new AppError('VALIDATION_ERROR', [{ field, message }]);
}

/**
 * The locations that a request is about: those it names, else those of its network, else all active ones.
 * @throws AppError VALIDATION_ERROR if these are too many, MODEL_NOT_LOADED if there are none
 */
export async function requestedLocations(
  db: Queryable,
  request: { location_ids?: number[]; network?: { location_ids: number[] } },
): Promise<number[]> {
  const named = request.location_ids ?? request.network?.location_ids;
  if (named) return named;
  const ids = await readActiveLocationIds(db, MAX_FORECAST_LOCATIONS + 1);
  if (ids.length > MAX_FORECAST_LOCATIONS) {
    const message = `more than ${MAX_FORECAST_LOCATIONS} locations are stored; name at most that many in location_ids`;
    throw new AppError('VALIDATION_ERROR', message);
  }
  if (ids.length > 0) return ids;
  const message =
    'no active location is stored; store locations (PUT /api/v1/data/locations) and their demand first';
  throw new AppError('MODEL_NOT_LOADED', message);
}

/**
 * The hours that a forecast reads: as many weeks as the setting says, up to the newest observation of the locations
 * together (`newestDay`).
 * @param asked the start that was asked for; default: the local day after that observation
 * @param prefix of its fields in the request
 * @throws AppError MODEL_NOT_LOADED if nothing was observed, VALIDATION_ERROR if the start is too far ahead
 */
export async function forecastHistory(
  db: Queryable,
  config: Settings,
  ids: readonly number[],
  asked: AskedStart,
  prefix = '',
  fieldOf: LocationField = locationField(ids),
): Promise<FoundHistory> {
  const wanted = readStart(asked);
  const history = await findHistory(db, config, ids, wanted, prefix);
  return history ?? Promise.reject(await noObservations(db, ids, wanted.text, fieldOf));
}

/** As `forecastHistory`; null if nothing was observed. */
async function findHistory(
  db: Queryable,
  config: Settings,
  ids: readonly number[],
  wanted: WantedStart,
  prefix = '',
): Promise<FoundHistory | null> {
  const { originHour, text, field } = wanted;
  const hours = await readNewestHours(db, ids, wanted.beforeHour);
  if (hours.length === 0) return null;
  const { day, hour: newestHour } = newestDay(hours, config.FORECASTING_TIME_ZONE);
  const startDate = wanted.startDate ?? localDate((day + 1) * 24);
  const first = originHour ?? Date.parse(startDate) / HOUR_MS;
  if (first - newestHour > MAX_LEAD_DAYS * 24) {
    const hour = `${new Date(newestHour * HOUR_MS).toISOString().slice(0, 16)}Z`;
    const last = field === 'start_date' ? hour.slice(0, 10) : hour;
    const advice =
      field === 'start_date'
        ? 'request an earlier date or add observations'
        : 'request an earlier time, add observations (POST /api/v1/data/demand), or leave start_at out to begin on ' +
          'the day after them';
    const message = `${text} is more than ${MAX_LEAD_DAYS} days after the newest observation (${last}); ${advice}`;
    throw new AppError('VALIDATION_ERROR', [{ field: `${prefix}${field}`, message }]);
  }
  const newest = new Map(hours.map(({ locationId, hour }) => [locationId, hour]));
  const limit =
    originHour === undefined ? readStart({ start_date: startDate }).beforeHour : wanted.beforeHour;
  const start = originHour === undefined ? { startDate } : await startAtHour(db, config, ids, originHour);
  return {
    fromHour: newestHour + 1 - HISTORY_WEEKS * 168 - 48,
    beforeHour: Math.min(limit, Math.max(...newest.values()) + 1),
    start,
    newest,
  };
}

/** The locations of a decision, and the time that it plans for. */
export type DecisionScope = AskedStart & {
  location_ids?: number[] | undefined;
  on_missing_history?: OnMissingHistory | undefined;
};

/**
 * The hours that the forecast of a decision reads. If none of its locations was ever observed, the history of all
 * locations counts. If there is no history at all, it is empty, and the plan is for the time that was asked for, else
 * for tomorrow.
 * @throws AppError as `forecastHistory`; MODEL_NOT_LOADED if missing history shall be an error, or if most locations
 * have only observations that are too old
 */
export async function decisionHistory(
  db: Queryable,
  config: Settings,
  ids: readonly number[],
  { location_ids, on_missing_history, ...asked }: DecisionScope,
): Promise<History> {
  if (on_missing_history === 'fail') {
    const history = await forecastHistory(db, config, ids, asked, '', locationField(location_ids));
    const silent = ids.filter((id) => !((history.newest.get(id) ?? -Infinity) >= history.fromHour));
    if (silent.length === 0) return history;
    throw await noObservations(db, silent, startText(history.start), locationField(location_ids));
  }
  const wanted = readStart(asked);
  const own = await findHistory(db, config, ids, wanted);
  if (own) {
    await checkRecent(db, ids, own);
    return own;
  }
  const others = await readActiveLocationIds(db);
  const common = await findHistory(db, config, others, wanted);
  if (common) return common;
  const { originHour } = wanted;
  if (originHour !== undefined) {
    const start = await startAtHour(db, config, ids, originHour);
    return { fromHour: originHour, beforeHour: originHour, start };
  }
  const now = Math.floor(Date.now() / HOUR_MS);
  const startDate =
    wanted.startDate ?? localDate(now + createClocks()(config.FORECASTING_TIME_ZONE)(now) + 24);
  const hour = Date.parse(startDate) / HOUR_MS;
  return { fromHour: hour, beforeHour: hour, start: { startDate } };
}

/**
 * Reads the facts about those locations of a decision that have no observations in their series, and the series that
 * the decision uses in addition.
 */
export async function readMissingHistory(
  db: Queryable,
  config: Pick<Config, 'FORECASTING_TIME_ZONE'>,
  series: readonly DemandSeries[],
  hours: Pick<History, 'fromHour' | 'beforeHour'>,
): Promise<{ missing: MissingHistory; otherSeries: DemandSeries[] }> {
  const ids = series.map(({ locationId }) => locationId);
  const expectedDailyDemand = await readExpectedDailyDemand(db, ids);
  const expecting = series.filter(
    ({ locationId, values }) => values.length === 0 && (expectedDailyDemand.get(locationId) ?? 0) > 0,
  );
  const { fromHour, beforeHour } = hours;
  const neighbours = await readObservedNeighbours(
    db,
    expecting.map(({ locationId }) => locationId),
    fromHour,
    beforeHour,
  );
  const own = new Set(ids);
  const others = [...new Set([...neighbours.values()].flat())].filter((id) => !own.has(id));
  const stored = await readDemandSeries(db, others, fromHour, beforeHour);
  return {
    missing: { expectedDailyDemand, neighbours },
    otherSeries: stored.map((one) => inZone(one, config)),
  };
}

/** The field that makes a forecast large: the first of these fields that the request has. */
export function sizeField(request: {
  horizon_hours?: number | undefined;
  step_hours?: number | undefined;
  location_ids?: readonly number[] | undefined;
}): string | null {
  if (request.horizon_hours !== undefined) return 'horizon_hours';
  if (request.step_hours !== undefined) return 'step_hours';
  return request.location_ids ? 'location_ids' : null;
}

/** The place where a request names a location; null if it does not. */
export type LocationField = (id: number) => string | null;

export function locationField(locationIds: readonly number[] | undefined): LocationField {
  if (!locationIds) return () => null;
  const places = new Map(locationIds.map((id, i) => [id, `location_ids[${i}]`]));
  return (id) => places.get(id) ?? null;
}

/** Locations that a message names. */
const MAX_NAMED = 10;

/**
 * Refuses a plan of a city most of whose locations were observed once, but not in the weeks that count: their demand
 * would be 0.
 * @throws AppError MODEL_NOT_LOADED
 */
async function checkRecent(
  db: Queryable,
  ids: readonly number[],
  { fromHour, start, newest }: FoundHistory,
): Promise<void> {
  const old = ids.filter((id) => (newest.get(id) ?? fromHour) < fromHour);
  if (old.length * 2 <= ids.length) return;
  const expected = await readExpectedDailyDemand(db, old);
  const silent = old.filter((id) => !expected.get(id));
  if (silent.length * 2 <= ids.length) return;
  const named = silent.slice(0, MAX_NAMED).join(', ') + (silent.length > MAX_NAMED ? ', …' : '');
  const message =
    `${silent.length} of ${ids.length} locations (${named}) have no observations in the ` +
    `${HISTORY_WEEKS} weeks before ${startText(start)}, and would be planned without demand; add newer ` +
    'observations (POST /api/v1/data/demand), delete those of a wrong time (DELETE /api/v1/data/demand), retire ' +
    'locations that are closed (active false), or name an earlier start_date';
  throw new AppError('MODEL_NOT_LOADED', message);
}

/** The start of a forecast, for messages. */
export const startText = ({ startDate, startsAt }: ForecastStart): string => startsAt ?? startDate;

/**
 * Says of each location whether it was never observed, or when it was last observed.
 * @param before the start of the forecast, as text
 */
export async function noObservations(
  db: Queryable,
  ids: readonly number[],
  before: string | undefined,
  fieldOf: LocationField,
): Promise<AppError> {
  const named = ids.slice(0, MAX_REPORTED_ERRORS);
  const newest = new Map(
    (await readNewestHours(db, named)).map(({ locationId, hour }) => [locationId, hour]),
  );
  const faults = named.map((id) => {
    const hour = newest.get(id);
    const message =
      hour === undefined
        ? `location ${id} has no demand observations; add them with POST /api/v1/data/demand, or leave it out`
        : `location ${id} has no demand observations in the ${HISTORY_WEEKS} weeks before ` +
          `${before ?? 'the newest of the request'}, ` +
          `its newest is at ${new Date(hour * HOUR_MS).toISOString().slice(0, 13)}:00Z; ` +
          'add newer ones with POST /api/v1/data/demand (an hour without demand is an observation of 0), ' +
          'or leave it out';
    return { field: fieldOf(id), message };
  });
  return new AppError('MODEL_NOT_LOADED', faults);
}

/** The stored data that a forecast reads. */
export type ForecastInput = { series: DemandSeries[]; holidays?: Holiday[]; events?: StoredEvent[] };

/**
 * Reads the input of the engine: the observations of `[fromHour, beforeHour)`; public holidays and events up to
 * `untilHour`, back to three years before; and within these years the observations around holidays and events like
 * those ahead, which lie from `aheadFromHour` (default: `beforeHour`) on. Locations without a time zone get that of the
 * setting.
 */
export async function readForecastInput(
  db: Queryable,
  config: Pick<Config, 'FORECASTING_TIME_ZONE'>,
  calendar: HolidayCalendar | null,
  asked: {
    locationIds: readonly number[];
    fromHour: number;
    beforeHour: number;
    untilHour: number;
    aheadFromHour?: number;
  },
): Promise<ForecastInput> {
  const { locationIds, fromHour, beforeHour, aheadFromHour = beforeHour } = asked;
  const stored = await readDemandSeries(db, locationIds, fromHour, beforeHour);
  const untilHour = Math.max(beforeHour, asked.untilHour);
  const learnFrom = Math.min(fromHour, beforeHour - LEARNING_HOURS);
  const holidays = calendar?.between(learnFrom - HOLIDAY_REACH_HOURS, untilHour + HOLIDAY_REACH_HOURS);
  const events = await readEvents(db, locationIds, learnFrom, untilHour);
  const stretches = olderStretches(specialDays(holidays ?? []), events, {
    historyFromHour: fromHour,
    aheadFromHour,
    untilHour,
    locationCount: locationIds.length,
  });
  const older = await readOlderDemand(db, locationIds, stretches);
  const series = stored.map((one) => {
    const stretchesOfIt = older.get(one.locationId);
    return { ...inZone(one, config), ...(stretchesOfIt && { older: stretchesOfIt }) };
  });
  return { series, ...(holidays && { holidays }), ...(events.length > 0 && { events }) };
}

/** The notes of a forecast that was computed from `known` on the days ahead. */
export function describeAhead(
  { holidays, events = [] }: { holidays?: Holiday[]; events?: StoredEvent[] },
  zones: ReadonlyMap<number, string>,
  horizon: Horizon,
): Ahead {
  const ahead = eventsAhead(events, zones, horizon);
  return {
    ...(holidays && { holidays: holidaysAhead(holidays, horizon, zones.values()) }),
    events: ahead.slice(0, MAX_NAMED_EVENTS).map(eventOnWire),
    eventCount: ahead.length,
  };
}

/** As `describeAhead`, for locations whose observations are not read. */
export async function readAhead(
  db: Queryable,
  config: Pick<Config, 'FORECASTING_TIME_ZONE'>,
  calendar: HolidayCalendar | null,
  ids: readonly number[],
  horizon: Horizon,
): Promise<Ahead> {
  const { from, until } = forecastSpan(horizon, horizon.horizonHours);
  const holidays = calendar?.between(from - HOLIDAY_REACH_HOURS, until + HOLIDAY_REACH_HOURS);
  const events = await readEvents(db, ids, from, until);
  const stored = await readTimeZones(db, ids);
  const zones = new Map(ids.map((id) => [id, stored.get(id) ?? config.FORECASTING_TIME_ZONE]));
  return describeAhead({ ...(holidays && { holidays }), events }, zones, horizon);
}

/** The memory of series that a thread can take over instead of copying it. */
export const buffersOf = (series: readonly DemandSeries[]): ArrayBuffer[] =>
  series
    .flatMap(({ values, older = [] }) => [values, ...older.map((stretch) => stretch.values)])
    .map(({ buffer }) => buffer as ArrayBuffer);

function inZone(
  series: StoredSeries,
  { FORECASTING_TIME_ZONE: usual }: Pick<Config, 'FORECASTING_TIME_ZONE'>,
) {
  return { ...series, timeZone: series.timeZone ?? usual };
}

/**
 * The locations of a backtest: those it names, else the active ones that were ever observed; and the hour before which
 * their observations end together.
 * @throws AppError as `requestedLocations`; MODEL_NOT_LOADED if a location that is named, or all of them, were never
 * observed
 */
export async function backtestLocations(
  db: Queryable,
  config: Settings,
  request: { location_ids?: number[] },
): Promise<{ locationIds: number[]; beforeHour: number }> {
  const ids = await requestedLocations(db, request);
  const newest = await readNewestHours(db, ids);
  const observed = new Set(newest.map(({ locationId }) => locationId));
  const silent = ids.filter((id) => !observed.has(id));
  const { location_ids } = request;
  if (silent.length > 0 && (location_ids || silent.length === ids.length))
    throw await noObservations(db, silent, undefined, locationField(location_ids));
  const locationIds = ids.filter((id) => observed.has(id));
  return { locationIds, beforeHour: newestDay(newest, config.FORECASTING_TIME_ZONE).hour + 1 };
}

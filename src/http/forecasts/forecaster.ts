import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import type { Config } from '../../config.ts';
import type { Ahead, LocationText } from '../../core/forecast/forecast-text.ts';
import type { ForecastOptions, ForecastStart, NoObservations } from '../../core/forecast/types.ts';
import type { Database } from '../../db/client.ts';
import { readDemandRevision } from '../../db/data/demand.ts';
import { buffersOf, readAhead, readForecastInput } from '../../inputs/forecast-input.ts';
import { forecastSpan } from '../../inputs/forecast-start.ts';
import type { HolidayCalendar } from '../../inputs/holidays.ts';
import { openFairLine } from '../fair-line.ts';

export type ForecastTask = {
  locationIds: number[];
  fromHour: number;
  beforeHour: number;
  /** The start is required: the default of the engine depends on which locations are requested together. */
  options: ForecastOptions & ForecastStart;
};

type LocationForecastText = LocationText | NoObservations;

export type Forecaster = {
  /**
   * Reads the history `[fromHour, beforeHour)` (UTC hours since the epoch) and forecasts in a thread, in the turn of
   * the caller.
   * @returns the forecasts as JSON text, in the order of `locationIds`
   */
  forecast(task: ForecastTask, caller: string): Promise<LocationForecastText[]>;
  /** Notes on the days ahead for readers of a forecast. */
  ahead(task: Pick<ForecastTask, 'locationIds' | 'options'>): Promise<Ahead>;
  close(): Promise<void>;
};

/**
 * Approximate limit for the bytes of all cached forecasts; the least recently used are dropped first. The largest
 * possible forecast fits (22 MB), and adds little to the size of the process that keeps it.
 */
const CACHE_BYTES = 32 * 1024 * 1024;
/** Memory of a cached forecast beyond its text. */
const ENTRY_BYTES = 500;
/** A forecast of 263 locations takes some tenths of a second: one thread serves many callers, who take turns. */
const THREADS = 1;
/** An idle forecast thread ends after this time and gives its memory back. */
const IDLE_MS = 10_000;

/**
 * Opens the forecast threads and, if the setting says so, a cache per location. New observations invalidate the cache.
 * @param calendar public holidays that forecasts use
 * @param countUse is called once per forecast that may come from the cache
 */
export function openForecaster(
  config: Pick<Config, 'FEATURES_ENABLE_CACHING' | 'FORECASTING_TIME_ZONE'>,
  db: Database,
  calendar: HolidayCalendar | null = null,
  countUse?: (cache: string, isHit: boolean) => void,
): Forecaster {
  const pool = new Piscina({
    filename: new URL('./forecast-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
  });
  const cache = new LRUCache<string, Promise<LocationForecastText>>({ maxSize: CACHE_BYTES });
  let cachedRevision: number | undefined;
  // One place more than threads: there a history is read while they compute.
  const line = openFairLine(THREADS + 1);

  const compute = async ({
    locationIds,
    fromHour,
    beforeHour,
    options,
  }: ForecastTask): Promise<LocationForecastText[]> => {
    const { until: untilHour } = forecastSpan(options, options.horizonHours);
    const asked = { locationIds, fromHour, beforeHour, untilHour };
    const { series, ...known } = await readForecastInput(db, config, calendar, asked);
    return pool.run(
      { series, options: { ...options, ...known } },
      {
        transferList: buffersOf(series) as never,
      },
    );
  };

  // Intervals, short histories, holidays and events are learned from all locations of the request. So either all
  // locations come from the cache, or none.
  const readCache = (keys: readonly string[]): Promise<LocationForecastText[]> | undefined => {
    const known = keys.flatMap((key) => cache.get(key) ?? []);
    return known.length === keys.length ? Promise.all(known) : undefined;
  };

  const computeIntoCache = (task: ForecastTask, keys: readonly string[]): Promise<LocationForecastText[]> => {
    const computed = compute(task).then(
      (results) => new Map(results.map((result) => [result.locationId, result])),
    );
    const size = expectedBytes(task.options);
    const results = task.locationIds.map((id, i) => {
      const key = keys[i];
      const result = computed.then(
        (results) => results.get(id) ?? { status: 'no_observations' as const, locationId: id },
      );
      cache.set(key, result, { size });
      result.then(
        (text) => cache.peek(key) === result && cache.set(key, result, { size: entryBytes(text) }),
        // The caller gets the failure; the cache must not keep it.
        () => cache.delete(key),
      );
      return result;
    });
    return Promise.all(results);
  };

  const forecastCached = async (task: ForecastTask, caller: string): Promise<LocationForecastText[]> => {
    // Read the revision before the data: if it changes in between, an entry is unused, never stale.
    const revision = await readDemandRevision(db);
    if (revision !== cachedRevision) cache.clear();
    cachedRevision = revision;
    const keys = cacheKeys(revision, task);
    let isHit = true;
    const results =
      readCache(keys) ??
      line(caller, () => {
        // Somebody else's turn may have come first.
        const known = readCache(keys);
        isHit = known !== undefined;
        return known ?? computeIntoCache(task, keys);
      });
    return results.finally(() => countUse?.('forecast', isHit));
  };

  return {
    forecast: config.FEATURES_ENABLE_CACHING
      ? forecastCached
      : (task, caller) => line(caller, () => compute(task)),
    ahead: ({ locationIds, options }) => readAhead(db, config, calendar, locationIds, options),
    close: () => pool.destroy(),
  };
}

/** Cache keys of the locations of a task: with the locations requested with it, as-of, horizon, step and settings. */
function cacheKeys(
  revision: number,
  { locationIds, fromHour, beforeHour, options }: ForecastTask,
): readonly string[] {
  const text = JSON.stringify([revision, fromHour, beforeHour, options, locationIds]);
  const common = createHash('sha256').update(text).digest('base64');
  return locationIds.map((locationId) => `${common} ${locationId}`);
}

/** Size of an entry while its forecast is being computed. */
function expectedBytes({ horizonHours, stepHours, confidenceLevel }: ForecastOptions): number {
  const series = confidenceLevel === null ? 1 : 3;
  return ENTRY_BYTES + 8 * series * Math.ceil(horizonHours / stepHours);
}

function entryBytes(text: LocationForecastText): number {
  if (text.status !== 'ok') return ENTRY_BYTES;
  return ENTRY_BYTES + text.values.length + (text.interval?.length ?? 0) + (text.notes?.length ?? 0);
}

import { Piscina } from 'piscina';
import type { Config } from '../config.ts';
import type { ForecastOptions, ForecastSet } from '../core/forecast/types.ts';
import type { Database } from '../db/client.ts';
import { readDemandRevision, readDemandSeries } from '../db/demand.ts';
import type { HolidayCalendar } from '../holidays.ts';

const HOUR_MS = 3_600_000;

export type ForecastTask = {
  locationIds: number[];
  fromHour: number;
  beforeHour: number;
  options: ForecastOptions;
};

export type Forecaster = {
  /** Reads the history `[fromHour, beforeHour)` (UTC hours since the epoch) and forecasts in a thread. */
  forecast(task: ForecastTask): Promise<ForecastSet>;
  close(): Promise<void>;
};

/** Answers kept at most; the oldest goes first. */
const CACHE_SIZE = 64;

/**
 * Opens the forecast threads and, where the setting says so, a cache that new observations empty.
 * @param calendar public holidays that forecasts know
 */
export function openForecaster(
  config: Pick<Config, 'FORECASTING_THREADS' | 'FEATURES_ENABLE_CACHING' | 'FORECASTING_TIME_ZONE'>,
  db: Database,
  calendar: HolidayCalendar | null = null,
): Forecaster {
  const pool = new Piscina({
    filename: new URL('./forecast-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: config.FORECASTING_THREADS,
    idleTimeout: 60_000,
  });
  const cache = new Map<string, Promise<ForecastSet>>();

  const compute = async ({
    locationIds,
    fromHour,
    beforeHour,
    options,
  }: ForecastTask): Promise<ForecastSet> => {
    const series = await readDemandSeries(db, locationIds, fromHour, beforeHour);
    const zoned = series.map((one) => ({ ...one, timeZone: one.timeZone ?? config.FORECASTING_TIME_ZONE }));
    const start = options.startDate === undefined ? beforeHour : Date.parse(options.startDate) / HOUR_MS;
    const holidays = calendar?.between(fromHour, Math.max(beforeHour, start) + 24 + options.horizonHours);
    return pool.run({ series: zoned, options: { ...options, ...(holidays && { holidays }) } });
  };

  return {
    async forecast(task) {
      if (!config.FEATURES_ENABLE_CACHING) return compute(task);
      // The revision is read before the data: a newer one can only make the entry unused, never stale.
      const key = JSON.stringify([await readDemandRevision(db), task]);
      const known = cache.get(key);
      if (known) return known;
      const result = compute(task);
      cache.set(key, result);
      result.catch(() => cache.delete(key));
      for (const oldest of cache.keys()) {
        if (cache.size <= CACHE_SIZE) break;
        cache.delete(oldest);
      }
      return result;
    },
    close: () => pool.destroy(),
  };
}

import { AppError } from '../../answers/errors.ts';
import { MAX_FORECAST_LOCATIONS } from '../../contracts/forecast.ts';
import { HOUR_MS } from '../../contracts/time.ts';
import { readDemandRevision, readDemandSeries } from '../../db/data/demand.ts';
import { readActiveLocationIds } from '../../db/data/locations.ts';
import { forecastHistory } from '../../inputs/forecast-input.ts';
import type { Deps } from '../deps.ts';

const DAY_HOURS = 24;
/** A change of the observations is noticed at most this much later: a forecast of all locations takes seconds. */
const LEAST_MS = 3_600_000;

/**
 * The error of yesterday's forecast, computed aside.
 * @param onError is called if it cannot be computed
 * @returns the newest error that is known, at once; null if none is
 */
export function openForecastError(deps: Deps, onError: (error: unknown) => void): () => number | null {
  let known: { error: number | null; day: number } | undefined;
  let computed = '';
  let computing: Promise<void> | undefined;
  let tried = { day: -1, at: 0 };

  const compute = async (day: number) => {
    const version = `${day} ${await readDemandRevision(deps.database.db)}`;
    if (version === computed) return;
    known = { error: await measureForecast(deps, day * DAY_HOURS), day };
    computed = version;
  };
  return () => {
    const yesterday = Math.floor(Date.now() / HOUR_MS / DAY_HOURS) - 1;
    const isDue = tried.day !== yesterday || performance.now() - tried.at > LEAST_MS;
    if (computing === undefined && isDue) {
      tried = { day: yesterday, at: performance.now() };
      computing = compute(yesterday)
        .catch(onError)
        .finally(() => {
          computing = undefined;
        });
    }
    return known?.day === yesterday ? known.error : null;
  };
}

/**
 * Forecasts a day from what was observed before it, by the hour, for all active locations, and compares it with what
 * came.
 * @param firstHour of the day, UTC hours since the epoch
 * @returns sum of absolute errors over sum of demand; null if that is undefined
 */
async function measureForecast(
  { config, database: { db }, forecaster }: Deps,
  firstHour: number,
): Promise<number | null> {
  const all = await readActiveLocationIds(db, MAX_FORECAST_LOCATIONS);
  const observed = await readDemandSeries(db, all, firstHour, firstHour + DAY_HOURS);
  const came = new Map(
    observed.filter(({ values }) => values.length > 0).map((one) => [one.locationId, one]),
  );
  const locationIds = [...came.keys()];
  if (locationIds.length === 0) return null;
  const asked = { start_at: new Date(firstHour * HOUR_MS).toISOString() };
  const history = await forecastHistory(db, config, locationIds, asked).catch((error) => {
    // Nothing was observed before that day, or more than a year before it.
    if (error instanceof AppError) return null;
    throw error;
  });
  if (history === null) return null;
  const { start, ...hours } = history;
  const options = { ...start, horizonHours: DAY_HOURS, stepHours: 1, confidenceLevel: null };
  let errors = 0;
  let demand = 0;
  const task = { locationIds, ...hours, options };
  for (const result of await forecaster.forecast(task, 'metrics')) {
    if (result.status !== 'ok') continue;
    const forecast: number[] = JSON.parse(result.values);
    const { startHour, values } = came.get(result.locationId)!;
    for (const [i, value] of values.entries()) {
      if (Number.isNaN(value)) continue;
      errors += Math.abs(forecast[startHour + i - firstHour] - value);
      demand += value;
    }
  }
  return demand > 0 ? errors / demand : null;
}

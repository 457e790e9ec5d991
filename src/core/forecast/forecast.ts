/**
 * Entry point of the engine: series in, forecasts out. Both are plain data that a worker thread can post.
 *
 * One pass per series fits the model (`model.ts`); a second turns the pooled errors of all series into intervals.
 * The values of a location with at least a week of history depend on that history only. Intervals use the errors of all
 * series of the call. Locations with less history also borrow the shape of their week.
 * Complexity: about 3 ms per series of 13 weeks and 168 hours; memory O(steps) per series once its model is dropped.
 */
import { requireFinite } from '../finite.ts';
import { seriesEffects } from './effects.ts';
import { checkConfidenceLevel } from './intervals.ts';
import { defaultStartDate } from './local-series.ts';
import { clockOf, localDate, localMidnight, localStart, withClocks } from './local-time.ts';
import { addBounds, panelFitter } from './panel.ts';
import { specialDays } from './special-days.ts';
import {
  type DemandSeries,
  FORECAST_MODEL,
  type ForecastOptions,
  type ForecastResult,
  type ForecastSet,
} from './types.ts';

/**
 * Forecasts every series from one start date, each on its own local clock, or all from one hour.
 * @param onProgress called after each series
 * @throws RangeError for options out of range and for unknown time zones: the caller validates requests @throws
 * NotFiniteError see `finite.ts`
 */
export function forecastMany(
  observed: readonly DemandSeries[],
  options: ForecastOptions,
  onProgress: (done: number, total: number) => void = () => {},
): ForecastSet {
  checkOptions(options);
  const series = withClocks(observed);
  const startDate = options.startDate ?? defaultStart(series, options.originHour);
  const own = options.confidenceLevel === null ? [] : [options.confidenceLevel];
  const levels = [...own, ...(options.upperLevels ?? [])];
  if (startDate === null) {
    const results = series.map(({ locationId }) => ({ status: 'no_observations' as const, locationId }));
    return { model: FORECAST_MODEL, startDate, results };
  }
  const starts = series.map((one) => localStart({ ...options, startDate }, clockOf(one)));
  const { horizonHours, holidays = [], events = [] } = options;
  const effects = seriesEffects(series, starts, { special: specialDays(holidays), events, horizonHours });
  const fitSeries = panelFitter(options);
  const panel = series.map((one, i) => {
    const forecast = fitSeries(one, starts[i], effects[i]);
    onProgress(i + 1, series.length);
    return forecast;
  });
  addBounds(panel, options, levels);
  const results = panel.map((forecast, i): ForecastResult => {
    const { locationId } = series[i];
    if (forecast === null) return { status: 'no_observations', locationId };
    const { bounds, values, method, backtestWape, observedHours, leadHours, notes } = forecast;
    const known = { method, backtestWape, observedHours, leadHours, notes };
    const uppers = bounds.slice(own.length).map(({ upper }) => upper);
    return {
      ...{ status: 'ok', locationId, startHour: starts[i], values },
      ...(own.length > 0 && bounds[0]),
      ...(uppers.length > 0 && { uppers }),
      ...known,
    };
  });
  return requireFinite('forecast', { model: FORECAST_MODEL, startDate, results });
}

/** `forecastMany` of a single series. */
export function forecast(series: DemandSeries, options: ForecastOptions): ForecastResult {
  return forecastMany([series], options).results[0];
}

function defaultStart(series: readonly DemandSeries[], originHour: number | undefined): string | null {
  if (originHour === undefined) return defaultStartDate(series);
  const first = series[0];
  return first === undefined ? null : localDate(originHour + clockOf(first)(originHour));
}

function checkOptions(options: ForecastOptions): void {
  const { startDate, horizonHours, stepHours, confidenceLevel } = options;
  if (startDate !== undefined && localMidnight(startDate) === null) {
    throw new RangeError(`startDate is ${startDate}; give a calendar date as YYYY-MM-DD`);
  }
  for (const [name, hours] of Object.entries({ horizonHours, stepHours })) {
    if (!Number.isInteger(hours) || hours < 1) {
      throw new RangeError(`${name} is ${hours}; give a whole number of hours from 1 on`);
    }
  }
  if (confidenceLevel !== null) checkConfidenceLevel(confidenceLevel);
}

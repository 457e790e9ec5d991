/**
 * The engine's entry: series in, forecasts out, all plain data (a worker thread can post both).
 *
 * One pass per series fits the model (`model.ts`); a second turns the pooled errors of all series into intervals.
 * The values of a location depend on its own history only; its intervals borrow from the other series of the call.
 * Complexity: about 3 ms per series of 13 weeks and 168 hours; memory O(steps) per series once its model is dropped.
 */
import { type Bounds, buildPanel, type SeriesErrors, sortErrors, stepBounds } from './intervals.ts';
import { defaultStartDate, localHistory } from './local-series.ts';
import { hourMultiplicity, localDate, localMidnight, zoneClock } from './local-time.ts';
import { fitModel } from './model.ts';
import { comparePast, sumSteps } from './steps.ts';
import type { Transform } from './transform.ts';
import {
  type DemandSeries,
  FORECAST_MODEL,
  type ForecastMethod,
  type ForecastOptions,
  type ForecastResult,
  type ForecastSet,
  HOURS_PER_DAY,
} from './types.ts';

/**
 * Forecasts every series from one start date on, each on its own local clock.
 * Throws RangeError for options out of range and unknown time zones: the caller validates requests.
 */
export function forecastMany(series: readonly DemandSeries[], options: ForecastOptions): ForecastSet {
  checkOptions(options);
  const startDate = options.startDate ?? defaultStart(series, options.originHour);
  const levels = options.confidenceLevel === null ? [] : [options.confidenceLevel];
  if (startDate === null) {
    const results = series.map(({ locationId }) => ({ status: 'no_observations' as const, locationId }));
    return { model: FORECAST_MODEL, startDate, results };
  }
  const startOf = (one: DemandSeries): number =>
    options.originHour === undefined
      ? localMidnight(startDate)!
      : options.originHour + zoneClock(one.timeZone)(options.originHour);
  const panel = forecastPanel(series, startOf, options.horizonHours, options.stepHours, levels);
  const results = panel.map((forecast, i): ForecastResult => {
    const { locationId } = series[i]!;
    if (forecast === null) return { status: 'no_observations', locationId };
    const { values, method, backtestWape, observedHours, bounds } = forecast;
    return { status: 'ok', locationId, values, ...bounds[0], method, backtestWape, observedHours };
  });
  return { model: FORECAST_MODEL, startDate, results };
}

/** `forecastMany` of a single series. */
export function forecast(series: DemandSeries, options: ForecastOptions): ForecastResult {
  return forecastMany([series], options).results[0]!;
}

function defaultStart(series: readonly DemandSeries[], originHour: number | undefined): string | null {
  if (originHour === undefined) return defaultStartDate(series);
  const first = series[0];
  return first === undefined ? null : localDate(originHour + zoneClock(first.timeZone)(originHour));
}

function checkOptions(options: ForecastOptions): void {
  const { startDate, originHour, horizonHours, stepHours, confidenceLevel } = options;
  if (startDate !== undefined && localMidnight(startDate) === null) {
    throw new RangeError(`startDate is ${startDate}; give a calendar date as YYYY-MM-DD`);
  }
  if (startDate !== undefined && originHour !== undefined) {
    throw new RangeError('startDate and originHour are both given; give one');
  }
  for (const [name, hours] of Object.entries({ horizonHours, stepHours })) {
    if (!Number.isInteger(hours) || hours < 1) {
      throw new RangeError(`${name} is ${hours}; give a whole number of hours from 1 on`);
    }
  }
  if (confidenceLevel !== null && !(confidenceLevel > 0 && confidenceLevel < 1)) {
    throw new RangeError(`confidenceLevel is ${confidenceLevel}; give a share between 0 and 1`);
  }
}

/** Forecast of one series with one pair of bounds per level. */
export interface PanelForecast {
  values: Float64Array;
  method: ForecastMethod;
  backtestWape: number | null;
  observedHours: number;
  bounds: Bounds[];
}

/** Forecasts of all series; null where a series has no observation before its start. */
export function forecastPanel(
  series: readonly DemandSeries[],
  startOf: (series: DemandSeries) => number,
  horizonHours: number,
  stepHours: number,
  levels: readonly number[],
): (PanelForecast | null)[] {
  const clockChanges = new Map<string, Uint8Array>();
  const multiplicityOf = (timeZone: string, start: number): Uint8Array => {
    const key = `${timeZone} ${start}`;
    let multiplicity = clockChanges.get(key);
    if (multiplicity === undefined) {
      multiplicity = hourMultiplicity(zoneClock(timeZone), start, horizonHours);
      clockChanges.set(key, multiplicity);
    }
    return multiplicity;
  };
  const fitted = series.map((one) => {
    const start = startOf(one);
    return fitOne(one, start, horizonHours, stepHours, multiplicityOf(one.timeZone, start));
  });
  if (levels.length > 0) {
    const panel = buildPanel(fitted.flatMap((one) => (one === null ? [] : [one.errors])));
    for (const one of fitted) {
      if (one === null) continue;
      const endHours = one.forecast.values.map(
        (_, i) => one.leadHours + Math.min((i + 1) * stepHours, horizonHours),
      );
      one.forecast.bounds = levels.map((level) =>
        stepBounds(one.forecast.values, endHours, one.errors, panel, level),
      );
    }
  }
  return fitted.map((one) => one?.forecast ?? null);
}

interface FittedSeries {
  forecast: PanelForecast;
  errors: SeriesErrors;
  leadHours: number;
}

function fitOne(
  series: DemandSeries,
  startHour: number,
  horizonHours: number,
  stepHours: number,
  multiplicity: Uint8Array,
): FittedSeries | null {
  const history = localHistory(series, startHour);
  if (history === null) return null;
  const leadHours = startHour - (history.firstHour + history.values.length);
  const model = fitModel(history, leadHours, horizonHours);
  const past = comparePast(model, history.values, stepHours);
  const forecast: PanelForecast = {
    values: sumSteps(model.hourly, multiplicity, stepHours),
    method: model.method,
    backtestWape: past.demand > 0 ? past.absoluteError / past.demand : null,
    observedHours: history.observedHours,
    bounds: [],
  };
  const variation = ownVariation(model.transform, history.observedHours, stepHours);
  return { forecast, errors: sortErrors(past, model.transform, variation), leadHours };
}

/** Standard deviation of a step's sum on the scale of the transform, as far as the hours alone can tell. */
function ownVariation(transform: Transform, observedHours: number, stepHours: number): number {
  const isConstant = transform.lowest === transform.highest;
  const hourly = isConstant ? 0 : transform.deviation;
  if (transform.kind === 'log') return hourly;
  // √ of a Poisson count has standard deviation ½: hours below a day cannot show less than that.
  const least = observedHours < HOURS_PER_DAY ? 0.5 : 0;
  return Math.max(hourly * Math.sqrt(stepHours), least);
}

/**
 * The panel: all series of a call. Each is fitted separately; then the pooled errors of all give the intervals.
 *
 * A caller with many series (a backtest) can stop or report progress between any two of them.
 * Complexity: about 3 ms per series of 13 weeks and 168 hours; memory O(steps + past errors) per series.
 */

import { withoutEffects } from './apply-effects.ts';
import { cleanSeries } from './clean.ts';
import { NO_EFFECTS, type SeriesEffects } from './effects.ts';
import {
  type Bounds,
  buildPanel,
  checkConfidenceLevel,
  type MadeErrors,
  reachOf,
  scaleErrors,
  stepBounds,
} from './intervals.ts';
import type { LevelShift } from './levels.ts';
import { findAbsentRows, type LocalSeries, localHistory } from './local-series.ts';
import { clockOf, hourMultiplicity, localDate } from './local-time.ts';
import { type FittedModel, fitModel } from './model.ts';
import { type ShortErrors, shortBounds, withBorrowedShape } from './short-errors.ts';
import { type FitShort, SHORT_HOURS, type ShortPlace, shortErrors } from './short-history.ts';
import { comparePast, sumSteps, usualRange } from './steps.ts';
import { type DemandSeries, type ForecastMethod, type HistoryNotes, HOURS_PER_DAY } from './types.ts';
import { stepDeviations, widenBounds } from './widen.ts';

export type StepOptions = {
  /** Local hours to forecast. */
  horizonHours: number;
  /** Local hours per value. */
  stepHours: number;
};

export type PanelForecast = {
  values: Float64Array;
  method: ForecastMethod;
  backtestWape: number | null;
  observedHours: number;
  notes: HistoryNotes;
  /** Hours from the newest observation to the start. */
  leadHours: number;
  /** What is known about the location, for locations with a short history. */
  place: ShortPlace;
  /** Its history without outliers, special days and events. It is computed again on each call, since few are needed. */
  history: () => LocalSeries;
  /** Past errors, for the intervals of the panel. */
  errors: MadeErrors;
  /** Uncertainty of the effects of special days and events per step (`widen.ts`); null if there are none. */
  deviations: Float64Array | null;
  /** One per level, after `addBounds` was called. */
  bounds: Bounds[];
};

/** Forecasts one series from a local hour on; null if it has no earlier observation. */
export type FitSeries = (
  series: DemandSeries,
  startHour: number,
  effects?: SeriesEffects,
) => PanelForecast | null;

/** A fitter for many series. It computes only once what depends on the time zone alone. */
export function panelFitter(
  options: StepOptions & { historyWeeks?: number | undefined; originHour?: number | undefined },
): FitSeries {
  const { horizonHours, stepHours, historyWeeks, originHour } = options;
  const clockChanges = new Map<string, Uint8Array>();
  const multiplicityOf = (one: DemandSeries, start: number): Uint8Array => {
    const key = `${one.timeZone} ${start}`;
    let multiplicity = clockChanges.get(key);
    if (multiplicity === undefined) {
      multiplicity = hourMultiplicity(clockOf(one), start, horizonHours, originHour);
      clockChanges.set(key, multiplicity);
    }
    return multiplicity;
  };
  return (series, startHour, effects = NO_EFFECTS) => {
    const history = localHistory(series, startHour, historyWeeks);
    if (history === null) return null;
    const leadHours = startHour - (history.firstHour + history.values.length);
    const model = fitModel(history, leadHours, horizonHours, effects);
    const past = comparePast(model, stepHours);
    // Kept as a number: a function that reads the model would keep it in memory as long as `history` below.
    const oldest = startHour - leadHours - model.values.length;
    const variation = ownVariation(model, stepHours);
    return {
      values: sumSteps(model.hourly, multiplicityOf(series, startHour), stepHours),
      method: model.method,
      backtestWape: past.demand > 0 ? past.absoluteError / past.demand : null,
      observedHours: model.observedHours,
      notes: { levelShift: describeShift(model.levelShift), absentRows: findAbsentRows(history) },
      leadHours,
      place: {
        hours:
          model.clean.length < SHORT_HOURS
            ? Math.min(model.clean.length, model.observedHours)
            : model.clean.length,
        leadHours,
        endHour: history.firstHour + history.values.length,
        level: model.clean.reduce((sum, y) => sum + y, 0) / model.clean.length,
      },
      history: () => {
        const again = localHistory(series, startHour, historyWeeks)!;
        const usual = withoutEffects(again, effects);
        const clean = cleanSeries(usual);
        return { ...again, values: clean.map((y, t) => (Number.isNaN(usual[t]) ? NaN : y)) };
      },
      deviations: model.deviations && stepDeviations(model.deviations, model.hourly, startHour, stepHours),
      errors: scaleErrors(
        past,
        variation,
        usualRange(model.observed, stepHours),
        model.past.map(({ origin }) => oldest + origin),
      ),
      bounds: [],
    };
  };
}

const describeShift = (shift: LevelShift | null): HistoryNotes['levelShift'] =>
  shift && { date: localDate(shift.hour), factor: Number.isFinite(shift.factor) ? shift.factor : null };

/**
 * Second pass over a panel: short histories borrow from mature ones, and every forecast gets its bounds at each
 * confidence level. @throws RangeError for a level out of range
 */
export function addBounds(
  forecasts: readonly (PanelForecast | null)[],
  { horizonHours, stepHours }: StepOptions,
  levels: readonly number[],
): void {
  for (const level of levels) checkConfidenceLevel(level);
  const shortOf = shortHistories(forecasts, { horizonHours, stepHours });
  const panel =
    levels.length === 0 ? null : buildPanel(forecasts.flatMap((one) => (one === null ? [] : [one.errors])));
  for (const one of forecasts) {
    if (one === null) continue;
    const short = shortOf(one);
    if (short !== null) one.values = withBorrowedShape(short, one.values);
    if (panel === null) continue;
    const endHours = one.values.map((_, i) => one.leadHours + Math.min((i + 1) * stepHours, horizonHours));
    one.bounds = levels.map((level) => {
      const bounds =
        short === null
          ? stepBounds(one.values, endHours, one.errors, panel, level)
          : shortBounds(short, one.values, stepHours, one.errors.usualRange, level);
      if (one.deviations !== null)
        widenBounds(bounds, one.values, one.deviations, level, reachOf(one.errors));
      return bounds;
    });
  }
}

/** Errors for locations with a short history; null for other locations, and if there are too few mature ones. */
function shortHistories(
  forecasts: readonly (PanelForecast | null)[],
  { horizonHours, stepHours }: StepOptions,
): (one: PanelForecast) => ShortErrors | null {
  const isShort = (one: PanelForecast): boolean => one.place.hours < SHORT_HOURS;
  if (!forecasts.some((one) => one !== null && isShort(one))) return () => null;
  const donors = forecasts.flatMap((one) =>
    one === null || one.method !== 'combination' || one.notes.levelShift !== null ? [] : [one],
  );
  const fit: FitShort = (history, lead, hours) => fitModel(history, lead, hours, NO_EFFECTS).hourly;
  const errorsOf = shortErrors(donors, fit, horizonHours, stepHours);
  return (one) => (isShort(one) ? errorsOf(one.place) : null);
}

/**
 * Mean difference between a step's sum and that of the day before, on roots. It is the assumed
 * error if no past forecast was compared. Steps longer than a day, and histories shorter than two days, use the
 * deviation of their hours.
 */
function ownVariation({ clean, transform, observedHours }: FittedModel, stepHours: number): number {
  const { lowest, highest, deviation } = transform;
  if (stepHours <= HOURS_PER_DAY && clean.length >= 2 * HOURS_PER_DAY) {
    let sum = 0;
    let count = 0;
    for (let end = clean.length; end - stepHours - HOURS_PER_DAY >= 0; end -= stepHours) {
      let now = 0;
      let before = 0;
      for (let t = end - stepHours; t < end; t++) {
        now += clean[t];
        before += clean[t - HOURS_PER_DAY];
      }
      sum += Math.abs(Math.sqrt(now) - Math.sqrt(before));
      count++;
    }
    return sum / count;
  }
  const hourly = lowest === highest ? 0 : deviation;
  // √ of a Poisson count has standard deviation ½. Less than a day of hours cannot show a smaller one.
  const least = observedHours < HOURS_PER_DAY ? 0.5 : 0;
  return Math.max(hourly * Math.sqrt(stepHours), least);
}

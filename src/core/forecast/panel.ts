/**
 * The panel: all series of a call. Each is fitted by itself; then the pooled errors of all give the intervals.
 *
 * In two steps, so that a caller with many series (a backtest) can stop or tell its progress between any two of them.
 * Complexity: about 3 ms per series of 13 weeks and 168 hours; memory O(steps + past errors) per series.
 */
import { findAbsentRows } from './absent-rows.ts';
import { NO_EFFECTS, type SeriesEffects } from './effects.ts';
import {
  type Bounds,
  buildPanel,
  checkConfidenceLevel,
  type SeriesErrors,
  sortErrors,
  stepBounds,
} from './intervals.ts';
import type { LevelShift } from './levels.ts';
import { localHistory } from './local-series.ts';
import { hourMultiplicity, localDate, zoneClock } from './local-time.ts';
import { fitModel } from './model.ts';
import { comparePast, sumSteps, usualRange } from './steps.ts';
import type { Transform } from './transform.ts';
import { type DemandSeries, type ForecastMethod, type HistoryNotes, HOURS_PER_DAY } from './types.ts';
import { stepDeviations, widenBounds } from './widen.ts';

export interface StepOptions {
  /** Local hours to forecast. */
  horizonHours: number;
  /** Local hours per value. */
  stepHours: number;
}

/** Forecast of one series. */
export interface PanelForecast {
  values: Float64Array;
  method: ForecastMethod;
  backtestWape: number | null;
  observedHours: number;
  notes: HistoryNotes;
  /** Hours from the newest observation to the start. */
  leadHours: number;
  /** Past errors, for the intervals of the panel. */
  errors: SeriesErrors;
  /** What is unknown of the effects of special days and events per step (`widen.ts`); null where there are none. */
  deviations: Float64Array | null;
  /** One per level, once `addBounds` has been called. */
  bounds: Bounds[];
}

/** Forecasts one series from a local hour on; null where it has no observation before. */
export type FitSeries = (
  series: DemandSeries,
  startHour: number,
  effects?: SeriesEffects,
) => PanelForecast | null;

/** A fitter for many series; what depends on their time zone only is worked out once. */
export function panelFitter(options: StepOptions & { historyWeeks?: number | undefined }): FitSeries {
  const { horizonHours, stepHours, historyWeeks } = options;
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
  return (series, startHour, effects = NO_EFFECTS) => {
    const history = localHistory(series, startHour, historyWeeks);
    if (history === null) return null;
    const leadHours = startHour - (history.firstHour + history.values.length);
    const model = fitModel(history, leadHours, horizonHours, effects);
    const past = comparePast(model, stepHours);
    const variation = ownVariation(model.transform, model.observedHours, stepHours);
    return {
      values: sumSteps(model.hourly, multiplicityOf(series.timeZone, startHour), stepHours),
      method: model.method,
      backtestWape: past.demand > 0 ? past.absoluteError / past.demand : null,
      observedHours: model.observedHours,
      notes: { levelShift: describeShift(model.levelShift), absentRows: findAbsentRows(history) },
      leadHours,
      deviations: model.deviations && stepDeviations(model.deviations, model.hourly, startHour, stepHours),
      errors: sortErrors(past, model.transform, variation, usualRange(model.observed, stepHours)),
      bounds: [],
    };
  };
}

const describeShift = (shift: LevelShift | null): HistoryNotes['levelShift'] =>
  shift && { date: localDate(shift.hour), factor: Number.isFinite(shift.factor) ? shift.factor : null };

/** Gives every forecast of a panel its bounds at each confidence level. @throws RangeError for a level out of range */
export function addBounds(
  forecasts: readonly (PanelForecast | null)[],
  { horizonHours, stepHours }: StepOptions,
  levels: readonly number[],
): void {
  if (levels.length === 0) return;
  for (const level of levels) checkConfidenceLevel(level);
  const panel = buildPanel(forecasts.flatMap((one) => (one === null ? [] : [one.errors])));
  for (const one of forecasts) {
    if (one === null) continue;
    const endHours = one.values.map((_, i) => one.leadHours + Math.min((i + 1) * stepHours, horizonHours));
    one.bounds = levels.map((level) => {
      const bounds = stepBounds(one.values, endHours, one.errors, panel, level);
      if (one.deviations !== null) widenBounds(bounds, one.values, one.deviations, level);
      return bounds;
    });
  }
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

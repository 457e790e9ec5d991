/**
 * Backtest as of: what the engine would have forecast at earlier dates, beside what happened.
 *
 *   origins  o_i = last − 24 q i,  last = the newest local midnight with a whole horizon after it
 * with q days apart (5, fewer in a short history, never a multiple of 7 so that all weekdays are met). At each origin
 * the engine and the baselines see observations before it only (`localHistory` cuts). Complexity: one `forecastPanel`
 * per origin.
 */
import {
  type Accuracy,
  accuracyOf,
  addErrors,
  type ErrorSums,
  noErrors,
  weeklyNaiveError,
} from './accuracy.ts';
import { sameHourMean } from './baselines.ts';
import { forecastPanel, type PanelForecast } from './forecast.ts';
import { localDemand, localHistory, newestLocalHour, oldestLocalHour } from './local-series.ts';
import { hourMultiplicity, localDate, zoneClock } from './local-time.ts';
import { sumSteps } from './steps.ts';
import { type DemandSeries, HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const DAYS_BETWEEN_ORIGINS = 5;
/** History before the first origin, so that the best rung of the ladder is what is measured. */
const LEAST_HISTORY_HOURS = 4 * HOURS_PER_WEEK;

export interface BacktestOptions {
  horizonHours: number;
  /** Origins wanted; fewer are used where the history is too short. */
  origins: number;
  stepHours: number;
  /** Levels whose coverage is measured, e.g. `[0.8, 0.95]`. */
  confidenceLevels: readonly number[];
}

export const BACKTEST_METHODS = ['engine', 'last_week', 'weekday_mean'] as const;
export type BacktestMethod = (typeof BACKTEST_METHODS)[number];

export interface BacktestScore {
  /** Steps compared. */
  steps: number;
  accuracy: Record<BacktestMethod, Accuracy>;
  /** Share of the steps inside the engine's interval, one per level; null where no step was compared. */
  coverage: (number | null)[];
}

export interface BacktestReport {
  /** First local day of each forecast, newest first; empty where the history is too short. */
  startDates: string[];
  overall: BacktestScore;
  locations: (BacktestScore & { locationId: number })[];
}

interface LocationSums {
  errors: Record<BacktestMethod, ErrorSums>;
  inside: number[];
  steps: number;
}

/** Runs the backtest; `onOrigin(done, total)` is called after each origin. */
export function backtest(
  series: readonly DemandSeries[],
  options: BacktestOptions,
  onOrigin: (done: number, total: number) => void = () => {},
): BacktestReport {
  const { horizonHours, stepHours, confidenceLevels } = options;
  const starts = backtestStarts(series, horizonHours, options.origins);
  const sums = series.map(
    (): LocationSums => ({
      errors: { engine: noErrors(), last_week: noErrors(), weekday_mean: noErrors() },
      inside: confidenceLevels.map(() => 0),
      steps: 0,
    }),
  );
  starts.forEach((start, done) => {
    const forecasts = forecastPanel(series, () => start, horizonHours, stepHours, confidenceLevels);
    forecasts.forEach((forecast, i) => {
      if (forecast !== null) compare(sums[i]!, series[i]!, forecast, start, options);
    });
    onOrigin(done + 1, starts.length);
  });
  return {
    startDates: starts.map(localDate),
    overall: scoreOf(sums, confidenceLevels),
    locations: sums.map((one, i) => ({
      locationId: series[i]!.locationId,
      ...scoreOf([one], confidenceLevels),
    })),
  };
}

/** Local midnights to forecast from, newest first. */
export function backtestStarts(
  series: readonly DemandSeries[],
  horizonHours: number,
  wanted: number,
): number[] {
  let oldest = Infinity;
  let newest = -Infinity;
  for (const one of series) {
    oldest = Math.min(oldest, oldestLocalHour(one) ?? Infinity);
    newest = Math.max(newest, newestLocalHour(one) ?? -Infinity);
  }
  const last = Math.floor((newest + 1 - horizonHours) / HOURS_PER_DAY);
  const days = last - Math.ceil((oldest + LEAST_HISTORY_HOURS) / HOURS_PER_DAY);
  if (!(days >= 0)) return [];
  const count = Math.min(wanted, days + 1);
  const spacing = count > 1 ? Math.min(DAYS_BETWEEN_ORIGINS, Math.floor(days / (count - 1))) : 1;
  return Array.from({ length: count }, (_, i) => (last - spacing * i) * HOURS_PER_DAY);
}

function compare(
  sums: LocationSums,
  series: DemandSeries,
  forecast: PanelForecast,
  start: number,
  { horizonHours, stepHours }: BacktestOptions,
): void {
  // Whole already: each local hour holds the sum of its real hours.
  const once = new Uint8Array(horizonHours).fill(1);
  const actual = sumSteps(localDemand(series, start, horizonHours), once, stepHours);
  const history = localHistory(series, start)!;
  const lead = start - (history.firstHour + history.values.length);
  const multiplicity = hourMultiplicity(zoneClock(series.timeZone), start, horizonHours);
  const baseline = (weeks: number): Float64Array =>
    sumSteps(sameHourMean(history.values, lead, horizonHours, weeks), multiplicity, stepHours);
  const scale = weeklyNaiveError(history.values, stepHours, HOURS_PER_WEEK);
  addErrors(sums.errors.engine, forecast.values, actual, scale);
  addErrors(sums.errors.last_week, baseline(1), actual, scale);
  addErrors(sums.errors.weekday_mean, baseline(4), actual, scale);
  actual.forEach((y, i) => {
    if (Number.isNaN(y)) return;
    sums.steps++;
    forecast.bounds.forEach(({ lower, upper }, level) => {
      if (y >= lower[i]! && y <= upper[i]!) sums.inside[level]!++;
    });
  });
}

function scoreOf(parts: readonly LocationSums[], levels: readonly number[]): BacktestScore {
  const steps = parts.reduce((sum, part) => sum + part.steps, 0);
  const accuracy = (method: BacktestMethod): Accuracy => accuracyOf(parts.map((part) => part.errors[method]));
  return {
    steps,
    accuracy: {
      engine: accuracy('engine'),
      last_week: accuracy('last_week'),
      weekday_mean: accuracy('weekday_mean'),
    },
    coverage: levels.map((_, level) =>
      steps === 0 ? null : parts.reduce((sum, part) => sum + part.inside[level]!, 0) / steps,
    ),
  };
}

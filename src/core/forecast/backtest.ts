/**
 * Backtest: what the engine would have forecast at earlier dates, compared with the observed demand.
 *
 *   origins  o_i = last − 24 q i,  last = the newest local midnight with the longest horizon after it
 * q days apart. They spread over the history, at most 13 days apart (eight origins span a quarter). q is never a
 * multiple of 7, so all weekdays occur. All horizons share the same origins. At each origin the engine and the simple
 * rules see only earlier observations (`localHistory` cuts the rest off).
 * Complexity: one fit per origin, horizon and location. Reference: Tashman 2000.
 */
import { requireFinite } from '../finite.ts';
import {
  addSteps,
  type BacktestMethod,
  type EngineScore,
  noSums,
  type ScoreSums,
  sameHourMean,
  scoreOf,
  weeklyNaiveError,
} from './backtest-score.ts';
import { seriesEffects } from './effects.ts';
import {
  HISTORY_WEEKS,
  type LocalSeries,
  localDemand,
  localHistory,
  newestLocalHour,
  oldestLocalHour,
} from './local-series.ts';
import { clockOf, hourMultiplicity, localDate, withClocks } from './local-time.ts';
import { addBounds, type PanelForecast, panelFitter, type StepOptions } from './panel.ts';
import { specialDays } from './special-days.ts';
import { sumSteps } from './steps.ts';
import { type DemandEvent, type DemandSeries, HOURS_PER_DAY, HOURS_PER_WEEK, type Holiday } from './types.ts';
import { type KindOfSpan, WEEK_KINDS, type WeekKind, weekKinds } from './week-kinds.ts';

const MAX_DAYS_BETWEEN_ORIGINS = 13;
/** History before the first origin, long enough for the best rung of the ladder. */
const MIN_HISTORY_HOURS = 4 * HOURS_PER_WEEK;

export type BacktestOptions = {
  /** Horizons in local hours. Each is measured separately. */
  horizonsHours: readonly number[];
  /** Origins wanted. A short history gives fewer. */
  origins: number;
  stepHours: number;
  /** Levels whose coverage is measured, e.g. `[0.8, 0.95]`. */
  confidenceLevels: readonly number[];
  /** Public holidays, as in `ForecastOptions`. */
  holidays?: readonly Holiday[];
  /** Events, as in `ForecastOptions`. A forecast learns only from events before its origin. */
  events?: readonly DemandEvent[];
  /** Local days `YYYY-MM-DD`. Their weeks are reported separately; the forecasts do not know them. */
  storms?: readonly string[];
  /** Weeks of history that each forecast and the simple rules may see. Default: all weeks that the engine reads. */
  historyWeeks?: number;
};

export type BacktestControl = {
  /** Shared with the caller. Any value but 0 in the first element stops the backtest before the next location. */
  stopFlag?: Int32Array | undefined;
  /** Called after each location of each origin and horizon. */
  onProgress?: (done: number, total: number) => void;
};

export type HorizonScore = {
  horizonHours: number;
  overall: EngineScore;
  /** By kind of week (`week-kinds.ts`); only kinds that occurred. */
  weeks: Partial<Record<WeekKind, EngineScore>>;
  /** In the order of the series. */
  locations: (EngineScore & { locationId: number })[];
};

export type BacktestReport = {
  /** First local day of each forecast, newest first; empty if the history is too short. */
  startDates: string[];
  /** In the order of the horizons asked for. */
  horizons: HorizonScore[];
};

/** Hours of history that a backtest reads, back from the newest observation. Three extra days allow for time zones. */
export function backtestHistoryHours(
  horizonHours: number,
  origins: number,
  historyWeeks = HISTORY_WEEKS,
): number {
  const span = MAX_DAYS_BETWEEN_ORIGINS * (origins - 1) + 3;
  return historyWeeks * HOURS_PER_WEEK + span * HOURS_PER_DAY + horizonHours;
}

/** Sums of one location: of all its steps, and of those in each kind of week. */
type LocationSums = { whole: ScoreSums } & Record<WeekKind, ScoreSums>;

/**
 * Runs the backtest.
 * @returns plain data; null if the stop flag was set before the end
 * @throws NotFiniteError, see `finite.ts`
 */
export function backtest(
  observed: readonly DemandSeries[],
  options: BacktestOptions,
  { stopFlag, onProgress = () => {} }: BacktestControl = {},
): BacktestReport | null {
  const series = withClocks(observed);
  const { horizonsHours, stepHours, confidenceLevels, historyWeeks } = options;
  const { holidays = [], events = [], storms = [] } = options;
  const special = specialDays(holidays);
  const starts = backtestStarts(series, Math.max(...horizonsHours), options.origins);
  const kinds: KindOfSpan[] = [];
  const total = horizonsHours.length * starts.length * series.length;
  let done = 0;
  const horizons: HorizonScore[] = [];
  for (const horizonHours of horizonsHours) {
    const sums = series.map(() => noLocationSums(confidenceLevels.length));
    for (const start of starts) {
      const fitSeries = panelFitter({ horizonHours, stepHours, historyWeeks });
      const sameStart = series.map(() => start);
      const effects = seriesEffects(series, sameStart, { special, events, horizonHours });
      const panel: (PanelForecast | null)[] = [];
      for (const [i, one] of series.entries()) {
        if (stopFlag !== undefined && Atomics.load(stopFlag, 0) !== 0) return null;
        panel.push(fitSeries(one, start, effects[i]));
        // Done here because this loop checks the stop flag: it takes as long as a fit.
        kinds[i] ??= weekKinds(one, { special, events, storms });
        onProgress(++done, total);
      }
      addBounds(panel, { horizonHours, stepHours }, confidenceLevels);
      panel.forEach((forecast, i) => {
        if (forecast === null) return;
        const history = localHistory(series[i], start, historyWeeks)!;
        compare(sums[i], series[i], history, forecast, start, { horizonHours, stepHours }, kinds[i]);
      });
    }
    const wholes = sums.map(({ whole }) => whole);
    horizons.push({
      horizonHours,
      overall: scoreOf(wholes, confidenceLevels),
      weeks: Object.fromEntries(
        WEEK_KINDS.flatMap((kind) => {
          const score = scoreOf(
            sums.map((one) => one[kind]),
            confidenceLevels,
          );
          return score.steps > 0 ? [[kind, score]] : [];
        }),
      ),
      locations: wholes.map((one, i) => ({
        locationId: series[i].locationId,
        ...scoreOf([one], confidenceLevels),
      })),
    });
  }
  return requireFinite('backtest', { startDates: starts.map(localDate), horizons });
}

function noLocationSums(levels: number): LocationSums {
  const sums = () => noSums(levels);
  return { whole: sums(), storm: sums(), holiday: sums(), after_shift: sums(), calm: sums() };
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
  const days = last - Math.ceil((oldest + MIN_HISTORY_HOURS) / HOURS_PER_DAY);
  if (!(days >= 0)) return [];
  const count = Math.min(wanted, days + 1);
  let spacing = count > 1 ? Math.min(MAX_DAYS_BETWEEN_ORIGINS, Math.floor(days / (count - 1))) : 1;
  if (spacing % 7 === 0) spacing--;
  return Array.from({ length: count }, (_, i) => (last - spacing * i) * HOURS_PER_DAY);
}

function compare(
  sums: LocationSums,
  series: DemandSeries,
  history: LocalSeries,
  forecast: PanelForecast,
  start: number,
  { horizonHours, stepHours }: StepOptions,
  kindOf: KindOfSpan,
): void {
  // Each local hour already holds the sum of its real hours.
  const once = new Uint8Array(horizonHours).fill(1);
  const actual = sumSteps(localDemand(series, start, horizonHours), once, stepHours);
  const lead = start - (history.firstHour + history.values.length);
  const multiplicity = hourMultiplicity(clockOf(series), start, horizonHours);
  const baseline = (weeks: number): Float64Array =>
    sumSteps(sameHourMean(history.values, lead, horizonHours, weeks), multiplicity, stepHours);
  const scale = weeklyNaiveError(history.values, stepHours, HOURS_PER_WEEK);
  const forecasts: Record<BacktestMethod, Float64Array> = {
    engine: forecast.values,
    last_week: baseline(1),
    weekday_mean: baseline(4),
  };
  addSteps(sums.whole, forecasts, forecast.bounds, actual, scale);
  const kinds = Array.from(actual, (_, i) =>
    kindOf(start + i * stepHours, Math.min(stepHours, horizonHours - i * stepHours)),
  );
  for (const kind of new Set(kinds)) {
    const ofKind = actual.map((y, i) => (kinds[i] === kind ? y : NaN));
    addSteps(sums[kind], forecasts, forecast.bounds, ofKind, scale);
  }
}

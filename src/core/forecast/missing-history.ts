/**
 * Demand of locations without observations: the expected demand of an average day, spread over the steps like the
 * demand of the nearest neighbours.
 *
 *   v[i] = E · mean over neighbours n of f_n[i] / d_n
 * with E the expected daily demand, f_n the forecast of neighbour n for step i, and d_n its mean demand of a day in the
 * last four observed weeks, without hours of events. A quiet day of the neighbours is then quiet here too. Without
 * neighbours that have demand, every hour has E / 24. Bounds: with l[i] the neighbours' bound spread as v is, λ² the
 * relative variance of f / d over all places of the call (¼ if there are fewer than four, a convention), z the normal
 * quantile of the confidence level,
 *   (√v ± √((√l − √v)² + z² (1 + λ² v) / 4))².
 * This covers the neighbours' own uncertainty, the noise of a count, and the difference between the shapes of
 * neighbouring places. The error of E itself is unknown and not covered.
 * An event of the location itself multiplies its hours, with demand taken as even within a step. The factor is the
 * stated one, or else the one learned from events of that kind at the places of the call (`event-effects.ts`). The
 * uncertainty of a learned factor widens the bounds (`widen.ts`). An event of all locations is already in the
 * neighbours' demand; without neighbours it is applied here. Neighbours with an event of their own are used last.
 * O(locations × neighbours × steps + hours of events).
 */
import { MAX_DEMAND } from '../../contracts/bounds.ts';
import { requireFinite } from '../finite.ts';
import { kindEffects } from './effects.ts';
import type { EventEffect } from './event-effects.ts';
import { eventsAhead, eventsByHour, heldRanges, withoutRanges } from './event-hours.ts';
import type { Bounds } from './intervals.ts';
import {
  afterLatestUtcHour,
  clockOf,
  createClocks,
  earliestUtcHour,
  localStart,
  withClocks,
} from './local-time.ts';
import { normalQuantile } from './numerics.ts';
import { specialDays } from './special-days.ts';
import { stepCount } from './steps.ts';
import {
  type DemandEvent,
  type DemandSeries,
  type ForecastSet,
  type ForecastStart,
  HOURS_PER_DAY,
  HOURS_PER_WEEK,
  type Holiday,
  type LocationForecast,
  NO_NOTES,
  type ZoneClock,
} from './types.ts';
import { stepDeviations, widenBounds } from './widen.ts';

/** What is known about locations that may be without observations. */
export type MissingHistory = {
  /** expected demand of an average day; 0 for a location that is not in the map */
  expectedDailyDemand: ReadonlyMap<number, number>;
  /** observed locations near a location, nearest first; none for a location that is not in the map */
  neighbours: ReadonlyMap<number, readonly number[]>;
};

/** Variance of the square root of a Poisson count. */
const COUNT_VARIANCE = 0.25;
/** λ² is estimated from at least this many places; with fewer it takes the value below. */
const MIN_PLACES = 4;
const UNKNOWN_SHAPE = 0.25;
/** Weeks of observations that define a usual day. */
const LEVEL_WEEKS = 4;

type Steps = ForecastStart & {
  horizonHours: number;
  stepHours: number;
  /** Level of the bounds of the set; null or absent if it has none. */
  confidenceLevel?: number | null;
  /** As given to the forecasts of the set. */
  holidays?: readonly Holiday[];
  events?: readonly DemandEvent[];
};

/**
 * Gives a forecast to each location of a set that has none.
 * @param set forecasts, some of them `no_observations`
 * @param others forecasts of neighbours that the set lacks
 * @param observed observations of both
 * @returns the set with a forecast for every location, in its order
 */
export function fillMissing(
  set: ForecastSet,
  others: ForecastSet | null,
  observed: readonly DemandSeries[],
  missing: MissingHistory,
  steps: Steps,
): ForecastSet {
  const series = withClocks(observed);
  const all = [...set.results, ...(others?.results ?? [])];
  const forecasts = new Map(all.flatMap((one) => (one.status === 'ok' ? [[one.locationId, one]] : [])));
  const events = Map.groupBy(steps.events ?? [], ({ locationId }) => locationId);
  const ofAll = heldRanges(events.get(null) ?? []);
  const levels = new Map(
    series.map((one) => {
      const usual = withoutRanges(withoutRanges(one, ofAll), heldRanges(events.get(one.locationId) ?? []));
      return [one.locationId, dailyLevel(usual.values) || dailyLevel(one.values)];
    }),
  );
  const zones = new Map(series.map(({ locationId, timeZone }) => [locationId, timeZone]));
  const clocks = createClocks();
  const ahead = eventsAhead(steps.events ?? [], zones, steps);
  const ofLocation = Map.groupBy(ahead, ({ locationId }) => locationId);
  const learned = learnedKinds(set, series, ahead, steps);
  const hasBounds = all.some((one) => one.status === 'ok' && one.lower !== undefined);
  const shapes = shapeVariances(
    [...forecasts.values()].flatMap((forecast) => {
      const level = levels.get(forecast.locationId) ?? 0;
      return level > 0 ? [{ forecast, level }] : [];
    }),
    stepCount(steps.horizonHours, steps.stepHours),
  );
  const results = set.results.map((one) => {
    if (one.status === 'ok') return one;
    const { locationId } = one;
    const expected = missing.expectedDailyDemand.get(locationId) ?? 0;
    const neighbours = (missing.neighbours.get(locationId) ?? []).flatMap((id) => {
      const forecast = forecasts.get(id);
      const level = levels.get(id) ?? 0;
      return forecast && level > 0 ? [{ forecast, level }] : [];
    });
    const usual = neighbours.filter(({ forecast }) => !ofLocation.has(forecast.locationId));
    const asked = usual.length > 0 ? usual : neighbours;
    const events = [
      ...(ofLocation.get(locationId) ?? []),
      ...((asked.length === 0 && ofLocation.get(null)) || []),
    ];
    const clock = clocks(zones.get(locationId)!);
    const effect = stepEffects(events, clock, steps, learned(locationId));
    const forecast = expectedForecast(expected, asked, steps, effect, hasBounds ? shapes : null);
    return { ...forecast, locationId, startHour: localStart(steps, clock) };
  });
  return requireFinite('forecast', { ...set, results });
}

function expectedForecast(
  expected: number,
  neighbours: readonly { forecast: LocationForecast; level: number }[],
  { horizonHours, stepHours, confidenceLevel }: Steps,
  { factors, deviations }: StepEffects,
  shapes: Float64Array | null,
): Omit<LocationForecast, 'locationId' | 'startHour'> {
  const evenly = (i: number) => Math.min(stepHours, horizonHours - i * stepHours) / HOURS_PER_DAY;
  const spread = (pick: (forecast: LocationForecast) => Float64Array | undefined) =>
    factors.map((factor, i) => {
      const shares = neighbours.map(({ forecast, level }) => (pick(forecast)?.[i] ?? 0) / level);
      const share = shares.length > 0 ? shares.reduce((sum, one) => sum + one, 0) / shares.length : evenly(i);
      return Math.min(expected * share * factor, MAX_DEMAND);
    });
  const values = spread(({ values }) => values);
  const boundOf = (side: 'lower' | 'upper', deviations: number): Float64Array =>
    spread((forecast) => forecast[side]).map((bound, i) => {
      const value = values[i];
      if (value === 0) return 0;
      const root = Math.sqrt(value);
      const own = deviations * Math.sqrt(COUNT_VARIANCE + (shapes![i] * value) / 4);
      const away = Math.hypot(Math.sqrt(bound) - root, own);
      return side === 'lower' ? Math.max(0, root - away) ** 2 : Math.min((root + away) ** 2, MAX_DEMAND);
    });
  const level = confidenceLevel ?? 0;
  const quantile = normalQuantile((1 + level) / 2);
  const bounds = (): Bounds => {
    const made = { lower: boundOf('lower', quantile), upper: boundOf('upper', quantile) };
    widenBounds(made, values, deviations, level);
    return { lower: made.lower, upper: made.upper.map((upper) => Math.min(upper, MAX_DEMAND)) };
  };
  return {
    status: 'ok',
    values,
    ...(shapes !== null && bounds()),
    method: expected > 0 ? 'expected_daily_demand' : 'no_history',
    backtestWape: null,
    observedHours: 0,
    leadHours: null,
    notes: NO_NOTES,
  };
}

/**
 * λ²: relative variance of f / d over all places, per step; a convention if there are too few places to estimate it.
 */
function shapeVariances(
  places: readonly { forecast: LocationForecast; level: number }[],
  steps: number,
): Float64Array {
  return Float64Array.from({ length: steps }, (_, i) => {
    const shares = places.map(({ forecast, level }) => forecast.values[i] / level);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    if (shares.length < MIN_PLACES || mean === 0) return UNKNOWN_SHAPE;
    return shares.reduce((sum, share) => sum + (share / mean - 1) ** 2, 0) / (shares.length - 1);
  });
}

type EffectOfKind = (kind: string) => EventEffect;

/**
 * Per location without observations: the learned effects of kinds of events that have no stated factor. Only kinds that
 * are needed are learned.
 */
function learnedKinds(
  { results }: ForecastSet,
  series: readonly DemandSeries[],
  ahead: readonly DemandEvent[],
  { holidays = [], events = [], ...start }: Steps,
): (locationId: number) => EffectOfKind {
  const places = new Map(series.map(({ locationId }, i) => [locationId, i]));
  const missing = new Set(results.flatMap((one) => (one.status === 'ok' ? [] : [one.locationId])));
  const kinds = new Set(
    ahead.flatMap(({ kind, factor, locationId }) =>
      factor === null && (locationId === null || missing.has(locationId)) ? [kind] : [],
    ),
  );
  if (missing.size === 0 || kinds.size === 0) return () => () => ({ log: 0, deviation: 0 });
  const starts = series.map((one) => localStart(start, clockOf(one)));
  const effects = kindEffects(series, starts, { special: specialDays(holidays), events }, kinds);
  return (locationId) => effects[places.get(locationId)!];
}

type StepEffects = {
  /** Mean factor of its hours. */
  factors: Float64Array;
  /** Standard deviation of the logarithm of the factor; −1 if there can be no demand (`widen.ts`). */
  deviations: Float64Array;
};

function stepEffects(
  events: readonly DemandEvent[],
  clock: ZoneClock,
  { horizonHours, stepHours, ...begin }: Steps,
  learned: EffectOfKind,
): StepEffects {
  const steps = stepCount(horizonHours, stepHours);
  if (events.length === 0)
    return { factors: new Float64Array(steps).fill(1), deviations: new Float64Array(steps) };
  const start = localStart(begin, clock);
  const within = {
    fromHour: earliestUtcHour(start),
    untilHour: afterLatestUtcHour(start + horizonHours),
  };
  const holding = eventsByHour(events, clock, within);
  const effectOf = ({ kind, factor }: DemandEvent): EventEffect =>
    factor === null ? learned(kind) : { log: Math.log(factor), deviation: 0 };
  const hours = Array.from({ length: horizonHours }, (_, h) => (holding.get(start + h) ?? []).map(effectOf));
  const hourly = Float64Array.from(hours, (held) => Math.exp(held.reduce((sum, { log }) => sum + log, 0)));
  const unknown = {
    level: Float64Array.from(hours, (held) => Math.hypot(...held.map(({ deviation }) => deviation))),
    part: new Float64Array(horizonHours),
    isClosed: Uint8Array.from(hourly, (factor) => Number(factor === 0)),
  };
  const factors = Float64Array.from({ length: steps }, (_, i) => {
    const ofStep = hourly.subarray(i * stepHours, (i + 1) * stepHours);
    return ofStep.reduce((sum, factor) => sum + factor, 0) / ofStep.length;
  });
  return { factors, deviations: stepDeviations(unknown, hourly, start, stepHours) };
}

/** Mean demand of a day in the last observed weeks; 0 if nothing was observed. */
function dailyLevel(values: Float64Array): number {
  let sum = 0;
  let count = 0;
  for (const value of values.subarray(Math.max(0, values.length - LEVEL_WEEKS * HOURS_PER_WEEK))) {
    if (!(value >= 0 && value < Infinity)) continue;
    sum += value;
    count++;
  }
  return count === 0 ? 0 : (sum / count) * HOURS_PER_DAY;
}

/**
 * Demand of locations without observations: what is expected of an average day, spread over the steps as the demand of the
 * nearest neighbours is.
 *
 *   v[i] = E · mean over neighbours n of f_n[i] / d_n
 * with E the expected daily demand, f_n the forecast of neighbour n for step i, and d_n its mean demand of a day in the
 * last four weeks observed. So a quiet day of the neighbours is one here too. Without neighbours that have demand, every hour
 * has E / 24. Bounds: with l[i] the neighbours' bound spread as v is, λ² the relative variance of f / d over all places of the
 * call (¼ where they are fewer than four, a convention), z the normal quantile of the confidence level,
 *   (√v ± √((√l − √v)² + z² (1 + λ² v) / 4))²,
 * that is what neighbours cannot foresee, the noise of a count, and how far a place may be from its neighbours' shape. How far
 * E itself is from the truth nothing tells.
 * An event of the location itself that states its factor multiplies its hours, taken as even within a step; one of all locations
 * comes with the neighbours, or is applied where there are none. A neighbour with an event of its own is asked last.
 * O(locations × neighbours × steps + hours of events).
 */
import { MAX_DEMAND } from '../../contracts/bounds.ts';
import { requireFinite } from '../finite.ts';
import { eventsAhead } from './ahead.ts';
import { eventsByHour } from './event-hours.ts';
import { afterLatestUtcHour, earliestUtcHour, localMidnight, zoneClock } from './local-time.ts';
import { normalQuantile } from './quantiles.ts';
import { stepCount } from './steps.ts';
import {
  type DemandEvent,
  type DemandSeries,
  type ForecastSet,
  HOURS_PER_DAY,
  HOURS_PER_WEEK,
  type LocationForecast,
  NO_NOTES,
} from './types.ts';

/** What is known of locations that may be without observations. */
export interface MissingHistory {
  /** expected demand of an average day; 0 for a location that is not here */
  expectedDailyDemand: ReadonlyMap<number, number>;
  /** observed locations near to one, the nearest first; none for a location that is not here */
  neighbours: ReadonlyMap<number, readonly number[]>;
}

/** Variance of the square root of a Poisson count. */
const COUNT_VARIANCE = 0.25;
/** Places that can tell how far shapes differ, at least, and λ² where they are fewer. */
const LEAST_PLACES = 4;
const UNKNOWN_SHAPE = 0.25;
/** Weeks of observations that say what a usual day is. */
const LEVEL_WEEKS = 4;

interface Steps {
  /** First local day, `YYYY-MM-DD`. */
  startDate: string;
  horizonHours: number;
  stepHours: number;
  /** Of the bounds of the set; null or absent where it has none. */
  confidenceLevel?: number | null;
  /** As the forecasts of the set know them. */
  events?: readonly DemandEvent[];
}

/**
 * Gives a forecast to each location of a set that has none.
 * @param set forecasts, some of them `no_observations`
 * @param others forecasts of neighbours that the set lacks
 * @param series observations of both
 * @returns the set with a forecast for every location, in its order
 */
export function fillMissing(
  set: ForecastSet,
  others: ForecastSet | null,
  series: readonly DemandSeries[],
  missing: MissingHistory,
  steps: Steps,
): ForecastSet {
  const all = [...set.results, ...(others?.results ?? [])];
  const forecasts = new Map(all.flatMap((one) => (one.status === 'ok' ? [[one.locationId, one]] : [])));
  const levels = new Map(series.map((one) => [one.locationId, dailyLevel(one.values)]));
  const zones = new Map(series.map(({ locationId, timeZone }) => [locationId, timeZone]));
  const ahead = eventsAhead(steps.events ?? [], zones, steps);
  const ofLocation = Map.groupBy(ahead, ({ locationId }) => locationId);
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
    const factors = stepFactors(events, zones.get(locationId)!, steps);
    return expectedForecast(locationId, expected, asked, steps, factors, hasBounds ? shapes : null);
  });
  return requireFinite('forecast', { ...set, results });
}

function expectedForecast(
  locationId: number,
  expected: number,
  neighbours: readonly { forecast: LocationForecast; level: number }[],
  { horizonHours, stepHours, confidenceLevel }: Steps,
  factors: Float64Array,
  shapes: Float64Array | null,
): LocationForecast {
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
      const value = values[i]!;
      if (value === 0) return 0;
      const root = Math.sqrt(value);
      const own = deviations * Math.sqrt(COUNT_VARIANCE + (shapes![i]! * value) / 4);
      const away = Math.hypot(Math.sqrt(bound) - root, own);
      return side === 'lower' ? Math.max(0, root - away) ** 2 : Math.min((root + away) ** 2, MAX_DEMAND);
    });
  const deviations = normalQuantile((1 + (confidenceLevel ?? 0)) / 2);
  return {
    status: 'ok',
    locationId,
    values,
    ...(shapes !== null && { lower: boundOf('lower', deviations), upper: boundOf('upper', deviations) }),
    method: expected > 0 ? 'expected_daily_demand' : 'no_history',
    backtestWape: null,
    observedHours: 0,
    leadHours: null,
    notes: NO_NOTES,
  };
}

/** λ²: relative variance of f / d over all places, per step; a convention where they are too few to tell. */
function shapeVariances(
  places: readonly { forecast: LocationForecast; level: number }[],
  steps: number,
): Float64Array {
  return Float64Array.from({ length: steps }, (_, i) => {
    const shares = places.map(({ forecast, level }) => forecast.values[i]! / level);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    if (shares.length < LEAST_PLACES || mean === 0) return UNKNOWN_SHAPE;
    return shares.reduce((sum, share) => sum + (share / mean - 1) ** 2, 0) / (shares.length - 1);
  });
}

/** Mean over the hours of each step of the factors that events state. */
function stepFactors(
  events: readonly DemandEvent[],
  timeZone: string,
  { startDate, horizonHours, stepHours }: Steps,
): Float64Array {
  const factors = new Float64Array(stepCount(horizonHours, stepHours)).fill(1);
  if (events.length === 0) return factors;
  const start = localMidnight(startDate)!;
  const within = {
    fromHour: earliestUtcHour(start),
    untilHour: afterLatestUtcHour(start + horizonHours),
  };
  const holding = eventsByHour(events, zoneClock(timeZone), within);
  factors.forEach((_, i) => {
    const hours = Math.min(stepHours, horizonHours - i * stepHours);
    let sum = 0;
    for (let h = 0; h < hours; h++) {
      const held = holding.get(start + i * stepHours + h) ?? [];
      sum += held.reduce((product, { factor }) => product * (factor ?? 1), 1);
    }
    factors[i] = sum / hours;
  });
  return factors;
}

/** Mean demand of a day in the last weeks observed; 0 where nothing was. */
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

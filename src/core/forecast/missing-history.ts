/**
 * Demand of locations without observations: what is expected of an average day, spread over the steps as the demand of the
 * nearest neighbours is.
 *
 *   v[i] = E · mean over neighbours n of f_n[i] / d_n
 * with E the expected daily demand, f_n the forecast of neighbour n for step i, and d_n its mean demand of a day in the
 * last four weeks observed. So a quiet day of the neighbours is one here too. Bounds are spread in the same way. Without
 * neighbours that have demand, every hour has E / 24, and the bounds are the value itself: nothing is known of its spread.
 * O(locations × neighbours × steps).
 */
import { MAX_DEMAND } from '../../contracts/bounds.ts';
import { requireFinite } from '../finite.ts';
import {
  type DemandSeries,
  type ForecastSet,
  HOURS_PER_DAY,
  HOURS_PER_WEEK,
  type LocationForecast,
} from './types.ts';

/** What is known of locations that may be without observations. */
export interface MissingHistory {
  /** expected demand of an average day; 0 for a location that is not here */
  expectedDailyDemand: ReadonlyMap<number, number>;
  /** observed locations near to one, the nearest first; none for a location that is not here */
  neighbours: ReadonlyMap<number, readonly number[]>;
}

/** Weeks of observations that say what a usual day is. */
const LEVEL_WEEKS = 4;

interface Steps {
  horizonHours: number;
  stepHours: number;
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
  const hasBounds = all.some((one) => one.status === 'ok' && one.lower !== undefined);
  const results = set.results.map((one) => {
    if (one.status === 'ok') return one;
    const { locationId } = one;
    const expected = missing.expectedDailyDemand.get(locationId) ?? 0;
    const neighbours = (missing.neighbours.get(locationId) ?? []).flatMap((id) => {
      const forecast = forecasts.get(id);
      const level = levels.get(id) ?? 0;
      return forecast && level > 0 ? [{ forecast, level }] : [];
    });
    return expectedForecast(locationId, expected, neighbours, steps, hasBounds);
  });
  return requireFinite('forecast', { ...set, results });
}

function expectedForecast(
  locationId: number,
  expected: number,
  neighbours: readonly { forecast: LocationForecast; level: number }[],
  { horizonHours, stepHours }: Steps,
  hasBounds: boolean,
): LocationForecast {
  const count = Math.ceil(horizonHours / stepHours);
  const evenly = (i: number) => Math.min(stepHours, horizonHours - i * stepHours) / HOURS_PER_DAY;
  const spread = (pick: (forecast: LocationForecast) => Float64Array | undefined) =>
    Float64Array.from({ length: count }, (_, i) => {
      const shares = neighbours.map(({ forecast, level }) => (pick(forecast)?.[i] ?? 0) / level);
      const share = shares.length > 0 ? shares.reduce((sum, one) => sum + one, 0) / shares.length : evenly(i);
      return Math.min(expected * share, MAX_DEMAND);
    });
  return {
    status: 'ok',
    locationId,
    values: spread(({ values }) => values),
    ...(hasBounds && { lower: spread(({ lower }) => lower), upper: spread(({ upper }) => upper) }),
    method: expected > 0 ? 'expected_daily_demand' : 'no_history',
    backtestWape: null,
    observedHours: 0,
    leadHours: null,
  };
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

/**
 * Forecasts as they would have been made when an hour of the past began. The forecaster gets the observations before
 * that hour and nothing else: later ones are cut off before it is called.
 */

import { HOUR_MS } from '../../contracts/time.ts';
import { forecastMany } from '../forecast/forecast.ts';
import { likelyOutcomes } from '../forecast/likely-outcomes.ts';
import { clockOf, hourMultiplicity, withClocks } from '../forecast/local-time.ts';
import type { DemandEvent, DemandSeries, ForecastResult, Holiday } from '../forecast/types.ts';
import { partsFromOutcomes } from '../optimize/horizon/demand-parts.ts';
import type { DemandParts } from '../optimize/horizon/types.ts';

/**
 * What a policy takes for the demand ahead: forecasts, the upper ends of their intervals, forecasts with the chances
 * that their intervals give (`spread`, in plans that look ahead), or what came to pass.
 */
export type DemandSource = 'mean' | 'upper' | 'spread' | 'observed';

/**
 * Demand of the hours from `hour` on, a row of n per hour; the position of a location is that of its series. Fewer
 * hours than asked for if the source knows no more.
 */
export type DemandAhead = (hour: number, count: number) => Float64Array;

export type PastForecasts = {
  mean: DemandAhead;
  /** @throws Error for a level that is none of `confidenceLevels` */
  upper(confidenceLevel: number): DemandAhead;
  /** The parts of the mean, for as many hours as `mean` knows. */
  parts(hour: number, count: number): DemandParts;
};

export type PastForecastOptions = {
  /** UTC hours since the epoch of hour 0. */
  firstHour: number;
  /** Hours that every forecast reaches ahead, so that a policy meets the same forecasts whatever the others need. */
  hoursAhead: number;
  /** Confidence levels of the intervals whose upper ends are asked for, 0.5 … 0.999 each. */
  confidenceLevels: readonly number[];
  holidays?: readonly Holiday[];
  events?: readonly DemandEvent[];
};

/** Confidence level of the intervals that the parts come from: other levels hardly change their worth. */
const SPREAD_LEVEL = 0.95;
/** Rows before those of the levels that are asked for. */
const FIRST_LEVEL = 3;

/**
 * Forecasts by hour, each computed once. 73 locations take about 240 ms per hour.
 * @param observed all observations, later ones included
 * @throws Error if a location has no observation before an hour
 */
export function createPastForecasts(
  observed: readonly DemandSeries[],
  { firstHour, hoursAhead, confidenceLevels, holidays = [], events = [] }: PastForecastOptions,
): PastForecasts {
  const series = withClocks(observed);
  const n = series.length;
  const made = new Map<number, Float64Array[]>();
  const forecastAt = (hour: number) => {
    const known = made.get(hour);
    if (known) return known;
    const originHour = firstHour + hour;
    const results = forecastMany(
      series.map((one) => observedBefore(one, originHour)),
      {
        originHour,
        // A day of 25 hours has one more than its local hours.
        horizonHours: hoursAhead + 1,
        stepHours: 1,
        confidenceLevel: SPREAD_LEVEL,
        upperLevels: confidenceLevels,
        holidays,
        events: events.filter(({ fromHour, factor }) => factor !== null || fromHour < originHour),
      },
    ).results;
    // The mean, the interval of the spread, then the upper end of each level.
    const all = Array.from(
      { length: FIRST_LEVEL + confidenceLevels.length },
      () => new Float64Array(hoursAhead * n),
    );
    for (let j = 0; j < n; j++) spread(series[j], results[j], { originHour, hoursAhead, j, n, all });
    made.set(hour, all);
    return all;
  };
  const rows = (kind: number): DemandAhead => {
    return (hour, count) => forecastAt(hour)[kind].subarray(0, Math.min(count, hoursAhead) * n);
  };
  return {
    mean: rows(0),
    upper(confidenceLevel) {
      const at = confidenceLevels.indexOf(confidenceLevel);
      if (at < 0) throw new Error(`no interval of ${confidenceLevel} is forecast`);
      return rows(FIRST_LEVEL + at);
    },
    parts(hour, count) {
      const [mean, lower, upper] = [0, 1, 2].map((kind) => rows(kind)(hour, count));
      return partsFromOutcomes(likelyOutcomes(mean, { lower, upper, confidenceLevel: SPREAD_LEVEL }));
    },
  };
}

/** Demand that is known in advance, up to the end of the past. @param demand T × n */
export function knownDemand(demand: Float64Array, n: number): DemandAhead {
  return (hour, count) => demand.subarray(hour * n, (hour + count) * n);
}

/** The series without everything from an hour on. */
function observedBefore(series: DemandSeries, originHour: number): DemandSeries {
  const { startHour, values, older } = series;
  return {
    ...series,
    values: values.slice(0, Math.max(0, originHour - startHour)),
    ...(older && {
      older: older.filter((stretch) => stretch.startHour + stretch.values.length <= originHour),
    }),
  };
}

/** The place of the forecast of location j: the rows of `all`, hours × n each. */
type SpreadTo = {
  originHour: number;
  hoursAhead: number;
  j: number;
  n: number;
  all: readonly Float64Array[];
};

/** From local hours to those of UTC: an hour that the clock repeats is forecast as one, and divided here. */
function spread(
  series: DemandSeries,
  result: ForecastResult,
  { originHour, hoursAhead, j, n, all }: SpreadTo,
): void {
  if (result.status !== 'ok') {
    const when = new Date(originHour * HOUR_MS).toISOString();
    throw new Error(`location ${series.locationId} has no observations before ${when}`);
  }
  const clock = clockOf(series);
  const start = originHour + clock(originHour);
  const multiplicity = hourMultiplicity(clock, start, result.values.length, originHour);
  const { values: mean, lower = mean, upper = mean, uppers = [] } = result;
  const sources = [mean, lower, upper, ...uppers];
  for (let t = 0; t < hoursAhead; t++) {
    const k = originHour + t + clock(originHour + t) - start;
    for (const [i, values] of all.entries()) values[t * n + j] = sources[i][k] / multiplicity[k];
  }
}

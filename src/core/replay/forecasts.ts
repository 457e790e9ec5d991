/**
 * Forecasts as they would have been made when an hour of the past began. The forecaster gets the observations before
 * that hour and nothing else: later ones are cut off before it is called.
 */

import { forecastMany } from '../forecast/forecast.ts';
import { clockOf, hourMultiplicity, withClocks } from '../forecast/local-time.ts';
import type { DemandEvent, DemandSeries, ForecastResult, Holiday } from '../forecast/types.ts';

/** What a policy takes for the demand ahead: forecasts, the upper ends of their intervals, or what came to pass. */
export type DemandSource = 'mean' | 'upper' | 'observed';

/**
 * Demand of the hours from `hour` on, a row of n per hour; the position of a location is that of its series. Fewer
 * hours than asked for if the source knows no more.
 */
export type DemandAhead = (hour: number, count: number) => Float64Array;

export type PastForecasts = {
  mean: DemandAhead;
  upper: DemandAhead;
};

export type PastForecastOptions = {
  /** UTC hours since the epoch of hour 0. */
  firstHour: number;
  /** Hours that every forecast reaches ahead, so that a policy meets the same forecasts whatever the others need. */
  hoursAhead: number;
  /** Of the intervals, 0.5 … 0.999. */
  confidenceLevel: number;
  holidays?: readonly Holiday[];
  events?: readonly DemandEvent[];
};

/**
 * Forecasts by hour, each computed once. 73 locations take about 240 ms per hour.
 * @param observed all observations, later ones included
 * @throws Error if a location has no observation before an hour
 */
export function createPastForecasts(
  observed: readonly DemandSeries[],
  { firstHour, hoursAhead, confidenceLevel, holidays = [], events = [] }: PastForecastOptions,
): PastForecasts {
  const series = withClocks(observed);
  const n = series.length;
  const made = new Map<number, Record<'mean' | 'upper', Float64Array>>();
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
        confidenceLevel,
        holidays,
        events: events.filter(({ fromHour, factor }) => factor !== null || fromHour < originHour),
      },
    ).results;
    const both = { mean: new Float64Array(hoursAhead * n), upper: new Float64Array(hoursAhead * n) };
    for (let j = 0; j < n; j++)
      spread(series[j], results[j], originHour, hoursAhead, (t, mean, upper) => {
        both.mean[t * n + j] = mean;
        both.upper[t * n + j] = upper;
      });
    made.set(hour, both);
    return both;
  };
  const rows = (kind: 'mean' | 'upper'): DemandAhead => {
    return (hour, count) => forecastAt(hour)[kind].subarray(0, Math.min(count, hoursAhead) * n);
  };
  return { mean: rows('mean'), upper: rows('upper') };
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

/** From local hours to those of UTC: an hour that the clock repeats is forecast as one, and divided here. */
function spread(
  series: DemandSeries,
  result: ForecastResult,
  originHour: number,
  hours: number,
  put: (hour: number, mean: number, upper: number) => void,
): void {
  if (result.status !== 'ok') {
    const when = new Date(originHour * 3_600_000).toISOString();
    throw new Error(`location ${series.locationId} has no observations before ${when}`);
  }
  const clock = clockOf(series);
  const start = originHour + clock(originHour);
  const multiplicity = hourMultiplicity(clock, start, result.values.length);
  for (let t = 0; t < hours; t++) {
    const k = originHour + t + clock(originHour + t) - start;
    put(t, result.values[k] / multiplicity[k], (result.upper ?? result.values)[k] / multiplicity[k]);
  }
}

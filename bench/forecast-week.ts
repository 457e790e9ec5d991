/** Forecasts of the week ahead, by day and as one total, for the benches of hard cases. */
import { forecastMany } from '../src/core/forecast/forecast.ts';
import type { DemandSeries, ForecastOptions, ForecastResult } from '../src/core/forecast/types.ts';

export type WeekForecast = Extract<ForecastResult, { status: 'ok' }>;

/** Forecasts of the week from a start, with 95 % intervals, for each day and for the whole week. */
export function forecastWeek(
  series: readonly DemandSeries[],
  start: Pick<ForecastOptions, 'startDate' | 'originHour'>,
): { daily: WeekForecast[]; weekly: WeekForecast[] } {
  const of = (stepHours: number) =>
    forecastMany(series, { ...start, horizonHours: 168, stepHours, confidenceLevel: 0.95 }).results.map(
      (result) => {
        if (result.status !== 'ok') throw new Error(`location ${result.locationId}: ${result.status}`);
        return result;
      },
    );
  return { daily: of(24), weekly: of(168) };
}

/** Whether the observed demand lies within the interval of a step. */
export function isHeld({ lower, upper }: WeekForecast, step: number, actual: number): boolean {
  return lower !== undefined && upper !== undefined && lower[step] <= actual && actual <= upper[step];
}

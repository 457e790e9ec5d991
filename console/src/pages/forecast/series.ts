import type { DemandObservation, ForecastData } from '../../api/types.ts';
import { HOUR_MS, localHour } from '../../city-time.ts';

/** Demand by step, observed and forecast. Hours are those of the local clock, counted from 1970. */
export type Series = {
  /** When each step begins. */
  hours: number[];
  /** null where nothing, or not everything, is known */
  observed: (number | null)[];
  expected: (number | null)[];
  lower: (number | null)[];
  upper: (number | null)[];
};

/** The hour at which the local day of a forecast begins. */
export const firstHour = (startDate: string) => Date.parse(`${startDate}T00:00:00Z`) / HOUR_MS;

/**
 * Puts the history of one location and its forecast on one axis, in the steps of the forecast.
 * @param historySteps steps before the forecast
 */
export function seriesOf(
  forecast: ForecastData,
  locationId: number,
  observations: readonly DemandObservation[],
  timeZone: string | undefined,
  historySteps: number,
): Series {
  const { step_hours: step, start_date: startDate } = forecast.metadata;
  const values = forecast.forecasts[locationId] ?? [];
  const interval = forecast.intervals?.[locationId];
  const length = historySteps + values.length;
  const begin = firstHour(startDate) - historySteps * step;
  const sums = new Array<number>(length).fill(0);
  const counts = new Array<number>(length).fill(0);
  for (const { hour, demand } of observations) {
    const at = Math.floor((localHour(Date.parse(hour), timeZone) - begin) / step);
    if (at < 0 || at >= length) continue;
    sums[at] += demand;
    counts[at]++;
  }
  const ahead = (of: readonly number[] | undefined) => [
    ...new Array<null>(historySteps).fill(null),
    ...(of ?? values.map(() => null)),
  ];
  return {
    hours: sums.map((_, at) => begin + at * step),
    // A day on which the clock is put forward has an hour less.
    observed: sums.map((sum, at) => (counts[at] >= Math.max(1, step - 1) ? sum : null)),
    expected: ahead(values),
    lower: ahead(interval?.lower),
    upper: ahead(interval?.upper),
  };
}

/** An hour of the local clock in words: `Wed 3 May, 19:00`; without the hour if a step is a day. */
export function hourInWords(hour: number, step: number): string {
  const style = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  const day = new Intl.DateTimeFormat(undefined, style).format(hour * HOUR_MS);
  return step >= 24 ? day : `${day}, ${String(hour % 24).padStart(2, '0')}:00`;
}

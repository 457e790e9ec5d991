/**
 * The simple forecasts that the engine is compared with.
 *   last week     ŷ[t] = the newest observed y[t − 168 j], j = 1, 2, …             ("seasonal naive")
 *   weekday mean  ŷ[t] = mean of the newest four observed y[t − 168 j]
 * in local hours, from observations before the origin only. An hour of the week that was never observed gets the mean
 * of the history.
 * Complexity O(horizon · weeks). Units: demand per hour.
 */
import { HOURS_PER_WEEK } from './types.ts';

/**
 * Mean of the newest `weeks` observed values of the same hour of the week.
 * @param history      hourly demand, NaN where missing, at least one observed
 * @param leadHours    hours from the end of the history to the first hour forecast
 */
export function sameHourMean(
  history: Float64Array,
  leadHours: number,
  horizonHours: number,
  weeks: number,
): Float64Array {
  const n = history.length;
  const observed = history.filter((value) => !Number.isNaN(value));
  const overall = observed.reduce((sum, value) => sum + value / observed.length, 0);
  const forecast = new Float64Array(horizonHours);
  for (let h = 0; h < horizonHours; h++) {
    const ahead = leadHours + h;
    let sum = 0;
    let count = 0;
    for (
      let t = n + (ahead % HOURS_PER_WEEK) - HOURS_PER_WEEK;
      t >= 0 && count < weeks;
      t -= HOURS_PER_WEEK
    ) {
      if (Number.isNaN(history[t])) continue;
      sum += history[t];
      count++;
    }
    forecast[h] = count === 0 ? overall : sum / count;
  }
  return forecast;
}

/**
 * Seasonal profiles: exponentially weighted means of the same hour in earlier periods.
 *
 *   P[t] = (1 − a) z[t − p] + a P[t − p],   P[t] = z[t] for t < p
 * with period p (168 h weekly, 24 h daily) and decay a. P[t] uses z up to t − p only, so from any origin o the forecast
 * of hour o + h is P[o + h mod p], without recursion. Known as seasonal exponential smoothing without level (Hyndman &
 * Athanasopoulos, Forecasting: principles and practice, ch. 8).
 * Complexity O(n).
 */

/** P for t = 0 … n + period − 1: the last period is the forecast. Needs n ≥ period. */
export function seasonalProfile(z: Float64Array, period: number, decay: number): Float64Array {
  const profile = new Float64Array(z.length + period);
  profile.set(z.subarray(0, period));
  for (let t = period; t < profile.length; t++) {
    profile[t] = (1 - decay) * z[t - period] + decay * profile[t - period];
  }
  return profile;
}

/** The hours `origin … origin + count − 1` as forecast by the profile at the origin. */
export function profileForecast(
  profile: Float64Array,
  period: number,
  origin: number,
  count: number,
): Float64Array {
  const last = profile.subarray(origin, origin + period);
  const forecast = new Float64Array(count);
  for (let from = 0; from < count; from += period) forecast.set(last.subarray(0, count - from), from);
  return forecast;
}

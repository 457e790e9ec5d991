/**
 * Widens intervals by the uncertainty of the effect of a special day or an event.
 *
 * Notation: v forecast of a step, s standard deviation of the logarithm of its effect; ν quantile of the normal
 * distribution at (1 + level) / 2. Independent errors add in squares:
 *   log(upper / v) ← √(log²(upper / v) + (ν s)²),   the lower bound alike.
 * Within a step the error of a day is common to all its hours; errors of its parts are independent of each other:
 *   s² = (Σ v_h s_h / v)² + Σ_parts (Σ_{h in part} v_h p_h / v)².
 * As without effects, no bound is further from the forecast than five times the range of the last four weeks
 * (`intervals.ts`).
 * If an event leaves no demand in any hour of a step, the interval is [0, 0], as the caller stated. Complexity
 * O(hours).
 */
import type { EffectDeviations } from './apply-effects.ts';
import type { Bounds } from './intervals.ts';
import { normalQuantile } from './numerics.ts';
import { PART_HOURS } from './ordinary-days.ts';
import { stepCount } from './steps.ts';

/** s per step; −1 if there can be no demand. */
export function stepDeviations(
  { level, part, isClosed }: EffectDeviations,
  hourly: Float64Array,
  start: number,
  stepHours: number,
): Float64Array {
  return Float64Array.from({ length: stepCount(hourly.length, stepHours) }, (_, step) => {
    const from = step * stepHours;
    const until = Math.min(from + stepHours, hourly.length);
    let total = 0;
    let common = 0;
    let parts = 0;
    let inPart = 0;
    let closed = 0;
    for (let h = from; h < until; h++) {
      total += hourly[h];
      common += hourly[h] * level[h];
      inPart += hourly[h] * part[h];
      closed += isClosed[h];
      if ((start + h + 1) % PART_HOURS !== 0 && h + 1 < until) continue;
      parts += inPart ** 2;
      inPart = 0;
    }
    if (closed === until - from) return -1;
    return total > 0 ? Math.hypot(common / total, Math.sqrt(parts) / total) : 0;
  });
}

/** Widens bounds in place. @param reach largest distance of a bound from its forecast */
export function widenBounds(
  { lower, upper }: Bounds,
  values: Float64Array,
  deviations: Float64Array,
  confidenceLevel: number,
  reach = Number.MAX_VALUE,
): void {
  const quantile = normalQuantile((1 + confidenceLevel) / 2);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const deviation = deviations[i];
    if (deviation < 0) {
      lower[i] = 0;
      upper[i] = 0;
    }
    if (!(deviation > 0 && value > 0)) continue;
    const below = Math.log(value / lower[i]);
    const above = Math.log(upper[i] / value);
    lower[i] = Math.max(value - reach, value * Math.exp(-Math.hypot(below, quantile * deviation)));
    upper[i] = Math.min(value + reach, value * Math.exp(Math.hypot(above, quantile * deviation)));
  }
}

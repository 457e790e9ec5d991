/**
 * Effects of special days and events, in the history and ahead.
 *
 *   ahead     ŷ[t] ← ŷ[t] · (ŷ[s] / ŷ[t])^w · e^(x_p(t)) · f,   s the same hour of the Sunday that follows
 * with w and x_p of the day (`holiday-effects.ts`; x is linear between the middles of two parts of a day), and f the
 * factor of the events in effect.
 *   history   affected hours are removed if enough others remain; `clean` fills them in with the usual demand.
 *             On special days without events, half of the surprise is put back:
 *             z ← z + ½ (z(observed) − z(usual · effect)). So a quiet holiday still informs the level.
 * Complexity O(hours). Units: local hours, demand per hour.
 */

import type { SeriesEffects } from './effects.ts';
import type { DayEffect } from './holiday-effects.ts';
import { limited } from './holiday-effects.ts';
import type { LocalSeries } from './local-series.ts';
import { PART_HOURS, PARTS } from './ordinary-days.ts';
import { dayOf, weekdayOf } from './special-days.ts';
import { standardise, type Transform } from './transform.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const SURPRISE_SHARE = 0.5;

/** Hours from a local hour to the same hour of the Sunday that follows; 0 on Sundays. */
export const hoursToSunday = (localHour: number): number =>
  HOURS_PER_DAY * ((7 - weekdayOf(dayOf(localHour))) % 7);

/**
 * The history without the hours of events and of special days that differ. If less than half of the observed hours
 * would remain, special days stay in, with their effect divided out: a place that opened before Christmas has no other
 * days. If nothing would remain, hours of events stay in unchanged.
 */
export function withoutEffects({ firstHour, values }: LocalSeries, effects: SeriesEffects): Float64Array {
  const withoutEvents = values.map((value, t) => (effects.isHeld(firstHour + t) ? NaN : value));
  const effectAt = (t: number): DayEffect | null => {
    const effect = effects.dayAt(firstHour + t);
    return effect?.isMaterial ? effect : null;
  };
  const usual = withoutEvents.map((value, t) => (effectAt(t) === null ? value : NaN));
  const observed = countObserved(withoutEvents);
  if (observed === 0) return values;
  if (countObserved(usual) >= observed / 2) return usual;
  return withoutEvents.map((value, t) => {
    const effect = effectAt(t);
    return effect === null ? value : value / Math.exp(logEffect(effect, firstHour + t, 0));
  });
}

const countObserved = (values: Float64Array): number =>
  values.reduce((count, value) => (Number.isNaN(value) ? count : count + 1), 0);

/**
 * Logarithm of the effect of a special day on an hour. `contrast` is the logarithm of Sunday's demand over that of the
 * hour.
 */
function logEffect(effect: DayEffect, localHour: number, contrast: number): number {
  const hour = localHour - HOURS_PER_DAY * dayOf(localHour);
  const place = Math.min(Math.max((hour + 0.5) / PART_HOURS - 0.5, 0), PARTS - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, PARTS - 1);
  const part = effect.parts[below] + (place - below) * (effect.parts[above] - effect.parts[below]);
  return part + effect.sunday * limited(contrast);
}

/**
 * Adds half of the surprise of the removed special days back to z, in place.
 * @param usual the history without them
 */
export function returnSurprise(
  z: Float64Array,
  usual: Float64Array,
  clean: Float64Array,
  history: LocalSeries,
  transform: Transform,
  effects: SeriesEffects,
): void {
  const { firstHour, values } = history;
  const inRange = (demand: number): number => Math.min(Math.max(demand, transform.lowest), transform.highest);
  const zOf = (demand: number): number => standardise(transform, Float64Array.of(inRange(demand)))[0];
  for (let t = 0; t < z.length; t++) {
    const isTakenOut = Number.isNaN(usual[t]) && !Number.isNaN(values[t]);
    const effect = effects.dayAt(firstHour + t);
    if (!isTakenOut || effect === undefined || effects.isHeld(firstHour + t)) continue;
    const toSunday = hoursToSunday(firstHour + t);
    const after = clean[t + toSunday];
    const before = clean[t + toSunday - HOURS_PER_WEEK];
    const sunday = after !== undefined && before !== undefined ? after / 2 + before / 2 : (after ?? before);
    const contrast = sunday === undefined ? 0 : Math.log(sunday / clean[t]);
    const expected = clean[t] * Math.exp(logEffect(effect, firstHour + t, contrast));
    z[t] += SURPRISE_SHARE * (zOf(values[t]) - zOf(expected));
  }
}

/** Standard deviations of the logarithm of the effects on the hours of a forecast. */
export type EffectDeviations = {
  /** The error that is common to all hours of a day, and of an event. */
  level: Float64Array;
  /** The error that each part of a day has of its own. */
  part: Float64Array;
  /** 1 if an event leaves no demand. */
  isClosed: Uint8Array;
};

/**
 * Number of hours of the forecast without effects that the special days of a horizon need: up to the following Sunday.
 */
export function lastSundayAhead(effects: SeriesEffects, start: number, horizonHours: number): number {
  for (let h = horizonHours - 1; h >= 0; h--) {
    if (effects.dayAt(start + h) !== undefined) return h + HOURS_PER_WEEK;
  }
  return 0;
}

/**
 * Multiplies the hours of a forecast by the effects, in place.
 * @param hourly demand per hour without effects
 * @param ahead the same, by hour from the start, and continuing beyond the end of the forecast
 * @returns null if nothing had an effect
 */
export function applyEffects(
  hourly: Float64Array,
  ahead: (hour: number) => number,
  start: number,
  effects: SeriesEffects,
): EffectDeviations | null {
  let deviations: EffectDeviations | null = null;
  const at = (): EffectDeviations => {
    const { length } = hourly;
    deviations ??= {
      level: new Float64Array(length),
      part: new Float64Array(length),
      isClosed: new Uint8Array(length),
    };
    return deviations;
  };
  for (let h = 0; h < hourly.length; h++) {
    const day = effects.dayAt(start + h);
    const event = effects.eventAt(start + h);
    if (day !== undefined) {
      const contrast = Math.log(ahead(h + hoursToSunday(start + h)) / hourly[h]);
      hourly[h] *= Math.exp(logEffect(day, start + h, contrast));
      at().level[h] = day.levelDeviation;
      at().part[h] = day.partDeviation;
    }
    if (event !== undefined) {
      hourly[h] *= Math.exp(event.log);
      at().level[h] = Math.hypot(at().level[h], event.deviation);
      if (event.log === -Infinity) at().isClosed[h] = 1;
    }
  }
  return deviations;
}

/**
 * What special days and events do to each series of a call. Effects are learned over all series, from data before the
 * start only. In the history the hours of events and of special days that differ are not used as observations, so the
 * model does not learn its profile from them. In the forecast, demand is multiplied by the effect.
 * Complexity: see `holiday-effects.ts` and `event-effects.ts`; no cost if neither history nor horizon has any special
 * day or event.
 */

import { type EventEffect, learnEvents, pastEvents } from './event-effects.ts';
import { eventsByHour, heldRanges, withoutRanges } from './event-hours.ts';
import { type DayEffect, learnEffects } from './holiday-effects.ts';
import { HISTORY_WEEKS } from './local-series.ts';
import { afterLatestUtcHour, clockOf, earliestUtcHour } from './local-time.ts';
import { dayParts, ordinaryDays } from './ordinary-days.ts';
import { dayOf, type SpecialDays } from './special-days.ts';
import { type DemandEvent, type DemandSeries, HOURS_PER_DAY } from './types.ts';

/** Effects on one series, by local hour. */
export type SeriesEffects = {
  dayAt(localHour: number): DayEffect | undefined;
  /** The combined effect of the events in this hour: their factors multiply. */
  eventAt(localHour: number): EventEffect | undefined;
  /** Whether any event covers the hour. */
  isHeld(localHour: number): boolean;
};

export const NO_EFFECTS: SeriesEffects = {
  dayAt: () => undefined,
  eventAt: () => undefined,
  isHeld: () => false,
};

export type EffectOptions = {
  special: SpecialDays;
  events: readonly DemandEvent[];
  horizonHours: number;
};

/**
 * Effects on every series.
 * @param starts first local hour forecast, per series
 */
export function seriesEffects(
  series: readonly DemandSeries[],
  starts: readonly number[],
  { special, events, horizonHours }: EffectOptions,
): SeriesEffects[] {
  const firstDay = dayOf(Math.min(...starts)) - HISTORY_WEEKS * 7 - 1;
  const lastDay = dayOf(Math.max(...starts) + horizonHours - 1);
  const wanted = [...special.keys()].filter((day) => day >= firstDay && day <= lastDay);
  if (wanted.length === 0 && events.length === 0) return series.map(() => NO_EFFECTS);
  const within = {
    fromHour: earliestUtcHour(firstDay * HOURS_PER_DAY),
    untilHour: afterLatestUtcHour((lastDay + 1) * HOURS_PER_DAY),
  };
  const near = events.filter(
    ({ fromHour, untilHour }) => fromHour < within.untilHour && untilHour > within.fromHour,
  );
  const firstAhead = earliestUtcHour(Math.min(...starts));
  const kinds = new Set(
    near.flatMap(({ kind, factor, untilHour }) => (factor === null && untilHour > firstAhead ? [kind] : [])),
  );
  const learned = learn(series, starts, special, wanted, byLocation(events), kinds);
  const nearBy = byLocation(near);
  const commonHours = new Map<string, ReadonlyMap<number, DemandEvent[]>>();
  return series.map((one, l) => {
    const { locationId, timeZone } = one;
    const clock = clockOf(one);
    const common = commonHours.get(timeZone) ?? eventsByHour(nearBy.get(null) ?? [], clock, within);
    commonHours.set(timeZone, common);
    const own = eventsByHour(nearBy.get(locationId) ?? [], clock, within);
    const { days, effectOfKind } = learned[l];
    const effectOf = ({ kind, factor }: DemandEvent): EventEffect =>
      factor === null ? effectOfKind(kind) : { log: Math.log(factor), deviation: 0 };
    return effectsOf(days, common, own, effectOf);
  });
}

/**
 * The effect of some kinds of events on each series, learned from past events of these kinds. A series without
 * observations gets the effect of the panel, with a wider interval.
 * @param starts first local hour forecast, per series
 */
export function kindEffects(
  series: readonly DemandSeries[],
  starts: readonly number[],
  { special, events }: Pick<EffectOptions, 'special' | 'events'>,
  kinds: ReadonlySet<string>,
): ((kind: string) => EventEffect)[] {
  return learn(series, starts, special, [], byLocation(events), kinds).map(
    ({ effectOfKind }) => effectOfKind,
  );
}

const byLocation = (events: readonly DemandEvent[]) => Map.groupBy(events, ({ locationId }) => locationId);

type Learned = {
  days: ReadonlyMap<number, DayEffect>;
  effectOfKind(kind: string): EventEffect;
};

/** Learns the effects of the special days `wanted`, and of kinds of events, for each series. */
function learn(
  series: readonly DemandSeries[],
  starts: readonly number[],
  special: SpecialDays,
  wanted: readonly number[],
  events: ReadonlyMap<number | null, readonly DemandEvent[]>,
  kinds: ReadonlySet<string>,
): Learned[] {
  if (wanted.length === 0 && kinds.size === 0) {
    return series.map(() => ({ days: new Map(), effectOfKind: () => ({ log: 0, deviation: 0 }) }));
  }
  const ofAll = events.get(null) ?? [];
  const heldByAll = heldRanges(ofAll);
  const lastHour = afterLatestUtcHour(Math.max(...starts));
  const pastOfAll = pastEvents(ofAll, kinds, lastHour);
  const prepared = series.map((one, l) => {
    const own = events.get(one.locationId) ?? [];
    const quiet = withoutRanges(withoutRanges(one, heldByAll), heldRanges(own));
    const start = starts[l];
    return {
      series: one,
      quiet,
      events: [...pastOfAll, ...pastEvents(own, kinds, lastHour)],
      parts: dayParts(quiet),
      startDay: dayOf(start),
      beforeHour: start - clockOf(one)(start),
    };
  });
  const ordinary = ordinaryDays(prepared, special);
  const days = learnEffects(prepared, ordinary, special, wanted);
  const members = prepared.map((one, l) => ({ ...one, variance: ordinary.locations[l].variance }));
  const kindEffects = learnEvents(members, special, ordinary.levelVariance);
  return series.map((_, l) => ({ days: days[l], effectOfKind: kindEffects[l] }));
}

function effectsOf(
  days: ReadonlyMap<number, DayEffect>,
  common: ReadonlyMap<number, readonly DemandEvent[]>,
  own: ReadonlyMap<number, readonly DemandEvent[]>,
  effectOf: (event: DemandEvent) => EventEffect,
): SeriesEffects {
  const dayAt = (hour: number) => days.get(Math.floor(hour / HOURS_PER_DAY));
  return {
    dayAt,
    eventAt(hour) {
      const holding = [...(common.get(hour) ?? []), ...(own.get(hour) ?? [])];
      if (holding.length === 0) return undefined;
      const effects = holding.map(effectOf);
      return {
        log: effects.reduce((sum, { log }) => sum + log, 0),
        deviation: Math.hypot(...effects.map(({ deviation }) => deviation)),
      };
    },
    isHeld: (hour) => common.has(hour) || own.has(hour),
  };
}

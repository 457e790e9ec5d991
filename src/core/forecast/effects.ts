/**
 * What special days and events do to each series of a call: learned over all of them, from before the start only.
 *
 * In the history the hours of events, and of special days that differ, are no observations: the model does not learn its
 * profile from them. Ahead, demand is multiplied by the effect. Complexity: see `holiday-effects.ts`, `event-effects.ts`;
 * nothing where neither history nor horizon has any.
 */
import { dayParts } from './day-parts.ts';
import { type EventEffect, learnEvents, withoutEvents } from './event-effects.ts';
import { type DayEffect, learnEffects } from './holiday-effects.ts';
import { HISTORY_WEEKS } from './local-series.ts';
import { afterLatestUtcHour, earliestUtcHour, zoneClock } from './local-time.ts';
import { ordinaryDays } from './ordinary-days.ts';
import { dayOf, type SpecialDays } from './special-days.ts';
import { type DemandEvent, type DemandSeries, HOURS_PER_DAY } from './types.ts';

/** An event on the local clock. */
interface LocalEvent {
  fromHour: number;
  untilHour: number;
  effect: EventEffect;
}

/** Effects on one series, by local hour. */
export interface SeriesEffects {
  dayAt(localHour: number): DayEffect | undefined;
  /** Events that hold, together: their factors multiply. */
  eventAt(localHour: number): EventEffect | undefined;
  /** Whether an hour of the history is no observation of the usual. */
  isOut(localHour: number): boolean;
}

export const NO_EFFECTS: SeriesEffects = {
  dayAt: () => undefined,
  eventAt: () => undefined,
  isOut: () => false,
};

export interface EffectOptions {
  special: SpecialDays;
  events: readonly DemandEvent[];
  horizonHours: number;
}

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
  const ofAll = events.filter(({ locationId }) => locationId === null);
  const ofOne = Map.groupBy(events, ({ locationId }) => locationId);
  const eventsOf = series.map(({ locationId }) => [...ofAll, ...(ofOne.get(locationId) ?? [])]);
  const { days, eventEffects } = learn(series, starts, special, wanted, eventsOf);
  return series.map(({ timeZone }, l) => {
    const clock = zoneClock(timeZone);
    const local = eventsOf[l]!.filter(
      ({ fromHour, untilHour }) =>
        fromHour <= afterLatestUtcHour(lastDay * HOURS_PER_DAY + HOURS_PER_DAY) &&
        untilHour > earliestUtcHour(firstDay * HOURS_PER_DAY),
    ).map(
      ({ kind, fromHour, untilHour, factor }): LocalEvent => ({
        fromHour: fromHour + clock(fromHour),
        untilHour: untilHour + clock(untilHour - 1),
        effect: factor === null ? eventEffects[l]!(kind) : { log: Math.log(factor), deviation: 0 },
      }),
    );
    return effectsOf(days[l]!, local);
  });
}

/** Learns the effects of the special days `wanted`, and of the kinds of events that state no factor. */
function learn(
  series: readonly DemandSeries[],
  starts: readonly number[],
  special: SpecialDays,
  wanted: readonly number[],
  eventsOf: readonly (readonly DemandEvent[])[],
) {
  const kinds = new Set(eventsOf.flat().flatMap(({ factor, kind }) => (factor === null ? [kind] : [])));
  if (wanted.length === 0 && kinds.size === 0) {
    return { days: series.map(() => new Map<number, DayEffect>()), eventEffects: [] };
  }
  const quiet = series.map((one, l) => withoutEvents(one, eventsOf[l]!));
  const members = quiet.map((one, l) => ({ parts: dayParts(one), startDay: dayOf(starts[l]!) }));
  const ordinary = ordinaryDays(members, special);
  const eventMembers = series.map((one, l) => ({
    series: one,
    quiet: quiet[l]!,
    events: eventsOf[l]!,
    beforeHour: starts[l]! - zoneClock(one.timeZone)(starts[l]!),
    variance: ordinary.locations[l]!.variance,
  }));
  return {
    days: learnEffects(members, ordinary, special, wanted),
    eventEffects: learnEvents(eventMembers, kinds, special, ordinary.levelVariance),
  };
}

function effectsOf(days: ReadonlyMap<number, DayEffect>, events: readonly LocalEvent[]): SeriesEffects {
  const holding = (hour: number) => events.filter((one) => hour >= one.fromHour && hour < one.untilHour);
  const dayAt = (hour: number) => days.get(Math.floor(hour / HOURS_PER_DAY));
  return {
    dayAt,
    eventAt(hour) {
      const found = holding(hour);
      if (found.length === 0) return undefined;
      return {
        log: found.reduce((sum, { effect }) => sum + effect.log, 0),
        deviation: Math.hypot(...found.map(({ effect }) => effect.deviation)),
      };
    },
    isOut: (hour) => (dayAt(hour)?.isMaterial ?? false) || holding(hour).length > 0,
  };
}

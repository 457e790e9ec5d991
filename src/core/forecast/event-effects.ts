/**
 * The effect of events that are known in advance.
 *
 * A stated factor is used as stated, without uncertainty. Otherwise the factor is learned from past events of the same
 * kind, before the start of the forecast. Past events count whether or not a factor was stated for them.
 * Notation: e an event, l a location that it was at; over the observed hours of e at l
 *   y_el = log((Σ A + ε) / (Σ U + ε)),   U mean of the same hour one and two weeks before and after,
 * without other events and special days; ε = 2 % of Σ U. Noise of y_el: the variance s_l² of a day at l,
 * times 24 / hours.
 *   event      y_e = Σ ω y_el / Σ ω over its locations, ω = 1 / (s_l² + R)
 *   kind       f = Σ y_e / ν_e / (Σ 1 / ν_e + 1 / V),   ν_e = T + v + 1 / Σ ω
 *   location   δ_l = Σ (y_el − f) / (n + (s_l² + T) / R), n events seen there
 *   factor     exp(f + δ_l); 1 for a kind never seen
 * V = 0.25 variance of kinds, T = 0.04 of events of a kind, R = 0.09 of locations; v variance of the panel's days.
 * Complexity O(hours of past events).
 */

import { clockOf } from './local-time.ts';
import { dayOf, type SpecialDays } from './special-days.ts';
import type { DemandEvent, DemandSeries, ZoneClock } from './types.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const KIND_VARIANCE = 0.25;
const EVENT_VARIANCE = 0.04;
const LOCATION_VARIANCE = 0.09;
const FLOOR_SHARE = 0.02;
/** Logarithm of twenty times the usual: an observation beyond it counts as wrong. */
const MOST = Math.log(20);
const WEEKS = [-2, -1, 1, 2];
/** Number of events of a kind to learn from; more would only cost time. */
const NEWEST = 50;

/** Logarithm of a factor, and its standard deviation. */
export type EventEffect = {
  log: number;
  deviation: number;
};

/** A series with the inputs for learning its events. */
export type EventMember = {
  series: DemandSeries;
  /** The same without the hours of any event. */
  quiet: DemandSeries;
  /** The events to learn from (`pastEvents`). */
  events: readonly DemandEvent[];
  /** First UTC hour that must not be read. */
  beforeHour: number;
  /** Variance of its days relative to the panel's. */
  variance: number;
};

/** Past events of some kinds, the newest of each kind. */
export function pastEvents(
  events: readonly DemandEvent[],
  kinds: ReadonlySet<string>,
  beforeHour: number,
  most = NEWEST,
): DemandEvent[] {
  const counts = new Map<string, number>();
  return events
    .filter(({ kind, fromHour }) => kinds.has(kind) && fromHour < beforeHour)
    .sort((a, b) => b.fromHour - a.fromHour)
    .filter(({ kind }) => {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count <= most;
    });
}

/** @returns per location the effect of each kind */
export function learnEvents(
  members: readonly EventMember[],
  special: SpecialDays,
  levelVariance: number,
): ((kind: string) => EventEffect)[] {
  const seen = new Map<string, Map<DemandEvent, { l: number; y: number; noise: number }[]>>();
  members.forEach((member, l) => {
    for (const event of member.events) {
      const sight = look(event, member, special);
      if (sight === null) continue;
      const ofKind =
        seen.get(event.kind) ?? new Map<DemandEvent, { l: number; y: number; noise: number }[]>();
      seen.set(event.kind, ofKind);
      const sights = ofKind.get(event) ?? [];
      ofKind.set(event, sights);
      sights.push({ l, ...sight });
    }
  });
  const common = new Map<string, { log: number; variance: number }>();
  const own = new Map<string, Map<number, { sum: number; count: number; noise: number }>>();
  for (const [kind, events] of seen) {
    let precision = 1 / KIND_VARIANCE;
    let sum = 0;
    for (const sights of events.values()) {
      const weights = sights.map(({ noise }) => 1 / (noise + LOCATION_VARIANCE));
      const total = weights.reduce((all, weight) => all + weight, 0);
      const mean = sights.reduce((all, { y }, i) => all + (weights[i] / total) * y, 0);
      const certainty = 1 / (EVENT_VARIANCE + levelVariance + 1 / total);
      sum += certainty * mean;
      precision += certainty;
    }
    const log = sum / precision;
    common.set(kind, { log, variance: 1 / precision });
    const ofLocations = new Map<number, { sum: number; count: number; noise: number }>();
    own.set(kind, ofLocations);
    for (const { l, y, noise } of [...events.values()].flat()) {
      const at = ofLocations.get(l) ?? { sum: 0, count: 0, noise: 0 };
      ofLocations.set(l, at);
      at.sum += y - log;
      at.count++;
      at.noise += noise;
    }
  }
  return members.map((_, l) => (kind) => {
    const pooled = common.get(kind);
    if (pooled === undefined) return { log: 0, deviation: Math.sqrt(KIND_VARIANCE + EVENT_VARIANCE) };
    const here = own.get(kind)!.get(l);
    if (here === undefined) {
      return { log: pooled.log, deviation: Math.sqrt(pooled.variance + EVENT_VARIANCE + LOCATION_VARIANCE) };
    }
    const ratio = (here.noise / here.count + EVENT_VARIANCE) / LOCATION_VARIANCE;
    const unknown = (LOCATION_VARIANCE * ratio) / (here.count + ratio);
    return {
      log: pooled.log + here.sum / (here.count + ratio),
      deviation: Math.sqrt(Math.min(pooled.variance, unknown) + unknown + EVENT_VARIANCE),
    };
  });
}

/**
 * How far demand was from the usual during an event; null if that is unknown. Hours of holidays and of days between
 * count only if the event has no others, since these days differ on their own.
 */
function look(event: DemandEvent, member: EventMember, special: SpecialDays) {
  const { series, quiet, variance } = member;
  const clock = clockOf(series);
  const specialAt = (hour: number) => special.get(dayOf(hour + clock(hour)));
  const read = hourReader(series);
  const readQuiet = hourReader(quiet);
  const readUsual = (hour: number): number =>
    hour >= member.beforeHour || specialAt(hour) !== undefined ? NaN : readQuiet(hour);
  const compare = (isCounted: (hour: number) => boolean) => {
    let [actual, usual, hours] = [0, 0, 0];
    const oldest = Math.min(series.startHour, ...(series.older ?? []).map(({ startHour }) => startHour));
    const until = Math.min(event.untilHour, member.beforeHour);
    for (let hour = Math.max(event.fromHour, oldest); hour < until; hour++) {
      const value = isCounted(hour) ? read(hour) : NaN;
      const expected = Number.isNaN(value) ? NaN : usualOf(hour, clock, readUsual);
      if (Number.isNaN(expected)) continue;
      actual += value;
      usual += expected;
      hours++;
    }
    return { actual, usual, hours };
  };
  const plain = compare((hour) => (specialAt(hour)?.role ?? 'near') === 'near');
  const { actual, usual, hours } = plain.usual > 0 ? plain : compare(() => true);
  if (usual <= 0) return null;
  const floor = FLOOR_SHARE * usual;
  const y = Math.min(MOST, Math.log((actual + floor) / (usual + floor)));
  return { y, noise: (variance * HOURS_PER_DAY) / hours };
}

/** Mean of the same hour of the wall clock in the surrounding weeks, NaN if none is known. */
function usualOf(hour: number, clock: ZoneClock, read: (utcHour: number) => number): number {
  let sum = 0;
  let count = 0;
  for (const weeks of WEEKS) {
    const straight = hour + HOURS_PER_WEEK * weeks;
    const demand = read(straight + clock(hour) - clock(straight));
    if (Number.isNaN(demand)) continue;
    sum += demand;
    count++;
  }
  return sum / count;
}

/** Observed demand of a UTC hour, NaN if there is none. */
function hourReader(series: DemandSeries): (utcHour: number) => number {
  const stretches = [series, ...(series.older ?? [])];
  return (utcHour) => {
    for (const { startHour, values } of stretches) {
      const value = values[utcHour - startHour];
      if (value !== undefined) return value >= 0 && value < Infinity ? value : NaN;
    }
    return NaN;
  };
}

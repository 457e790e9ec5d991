/**
 * Special days that were observed before the start of a forecast, compared with the usual demand. Notation: see
 * `holiday-effects.ts`.
 * Complexity O(locations × special days).
 */
import { PARTS, usualDay } from './day-parts.ts';
import { levelFrom, logOf, type Member, type OrdinaryDays, withinReach } from './ordinary-days.ts';
import { type DayRole, type SpecialDay, type SpecialDays, weekdayOf } from './special-days.ts';

const SUNDAY_PRIOR: Record<DayRole, number> = { off: 0.5, between: 0.25, near: 0 };
const SUNDAY_VARIANCE = 1 / 16;
/** Variance of a part of a holiday in addition to w C. */
const SUNDAY_NOISE = 0.0225;
/** Largest contrast: a location that is closed on Sundays. */
const MAX_CONTRAST = 2.5;
/**
 * Limit for the effect of one location relative to the panel, in one part of a day: one wrong observation must not
 * define a day.
 */
const MAX_OWN = 2.5;

/** One special day at each location: y, C and U + ε of each part; undefined if the location did not observe it. */
type Sight = {
  day: number;
  special: SpecialDay;
  locations: ({ y: Float32Array; contrast: Float32Array; usual: Float32Array } | undefined)[];
  /** Number of days behind the usual demand, at least 1. */
  usualDays: number;
};

/** The observed effect of a special day. */
export interface SeenDay extends Sight {
  /** α per part. */
  alphas: Float64Array;
  /** a. */
  level: number;
  /** δ per location, NaN if not observed. */
  deltas: Float64Array;
}

/** Sunday's share w and its variance. */
export type SundayShare = {
  mean: number;
  variance: number;
};

/** The observed special days, and Sunday's share by role. */
export function seenDays(
  members: readonly Member[],
  ordinary: OrdinaryDays,
  special: SpecialDays,
): { seen: SeenDay[]; shares: Record<DayRole, SundayShare> } {
  const sights = [...special.keys()].flatMap((day) => see(day, members, ordinary, special) ?? []);
  const shares = sundayShares(sights, ordinary);
  const seen = sights.map((one) => describe(one, ordinary, shares[one.special.role].mean));
  return { seen: seen.filter(({ level }) => !Number.isNaN(level)), shares };
}

/** A special day compared with the usual demand; undefined if no location observed it. */
function see(
  day: number,
  members: readonly Member[],
  ordinary: OrdinaryDays,
  days: SpecialDays,
): Sight | undefined {
  let usualDays = 0;
  const special = days.get(day)!;
  const sunday = day + ((7 - weekdayOf(day)) % 7);
  const locations = members.map(({ parts, startDay }, l) => {
    const at = day < startDay ? parts.at(day) : -1;
    if (at === -1) return undefined;
    const usual = usualDay(parts, day, days, startDay);
    if (usual.days === 0) return undefined;
    usualDays = Math.max(usualDays, usual.days);
    const { floor } = ordinary.locations[l];
    const y = new Float32Array(PARTS);
    const contrast = new Float32Array(PARTS);
    // Days of role `near` are not compared with Sundays.
    const sundays = special.role === 'near' ? null : usualDay(parts, sunday, days, startDay).demand;
    for (let p = 0; p < PARTS; p++) {
      usual.demand[p] += floor;
      y[p] = logRatio(parts.demand[at + p] + floor, usual.demand[p]);
      if (sundays !== null) contrast[p] = limited(logRatio(sundays[p] + floor, usual.demand[p]));
    }
    return { y, contrast, usual: Float32Array.from(usual.demand) };
  });
  if (usualDays === 0) return undefined;
  return { day, special, locations, usualDays };
}

/** Logarithm of a / b; NaN if it is not finite. */
function logRatio(a: number, b: number): number {
  const log = Math.log(a / b);
  return Number.isFinite(log) ? log : NaN;
}

/** A contrast within its limits; 0 if Sundays are unknown. */
export const limited = (contrast: number): number =>
  Number.isNaN(contrast) ? 0 : Math.min(Math.max(contrast, -MAX_CONTRAST), MAX_CONTRAST);

function sundayShares(sights: readonly Sight[], { locations }: OrdinaryDays): Record<DayRole, SundayShare> {
  const shareOf = (role: DayRole): SundayShare => {
    let product = SUNDAY_PRIOR[role] / SUNDAY_VARIANCE;
    let square = 1 / SUNDAY_VARIANCE;
    for (const one of sights) {
      if (one.special.role !== role) continue;
      for (let p = 0; p < PARTS; p++) {
        let weights = 0;
        let crossed = 0;
        let squared = 0;
        one.locations.forEach((location, l) => {
          if (location === undefined || Number.isNaN(location.y[p])) return;
          const weight = locations[l].weights[p];
          weights += weight;
          crossed += weight * location.contrast[p] * limited(location.y[p]);
          squared += weight * location.contrast[p] ** 2;
        });
        if (weights === 0) continue;
        product += crossed / weights / SUNDAY_NOISE;
        square += squared / weights / SUNDAY_NOISE;
      }
    }
    return { mean: Math.min(1, Math.max(0, product / square)), variance: 1 / square };
  };
  return { off: shareOf('off'), between: shareOf('between'), near: { mean: 0, variance: 0 } };
}

/** α, a and δ of an observed day. */
function describe(one: Sight, { locations, shares }: OrdinaryDays, sunday: number): SeenDay {
  const known = Float64Array.from({ length: PARTS }, (_, p) => {
    let actual = 0;
    let expected = 0;
    one.locations.forEach((location, l) => {
      if (location === undefined || Number.isNaN(location.y[p])) return;
      const { weights, means } = locations[l];
      const usual = location.usual[p] * Math.exp(sunday * location.contrast[p]);
      const weight = weights[p] / means[p];
      if (!(weight < Infinity)) return;
      actual += weight * withinReach(location.usual[p] * Math.exp(location.y[p]), usual);
      expected += weight * usual;
    });
    return expected > 0 ? logOf(actual / expected) : NaN;
  });
  const level = levelFrom(known, shares);
  // Parts that no location observes (nights without rows) have no known shape.
  const alphas = known.map((alpha) => (Number.isNaN(alpha) ? level : alpha));
  const deltas = Float64Array.from(one.locations, (location) => {
    if (location === undefined) return NaN;
    const { y, contrast, usual } = location;
    let actual = 0;
    let expected = 0;
    for (let p = 0; p < PARTS; p++) {
      const demand = usual[p] * Math.exp(y[p]);
      if (Number.isNaN(demand + alphas[p])) continue;
      const ofPanel = usual[p] * Math.exp(sunday * contrast[p] + alphas[p]);
      actual += Math.min(demand, MAX_OWN * ofPanel);
      expected += ofPanel;
    }
    return expected > 0 ? limited(Math.log(Math.max(actual / expected, 0.01))) : NaN;
  });
  return { ...one, alphas, level, deltas };
}

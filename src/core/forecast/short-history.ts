/**
 * Locations with a short history: their errors are those that the same model makes at mature locations if it gets
 * equally short histories.
 *
 * Few days give few past errors, or none, and no information on the weekdays they lack. Mature locations of the call
 * (donors) provide both. Their history is cut to the same number of hours, ended at the same hour of the week, forecast
 * by the same rung, and compared with the demand that followed.
 * Three working days contain no Sunday, so the shape of the week is borrowed. From a week on a location has its own,
 * and borrowing makes it worse (WAPE 20.9 → 21.8 % at eight days).
 * Donors are the 12 with the nearest level, out of at most 24 spread over all levels, each at six ends a week apart. A
 * week whose error is more than three times that of the middle week (a storm before or after its end) is left out.
 * Complexity: up to 144 fits of the short length for each length of history in the call. Units: demand per step.
 */
import type { LocalSeries } from './local-series.ts';
import { type Compared, CUTS, poolErrors, type ShortErrors, withoutOddWeeks } from './short-errors.ts';
import { sumSteps } from './steps.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

/** A history shorter than this is short. */
export const SHORT_HOURS = 2 * HOURS_PER_WEEK;
const MAX_DONORS = 24;
const NEAREST_DONORS = 12;
/** The index of a pool's first donor is a multiple of this. */
const POOL_STEP = 4;
/** Fewer donors than this are not enough. */
const MIN_DONORS = 4;
/** Longest horizon compared. */
const MAX_HOURS = 2 * HOURS_PER_WEEK;
/** Limit for the lengths and gaps compared per call. Further locations keep their own errors. */
const MAX_CLASSES = 16;
/** Share of the hours that must be observed. */
const MIN_OBSERVED = 0.75;

/** Forecasts `horizonHours` hours, starting `leadHours` after a history. */
export type FitShort = (history: LocalSeries, leadHours: number, horizonHours: number) => Float64Array;

export type ShortPlace = {
  /** Hours from its oldest to its newest observation. */
  hours: number;
  leadHours: number;
  /** Local hour index of the first hour after its history. */
  endHour: number;
  /** Mean demand per hour. */
  level: number;
};

/** A mature location that serves as a donor. */
export type Donor = {
  place: ShortPlace;
  /** Its history without outliers, special days and events. */
  history: () => LocalSeries;
};

/**
 * @param donors mature locations
 * @returns the errors for a location; null if there are too few donors
 */
export function shortErrors(
  donors: readonly Donor[],
  forecastHours: FitShort,
  horizonHours: number,
  stepHours: number,
): (place: ShortPlace) => ShortErrors | null {
  const hours = Math.min(horizonHours, Math.max(stepHours, MAX_HOURS));
  const classes = new Map<string, Compared[]>();
  const pools = new Map<string, ShortErrors | null>();
  const spread = spreadByLevel(donors);
  return (place) => {
    if (spread.length < MIN_DONORS) return null;
    const length = classOf(place.hours);
    const phase = ((place.endHour % HOURS_PER_WEEK) + HOURS_PER_WEEK) % HOURS_PER_WEEK;
    const key = `${length} ${place.leadHours} ${phase}`;
    let compared = classes.get(key);
    if (compared === undefined) {
      if (classes.size >= MAX_CLASSES) return null;
      compared = spread.flatMap((donor) => {
        const one = compareDonor(donor, length, phase, place.leadHours, hours, stepHours, forecastHours);
        return one === null ? [] : [one];
      });
      compared.sort((a, b) => a.level - b.level);
      classes.set(key, compared);
    }
    if (compared.length < MIN_DONORS) return null;
    const from = nearestFrom(compared, place.level);
    const pool = `${key} ${from}`;
    let errors = pools.get(pool);
    if (errors === undefined) {
      const nearest = compared.slice(from, from + NEAREST_DONORS);
      errors = poolErrors(withoutOddWeeks(nearest), stepHours, place.hours < HOURS_PER_WEEK);
      pools.set(pool, errors);
    }
    return errors;
  };
}

/** Index of the first donor of nearest level, in steps; `donors` ascend by level. */
function nearestFrom(donors: readonly Compared[], level: number): number {
  const above = donors.findIndex((donor) => donor.level >= level);
  const middle = (above === -1 ? donors.length : above) - NEAREST_DONORS / 2;
  const from = POOL_STEP * Math.round(middle / POOL_STEP);
  return Math.max(0, Math.min(from, donors.length - NEAREST_DONORS));
}

/** Classes of lengths: quarters of the first day, days up to eight, then every other day. */
function classOf(hours: number): number {
  if (hours < HOURS_PER_DAY) return Math.max(1, 6 * Math.floor(hours / 6));
  const days = Math.floor(hours / HOURS_PER_DAY);
  return HOURS_PER_DAY * (days <= 8 ? days : days - (days % 2));
}

const meanOf = (values: Float64Array): number => {
  let sum = 0;
  let count = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  return count === 0 ? 0 : sum / count;
};

/** Histories of donors spread over all levels. */
function spreadByLevel(donors: readonly Donor[]): LocalSeries[] {
  const sorted = [...donors].sort((a, b) => a.place.level - b.place.level);
  const wanted = Math.min(MAX_DONORS, sorted.length);
  return Array.from({ length: wanted }, (_, i) =>
    sorted[Math.floor(((i + 0.5) * sorted.length) / wanted)].history(),
  );
}

function compareDonor(
  { firstHour, values }: LocalSeries,
  length: number,
  phase: number,
  leadHours: number,
  hours: number,
  stepHours: number,
  forecastHours: FitShort,
): Compared | null {
  const last = values.length - leadHours - hours;
  const offset = (((firstHour + last - phase) % HOURS_PER_WEEK) + HOURS_PER_WEEK) % HOURS_PER_WEEK;
  const cuts: Compared['cuts'] = [];
  let level = 0;
  for (let k = 0; k < CUTS; k++) {
    const cut = last - offset - k * HOURS_PER_WEEK;
    if (cut - length < 0) break;
    const history = values.slice(cut - length, cut);
    const observedHours = history.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : 1), 0);
    if (observedHours < MIN_OBSERVED * length || Number.isNaN(history[0]) || Number.isNaN(history.at(-1)!))
      continue;
    const hourly = forecastHours(
      { firstHour: firstHour + cut - length, values: history, observedHours },
      leadHours,
      hours,
    );
    const once = new Uint8Array(hours).fill(1);
    const from = cut + leadHours;
    cuts.push({
      week: k,
      forecast: sumSteps(hourly, once, stepHours),
      actual: sumSteps(values.subarray(from, from + hours), once, stepHours),
    });
    level += meanOf(history);
  }
  return cuts.length === 0 ? null : { level: level / cuts.length, cuts };
}

/**
 * Locations with a short history, by what the same model, given as short a history, missed at mature ones.
 *
 * Few days hold few past errors, or none, and say nothing of the weekdays they lack. Mature locations of the call (donors) can be
 * asked: their history is cut to as many hours, ended at the same hour of the week, forecast by the same rung, and compared with
 * what came. Notation: f forecast of a step, a what came, D day ahead of the step's start;
 *   error    u = (√a − √f) / s(f),   s² = ¼ + κ² f,   κ² = Σ max(0, (√a − √f)² − ¼) / Σ f
 * ¼ is the variance of the root of a Poisson count, κ what days vary beside: so a busy donor tells of a quiet place.
 *   quantile q_D(p) = m_D + r_D Q(p),   m_D median of u on day D, r_D mean |u − m_D|, Q quantile of (u − m_D) / r_D of all
 *            days, m_D and r_D being those of the other weeks: the next week will be no part of them either
 *   bound    (√f + s(f) q_D(p))²
 *   borrowed f ← f Σ a / Σ f per step over donors, each relative to its level: the shape of the week, below a week of history
 * Three working days know no Sunday; from a week on a place knows its own, and borrowing loses (WAPE 20.9 → 21.8 % at eight days).
 * Donors are the 12 whose level is nearest, out of at most 24 spread over all levels, each at six ends a week apart; a week
 * wrong by more than three times the middle week, a storm before or after its end, is left out.
 * Complexity: up to 144 fits of the short length for each length of history in the call. Units: demand per step.
 */
import { type Bounds, MOST_RANGES } from './intervals.ts';
import type { LocalSeries } from './local-series.ts';
import { medianInPlace, quantileSorted, tailQuantileSorted } from './quantiles.ts';
import { sumSteps } from './steps.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

/** A history is short below this. */
export const SHORT_HOURS = 4 * HOURS_PER_WEEK;
const MOST_DONORS = 24;
const NEAREST_DONORS = 12;
/** Fewer donors are no panel. */
const LEAST_DONORS = 4;
const CUTS = 6;
const ODD_WEEK = 3;
/** Longest horizon compared. */
const MOST_HOURS = 2 * HOURS_PER_WEEK;
/** Lengths and gaps compared at most per call; others keep their own errors. */
const MOST_CLASSES = 16;
/** Share of the hours that must be observed. */
const LEAST_OBSERVED = 0.75;
/** Variance of the square root of a Poisson count. */
const COUNT_VARIANCE = 0.25;

/** Forecasts so many hours, a gap after a history. */
export type FitShort = (history: LocalSeries, leadHours: number, horizonHours: number) => Float64Array;

export interface ShortPlace {
  /** Hours from its oldest to its newest observation. */
  hours: number;
  leadHours: number;
  /** Local hour index of the first hour after its history. */
  endHour: number;
  /** Mean demand per hour. */
  level: number;
}

/** Errors of short histories at some donors, by day ahead. */
export interface ShortErrors {
  /** κ². */
  relativeVariance: number;
  /** m_D and r_D. */
  days: { middle: number; scale: number }[];
  /** Ascending (u − m_D) / r_D, m_D and r_D of the other weeks. */
  shape: Float64Array;
  /** Factor of each step's forecast. */
  borrowed: Float64Array;
}

interface Compared {
  level: number;
  /** Per cut: forecast and outcome of each step, NaN where not observed. */
  cuts: { week: number; forecast: Float64Array; actual: Float64Array }[];
}

/** A mature location that can be asked. */
export interface Donor {
  place: ShortPlace;
  /** Its history without special days and events. */
  history: () => LocalSeries;
}

/**
 * @param donors mature locations
 * @returns the errors for a place; null where there are too few donors
 */
export function shortErrors(
  donors: readonly Donor[],
  forecastHours: FitShort,
  horizonHours: number,
  stepHours: number,
): (place: ShortPlace) => ShortErrors | null {
  const hours = Math.min(horizonHours, Math.max(stepHours, MOST_HOURS));
  const classes = new Map<string, Compared[]>();
  const spread = spreadByLevel(donors);
  return (place) => {
    if (spread.length < LEAST_DONORS) return null;
    const length = classOf(place.hours);
    const phase = ((place.endHour % HOURS_PER_WEEK) + HOURS_PER_WEEK) % HOURS_PER_WEEK;
    const key = `${length} ${place.leadHours} ${phase}`;
    let compared = classes.get(key);
    if (compared === undefined) {
      if (classes.size >= MOST_CLASSES) return null;
      compared = spread.flatMap((donor) => {
        const one = compareDonor(donor, length, phase, place.leadHours, hours, stepHours, forecastHours);
        return one === null ? [] : [one];
      });
      classes.set(key, compared);
    }
    if (compared.length < LEAST_DONORS) return null;
    const distance = ({ level }: Compared): number =>
      Math.abs(Math.log((level + 1e-9) / (place.level + 1e-9)));
    const nearest = [...compared].sort((a, b) => distance(a) - distance(b)).slice(0, NEAREST_DONORS);
    return poolErrors(withoutOddWeeks(nearest), stepHours, place.hours < HOURS_PER_WEEK);
  };
}

/** Days, from a day on; lengths that are told apart become fewer. */
function classOf(hours: number): number {
  if (hours < HOURS_PER_DAY) return hours < 12 ? hours : 6 * Math.floor(hours / 6);
  const days = Math.floor(hours / HOURS_PER_DAY);
  return HOURS_PER_DAY * (days <= 8 ? days : days <= 14 ? days - (days % 2) : days - (days % 7));
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

/** Histories of some donors of all levels. */
function spreadByLevel(donors: readonly Donor[]): LocalSeries[] {
  const sorted = [...donors].sort((a, b) => a.place.level - b.place.level);
  const wanted = Math.min(MOST_DONORS, sorted.length);
  return Array.from({ length: wanted }, (_, i) =>
    sorted[Math.floor(((i + 0.5) * sorted.length) / wanted)]!.history(),
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
    if (observedHours < LEAST_OBSERVED * length || Number.isNaN(history[0]!) || Number.isNaN(history.at(-1)!))
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

function poolErrors(donors: readonly Compared[], stepHours: number, borrows: boolean): ShortErrors {
  const weeks = CUTS;
  const steps = donors.find(({ cuts }) => cuts.length > 0)!.cuts[0]!.forecast.length;
  const isOne = new Set(donors.flatMap(({ cuts }) => cuts.map(({ week }) => week))).size === 1;
  const days = Math.floor(((steps - 1) * stepHours) / HOURS_PER_DAY) + 1;
  const dayOf = (i: number): number => Math.floor((i * stepHours) / HOURS_PER_DAY);
  // What a week is compared with must not know it: the week left out, or none where there is but one.
  const shapes = Array.from({ length: weeks + 1 }, (_, k) =>
    borrows ? borrowedShape(donors, steps, isOne ? weeks : k) : new Float64Array(steps).fill(1),
  );
  const errors = donors.flatMap(({ cuts }) =>
    cuts.flatMap(({ week, forecast, actual }) =>
      Array.from(actual, (y, i) => {
        const expected = forecast[i]! * shapes[week]![i]!;
        return { week, day: dayOf(i), expected, error: Math.sqrt(y) - Math.sqrt(expected) };
      }).filter(({ error }) => !Number.isNaN(error)),
    ),
  );
  let excess = 0;
  let demand = 0;
  for (const { error, expected } of errors) {
    excess += Math.max(0, error * error - COUNT_VARIANCE);
    demand += expected;
  }
  const relativeVariance = demand > 0 ? excess / demand : 0;
  const scaled = errors.map(({ week, day, error, expected }) => ({
    week,
    day,
    u: error / deviationOf(relativeVariance, expected),
  }));
  const describe = (day: number, without: number): { middle: number; scale: number } => {
    const sorted = Float64Array.from(
      scaled.filter((one) => one.day === day && one.week !== without),
      ({ u }) => u,
    ).sort();
    const middle = sorted.length === 0 ? 0 : quantileSorted(sorted, 0.5);
    return {
      middle,
      scale: sorted.reduce((sum, u) => sum + Math.abs(u - middle), 0) / Math.max(1, sorted.length),
    };
  };
  const others = Array.from({ length: weeks }, (_, k) =>
    Array.from({ length: days }, (_, day) => describe(day, isOne ? weeks : k)),
  );
  const shape = Float64Array.from(scaled, ({ week, day, u }) => {
    const { middle, scale } = others[week]![day]!;
    return scale > 0 ? (u - middle) / scale : 0;
  });
  return {
    relativeVariance,
    days: Array.from({ length: days }, (_, day) => describe(day, weeks)),
    shape: shape.sort(),
    borrowed: shapes[weeks]!,
  };
}

/** Donors without the weeks whose sums are wrong by more than three times what the middle week's are: a storm, before or after. */
function withoutOddWeeks(donors: readonly Compared[]): Compared[] {
  const sizes = Array.from({ length: CUTS }, (_, k) => {
    let sum = 0;
    let count = 0;
    for (const { cuts } of donors) {
      for (const { week, forecast, actual } of cuts) {
        if (week !== k) continue;
        let came = 0;
        let expected = 0;
        actual.forEach((y, i) => {
          if (Number.isNaN(y)) return;
          came += y;
          expected += forecast[i]!;
        });
        if (came + expected === 0) continue;
        sum += Math.abs(came - expected) / (came + expected);
        count++;
      }
    }
    return sum / count;
  });
  const known = Float64Array.from(sizes.filter((size) => !Number.isNaN(size)));
  const most = ODD_WEEK * medianInPlace(known, known.length);
  return donors.map((donor) => ({ ...donor, cuts: donor.cuts.filter(({ week }) => !(sizes[week]! > most)) }));
}

/** Σ a / Σ f of each step over donors and weeks but one, each donor relative to its level. */
function borrowedShape(donors: readonly Compared[], steps: number, without: number): Float64Array {
  const came = new Float64Array(steps);
  const expected = new Float64Array(steps);
  for (const { cuts, level } of donors) {
    cuts.forEach(({ week, forecast, actual }) => {
      if (week === without || level === 0) return;
      actual.forEach((y, i) => {
        if (Number.isNaN(y)) return;
        came[i]! += y / level;
        expected[i]! += forecast[i]! / level;
      });
    });
  }
  return came.map((sum, i) => (expected[i]! > 0 ? sum / expected[i]! : 1));
}

const deviationOf = (relativeVariance: number, forecast: number): number =>
  Math.sqrt(COUNT_VARIANCE + relativeVariance * forecast);

/** Forecasts of steps with the shape that mature places had. */
export const withBorrowedShape = ({ borrowed }: ShortErrors, values: Float64Array): Float64Array =>
  values.map((value, i) => value * (borrowed[i] ?? borrowed[borrowed.length - 1]!));

/** @param usualRange of a step's demand, see `steps.ts` */
export function shortBounds(
  errors: ShortErrors,
  values: Float64Array,
  stepHours: number,
  usualRange: number,
  confidenceLevel: number,
): Bounds {
  const count = errors.days.length;
  const reach = usualRange > 0 ? MOST_RANGES * usualRange : Number.MAX_VALUE;
  const low = tailQuantileSorted(errors.shape, (1 - confidenceLevel) / 2);
  const high = tailQuantileSorted(errors.shape, (1 + confidenceLevel) / 2);
  const lower = new Float64Array(values.length);
  const upper = new Float64Array(values.length);
  values.forEach((value, i) => {
    const day = Math.floor((i * stepHours) / HOURS_PER_DAY);
    // Beyond what was compared a day is like the same weekday in the last week that was.
    const known = day < count ? day : Math.max(0, count - 7 + ((day - count) % 7));
    const { middle, scale } = errors.days[known]!;
    const at = (quantile: number): number => {
      const root =
        Math.sqrt(value) + deviationOf(errors.relativeVariance, value) * (middle + scale * quantile);
      return root <= 0 ? 0 : root * root;
    };
    lower[i] = Math.max(0, value - reach, Math.min(value, at(low)));
    upper[i] = Math.min(value + reach, Math.max(value, at(high)));
  });
  return { lower, upper };
}

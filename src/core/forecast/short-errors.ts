/**
 * Errors of short histories, measured at mature locations and pooled, and the bounds made from them.
 *
 * Notation: f forecast of a step, a its actual demand, D the day ahead of the step's start;
 *   error    u = (√a − √f) / s(f),   s² = ¼ + κ² f,   κ² = Σ max(0, (√a − √f)² − ¼) / Σ f
 * ¼ is the variance of the root of a Poisson count, κ the remaining variation of days. With both, a busy donor is
 * informative for a quiet location.
 *   quantile q_D(p) = m_D + r_D Q(p),   m_D median of u on day D, r_D mean |u − m_D|, Q quantile of (u − m_D) / r_D
 *            of all days, with m_D and r_D of the other weeks: the next week will not be part of them either
 *   bound    (√f + s(f) q_D(p))²
 *   borrowed f ← f Σ a / Σ f per step over donors, each relative to its level: the shape of the week,
 *            with less than a week of history
 * Complexity O(R log R) for R errors. Units: demand per step.
 */
import { type Bounds, reachOf } from './intervals.ts';
import { medianInPlace, quantileSorted, tailQuantileSorted } from './numerics.ts';
import { HOURS_PER_DAY } from './types.ts';

/** Variance of the square root of a Poisson count. */
const COUNT_VARIANCE = 0.25;
const ODD_WEEK = 3;
/** Each donor's history is cut at this many ends, a week apart. */
export const CUTS = 6;

/** Errors of short histories at some donors, by day ahead. */
export type ShortErrors = {
  /** κ². */
  relativeVariance: number;
  /** m_D and r_D. */
  days: { middle: number; scale: number }[];
  /** Ascending (u − m_D) / r_D, with m_D and r_D from the other weeks. */
  shape: Float64Array;
  /** Factor of each step's forecast. */
  borrowed: Float64Array;
};

/** A donor with its forecasts and outcomes. */
export type Compared = {
  level: number;
  /** Per cut: forecast and outcome of each step, NaN if not observed. */
  cuts: { week: number; forecast: Float64Array; actual: Float64Array }[];
};

/**
 * The pooled errors of some donors. Null if nothing can be compared. @param borrows whether the donors' shape of the
 * week is used
 */
export function poolErrors(
  donors: readonly Compared[],
  stepHours: number,
  borrows: boolean,
): ShortErrors | null {
  const weeks = CUTS;
  const steps = donors.find(({ cuts }) => cuts.length > 0)!.cuts[0].forecast.length;
  const isOne = new Set(donors.flatMap(({ cuts }) => cuts.map(({ week }) => week))).size === 1;
  const days = Math.floor(((steps - 1) * stepHours) / HOURS_PER_DAY) + 1;
  const dayOf = (i: number): number => Math.floor((i * stepHours) / HOURS_PER_DAY);
  // The forecast of a week must not know that week. So the shape leaves it out; with a single week there is no shape.
  const shapes = Array.from({ length: weeks + 1 }, (_, k) =>
    borrows ? borrowedShape(donors, steps, isOne ? weeks : k) : new Float64Array(steps).fill(1),
  );
  const errors = donors.flatMap(({ cuts }) =>
    cuts.flatMap(({ week, forecast, actual }) =>
      Array.from(actual, (y, i) => {
        const expected = forecast[i] * shapes[week][i];
        return { week, day: dayOf(i), expected, error: Math.sqrt(y) - Math.sqrt(expected) };
      }).filter(({ error }) => !Number.isNaN(error)),
    ),
  );
  if (errors.length === 0) return null;
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
  const byDay = Map.groupBy(scaled, ({ day }) => day);
  const describe = (day: number, without: number): { middle: number; scale: number } => {
    const kept: number[] = [];
    for (const { week, u } of byDay.get(day) ?? []) if (week !== without) kept.push(u);
    const errors = Float64Array.from(kept).sort();
    const middle = errors.length === 0 ? 0 : quantileSorted(errors, 0.5);
    let sum = 0;
    for (const u of errors) sum += Math.abs(u - middle);
    return { middle, scale: sum / Math.max(1, errors.length) };
  };
  const others = Array.from({ length: weeks }, (_, k) =>
    Array.from({ length: days }, (_, day) => describe(day, isOne ? weeks : k)),
  );
  const shape = Float64Array.from(scaled, ({ week, day, u }) => {
    const { middle, scale } = others[week][day];
    return scale > 0 ? (u - middle) / scale : 0;
  });
  return {
    relativeVariance,
    days: Array.from({ length: days }, (_, day) => describe(day, weeks)),
    shape: shape.sort(),
    borrowed: shapes[weeks],
  };
}

/**
 * Donors without odd weeks: a week is odd if its sum is wrong by more than three times the middle week's error (a storm
 * in it, or before it).
 */
export function withoutOddWeeks(donors: readonly Compared[]): Compared[] {
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
          expected += forecast[i];
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
  return donors.map((donor) => ({ ...donor, cuts: donor.cuts.filter(({ week }) => !(sizes[week] > most)) }));
}

/** Σ a / Σ f of each step over donors and all weeks but one, each donor relative to its level. */
function borrowedShape(donors: readonly Compared[], steps: number, without: number): Float64Array {
  const came = new Float64Array(steps);
  const expected = new Float64Array(steps);
  for (const { cuts, level } of donors) {
    cuts.forEach(({ week, forecast, actual }) => {
      if (week === without || level === 0) return;
      actual.forEach((y, i) => {
        if (Number.isNaN(y)) return;
        came[i] += y / level;
        expected[i] += forecast[i] / level;
      });
    });
  }
  return came.map((sum, i) => (expected[i] > 0 ? sum / expected[i] : 1));
}

const deviationOf = (relativeVariance: number, forecast: number): number =>
  Math.sqrt(COUNT_VARIANCE + relativeVariance * forecast);

/** Forecasts of steps with the shape observed at mature locations. */
export const withBorrowedShape = ({ borrowed }: ShortErrors, values: Float64Array): Float64Array =>
  values.map((value, i) => value * (borrowed[i] ?? borrowed[borrowed.length - 1]));

/** @param usualRange of a step's demand, see `steps.ts` */
export function shortBounds(
  errors: ShortErrors,
  values: Float64Array,
  stepHours: number,
  usualRange: number,
  confidenceLevel: number,
): Bounds {
  const count = errors.days.length;
  const reach = reachOf({ usualRange });
  const low = tailQuantileSorted(errors.shape, (1 - confidenceLevel) / 2);
  const high = tailQuantileSorted(errors.shape, (1 + confidenceLevel) / 2);
  const lower = new Float64Array(values.length);
  const upper = new Float64Array(values.length);
  values.forEach((value, i) => {
    const day = Math.floor((i * stepHours) / HOURS_PER_DAY);
    // Days beyond those compared use the same weekday of the last compared week.
    const known = day < count ? day : Math.max(0, count - 7 + ((day - count) % 7));
    const { middle, scale } = errors.days[known];
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

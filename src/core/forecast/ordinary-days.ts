/**
 * Local days in parts of three hours: the usual demand of a day, and how much ordinary days differ from it. This is the
 * noise in the observed effects of special days.
 *
 *   U(d) = ½ (mean of A(d − 7), A(d − 14) + mean of A(d + 7), A(d + 14)),   A(d) demand of day d in parts,
 * Special days and unobserved parts are left out on each side. If one side is empty, the other is used alone; if both
 * are empty, weeks three and four are used. Days from `before` on are never read, so nothing looks ahead.
 *
 * Below, A and U have ε = 2 % of the location's mean added; ū is the location's mean of that part.
 *   location, part  n = mean of min((A/U − 1)², 4)             → weight ω = 1 / (n + 0.02)
 *   panel, part     α = log(Σ ω A/ū / Σ ω U/ū) over the locations, per day
 *   panel, day      a = Σ v_p α_p, v_p share of the part in the demand of a usual day
 *   location, day   d = log(Σ A / Σ U) − a
 * over the newest eight weeks. A mean of A/U would be too high if U comes from few observations. Variances of a and of
 * α − a are robust (median), since a storm is not an ordinary day.
 * Complexity O(locations × days), after O(hours) once per series.
 */
import { clockOf } from './local-time.ts';
import { medianInPlace } from './numerics.ts';
import { dayOf, type SpecialDays } from './special-days.ts';
import { type DemandSeries, HOURS_PER_DAY } from './types.ts';

export const PART_HOURS = 3;
export const PARTS = HOURS_PER_DAY / PART_HOURS;
/** A part needs this many observed hours. */
const MIN_HOURS = 2;

/** Demand of local days in parts, NaN if not observed. */
export type DayParts = {
  /** Day after day, the parts of each day in order. */
  demand: Float64Array;
  /** Index in `demand` of the first part of a day; −1 for a day without hours. */
  at(day: number): number;
};

/** Days `first … end − 1`; their parts begin at index `at`. */
type DayRange = {
  first: number;
  end: number;
  at: number;
};

/** Cuts the demand of a series, including `older`, into days and parts. */
export function dayParts(series: DemandSeries): DayParts {
  const clock = clockOf(series);
  const stretches = [series, ...(series.older ?? [])].filter(({ values }) => values.length > 0);
  const ranges = dayRanges(
    stretches.map(({ startHour, values }) => {
      const last = startHour + values.length - 1;
      return { first: dayOf(startHour + clock(startHour)), end: dayOf(last + clock(last)) + 1, at: 0 };
    }),
  );
  const at = (day: number): number => {
    for (const range of ranges)
      if (day >= range.first && day < range.end) return range.at + (day - range.first) * PARTS;
    return -1;
  };
  const demand = new Float64Array(ranges.reduce((days, { first, end }) => days + end - first, 0) * PARTS);
  const counts = new Uint8Array(demand.length);
  for (const { startHour, values } of stretches) {
    const firstDay = dayOf(startHour + clock(startHour));
    const from = at(firstDay) - firstDay * PARTS;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (!(value >= 0 && value < Infinity)) continue;
      const place = from + Math.floor((startHour + i + clock(startHour + i)) / PART_HOURS);
      demand[place] += value;
      counts[place]++;
    }
  }
  for (let i = 0; i < demand.length; i++) demand[i] = counts[i] < MIN_HOURS ? NaN : demand[i] / counts[i];
  return { demand, at };
}

/** Ranges of days without overlaps, newest first, with the index of their parts. */
function dayRanges(ranges: DayRange[]): DayRange[] {
  const merged: DayRange[] = [];
  for (const range of ranges.sort((a, b) => b.end - a.end)) {
    const newer = merged.at(-1);
    if (newer !== undefined && range.end >= newer.first) newer.first = Math.min(newer.first, range.first);
    else merged.push(range);
  }
  let at = 0;
  for (const range of merged) {
    range.at = at;
    at += (range.end - range.first) * PARTS;
  }
  return merged;
}

/** The usual demand of a day, part by part, and the number of days it is based on. */
export type Usual = {
  demand: Float64Array;
  /** Number of days behind the best known part; 0 if no part is known. */
  days: number;
};

/** Weeks to read, two before and two after: the nearest ones, then, if a part is still unknown, the next ones. */
const WEEKS = [
  [-2, -1, 1, 2],
  [-4, -3, 3, 4],
] as const;

/** U(d). @param before first day that is not read */
export function usualDay(parts: DayParts, day: number, special: SpecialDays, before: number): Usual {
  const demand = new Float64Array(PARTS).fill(NaN);
  let days = 0;
  for (const weeks of WEEKS) {
    const [far, near, next, last] = weeks.map((count) => {
      const other = day + 7 * count;
      return other >= before || special.has(other) ? -1 : parts.at(other);
    }) as [number, number, number, number];
    let isWhole = true;
    for (let p = 0; p < PARTS; p++) {
      if (!Number.isNaN(demand[p])) continue;
      const earlier = meanOf(parts.demand, far, near, p);
      const later = meanOf(parts.demand, next, last, p);
      if (Number.isNaN(earlier)) demand[p] = later;
      else demand[p] = Number.isNaN(later) ? earlier : earlier / 2 + later / 2;
      if (Number.isNaN(demand[p])) isWhole = false;
    }
    days = Math.max(days, weeks.length - [far, near, next, last].filter((at) => at === -1).length);
    if (isWhole) break;
  }
  return { demand, days: demand.every(Number.isNaN) ? 0 : days };
}

/** Mean of part p of two days. If only one of them has it, that value; if neither has, NaN. */
function meanOf(demand: Float64Array, one: number, other: number, p: number): number {
  const a = one === -1 ? NaN : demand[one + p];
  const b = other === -1 ? NaN : demand[other + p];
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : a / 2 + b / 2;
}

/** One location, as needed to learn effects. */
export type Member = {
  parts: DayParts;
  /** First local day of the forecast: nothing from this day on is read. */
  startDay: number;
};

export type OrdinaryDays = {
  /** Per location: ε, ω and ū per part, and the variance of its days relative to the panel. */
  locations: { floor: number; weights: Float64Array; means: Float64Array; variance: number }[];
  /** v_p. */
  shares: Float64Array;
  /** Variance of a, and of α − a. */
  levelVariance: number;
  shapeVariance: number;
};

const DAYS = 56;
const FLOOR_SHARE = 0.02;
/** Relative variance of one effect between locations, in addition to the noise: it limits the weight of a location. */
const BETWEEN = 0.02;
const MAX_SQUARE = 4;
const MAX_RATIO = 5;
/** Variances for locations and panels with hardly any observations: a fifth, a tenth of demand. */
const UNKNOWN_LOCATION_VARIANCE = 0.04;
const UNKNOWN_LEVEL_VARIANCE = 0.01;
const MIN_VARIANCE = 4e-4;
const MAD_TO_SD = 1.4826;
const MIN_DAYS = 10;

export function ordinaryDays(members: readonly Member[], special: SpecialDays): OrdinaryDays {
  const newest = members.reduce((day, { startDay }) => Math.max(day, startDay), -Infinity);
  const shares = new Float64Array(PARTS);
  const panelSums = new Float64Array(DAYS * PARTS);
  const panelUsual = new Float64Array(DAYS * PARTS);
  const ownLevels: Float64Array[] = [];
  const locations = members.map(({ parts, startDay }) => {
    const { floor, means } = levelOf(parts, startDay, special);
    const total = means.reduce((sum, mean) => sum + mean, 0);
    for (let p = 0; p < PARTS; p++) shares[p] += (total > 0 ? means[p] / total : 1 / PARTS) / members.length;
    const seen = new Float64Array(DAYS * PARTS).fill(NaN);
    const expected = new Float64Array(DAYS * PARTS);
    const levels = new Float64Array(DAYS).fill(NaN);
    for (let i = 0; i < DAYS; i++) {
      const day = newest - 1 - i;
      const at = day >= startDay || special.has(day) ? -1 : parts.at(day);
      if (at === -1) continue;
      const { demand } = usualDay(parts, day, special, startDay);
      let sum = 0;
      let usual = 0;
      for (let p = 0; p < PARTS; p++) {
        const actual = parts.demand[at + p] + floor;
        if (!(actual / (demand[p] + floor) < Infinity)) continue;
        seen[i * PARTS + p] = actual;
        expected[i * PARTS + p] = demand[p] + floor;
        sum += actual;
        usual += demand[p] + floor;
      }
      if (usual > 0) levels[i] = Math.log(sum / usual);
    }
    const weights = new Float64Array(PARTS);
    for (let p = 0; p < PARTS; p++) {
      let sum = 0;
      let count = 0;
      for (let i = 0; i < DAYS; i++) {
        const ratio = seen[i * PARTS + p] / expected[i * PARTS + p];
        if (Number.isNaN(ratio)) continue;
        sum += Math.min((ratio - 1) ** 2, MAX_SQUARE);
        count++;
      }
      weights[p] = 1 / ((count < MIN_DAYS ? UNKNOWN_LOCATION_VARIANCE : sum / count) + BETWEEN);
    }
    for (let at = 0; at < seen.length; at++) {
      if (Number.isNaN(seen[at])) continue;
      const weight = weights[at % PARTS] / means[at % PARTS];
      panelSums[at] += weight * withinReach(seen[at], expected[at]);
      panelUsual[at] += weight * expected[at];
    }
    ownLevels.push(levels);
    return { floor, weights, means, variance: UNKNOWN_LOCATION_VARIANCE };
  });
  const levels = new Float64Array(DAYS).fill(NaN);
  const shapes: number[] = [];
  for (let i = 0; i < DAYS; i++) {
    const alphas = Float64Array.from({ length: PARTS }, (_, p) => {
      const at = i * PARTS + p;
      return panelUsual[at] === 0 ? NaN : logOf(panelSums[at] / panelUsual[at]);
    });
    levels[i] = levelFrom(alphas, shares);
    for (const alpha of alphas) if (!Number.isNaN(alpha - levels[i])) shapes.push(alpha - levels[i]);
  }
  locations.forEach((location, l) => {
    let sum = 0;
    let count = 0;
    ownLevels[l].forEach((level, i) => {
      const own = level - levels[i];
      if (Number.isNaN(own)) return;
      sum += Math.min(own * own, 1);
      count++;
    });
    if (count >= MIN_DAYS) location.variance = Math.max(MIN_VARIANCE, sum / count);
  });
  return {
    locations,
    shares,
    levelVariance: robustVariance(levels.filter((level) => !Number.isNaN(level))),
    shapeVariance: robustVariance(Float64Array.from(shapes)),
  };
}

/** Logarithm of a ratio, with a lower limit. */
export const logOf = (ratio: number): number => Math.log(Math.max(ratio, 0.05));

/** Demand, limited to five times the expected demand, so that one wrong observation has limited influence. */
export const withinReach = (actual: number, expected: number): number =>
  Math.min(actual, MAX_RATIO * expected);

/** Σ v_p α_p over the known parts; NaN if none is known. */
export function levelFrom(alphas: ArrayLike<number>, shares: Float64Array): number {
  let sum = 0;
  let share = 0;
  for (let p = 0; p < PARTS; p++) {
    if (Number.isNaN(alphas[p])) continue;
    sum += shares[p] * alphas[p];
    share += shares[p];
  }
  return share > 0 ? sum / share : NaN;
}

/** ε, and the mean of each part with it, over the ordinary days of a location. */
function levelOf(parts: DayParts, startDay: number, special: SpecialDays) {
  const sums = new Float64Array(PARTS);
  const counts = new Float64Array(PARTS);
  for (let day = startDay - DAYS; day < startDay; day++) {
    const at = special.has(day) ? -1 : parts.at(day);
    for (let p = 0; p < PARTS; p++) {
      const actual = at === -1 ? NaN : parts.demand[at + p];
      if (Number.isNaN(actual)) continue;
      sums[p] += actual;
      counts[p]++;
    }
  }
  const means = sums.map((sum, p) => (counts[p] === 0 ? 0 : sum / counts[p]));
  const floor = (FLOOR_SHARE * means.reduce((sum, mean) => sum + mean, 0)) / PARTS;
  return { floor, means: means.map((mean) => mean + floor) };
}

function robustVariance(values: Float64Array): number {
  if (values.length < MIN_DAYS) return UNKNOWN_LEVEL_VARIANCE;
  const sizes = values.map(Math.abs);
  return Math.max(MIN_VARIANCE, (MAD_TO_SD * medianInPlace(sizes, sizes.length)) ** 2);
}

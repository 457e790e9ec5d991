/**
 * How much ordinary days differ from the usual: the noise in which effects of special days are seen.
 *
 * Notation: y = log((A + ε) / (U + ε)) of a part of a day (`day-parts.ts`), ε = 2 % of the location's mean; r = e^y − 1.
 *   location, part  n = mean of min(r², 4)                     → weight ω = 1 / (n + 0.02)
 *   panel, part     ρ = Σ ω r / Σ ω over the locations, per day; α = log(1 + ρ)
 *   panel, day      a = Σ v_p α_p, v_p share of the part in the demand of a usual day
 *   location, day   d = log(Σ (A + ε) / Σ (U + ε)) − a
 * over the newest eight weeks. Variances of a and of α − a are robust (median), for a storm is no ordinary day.
 * Complexity O(locations × days).
 */
import { type DayParts, PARTS, usualDay } from './day-parts.ts';
import { medianInPlace } from './quantiles.ts';
import type { SpecialDays } from './special-days.ts';

/** One location as the learning of effects sees it. */
export interface Member {
  parts: DayParts;
  /** First local day that is forecast: nothing from it on is read. */
  startDay: number;
}

export interface OrdinaryDays {
  /** Per location: ε, weights ω per part, and the variance of its days beside the panel's. */
  locations: { floor: number; weights: Float64Array; variance: number }[];
  /** v_p. */
  shares: Float64Array;
  /** Variance of a, and of α − a. */
  levelVariance: number;
  shapeVariance: number;
}

const DAYS = 56;
const FLOOR_SHARE = 0.02;
/** Relative variance between locations of one effect, beside the noise: no location counts without limit. */
const BETWEEN = 0.02;
const MOST_SQUARE = 4;
/** Where hardly anything was seen: a fifth, a tenth of demand. */
const UNKNOWN_LOCATION_VARIANCE = 0.04;
const UNKNOWN_LEVEL_VARIANCE = 0.01;
const LEAST_VARIANCE = 4e-4;
const MAD_TO_SD = 1.4826;
const LEAST_DAYS = 10;

export function ordinaryDays(members: readonly Member[], special: SpecialDays): OrdinaryDays {
  const newest = members.reduce((day, { startDay }) => Math.max(day, startDay), -Infinity);
  const shares = new Float64Array(PARTS);
  const panelSums = new Float64Array(DAYS * PARTS);
  const panelWeights = new Float64Array(DAYS * PARTS);
  const ownLevels: Float64Array[] = [];
  const locations = members.map(({ parts, startDay }) => {
    const { floor, profile } = levelOf(parts, startDay, special);
    for (let p = 0; p < PARTS; p++) shares[p]! += profile[p]! / members.length;
    const ratios = new Float64Array(DAYS * PARTS).fill(NaN);
    const levels = new Float64Array(DAYS).fill(NaN);
    for (let i = 0; i < DAYS; i++) {
      const day = newest - 1 - i;
      const at = day >= startDay || special.has(day) ? -1 : parts.at(day);
      if (at === -1) continue;
      const { demand } = usualDay(parts, day, special, startDay);
      let sum = 0;
      let usual = 0;
      for (let p = 0; p < PARTS; p++) {
        const actual = parts.demand[at + p]! + floor;
        const ratio = actual / (demand[p]! + floor);
        if (!(ratio < Infinity)) continue;
        ratios[i * PARTS + p] = ratio - 1;
        sum += actual;
        usual += demand[p]! + floor;
      }
      if (usual > 0) levels[i] = Math.log(sum / usual);
    }
    const weights = new Float64Array(PARTS);
    for (let p = 0; p < PARTS; p++) {
      let sum = 0;
      let count = 0;
      for (let i = 0; i < DAYS; i++) {
        const ratio = ratios[i * PARTS + p]!;
        if (Number.isNaN(ratio)) continue;
        sum += Math.min(ratio * ratio, MOST_SQUARE);
        count++;
      }
      weights[p] = 1 / ((count < LEAST_DAYS ? UNKNOWN_LOCATION_VARIANCE : sum / count) + BETWEEN);
    }
    for (let at = 0; at < ratios.length; at++) {
      if (Number.isNaN(ratios[at]!)) continue;
      panelSums[at]! += weights[at % PARTS]! * Math.min(ratios[at]!, MOST_SQUARE);
      panelWeights[at]! += weights[at % PARTS]!;
    }
    ownLevels.push(levels);
    return { floor, weights, variance: UNKNOWN_LOCATION_VARIANCE };
  });
  const levels = new Float64Array(DAYS).fill(NaN);
  const shapes: number[] = [];
  for (let i = 0; i < DAYS; i++) {
    const alphas = Float64Array.from({ length: PARTS }, (_, p) => {
      const at = i * PARTS + p;
      return panelWeights[at] === 0 ? NaN : logOf(panelSums[at]! / panelWeights[at]!);
    });
    levels[i] = levelFrom(alphas, shares);
    for (const alpha of alphas) if (!Number.isNaN(alpha - levels[i]!)) shapes.push(alpha - levels[i]!);
  }
  locations.forEach((location, l) => {
    let sum = 0;
    let count = 0;
    ownLevels[l]!.forEach((level, i) => {
      const own = level - levels[i]!;
      if (Number.isNaN(own)) return;
      sum += Math.min(own * own, 1);
      count++;
    });
    if (count >= LEAST_DAYS) location.variance = Math.max(LEAST_VARIANCE, sum / count);
  });
  return {
    locations,
    shares,
    levelVariance: robustVariance(levels.filter((level) => !Number.isNaN(level))),
    shapeVariance: robustVariance(Float64Array.from(shapes)),
  };
}

/** log(1 + ρ), within reach. */
export const logOf = (ratio: number): number => Math.log(Math.max(1 + ratio, 0.05));

/** Σ v_p α_p over the parts that are known; NaN where none is. */
export function levelFrom(alphas: ArrayLike<number>, shares: Float64Array): number {
  let sum = 0;
  let share = 0;
  for (let p = 0; p < PARTS; p++) {
    if (Number.isNaN(alphas[p]!)) continue;
    sum += shares[p]! * alphas[p]!;
    share += shares[p]!;
  }
  return share > 0 ? sum / share : NaN;
}

/** ε and the shares of the parts in the demand of a location's ordinary days. */
function levelOf(parts: DayParts, startDay: number, special: SpecialDays) {
  const sums = new Float64Array(PARTS);
  const counts = new Float64Array(PARTS);
  for (let day = startDay - DAYS; day < startDay; day++) {
    const at = special.has(day) ? -1 : parts.at(day);
    for (let p = 0; p < PARTS; p++) {
      const actual = at === -1 ? NaN : parts.demand[at + p]!;
      if (Number.isNaN(actual)) continue;
      sums[p]! += actual;
      counts[p]!++;
    }
  }
  const means = sums.map((sum, p) => (counts[p] === 0 ? 0 : sum / counts[p]!));
  const total = means.reduce((sum, mean) => sum + mean / PARTS, 0);
  return {
    floor: total * FLOOR_SHARE,
    profile: means.map((mean) => (total > 0 ? mean / total / PARTS : 1 / PARTS)),
  };
}

function robustVariance(values: Float64Array): number {
  if (values.length < LEAST_DAYS) return UNKNOWN_LEVEL_VARIANCE;
  const sizes = values.map(Math.abs);
  return Math.max(LEAST_VARIANCE, (MAD_TO_SD * medianInPlace(sizes, sizes.length)) ** 2);
}

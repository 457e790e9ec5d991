/**
 * The effect of special days on demand, learned from those before the start of the forecast.
 *
 * Notation: j an observed special day, l a location, p a part of the day; y = log((A + ε) / (U + ε)) the distance of
 * demand from the usual; C = log((S + ε) / (U + ε)) the distance of the location's Sundays from the usual.
 *   effect         E = w C + a + b_p + δ_l,    demand = usual · e^E
 *   Sunday's share w ridge of y on C over all holidays, prior ½ ± ¼ (days between: ¼ ± ¼; other days: 0, fixed)
 *   panel          α_jp = log of observed demand over the demand by w, weighted over the locations;
 *                  a_j = Σ v_p α_jp,  b_jp = α_jp − a_j
 *   location       δ_jl = log of Σ_p (A + ε) over the demand by w, a_j and b_j
 *   ahead          a, b_p, δ_l: best guess from those of all j, by the similarity of the days
 *                  (`numerics.ts`, `special-days.ts`), in the noise of ordinary days (`ordinary-days.ts`)
 * So a day that was never observed has a = b = δ = 0 and the full variance; the same holiday in earlier years counts
 * most.
 * Complexity O(locations × special days seen + targets · n³) for n days seen of a slot, at most some thirty.
 */
import { bestGuess, pairwise, weighted } from './numerics.ts';
import {
  levelFrom,
  logOf,
  type Member,
  type OrdinaryDays,
  PARTS,
  usualDay,
  withinReach,
} from './ordinary-days.ts';
import {
  type DayRole,
  likeness,
  SEASON,
  type SpecialDay,
  type SpecialDays,
  weekdayOf,
} from './special-days.ts';

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
interface SeenDay extends Sight {
  /** α per part. */
  alphas: Float64Array;
  /** a. */
  level: number;
  /** δ per location, NaN if not observed. */
  deltas: Float64Array;
}

/** Sunday's share w and its variance. */
type SundayShare = {
  mean: number;
  variance: number;
};

/** The observed special days, and Sunday's share by role. */
function seenDays(
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

/** The effect of a special day on the demand of one location. */
export type DayEffect = {
  /** w: how much of the difference between the usual and a Sunday the day shows. */
  sunday: number;
  /** Logarithm of the remaining factor, per part: a + b_p + δ. */
  parts: Float64Array;
  /** Standard deviations: of a + δ, and of w C + b_p per part of the day. */
  levelDeviation: number;
  partDeviation: number;
  /** Whether the day differs enough to be removed from the history. */
  isMaterial: boolean;
};

/** Prior variance of a by role, and of any day of a season. That of δ is a quarter of it. */
const LEVEL_VARIANCE: Record<DayRole | typeof SEASON, number> = {
  off: 0.03,
  between: 0.06,
  near: 0.015,
  season: 0.06,
};
/** Prior variance of b_p. */
const SHAPE_VARIANCE: Record<DayRole, number> = { off: 0.03, between: 0.02, near: 0.005 };
const LOCATION_SHARE = 0.25;
/** Mean size of the effect, as a logarithm, above which a day is removed from the history. */
const MATERIAL = 0.05;

/**
 * @param wanted special days whose effects are needed
 * @returns per location the effects by day
 */
export function learnEffects(
  members: readonly Member[],
  ordinary: OrdinaryDays,
  special: SpecialDays,
  wanted: readonly number[],
): Map<number, DayEffect>[] {
  const { seen, shares } = seenDays(members, ordinary, special);
  const effects = members.map(() => new Map<number, DayEffect>());
  for (const day of wanted) {
    const target = special.get(day)!;
    // Days with no weight would only cost time.
    const alike = seen.filter((one) => likeness(one.special, target) > 0);
    const predicted = predict(day, target, alike, ordinary, shares[target.role]);
    predicted.forEach((effect, l) => void effects[l].set(day, effect));
  }
  return effects;
}

/** The effect of a day on each location, predicted from the observed days. */
function predict(
  day: number,
  target: SpecialDay,
  seen: readonly SeenDay[],
  { locations, levelVariance, shapeVariance }: OrdinaryDays,
  sunday: SundayShare,
): DayEffect[] {
  const pairs = pairsOf(seen);
  const alike = alikeTo(target, seen);
  const prior = LEVEL_VARIANCE[target.kind === SEASON ? SEASON : target.role];
  const noiseOf = (variance: number) => (j: number) => variance * (1 + 1 / seen[j].usualDays);
  const level = bestGuess(alike, pairs, noiseOf(levelVariance), prior);
  const shape = bestGuess(alike, pairs, noiseOf(shapeVariance), SHAPE_VARIANCE[target.role]);
  const a = weighted(
    level.weights,
    seen.map((one) => one.level),
  );
  const parts = Float64Array.from(
    { length: PARTS },
    (_, p) =>
      a +
      weighted(
        shape.weights,
        seen.map((one) => one.alphas[p] - one.level),
      ),
  );
  const own = LOCATION_SHARE * prior;
  const itself = seen.find((one) => one.day === day);
  return locations.map((location, l) => {
    const isSeen = (one: SeenDay): boolean => !Number.isNaN(one.deltas[l]);
    const isAll = seen.every(isSeen);
    const seenHere = isAll ? seen : seen.filter(isSeen);
    const guess = bestGuess(
      isAll ? alike : alikeTo(target, seenHere),
      isAll ? pairs : pairsOf(seenHere),
      (j) => location.variance * (1 + 1 / seenHere[j].usualDays),
      own,
    );
    const delta = weighted(
      guess.weights,
      seenHere.map(({ deltas }) => deltas[l]),
    );
    const contrast = itself?.locations[l]?.contrast;
    return {
      sunday: sunday.mean,
      parts: parts.map((part) => part + delta),
      levelDeviation: Math.sqrt(level.variance + guess.variance),
      partDeviation: Math.sqrt(shape.variance + sunday.variance),
      isMaterial: target.role === 'off' || sizeOf(parts, contrast, sunday.mean) >= MATERIAL,
    };
  });
}

const alikeTo = (target: SpecialDay, seen: readonly SeenDay[]): Float64Array =>
  Float64Array.from(seen, ({ special }) => likeness(special, target));

const pairsOf = (seen: readonly SeenDay[]): Float64Array =>
  pairwise(seen, (one, other) => likeness(one.special, other.special));

/** Mean size of the panel's effect over the parts of a day. */
function sizeOf(parts: Float64Array, contrast: Float32Array | undefined, sunday: number): number {
  return parts.reduce((sum, part, p) => sum + Math.abs(part + sunday * (contrast?.[p] ?? 0)), 0) / PARTS;
}

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
 *                  (`likeness.ts`, `special-days.ts`), in the noise of ordinary days (`ordinary-days.ts`)
 * So a day that was never observed has a = b = δ = 0 and the full variance; the same holiday in earlier years counts
 * most.
 * Complexity O(locations × special days seen + targets · n³) for n days seen of a slot, at most some thirty.
 */
import { PARTS } from './day-parts.ts';
import { bestGuess, pairwise, weighted } from './likeness.ts';
import type { Member, OrdinaryDays } from './ordinary-days.ts';
import { type SeenDay, type SundayShare, seenDays } from './seen-days.ts';
import { type DayRole, likeness, SEASON, type SpecialDay, type SpecialDays } from './special-days.ts';

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

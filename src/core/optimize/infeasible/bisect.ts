/** Bisection over ever looser variants of a problem; time may run out on any of them. */
import { timeFor } from '../run/budget.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import type { AnyPlan } from './any-plan.ts';

export type Bisected = {
  /** Position of the tightest variant known to have a plan; null if none is known. */
  nearest: number | null;
  /** Position of the loosest variant proved to have no plan; null if not even the tightest is proved. */
  tooTight: number | null;
  /** Whether no variant between the two is open. */
  proved: boolean;
  plan: Extract<AnyPlan, { verdict: 'feasible' }> | null;
};

/** Use if infeasibility of tighter variants is proved: the tightest variant usually has a plan. */
export const FIRST_LIKELY: Quick = {
  find: async () => ({ verdict: 'unknown' }),
  otherwise: 'feasible',
};

export type Quick = {
  find: Ask;
  /** The usual answer behind `unknown`. */
  otherwise: 'feasible' | 'infeasible';
};

/** A question about the variant at a position. */
type Ask = (position: number, control: Stopping) => Promise<AnyPlan>;

/**
 * The first of `count` variants, ordered from the tightest, that has a plan. A variant that cannot be decided in time
 * is skipped as if it had no plan; the result is then not proved.
 * @param find the full answer, within a share of the time left
 * @param quick cheap answers, bisected first; `unknown` is read as `otherwise`. The neighbours of the position found
 * are then decided in full, which usually proves it.
 * @param tightestOf the tightest variant that a plan satisfies
 * @param isLoosestKnown whether an earlier search has already found a plan of the loosest variant
 */
export async function bisect(
  count: number,
  control: Stopping,
  find: Ask,
  quick?: Quick,
  isLoosestKnown = false,
  tightestOf?: (plan: NonNullable<Bisected['plan']>) => number,
): Promise<Bisected> {
  if (count === 0) return { nearest: null, tooTight: null, proved: true, plan: null };
  let tooTight = -1;
  let nearest = isLoosestKnown ? count - 1 : count;
  let plan: Bisected['plan'] = null;
  /** Variants that could not be decided in full. */
  const undecided: number[] = [];
  const ask = async (
    position: number,
    answer: Ask,
    share: Parameters<typeof timeFor>[0] = 'bisectionQuestion',
  ): Promise<AnyPlan['verdict']> => {
    const found = await answer(position, timeFor(share, control));
    if (found.verdict === 'feasible') {
      const tightest = Math.min(position, tightestOf?.(found) ?? position);
      if (tightest < nearest || plan === null) plan = found;
      nearest = Math.min(nearest, tightest);
    } else if (found.verdict === 'infeasible') tooTight = position;
    return found.verdict;
  };
  // Earlier searches for plans have led to the loosest variant.
  const isByPlans = quick?.otherwise === 'infeasible';
  const askInFull = async (position: number) => {
    const verdict = await ask(position, find, quick ? 'bisectionSureQuestion' : 'bisectionQuestion');
    if (verdict === 'unknown') undecided.push(position);
    return verdict;
  };
  const result = (): Bisected => ({
    nearest: nearest === count ? null : nearest,
    tooTight: tooTight < 0 || nearest === count ? null : tooTight,
    proved: tooTight === nearest - 1,
    plan,
  });
  let likely = count;
  if (quick && !(isLoosestKnown && isByPlans)) {
    let tight = -1;
    for (let position = count - 1; likely - tight > 1; position = middleOf(likely, tight)) {
      const verdict = await ask(position, quick.find);
      const isEnough = (verdict === 'unknown' ? quick.otherwise : verdict) === 'feasible';
      if (isEnough) likely = position;
      else tight = position;
    }
    if (tooTight === count - 1) return result();
    if (likely < nearest) await askInFull(likely);
  }
  // A plan of the loosest variant comes first: any value is better than none if time runs out.
  if (nearest === count && !undecided.includes(count - 1)) await askInFull(count - 1);
  if (nearest === count) return result();
  // The nearest plan: next to a position that plans have led to, otherwise the middle.
  for (let step = 1; !isOver(control); ) {
    const tightest = Math.max(tooTight, ...undecided.filter((position) => position < nearest)) + 1;
    if (nearest <= tightest) break;
    const position = isByPlans ? Math.max(tightest, nearest - step) : middleOf(nearest, tightest - 1);
    step = (await askInFull(position)) === 'feasible' ? 2 * step : 1;
  }
  // The nearest proof, below the undecided variants.
  for (let step = 1; isByPlans && !isOver(control); step *= 2) {
    const open = Math.min(nearest, ...undecided.filter((position) => position > tooTight));
    if (open - tooTight <= 1) break;
    const middle = middleOf(open, tooTight);
    await askInFull(tooTight < 0 ? Math.max(0, open - step) : middle);
  }
  return result();
}

/** Positions can be as large as vehicle counts, so their sums exceed 32 bits. */
function middleOf(a: number, b: number): number {
  return Math.floor((a + b) / 2);
}

/**
 * The smallest sufficient number from 0 to `most`, given that every larger number is sufficient, too; `most` + 1 if
 * none is. log₂ most calls.
 */
export function leastEnough(most: number, isEnough: (count: number) => boolean): number {
  let enough = most + 1;
  let tooFew = -1;
  while (enough - tooFew > 1) {
    const middle = middleOf(enough, tooFew);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

/** Bisection over ever looser variants of a problem; time may run out on any of them. */
import { timeFor } from '../run/budget.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import type { AnyPlan } from './any-plan.ts';

export type Bisected = {
  /** The tightest variant known to have a plan, as a position; null where none is known. */
  nearest: number | null;
  /** The loosest variant proved to have none; null where the tightest was not proved either. */
  tooTight: number | null;
  /** Whether there is nothing between the two. */
  proved: boolean;
  plan: Extract<AnyPlan, { verdict: 'feasible' }> | null;
};

/** Where what is tighter is proved to be too tight: that the tightest variant mostly has a plan. */
export const FIRST_LIKELY: Quick = {
  find: async () => ({ verdict: 'unknown' }),
  otherwise: 'feasible',
};

export type Quick = {
  find: Ask;
  /** What is mostly the case where the answer is `unknown`. */
  otherwise: 'feasible' | 'infeasible';
};

/** A question about the variant at a position. */
type Ask = (position: number, control: Stopping) => Promise<AnyPlan>;

/**
 * The first of `count` variants, tightest first, that has a plan. What cannot be told in time is passed over as if it had none, and the
 * result is then not proved.
 * @param find the whole answer, for a share of the time left
 * @param quick answers that are bisected over first, those that it cannot tell taken for `otherwise`; then those next to where this leads to are asked
 *   about in full, which mostly proves it to be the place
 * @param isLoosestKnown to have a plan, which an earlier search has ended with
 */
export async function bisect(
  count: number,
  control: Stopping,
  find: Ask,
  quick?: Quick,
  isLoosestKnown = false,
): Promise<Bisected> {
  if (count === 0) return { nearest: null, tooTight: null, proved: true, plan: null };
  let tooTight = -1;
  let nearest = isLoosestKnown ? count - 1 : count;
  let plan: Bisected['plan'] = null;
  /** What could not be told in full. */
  const untold: number[] = [];
  const ask = async (
    position: number,
    answer: Ask,
    share: Parameters<typeof timeFor>[0] = 'bisectionQuestion',
  ): Promise<AnyPlan['verdict']> => {
    const found = await answer(position, timeFor(share, control));
    if (found.verdict === 'feasible') {
      nearest = position;
      plan = found;
    } else if (found.verdict === 'infeasible') tooTight = position;
    return found.verdict;
  };
  // Plans that were looked for before have led to the loosest.
  const isByPlans = quick?.otherwise === 'infeasible';
  const askInFull = async (position: number) => {
    const verdict = await ask(position, find, quick ? 'bisectionSureQuestion' : 'bisectionQuestion');
    if (verdict === 'unknown') untold.push(position);
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
  // Any value is better than none, should time run out.
  if (nearest === count && !untold.includes(count - 1)) await askInFull(count - 1);
  if (nearest === count) return result();
  // The nearest plan: next to one that plans have led to, else the middle.
  for (let step = 1; !isOver(control); ) {
    const tightest = Math.max(tooTight, ...untold.filter((position) => position < nearest)) + 1;
    if (nearest <= tightest) break;
    const position = isByPlans ? Math.max(tightest, nearest - step) : middleOf(nearest, tightest - 1);
    step = (await askInFull(position)) === 'feasible' ? 2 * step : 1;
  }
  // The nearest proof, below what could not be told.
  for (let step = 1; isByPlans && !isOver(control); step *= 2) {
    const open = Math.min(nearest, ...untold.filter((position) => position > tooTight));
    if (open - tooTight <= 1) break;
    const middle = middleOf(open, tooTight);
    await askInFull(tooTight < 0 ? Math.max(0, open - step) : middle);
  }
  return result();
}

/** Positions may be as many as vehicles are counted: their sums exceed 32 bits. */
function middleOf(a: number, b: number): number {
  return Math.floor((a + b) / 2);
}

/** The least number from 0 to `most` that is enough, as every larger one is; `most` + 1 where none is. log₂ most questions. */
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

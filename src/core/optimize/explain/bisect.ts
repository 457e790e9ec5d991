/** Bisection over ever looser variants of a problem; time may run out on any of them. */
import { type Stopping, shareOf } from '../stopping.ts';
import type { AnyPlan } from './feasibility.ts';

/** Share of the time left that one question may take: a hard one leaves time for others. */
const QUESTION_SHARE = 0.5;

export type Bisected = {
  /** The tightest variant known to have a plan, as a position; null where none is known. */
  nearest: number | null;
  /** The loosest variant proved to have none; null where the tightest was not proved either. */
  tooTight: number | null;
  /** Whether there is nothing between the two. */
  proved: boolean;
  plan: Extract<AnyPlan, { verdict: 'feasible' }> | null;
};

/**
 * The first of `count` variants, tightest first, that has a plan; log₂ count solves, each for a share of the time left. What cannot be told in time is passed
 * over as if it had none, and the result is then not proved.
 * @param begin with the tightest where it probably has a plan
 */
export async function bisect(
  count: number,
  control: Stopping,
  findPlanOf: (position: number, control: Stopping) => Promise<AnyPlan>,
  begin: 'loosest' | 'tightest' = 'loosest',
): Promise<Bisected> {
  const ask = (position: number) => findPlanOf(position, shareOf(control, QUESTION_SHARE));
  if (count === 0) return { nearest: null, tooTight: null, proved: true, plan: null };
  let tooTight = -1;
  let passedOver = -1;
  if (begin === 'tightest') {
    const tightest = await ask(0);
    if (tightest.verdict === 'feasible') return { nearest: 0, tooTight: null, proved: true, plan: tightest };
    if (tightest.verdict === 'infeasible') tooTight = 0;
    else passedOver = 0;
  }
  const loosest = await ask(count - 1);
  if (loosest.verdict !== 'feasible') {
    const proved = loosest.verdict === 'infeasible';
    return { nearest: null, tooTight: null, proved, plan: null };
  }
  let plan = loosest;
  let nearest = count - 1;
  while (nearest - Math.max(tooTight, passedOver) > 1) {
    const middle = (nearest + Math.max(tooTight, passedOver)) >> 1;
    const found = await ask(middle);
    if (found.verdict === 'feasible') {
      nearest = middle;
      plan = found;
    } else if (found.verdict === 'infeasible') tooTight = middle;
    else passedOver = middle;
  }
  return { nearest, tooTight: tooTight < 0 ? null : tooTight, proved: tooTight === nearest - 1, plan };
}

/** The least number from 0 to `most` that is enough, as every larger one is; `most` + 1 where none is. log₂ most questions. */
export function leastEnough(most: number, isEnough: (count: number) => boolean): number {
  let enough = most + 1;
  let tooFew = -1;
  while (enough - tooFew > 1) {
    const middle = (enough + tooFew) >> 1;
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

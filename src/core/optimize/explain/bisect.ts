/** Bisection over ever looser variants of a problem; time may run out on any of them. */
import type { AnyPlan } from './feasibility.ts';

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
 * The first of `count` variants, tightest first, that has a plan; log₂ count solves. What cannot be told in time is passed
 * over as if it had none, and the result is then not proved.
 */
export async function bisect(
  count: number,
  findPlanOf: (position: number) => Promise<AnyPlan>,
): Promise<Bisected> {
  if (count === 0) return { nearest: null, tooTight: null, proved: true, plan: null };
  const loosest = await findPlanOf(count - 1);
  if (loosest.verdict !== 'feasible') {
    const proved = loosest.verdict === 'infeasible';
    return { nearest: null, tooTight: null, proved, plan: null };
  }
  let plan = loosest;
  let nearest = count - 1;
  let tooTight = -1;
  let passedOver = -1;
  while (nearest - Math.max(tooTight, passedOver) > 1) {
    const middle = (nearest + Math.max(tooTight, passedOver)) >> 1;
    const found = await findPlanOf(middle);
    if (found.verdict === 'feasible') {
      nearest = middle;
      plan = found;
    } else if (found.verdict === 'infeasible') tooTight = middle;
    else passedOver = middle;
  }
  return { nearest, tooTight: tooTight < 0 ? null : tooTight, proved: tooTight === nearest - 1, plan };
}

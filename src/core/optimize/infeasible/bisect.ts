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

/**
 * The first of `count` variants, ordered from the tightest, that has a plan. A variant that cannot be decided in time
 * is skipped as if it had no plan; the result is then not proved.
 * @param find whether the variant at a position has a plan
 * @param tightestOf the tightest variant that a plan satisfies
 */
export async function bisect(
  count: number,
  control: Stopping,
  find: (position: number, control: Stopping) => Promise<AnyPlan>,
  tightestOf: (plan: NonNullable<Bisected['plan']>) => number = () => count,
): Promise<Bisected> {
  let nearest = count;
  let tooTight = -1;
  let plan: Bisected['plan'] = null;
  /** No variant up to this one was found to have a plan. */
  let skipped = -1;
  // The loosest variant comes first: any value is better than none if time runs out.
  for (let position = count - 1; nearest - skipped > 1; position = Math.floor((nearest + skipped) / 2)) {
    if (plan && isOver(control)) break;
    const found = await find(position, timeFor('half', control));
    if (found.verdict === 'feasible') {
      plan = found;
      nearest = Math.min(position, tightestOf(found));
    } else {
      skipped = position;
      if (found.verdict === 'infeasible') tooTight = position;
    }
  }
  return {
    nearest: plan ? nearest : null,
    tooTight: plan && tooTight >= 0 ? tooTight : null,
    proved: tooTight === nearest - 1,
    plan,
  };
}

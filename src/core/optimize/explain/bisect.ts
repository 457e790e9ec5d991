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
 * @param isTooTight a quick proof that there is none, which may miss some; the search then begins with the first that it misses, which
 *   mostly is the one looked for
 */
export async function bisect(
  count: number,
  control: Stopping,
  findPlanOf: (position: number, control: Stopping) => Promise<AnyPlan>,
  isTooTight?: (position: number, control: Stopping) => Promise<boolean>,
): Promise<Bisected> {
  if (count === 0) return { nearest: null, tooTight: null, proved: true, plan: null };
  let tooTight = -1;
  let passedOver = -1;
  let nearest = count;
  let plan: Bisected['plan'] = null;
  const tightestLeft = () => Math.max(tooTight, passedOver) + 1;
  const ask = async (position: number) => {
    const found = await findPlanOf(position, shareOf(control, QUESTION_SHARE));
    if (found.verdict === 'feasible') {
      nearest = position;
      plan = found;
    } else if (found.verdict === 'infeasible') tooTight = position;
    else passedOver = position;
  };
  const isRuledOut = async (position: number) =>
    isTooTight !== undefined && (await isTooTight(position, shareOf(control, QUESTION_SHARE)));
  if (isTooTight) {
    if (await isRuledOut(count - 1)) return { nearest: null, tooTight: null, proved: true, plan: null };
    for (let missed = count - 1; missed - tooTight > 1; ) {
      const middle = Math.floor((missed + tooTight) / 2);
      if (await isRuledOut(middle)) tooTight = middle;
      else missed = middle;
    }
    await ask(tightestLeft());
  }
  // Any value is better than none, should time run out.
  if (nearest === count && tightestLeft() < count) await ask(count - 1);
  if (nearest === count) return { nearest: null, tooTight: null, proved: tooTight === count - 1, plan: null };
  while (nearest > tightestLeft()) await ask(Math.floor((nearest + tightestLeft() - 1) / 2));
  return { nearest, tooTight: tooTight < 0 ? null : tooTight, proved: tooTight === nearest - 1, plan };
}

/** The least number from 0 to `most` that is enough, as every larger one is; `most` + 1 where none is. log₂ most questions. */
export function leastEnough(most: number, isEnough: (count: number) => boolean): number {
  let enough = most + 1;
  let tooFew = -1;
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

/** Which steps more or fewer make a flow that serves too little, or too much, into a plan that leaves little over. */

/** A step, or an arc, with a unit more (`by` 1) or fewer: its cycle's reduced cost in the unit of prices, and what it serves more. */
export type Change = { step: number; by: 1 | -1; reduced: number; gain: number };

const MAX_TOGETHER = 3;

/**
 * Up to three changes that leave nothing short: the cheapest by cost and by what is served beyond. O(changes³), cut off by cost.
 * @param changes by reduced cost
 * @param spare demand that is served beyond what is asked for; negative: short
 * @param perGain price of demand
 * @param limit what they have to be cheaper than
 */
export function chooseChanges(
  changes: readonly Change[],
  spare: number,
  perGain: number,
  limit: number,
): Change[] | null {
  let best: Change[] | null = null;
  let least = limit;
  const chosen: Change[] = [];
  const extend = (from: number, reduced: number, left: number) => {
    for (let c = from; c < changes.length; c++) {
      const change = changes[c];
      const cost = reduced + change.reduced;
      if (cost >= least) return;
      if (chosen.some(({ step }) => step === change.step)) continue;
      chosen.push(change);
      const after = left + change.gain;
      const total = cost + perGain * after;
      if (after >= 0 && total < least) {
        least = total;
        best = chosen.slice();
      }
      if (chosen.length < MAX_TOGETHER) extend(c + 1, cost, after);
      chosen.pop();
    }
  };
  extend(0, 0, spare);
  return best;
}

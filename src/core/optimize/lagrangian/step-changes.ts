/** Which changes by one unit turn a flow that serves too little, or too much, into a plan with little excess. */

/**
 * One unit more (`by` 1) or less on a step or an arc: the reduced cost of its cycle in the unit of multipliers, and the
 * additional demand that it serves.
 */
export type Change = { step: number; by: 1 | -1; reduced: number; gain: number };

const MAX_TOGETHER = 3;

/**
 * Up to three changes that end the shortfall: the cheapest, by cost and by demand served in excess. O(changes³),
 * pruned by cost.
 * @param changes by reduced cost
 * @param spare demand served in excess of the requirement; negative: shortfall
 * @param perGain multiplier per unit of demand
 * @param limit the changes must be cheaper than this
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

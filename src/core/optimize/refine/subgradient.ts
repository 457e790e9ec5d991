/**
 * Raises a bound that depends on prices, each at least 0: steps along deflected subgradients, towards the objective of
 * a known plan, shorter after some that did not help.
 * Reference: Held, Wolfe and Crowder, Validation of subgradient optimization, Mathematical Programming 6 (1974).
 */
import { untilOutOfTime } from '../run/stopping.ts';

const FIRST_STEP = 1;
const LEAST_STEP = 2e-3;
const SHORTER = 0.7;
/** Rounds without a rise after which steps become shorter. */
const PATIENCE = 12;
/** A rise of the bound that is less than this share of it does not count. */
const LEAST_RISE = 5e-5;
/** Share of the new subgradient in the direction. */
const NEWEST = 0.7;
const MAX_ROUNDS = 3000;
const LEAST_DISTANCE = 1e-9;

/**
 * @param first prices
 * @param scale per price: how far it moves compared with others
 * @param evaluate the bound at these prices; writes a subgradient; may end the climb by OutOfTime
 * @param objective of a plan: no bound is above it
 * @param goOn sees each bound; returns whether to go on
 * @returns the prices of the best bound
 */
export function climb(
  first: Float64Array,
  scale: Float64Array,
  evaluate: (prices: Float64Array, slope: Float64Array) => number,
  objective: number,
  goOn: (bound: number) => boolean,
): Float64Array {
  const now = first.slice();
  const slope = new Float64Array(first.length);
  const direction = new Float64Array(first.length);
  let best = first;
  let bestBound = Number.NEGATIVE_INFINITY;
  let size = FIRST_STEP;
  for (let round = 0, idle = 0; round < MAX_ROUNDS && size > LEAST_STEP; round++) {
    let bound = Number.NEGATIVE_INFINITY;
    if (!untilOutOfTime(() => (bound = evaluate(now, slope)))) break;
    idle = bound > bestBound + LEAST_RISE * Math.abs(bestBound) ? 0 : idle + 1;
    if (bound > bestBound) {
      bestBound = bound;
      best = now.slice();
    }
    if (!goOn(bound)) break;
    if (idle > PATIENCE) {
      size *= SHORTER;
      idle = 0;
      now.set(best);
      direction.fill(0);
      continue;
    }
    let norm = 0;
    for (let c = 0; c < now.length; c++) {
      const to = NEWEST * slope[c] + (1 - NEWEST) * direction[c];
      direction[c] = now[c] === 0 && to < 0 ? 0 : to;
      norm += scale[c] * direction[c] ** 2;
    }
    if (norm === 0) break;
    const step = (size * Math.max(objective - bound, LEAST_DISTANCE)) / norm;
    for (let c = 0; c < now.length; c++) now[c] = Math.max(0, now[c] + step * scale[c] * direction[c]);
  }
  return best;
}

/**
 * The Lagrangian multiplier that maximizes L. There the flow serves about as much as required.
 *
 * L is concave and piecewise linear; the flow at a multiplier gives its value and its slope, R − served. The search
 * takes one multiplier on either side of the maximum, then the intersection of the two tangents, until no better one
 * can lie between them. Each flow starts from the tree of the one before.
 */
import { pivotCandidates, report } from '../flow/network-simplex.ts';
import { isOver } from '../run/stopping.ts';
import { highestPrice, measureTree, type PricedSearch, setPrice } from './lagrangian-tree.ts';

/** Relative precision of the maximum of L. */
const PRECISION = 1e-9;
const MAX_PRICES = 80;
/** First distance to a price on the other side of the maximum, relative. */
const FIRST_STEP = 0.02;
const STEP_FACTOR = 4;
/** After this many prices that serve too little, the next is high enough for L to exceed the cost of every plan. */
const MAX_RISES = 6;
/** L counts as above the upper limit on plan costs from this multiple of it on. */
const LIMIT_MARGIN = 1.01;

/** The flow at a price: L, and the derivative of L with respect to the price of a full load. */
export type PricePoint = { at: number; value: number; slope: number };

/** `short`: no price that was tried serves enough. */
export type PriceFound = 'met' | 'short' | 'stopped';

/**
 * @param s with any feasible tree; returned with a tree that is optimal among the candidates, at the best price
 * @param limitOf an upper limit on the cost of any plan: once L is above it, the flow serves all that can be served
 */
export function findBestMultiplier(s: PricedSearch, first: number, limitOf: () => number): PriceFound {
  const highest = highestPrice(s);
  let low: PricePoint | null = null;
  let high: PricePoint | null = null;
  let next = Math.min(first, highest);
  let step = Math.max(1, FIRST_STEP * next);
  for (let tries = 0; tries < MAX_PRICES; tries++) {
    if (isOver(s.control) || !solveAt(s, next)) return 'stopped';
    report(s, 'candidates');
    const point = pointOf(s);
    if (point.slope > 0) low = point;
    else high = point;
    if (!high) {
      if (point.at >= highest) return 'short';
      next = point.at + step;
      if (tries >= MAX_RISES) {
        const beyond = LIMIT_MARGIN * limitOf() - point.value;
        if (beyond <= 0) return 'short';
        next = Math.max(next, point.at + beyond / point.slope);
      }
      next = Math.min(highest, next);
    } else if (!low) {
      if (point.at === 0) return 'met';
      next = Math.max(0, point.at - step);
    } else {
      const meeting = meetingOf(low, high);
      if (meeting.value - Math.max(low.value, high.value) <= PRECISION * meeting.value) break;
      next = meeting.at;
      if (next <= low.at || next >= high.at) break;
    }
    step *= STEP_FACTOR;
  }
  if (!high) return 'short';
  const best = low && low.value > high.value ? low.at : high.at;
  return best === s.price || solveAt(s, best) ? 'met' : 'stopped';
}

/** @returns false if the stop flag or the deadline ended the search */
function solveAt(s: PricedSearch, price: number): boolean {
  setPrice(s, price);
  s.counts.prices++;
  return pivotCandidates(s, 0, 'candidates');
}

export function pointOf(s: PricedSearch): PricePoint {
  const { capacity, required } = s.problem;
  const { cost, served } = measureTree(s);
  const slope = (required - served) / capacity;
  return { at: s.price, value: cost + s.price * slope, slope };
}

function meetingOf(low: PricePoint, high: PricePoint): { at: number; value: number } {
  const run = low.slope - high.slope;
  const at = (high.value - low.value + low.slope * low.at - high.slope * high.at) / run;
  return { at, value: low.value + low.slope * (at - low.at) };
}

/**
 * The Lagrangian multiplier at which L is largest: there the flow serves about what is required.
 *
 * L is concave and piecewise linear; the flow at a price gives its value and a slope there, R − served. A price on either side,
 * then where the two tangents meet, until no more can lie between them. Each flow starts from the tree of the one before.
 */
import { pivotCandidates, report } from '../flow/network-simplex.ts';
import { isOver } from '../run/stopping.ts';
import { highestPrice, measureTree, type PricedSearch, setPrice } from './lagrangian-tree.ts';

/** The best bound is looked for to this share of itself. */
const PRECISION = 1e-9;
const MAX_PRICES = 80;
/** First distance to a price on the other side, as a share. */
const FIRST_STEP = 0.02;
const STEP_FACTOR = 4;
/** After so many prices that serve too little, all the demand that can be may be served. */
const MAX_RISES = 6;
/** L is raised by this much beyond what no plan costs more than. */
const LIMIT_MARGIN = 1.01;

/** The flow at a price: L, and by how much L grows with the price of a full load. */
export type PricePoint = { at: number; value: number; slope: number };

/** `short`: not enough is served at any price tried. */
export type PriceFound = 'met' | 'short' | 'stopped';

/**
 * @param s with any feasible tree; left with one that is optimal among the candidates, at the best price
 * @param limitOf what no plan costs more than: with L above it, all that can be served is
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

/** @returns false where the stop flag or the deadline came first */
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

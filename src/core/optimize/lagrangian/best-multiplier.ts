/**
 * The Lagrangian multiplier that maximizes L. There the flow serves about as much as required.
 *
 * L is concave and piecewise linear; the flow at a multiplier gives its value and its slope, R − served. The search
 * takes one multiplier on either side of the maximum, then the intersection of the two tangents, until no better one
 * can lie between them. Each flow starts from the tree of the one before.
 */
import { pivotCandidates, report } from '../flow/network-simplex.ts';
import { isOver } from '../run/stopping.ts';
import { highestMultiplier, type LagrangianSearch, measureTree, setMultiplier } from './lagrangian-tree.ts';

/** Relative precision of the maximum of L. */
const PRECISION = 1e-9;
const MAX_MULTIPLIERS = 80;
/** First distance to a multiplier on the other side of the maximum, relative. */
const FIRST_STEP = 0.02;
const STEP_FACTOR = 4;
/**
 * After this many multipliers that serve too little, the next is high enough for L to exceed the cost of every plan.
 */
const MAX_RISES = 6;
/** L counts as above the upper limit on plan costs from this multiple of it on. */
const LIMIT_MARGIN = 1.01;

/** The flow at a multiplier: L, and its derivative with respect to the multiplier per full load. */
export type MultiplierPoint = { at: number; value: number; slope: number };

/** `short`: no multiplier that was tried serves enough. */
export type MultiplierFound = 'met' | 'short' | 'stopped';

/**
 * @param s with any feasible tree; returned with a tree that is optimal among the candidates, at the best multiplier
 * @param limitOf an upper limit on the cost of any plan: once L is above it, the flow serves all that can be served
 */
export function findBestMultiplier(
  s: LagrangianSearch,
  first: number,
  limitOf: () => number,
): MultiplierFound {
  const highest = highestMultiplier(s);
  let low: MultiplierPoint | null = null;
  let high: MultiplierPoint | null = null;
  let next = Math.min(first, highest);
  let step = Math.max(1, FIRST_STEP * next);
  for (let tries = 0; tries < MAX_MULTIPLIERS; tries++) {
    if (isOver(s.control) || !solveAt(s, next)) return 'stopped';
    report(s);
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
  return best === s.multiplier || solveAt(s, best) ? 'met' : 'stopped';
}

/** @returns false if the stop flag or the deadline ended the search */
export function solveAt(s: LagrangianSearch, multiplier: number): boolean {
  setMultiplier(s, multiplier);
  s.counts.multipliers++;
  return pivotCandidates(s, 0);
}

export function pointOf(s: LagrangianSearch): MultiplierPoint {
  const { capacity, required } = s.problem;
  const { cost, served } = measureTree(s);
  const slope = (required - served) / capacity;
  return { at: s.multiplier, value: cost + s.multiplier * slope, slope };
}

function meetingOf(low: MultiplierPoint, high: MultiplierPoint): { at: number; value: number } {
  const run = low.slope - high.slope;
  const at = (high.value - low.value + low.slope * low.at - high.slope * high.at) / run;
  return { at, value: low.value + low.slope * (at - low.at) };
}

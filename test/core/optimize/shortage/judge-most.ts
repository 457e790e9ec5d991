/** Whether an answer is the plan that serves most, and the cheapest of these, by trying every plan. */
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { LocationPoint, OptimizeOutcome } from '../../../../src/core/optimize/problem/model.ts';
import { cheapestByTryingAll, mostServedByTryingAll, readFacts } from '../exhaustive.ts';

/** What is judged of an answer; without a plan only the status. */
export type Answered = {
  status: string;
  costUnits?: number;
  shortfall?: { reached: number; reached_at_most: number };
};

export type Judged = {
  /** `none`: no plan at any service level; `enough`: one reaches the requested level. */
  kind: 'none' | 'enough' | 'short';
  /** What the answer has wrong; null if it is right. */
  wrong: object | null;
  /** The most demand that is served; 0 without a plan. */
  served: number;
};

export function answeredBy(outcome: OptimizeOutcome): Answered {
  if (!('result' in outcome)) return outcome;
  const { status, result } = outcome;
  return { status, costUnits: Math.round(result.total_cost * 1e4), shortfall: result.shortfall };
}

/** What trying every plan says of a request with `shortage: serve_most`, gap 0. */
export function judgeMost(request: OptimizeRequest, locations: LocationPoint[], answered: Answered): Judged {
  const most = mostServedByTryingAll(request, locations);
  if (!most) return { kind: 'none', served: 0, wrong: answered.status === 'infeasible' ? null : answered };
  const cheapest = cheapestByTryingAll(request, locations);
  const kind = cheapest ? 'enough' : 'short';
  const { served } = most;
  if (answered.status !== 'optimal') return { kind, served, wrong: answered };
  const { shortfall, costUnits: cost } = answered;
  if (cheapest) {
    const isRight = !shortfall && cost === cheapest.costUnits;
    return { kind, served, wrong: isRight ? null : { cost, cheapest, shortfall } };
  }
  const reached = served / readFacts(request, locations).totalDemand;
  const isRight =
    shortfall !== undefined &&
    Math.abs(shortfall.reached - reached) <= 1e-8 &&
    shortfall.reached_at_most >= shortfall.reached &&
    shortfall.reached_at_most <= reached + 2e-6 &&
    cost === most.costUnits;
  return { kind, served, wrong: isRight ? null : { cost, most, reached, shortfall } };
}

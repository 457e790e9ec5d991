/**
 * The most demand that can be served within limits of pairs: a plan, and a bound for one class. Both are those of the
 * cheapest plan (`resupply.ts`, `target-bound.ts`) where demand that is not served costs, and for the bound nothing
 * else does.
 */
import { formulate } from '../direct/formulation.ts';
import { countArcs } from '../direct/variables.ts';
import { MAX_COLUMNS } from '../highs/highs.ts';
import { fromUnits } from '../problem/costs.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { withoutPairCost } from '../problem/pairs.ts';
import { withoutPrevious } from '../problem/previous.ts';
import { totalDemand } from '../problem/service-level.ts';
import { withLimits, withNetwork } from '../problem/variants.ts';
import { evenPartOf } from '../run/budget.ts';
import { checkOf, OutOfTime, type Stopping, shareOfTime, untilOutOfTime } from '../run/stopping.ts';
import { usualPairUnits } from './first-plans.ts';
import { type Pairs, pairsOfMoves } from './pairs-of-moves.ts';
import { repairPairs } from './repair.ts';
import { canResupply, resupply } from './resupply.ts';
import { boundByTargets, isBoundByTargets } from './target-bound.ts';

/** Changes tried per location. */
const CHANGES = 60;
/** Relative, of the demand that no plan serves. */
const NOISE = 1e-9;

/** `plan`: null if none was found that keeps the limits. `most`: no plan serves more. */
export type MostWithinPairs = { plan: { moves: Moves; served: number } | null; most: number };

/**
 * @param problem its service level does not count
 * @param enough ends the search once it is known whether this much can be served; null: the most
 * @param known pairs of the problem
 */
export function mostWithinPairs(
  problem: Problem,
  enough: number | null,
  control: Stopping,
  known?: Pairs,
): MostWithinPairs {
  const total = totalDemand(problem.demand);
  const found: MostWithinPairs = { plan: null, most: total };
  if (!known && countArcs(problem, false) > MAX_COLUMNS / 2) return found;
  const free = withLimits(withoutPairCost(withoutPrevious(problem)), { minServiceLevel: 0 });
  const { costUnits, distanceKm } = problem.network;
  const dearest = costUnits.reduce(
    (most, cost) => (cost < Number.POSITIVE_INFINITY ? Math.max(most, cost) : most),
    1,
  );
  const keep = (moves: Moves) => {
    const { served, broken, costUnits: cost } = evaluateMoves(free, moves);
    if (broken.length > 0 || cost > free.limits.maxCostUnits) return;
    if (!found.plan || served > found.plan.served) found.plan = { moves, served };
  };
  const isDecided = () =>
    enough !== null && (found.most < enough || (found.plan !== null && found.plan.served >= enough));
  const priced = withUnmetPrice(free, (2 * fromUnits(dearest)) / problem.capacities[0]);
  const time = evenPartOf(control, 2);
  const clock = shareOfTime(time);
  const look = () => {
    if (isDecided()) throw new OutOfTime();
    return clock();
  };
  let pairs = known;
  const allPairs = () => {
    pairs ??= pairsOfMoves(free, formulate(free, { check: checkOf(control) }), checkOf(control));
    return pairs;
  };
  keep(NO_MOVES);
  untilOutOfTime(() => {
    const greedy = repairPairs(priced, NO_MOVES, usualPairUnits(priced, NO_MOVES), look, total);
    if (greedy) keep(greedy);
    const first = found.plan?.moves;
    const changes = CHANGES * problem.locationIds.length;
    if (first && canResupply(priced)) resupply(priced, allPairs(), first, changes, keep, look);
  });
  if (isDecided() || !isBoundByTargets(free)) return found;
  const unmetAlone = withUnmetPrice(
    withNetwork(free, { costUnits: new Float64Array(costUnits.length), distanceKm }),
    1,
  );
  const unmet = total - (found.plan?.served ?? 0);
  untilOutOfTime(() => {
    const raise = (bound: number) => {
      found.most = Math.min(found.most, total - bound + NOISE * total);
      return !isDecided() && found.most > (found.plan?.served ?? 0) + NOISE * total;
    };
    boundByTargets(unmetAlone, allPairs(), unmet, raise, control, control);
  });
  return found;
}

function withUnmetPrice(problem: Problem, price: number): Problem {
  return { ...problem, unmetCost: new Float64Array(problem.demand.length).fill(price) };
}

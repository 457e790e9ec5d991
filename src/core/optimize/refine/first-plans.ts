/**
 * First plans that keep the rules about pairs, by slope scaling: the stage before solves the problem again and again,
 * with the cost of a pair spread over the vehicles that it carried in the last plan,
 *
 *     c'_ij = (c_ij · max(m, x_ij) + f) / x_ij     once the pair was used,     c_ij + f / M_ij     before.
 *
 * So few vehicles make a pair dear, and the plan moves together what it can. A limit on pairs counts as a cost of pairs
 * that grows while the limit is exceeded. Each plan is also repaired (`repair.ts`).
 * Reference: Kim and Pardalos, A solution approach to the fixed charge network flow problem using a dynamic slope
 * scaling procedure, Operations Research Letters 24 (1999).
 */
import type { Moves, Problem, SolveOutcome } from '../problem/model.ts';
import { isRuled, vehiclesByPair, withoutPairRules } from '../problem/pairs.ts';
import { withLimits, withNetwork } from '../problem/variants.ts';
import { evenPartOf } from '../run/budget.ts';
import type { SolveControl } from '../run/control.ts';
import { checkOf, isOver, type Stopping, untilOutOfTime } from '../run/stopping.ts';
import type { Pairs } from './pairs-of-moves.ts';
import { repairPairs } from './repair.ts';

/** Solves a problem without rules about pairs. */
export type SolveBefore = (problem: Problem, gap: number, control: SolveControl) => Promise<SolveOutcome>;

const ROUNDS = 24;
/** Rounds without a better plan that end the search. */
const PATIENCE = 6;
/** Relative, of plans that only lead to others. */
const GAP = 0.01;
const GROWTH = 2;
const DECAY = 0.8;

/**
 * @param moves of the stage before
 * @param keep takes a plan; returns whether it is the best so far
 * @returns `infeasible`: proved, because the pairs that can carry enough vehicles do not suffice
 */
export async function findFirstPlans(
  problem: Problem,
  pairs: Pairs,
  moves: Moves,
  keep: (moves: Moves) => boolean,
  solveBefore: SolveBefore,
  control: Stopping,
): Promise<'done' | 'infeasible'> {
  const n = problem.locationIds.length;
  const { limits } = problem;
  const least = limits.minVehiclesPerMove;
  const variantOf = variants(problem, pairs);
  /** Vehicles over which the cost of a pair is spread. */
  const spread = pairs.most.slice();
  const dearer = { all: 0, from: new Float64Array(n) };
  const usual = usualPairUnits(problem, moves);
  const note = (plan: Moves): boolean => {
    const isBetter = keep(plan);
    return keepRepaired(plan) || isBetter;
  };
  const keepRepaired = (plan: Moves) => {
    let repaired: Moves | null = null;
    // Its share of the time may end here; the search goes on.
    untilOutOfTime(() => {
      repaired = repairPairs(problem, plan, usual, checkOf(control));
    });
    return repaired !== null && keep(repaired);
  };
  let last = moves;
  note(moves);
  for (let round = 0, idle = 0; round < ROUNDS && idle < PATIENCE && !isOver(control); round++) {
    if (round > 0) learnSpread(pairs, vehiclesByPair(problem, last), spread, n);
    exceedLimits(problem, last, dearer, usual);
    const charge = (p: number) => (problem.pairCostUnits ?? 0) + dearer.all + dearer.from[pairs.source[p]];
    const outcome = await solveBefore(
      variantOf((p, cost) => (cost * Math.max(least, spread[p]) + charge(p)) / spread[p]),
      GAP,
      { ...evenPartOf(control, 3) },
    );
    if (outcome.kind === 'infeasible' && round === 0) return 'infeasible';
    if (outcome.kind !== 'solved') break;
    last = outcome.solution.moves;
    idle = note(last) ? 0 : idle + 1;
  }
  return 'done';
}

/** The problem before the rules, at other costs; pairs that cannot be used are forbidden. */
function variants(problem: Problem, pairs: Pairs) {
  const n = problem.locationIds.length;
  const free = withLimits(withoutPairRules(problem), { maxCostUnits: Number.POSITIVE_INFINITY });
  const { costUnits, distanceKm } = problem.network;
  const forbidden = costUnits.slice();
  for (let i = 0; i < n; i++) {
    if (!isRuled(problem, i)) continue;
    for (let j = 0; j < n; j++) if (i !== j) forbidden[i * n + j] = Number.POSITIVE_INFINITY;
  }
  return (costOf: (pair: number, costUnits: number) => number) => {
    const costs = forbidden.slice();
    for (let p = 0; p < pairs.count; p++) {
      const at = pairs.source[p] * n + pairs.target[p];
      costs[at] = Math.round(costOf(p, costUnits[at]));
    }
    return withNetwork(free, { costUnits: costs, distanceKm });
  };
}

function learnSpread(
  pairs: Pairs,
  byPair: ReadonlyMap<number, number>,
  spread: Float64Array,
  n: number,
): void {
  for (let p = 0; p < pairs.count; p++) {
    const vehicles = byPair.get(pairs.source[p] * n + pairs.target[p]);
    if (vehicles !== undefined) spread[p] = Math.min(vehicles, pairs.most[p]);
  }
}

/** What a used pair costs on average, in units. */
export function usualPairUnits({ network, locationIds }: Problem, { source, target, count }: Moves): number {
  let sum = 0;
  for (let m = 0; m < count.length; m++)
    sum += count[m] * network.costUnits[source[m] * locationIds.length + target[m]];
  return Math.max(1, sum / Math.max(1, count.length));
}

/** Makes pairs dearer while a plan uses too many, and slowly cheaper again. */
function exceedLimits(
  problem: Problem,
  plan: Moves,
  dearer: { all: number; from: Float64Array },
  usual: number,
): void {
  const { maxPairs, maxMovesFrom } = problem.limits;
  const n = problem.locationIds.length;
  const byPair = vehiclesByPair(problem, plan);
  const from = new Int32Array(n);
  for (const pair of byPair.keys()) from[Math.floor(pair / n)]++;
  const next = (price: number, isExceeded: boolean) =>
    isExceeded ? Math.max(usual, GROWTH * price) : DECAY * price;
  dearer.all = next(dearer.all, byPair.size > maxPairs);
  for (let i = 0; i < n; i++) dearer.from[i] = next(dearer.from[i], from[i] > maxMovesFrom);
}

/**
 * Plans of problems with few vehicles by simulated annealing, for service levels so close to what the fleet can serve
 * that vehicles must fit demands like the pieces of a puzzle. Local search (`improve.ts`) then ends far from the
 * optimum, and branching needs seconds for its first plan.
 *
 * Every vehicle is placed by itself (`vehicle-exchanges.ts`): millions of exchanges per second. Unmet demand beyond
 * what the service level allows is not excluded but has a price, which rises while there is some and falls while there
 * is none: so the search crosses from one plan to another. The price has no upper limit, because a fleet that just
 * suffices stays short of demand by as little as the last pieces leave. The search is deterministic, and proves
 * nothing.
 * Reference: Kirkpatrick, Gelatt, Vecchi, Optimization by simulated annealing (1983).
 */
import { evaluateMoves } from '../../problem/evaluate.ts';
import { hasFloors } from '../../problem/floors.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { NO_MOVES } from '../../problem/moves.ts';
import { randomFrom } from '../../problem/random.ts';
import { requiredDemand, SERVICE_TOLERANCE, totalDemand } from '../../problem/service-level.ts';
import { hasUnmetCost } from '../../problem/unmet-cost.ts';
import { countVehicles, hasLocationBounds } from '../../problem/variants.ts';
import { allowedCosts } from './class-transport.ts';
import { canImprove } from './improve.ts';
import { cheapestMovesTo } from './transports.ts';
import {
  accept,
  addedUnmet,
  followMoves,
  type PlacedFleet,
  placeFleet,
  presenceOfFleet,
  propose,
  sumUp,
} from './vehicle-exchanges.ts';

/** Of larger problems the local search leaves little. */
const MAX_VEHICLES = 400;
const MAX_LOCATIONS = 64;
/** Exchanges tried in a run, per vehicle. */
const PROPOSALS = 120_000;
/** The first run, as a share of a full one: an easy problem is done after it. */
const FIRST_RUN = 1 / 4;
/** Runs in a row without a cheaper plan. */
const MAX_VAIN_RUNS = 12;
/** Added cost accepted with probability 1/e, at the start and at the end of a run, in usual costs of a move. */
const FIRST_LOSS = 0.5;
const LAST_LOSS = 0.08;
/** Every other run starts from the best plan, with this first loss. */
const FIRST_LOSS_FROM_BEST = 0.2;
/** Exchanges between two changes of the price, its factor, and its least value as a multiple of the first one. */
const PROPOSALS_PER_LOOK = 64;
const PRICE_FACTOR = 1.01;
const LEAST_PRICE = 0.3;
/** Kept far from overflow if no plan exists. */
const MOST_PRICE = 1e9;
/** Any excess of unmet demand is priced as if it were larger by this share of a usual vehicle. */
const SHORT_BY = 0.15;
/** Looks at the price between two sums from scratch. */
const LOOKS_PER_SUM = 1024;
/** Where a move comes from usually: the cost of a move is that to the location of this rank, by cost. */
const USUAL_RANK = 2;

/** Whether the search is of use, and supports all of the problem's constraints. */
export function canAnneal(problem: Problem): boolean {
  return (
    canImprove(problem) &&
    problem.limits.totalFleetSize === Number.POSITIVE_INFINITY &&
    !hasLocationBounds(problem) &&
    !hasUnmetCost(problem) &&
    !hasFloors(problem) &&
    problem.demand.length <= MAX_LOCATIONS &&
    countVehicles(problem) <= MAX_VEHICLES
  );
}

/**
 * @param problem for which `canAnneal` holds
 * @param start a plan; null: none is known
 * @param onPlan receives a plan after each run that found a cheaper one; the search ends if it returns true
 * @param vainRuns runs in a row without a cheaper plan after which the search ends
 */
export function annealPlans(
  problem: Problem,
  start: Moves | null,
  isOver: () => boolean,
  onPlan: (moves: Moves) => boolean,
  vainRuns = MAX_VAIN_RUNS,
): void {
  const costs = allowedCosts(problem);
  const unit = usualCost(costs, problem.demand.length);
  if (unit === 0) return;
  const fleet = placeFleet(problem, costs, randomFrom(1));
  let best = start && { costUnits: evaluateMoves(problem, start).costUnits, moves: start };
  let vain = 0;
  for (let run = 0; vain < vainRuns && !isOver(); run++) {
    const from = run % 2 === 1 ? best : null;
    followMoves(fleet, from?.moves ?? NO_MOVES);
    const presence = anneal(fleet, {
      unit,
      proposals: Math.round(PROPOSALS * (run === 0 ? FIRST_RUN : 1) * fleet.at.length),
      firstLoss: from ? FIRST_LOSS_FROM_BEST : FIRST_LOSS,
      below: best?.costUnits ?? Number.POSITIVE_INFINITY,
      isOver,
    });
    vain++;
    if (!presence) continue;
    vain = 0;
    const moves = cheapestMovesTo(problem, presence, { deadlineMs: Number.POSITIVE_INFINITY });
    if (!moves) return;
    best = { costUnits: evaluateMoves(problem, moves).costUnits, moves };
    if (onPlan(moves)) return;
  }
}

/** What a move costs usually: the median over all locations, in cost units. @param costs n × n */
function usualCost(costs: Float64Array, n: number): number {
  const usual: number[] = [];
  for (let i = 0; i < n; i++) {
    const leaving = costs
      .slice(i * n, (i + 1) * n)
      .filter((cost) => cost > 0 && cost < Number.POSITIVE_INFINITY);
    if (leaving.length > 0) usual.push(leaving.sort()[Math.min(USUAL_RANK, leaving.length - 1)]);
  }
  usual.sort((a, b) => a - b);
  return usual[usual.length >> 1] ?? 0;
}

type Run = { unit: number; proposals: number; firstLoss: number; below: number; isOver: () => boolean };

/**
 * One run, from the present places of the vehicles.
 * @param run `below`: cost units
 * @returns K × n: vehicles in the cheapest plan found that costs less; null if there is none
 */
function anneal(fleet: PlacedFleet, { unit, proposals, firstLoss, below, isOver }: Run): Int32Array | null {
  const { problem, capacity, random, proposed } = fleet;
  const total = totalDemand(problem.demand);
  const mayMiss = total - requiredDemand(problem) + (SERVICE_TOLERANCE * total) / 2;
  const usualCapacity = totalDemand(capacity) / capacity.length;
  const firstPrice = unit / usualCapacity;
  const shortBy = SHORT_BY * usualCapacity;
  /** Demand to pay for. */
  const excess = (unmet: number) => (unmet > mayMiss ? unmet - mayMiss + shortBy : 0);
  let price = firstPrice;
  let loss = unit * firstLoss;
  let least = below;
  let best: Int32Array | null = null;

  for (let p = 0; p < proposals; p++) {
    if (p % PROPOSALS_PER_LOOK === 0) {
      if (isOver()) break;
      if (p % (PROPOSALS_PER_LOOK * LOOKS_PER_SUM) === 0) sumUp(fleet);
      price *= fleet.unmet > mayMiss ? PRICE_FACTOR : 1 / PRICE_FACTOR;
      price = Math.max(LEAST_PRICE * firstPrice, Math.min(price, MOST_PRICE * firstPrice));
      loss = unit * firstLoss * (LAST_LOSS / firstLoss) ** (p / proposals);
    }
    if (!propose(fleet)) continue;
    const owed = price * excess(fleet.unmet);
    const most = owed - loss * Math.log(1 - random());
    // Most exchanges are too dear even if they served everything.
    if (proposed.addedCost > most) continue;
    const unmet = addedUnmet(fleet);
    if (proposed.addedCost + price * excess(fleet.unmet + unmet) > most) continue;
    accept(fleet, unmet);
    if (fleet.unmet > mayMiss || fleet.cost >= least) continue;
    sumUp(fleet);
    if (fleet.unmet > mayMiss || fleet.cost >= least) continue;
    least = fleet.cost;
    best = presenceOfFleet(fleet);
  }
  return best;
}

/**
 * The everyday case: one capacity class, demand that is not a whole number of vehicle loads, with or without bounds per
 * location. The network simplex with a Lagrangian multiplier on the service level (`types.ts`) yields a bound proved
 * over all moves (`bound.ts`) and a plan within about one move of it.
 *
 *   1. vehicles serve full loads at their own location; greedy tree on candidate arcs (within bounds: all vehicles
 *      stay); simplex on the candidates, then on all arcs
 *   2. the multiplier that maximizes L, from tree to tree (`best-multiplier.ts`); all arcs are priced again until none
 *      improves
 *   3. the bound that the multipliers prove; if it shows that serving at home first was wrong, 1 again without that
 *   4. plans (`whole-units.ts`)
 *
 * Complexity: as `flow/solve-flow.ts`, plus about ten multipliers of few pivots each. One pass over all arcs proves the
 * bound.
 */
import { createArcSet } from '../flow/arcs.ts';
import { createCandidates } from '../flow/candidates.ts';
import { pivotCandidates, pivotToOptimum } from '../flow/network-simplex.ts';
import { NO_FLOW } from '../flow/read-tree.ts';
import { totalUnits } from '../flow/solve-flow.ts';
import { createSpanningTree } from '../flow/spanning-tree.ts';
import type { Flow, FlowControl } from '../flow/types.ts';
import { checkOf, flagCheckOf, isOver, isStopped, untilOutOfTime } from '../run/stopping.ts';
import { findBestMultiplier, pointOf } from './best-multiplier.ts';
import { boundFromMultipliers } from './bound.ts';
import {
  BOUNDED_NODES,
  boundedAmounts,
  cappedLocations,
  multiplierWithinBounds,
  servedAtMost,
  startWithinBounds,
} from './bounded-tree.ts';
import { findBudgetMultiplier } from './budget-multiplier.ts';
import {
  addStays,
  dearestUnmetLoad,
  isPlan,
  type LagrangianSearch,
  type Loads,
  lagrangianAmounts,
  measureTree,
  setMultiplier,
  splitLoads,
  startLagrangianTree,
} from './lagrangian-tree.ts';
import { readMultipliers } from './read-multipliers.ts';
import type { LagrangianProblem } from './types.ts';
import { flowAt, keepLimit, leaveLess, readMoves, spendMore, type WholeFlow } from './whole-units.ts';

/** Number of cheapest arcs per source and per sink in the initial candidates. */
const NEAREST = 6;
/** Relative amount by which the proved bound may fall short of the value that the search has found. */
const BOUND_TOLERANCE = 1e-6;
/** Maximum number of passes over all arcs after the first multiplier. */
const MAX_ROUNDS = 20;
const MAX_REPAIRS = 8;
/** What serving a forced load is worth at first, in dearest moves, and the factor by which it grows. */
const FIRST_FORCE = 2;
const FORCE_FACTOR = 16;
/** How often the force is raised until bounds per location hold; vehicles that fill places at home may prevent it. */
const MAX_FORCE_RAISES = 12;
const MAX_NETTED_RAISES = 2;
/** Factors on the best multiplier; the flows at these multipliers may yield a plan nearer the bound. */
const OTHER_MULTIPLIERS = [0.995, 1.005, 0.98, 1.02, 0.96, 1.04, 0.92, 1.08];
/** Relative error, in total demand, of sums of what is served. */
const SERVED_NOISE = 1e-12;

export type LagrangianHooks = {
  /**
   * Receives a proved lower bound on the cost of every plan, in cost units; with a budget, a proved upper bound on what
   * every plan within it serves, in demand.
   */
  onBound(bound: number): void;
  /**
   * Receives moves that serve what is required, in most cases cheaper each time; with a budget, moves within it, in
   * most cases serving more each time.
   * @returns whether they are good enough
   */
  onPlan(flow: Flow): boolean;
};

/**
 * `solved`: the hooks received a bound and a plan, whatever the gap. `infeasible`: proved. `open`: not decided here.
 */
export type LagrangianOutcome = {
  kind: 'solved' | 'infeasible' | 'stopped' | 'open';
  /** The last multiplier, per full load: if solved, the plan costs at most that much more than the bound. */
  multiplier: number;
  counts: LagrangianSearch['counts'];
};

/** @throws RangeError if numbers are too large for exact sums */
export function solveLagrangian(
  problem: LagrangianProblem,
  control: FlowControl,
  hooks: LagrangianHooks,
): LagrangianOutcome {
  const counts = { pivots: 0, pricingRounds: 0, candidates: 0, multipliers: 0 };
  const trivial = { multiplier: 0, counts };
  const mayServe = problem.fleetSize >= 1;
  const isNothingWorth =
    problem.required <= 0 && !problem.bounds && !((problem.unmetUnits || problem.forced) && mayServe);
  if (problem.budget === undefined ? isNothingWorth : !mayServe) {
    hooks.onBound(allUnmet(problem));
    hooks.onPlan(NO_FLOW);
    return { ...trivial, kind: 'solved' };
  }
  if (!mayServe) return { ...trivial, kind: 'infeasible' };
  // A dear location may need the vehicles that stand at a cheap one.
  const isSamePrice = !problem.unmetUnits?.some((units) => units !== problem.unmetUnits![0]);
  // Nor may those be kept that have to fill places elsewhere.
  const isAnyToCome = problem.bounds?.least.some((fewest, j) => fewest > problem.supply[j]);
  const mayNet = isSamePrice && !problem.forced && !isAnyToCome;
  const netted = mayNet ? run(problem, control, hooks, counts, true) : null;
  if (netted && netted.kind !== 'unproved') return { ...netted, kind: netted.kind };
  const plain = run(problem, control, hooks, counts, false, netted?.multiplier);
  return { ...plain, kind: plain.kind === 'unproved' ? 'open' : plain.kind };
}

type RunOutcome = Omit<LagrangianOutcome, 'kind'> & { kind: LagrangianOutcome['kind'] | 'unproved' };

function run(
  problem: LagrangianProblem,
  control: FlowControl,
  hooks: LagrangianHooks,
  counts: LagrangianSearch['counts'],
  isNetted: boolean,
  knownMultiplier?: number,
): RunOutcome {
  const loads = splitLoads(problem);
  const s = createSearch(problem, loads, control, counts);
  const ended = (kind: RunOutcome['kind']): RunOutcome => ({ kind, counts, multiplier: s.multiplier });
  const bounded = problem.bounds && boundedAmounts(s, isNetted);
  const free = bounded ? null : lagrangianAmounts(problem, loads, isNetted);
  if (free && free.fleetSize < 1) return ended(isNetted ? 'unproved' : 'open');
  const { sources, sinks } = (bounded ?? free)!;
  const noise = SERVED_NOISE * s.totalDemand;
  const least = problem.required + noise;
  const { budget } = problem;
  const plans = budget === undefined ? keepCheapest(s, least) : keepMost(s, budget);
  const proveBound = () => boundFromMultipliers(s.problem, readMultipliers(s, isNetted));
  const offerBound = (units: number) => {
    if (budget === undefined) hooks.onBound(units);
    // L(λ) = λR + v(λ), and a plan within the budget serves at most (budget − v(λ)) / λ.
    else if (s.multiplier > 0)
      hooks.onBound(s.problem.required + ((budget - units) * problem.capacity) / s.multiplier + noise);
  };
  const stopped = () => {
    // Any multipliers prove a bound, but after a cancellation it is not needed.
    if (!isStopped(control.stopFlag)) offerBound(proveBound());
    const plan = plans.best();
    if (plan) hooks.onPlan(plan);
    return ended('stopped');
  };

  const check = flagCheckOf(control);
  const isBegun = untilOutOfTime(() => {
    s.arcs.addNearest(s.list, sources, sinks, NEAREST, check);
    check();
  });
  if (!isBegun) return ended('stopped');
  addStays(s.list, problem.n, { sources, sinks });
  let dearest: number;
  if (bounded) {
    dearest = multiplierWithinBounds(s, bounded);
    s.force = firstForce(s);
    startWithinBounds(s, bounded);
  } else dearest = startLagrangianTree(s, free!);
  counts.candidates = s.list.count;
  plans.keep();
  // Costs of unmet demand, or forced loads, may serve enough by themselves.
  const isEnough = problem.unmetUnits || problem.required <= 0;
  setMultiplier(s, isEnough ? 0 : (knownMultiplier ?? dearest));
  if (!pivotToOptimum(s, sources, sinks)) return stopped();
  /** Upper limit on the cost of any plan: every vehicle takes the dearest move, and no demand is served. */
  const limitOf = () => totalUnits(problem.supply) * s.arcs.largestCost() + allUnmet(problem) + 1;
  const isProvedInfeasible = (proved: number) =>
    problem.beyond === Number.POSITIVE_INFINITY && proved > limitOf();
  // Vehicles that no place can take, or places that no vehicle can fill, whatever that costs.
  for (let tries = 0; bounded && !isPlan(s); tries++) {
    if (isProvedInfeasible(proveBound())) return ended('infeasible');
    if (tries === (isNetted ? MAX_NETTED_RAISES : MAX_FORCE_RAISES))
      return ended(isNetted ? 'unproved' : 'open');
    s.force *= FORCE_FACTOR;
    setMultiplier(s, s.multiplier);
    if (!pivotToOptimum(s, sources, sinks)) return stopped();
  }
  plans.keep();
  const isShort = problem.unmetUnits && pointOf(s).slope > 0;
  const firstMultiplier = isShort ? knownMultiplier || dearest : s.multiplier;

  for (let round = 0; ; round++) {
    const from = round === 0 ? firstMultiplier : s.multiplier;
    const found =
      budget === undefined ? findBestMultiplier(s, from, limitOf) : findBudgetMultiplier(s, from, budget);
    if (found === 'stopped') return stopped();
    plans.keep();
    const { value } = pointOf(s);
    const proved = proveBound();
    // A budget that is not spent asks for no more.
    const isMet = found === 'met' || budget !== undefined;
    if (!isMet && isProvedInfeasible(proved)) return ended('infeasible');
    if (isMet) offerBound(proved);
    const isForced = isPlan(s);
    if (isForced && proved >= value - BOUND_TOLERANCE * value - 1) {
      if (isMet) break;
      return ended('open');
    }
    const first = s.list.count;
    let added = 0;
    const isPriced = untilOutOfTime(() => {
      added = s.arcs.addViolated(s.list, s.tree, sources, sinks, checkOf(control));
    });
    if (!isPriced) return stopped();
    counts.pricingRounds++;
    counts.candidates = s.list.count;
    // High multipliers prove it only within the error of sums.
    if (added === 0 && isMet && found === 'short' && !isNetted) break;
    if (added === 0 && !isForced && round < MAX_ROUNDS) {
      s.force *= FORCE_FACTOR;
      setMultiplier(s, s.multiplier);
    } else if (added === 0 || round === MAX_ROUNDS) {
      // Multipliers above the cost of unlisted moves call for more moves; netting is not the cause.
      const isWide = s.multiplier + dearestUnmetLoad(problem) <= problem.beyond;
      return ended(isNetted && isWide ? 'unproved' : 'open');
    }
    if (!pivotCandidates(s, added === 0 ? 0 : first) || isOver(control)) return stopped();
  }

  const whole = keepLimit(s, budget === undefined ? { of: 'served', least } : { of: 'cost', most: budget });
  if (!whole) return isOver(control) ? stopped() : ended('open');
  if (budget === undefined) offerPlans(s, whole, least, noise, hooks);
  else offerSpending(s, whole, budget, noise, hooks);
  return ended('solved');
}

/**
 * Offers plans until one is good enough: the one within a move of the bound, improvements of it, and plans from flows
 * at other multipliers.
 */
function offerPlans(
  s: LagrangianSearch,
  first: WholeFlow,
  least: number,
  noise: number,
  hooks: LagrangianHooks,
): void {
  const perGain = s.multiplier / s.problem.capacity;
  const beyond = ({ served }: WholeFlow) => perGain * (served - least);
  const offer = ({ s: search, outside }: WholeFlow) => hooks.onPlan(readMoves(search, outside));
  let isEnough = offer(first);
  let excess = beyond(first);
  for (let r = 0; r < MAX_REPAIRS && !isOver(s.control); r++) {
    const before = beyond(first);
    const left = leaveLess(first, least, noise, before);
    if (left === null) break;
    excess += left - before;
    isEnough = offer(first);
  }
  const { value } = pointOf(s);
  for (const factor of OTHER_MULTIPLIERS) {
    if (isEnough || s.multiplier === 0) return;
    const other = isOver(s.control) ? null : flowAt(s, factor * s.multiplier);
    if (!other) return;
    // How much dearer this flow is than the best one, at the best multiplier.
    const dearer = pointOf(s).value - value;
    let left = leaveLess(other, least, noise, excess - dearer);
    if (left === null && other.served >= least) left = beyond(other);
    if (left === null || dearer + left >= excess) continue;
    excess = dearer + left;
    isEnough = offer(other);
  }
}

/** Offers plans within the budget until one is good enough: the one within a move of the bound, and improvements. */
function offerSpending(
  s: LagrangianSearch,
  whole: WholeFlow,
  budget: number,
  noise: number,
  hooks: LagrangianHooks,
): void {
  const offer = () => hooks.onPlan(readMoves(whole.s, whole.outside));
  const perGain = s.multiplier / s.problem.capacity;
  for (let r = 0; !offer() && r < MAX_REPAIRS && !isOver(s.control); r++) {
    const missing = perGain * (s.problem.required - whole.served);
    if (spendMore(whole, budget, noise, missing) === null) return;
  }
}

function createSearch(
  problem: LagrangianProblem,
  loads: Loads,
  control: FlowControl,
  counts: LagrangianSearch['counts'],
): LagrangianSearch {
  const { n, cost } = problem;
  let totalDemand = 0;
  let placelessCost = 0;
  for (let j = 0; j < n; j++) {
    const served = servedAtMost(problem, loads, j);
    totalDemand += served.demand;
    if (problem.bounds && problem.unmetUnits)
      placelessCost += problem.unmetUnits[j] * (problem.demand[j] - served.demand);
  }
  const arcs = createArcSet(n, cost);
  const tree = createSpanningTree(n, problem.bounds ? BOUNDED_NODES : 1);
  const perNode = () => new Float64Array(tree.parent.length);
  return {
    tree,
    list: createCandidates(24 * n),
    arcs,
    counts,
    control,
    problem,
    loads,
    multiplier: 0,
    force: problem.forced ? Math.ceil(FIRST_FORCE * arcs.largestCost()) + 1 : 0,
    places: { amount: perNode(), gain: perNode(), rank: perNode(), worth: perNode() },
    isCapped: cappedLocations(problem),
    firstSlack: 0,
    endSlack: 0,
    totalDemand,
    placelessCost,
  };
}

/** Several times the dearest move that is likely to be of use. */
function firstForce({ list }: LagrangianSearch): number {
  let dearest = 0;
  for (let a = 0; a < list.count; a++) if (list.cost[a] > dearest) dearest = list.cost[a];
  return FORCE_FACTOR * dearest + 1;
}

/** The cost of serving no demand. */
function allUnmet({ demand, unmetUnits }: LagrangianProblem): number {
  return unmetUnits?.reduce((sum, units, j) => sum + units * demand[j], 0) ?? 0;
}

/** Keeps the cheapest flow so far that serves enough: the result if time runs out. */
function keepCheapest(s: LagrangianSearch, least: number) {
  let flow: Flow | null = null;
  let cheapest = Number.POSITIVE_INFINITY;
  return {
    keep(): void {
      const { cost, served } = measureTree(s);
      if (served < least || cost >= cheapest || !isPlan(s)) return;
      cheapest = cost;
      flow = readMoves(s);
    },
    best: (): Flow | null => flow,
  };
}

/** The same with a budget: the flow within it that serves the most. */
function keepMost(s: LagrangianSearch, budget: number) {
  let flow: Flow | null = null;
  let most = Number.NEGATIVE_INFINITY;
  return {
    keep(): void {
      const { cost, served } = measureTree(s);
      if (cost > budget || served <= most) return;
      most = served;
      flow = readMoves(s);
    },
    best: (): Flow | null => flow,
  };
}

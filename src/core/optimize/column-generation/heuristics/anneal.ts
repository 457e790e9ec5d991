/**
 * Plans of small problems of several classes by simulated annealing, for service levels so close to what the fleet can
 * serve that vehicles must fit demands like the pieces of a puzzle. Local search (`improve.ts`) then ends far from the
 * optimum, and branching needs seconds for its first plan.
 *
 * Two locations exchange up to two vehicles for up to two others. Unmet demand beyond what the service level allows is
 * not excluded but has a price, which rises while there is some and falls while there is none: so the search crosses
 * from one plan to another. The cheapest moves are kept by a flow per class, whose duals give a lower bound on the
 * cost of an exchange in O(K); few exchanges need more. The search is deterministic, and proves nothing.
 * Reference: Kirkpatrick, Gelatt, Vecchi, Optimization by simulated annealing (1983).
 */
import { evaluateMoves } from '../../problem/evaluate.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { randomFrom } from '../../problem/random.ts';
import { requiredDemand, totalDemand } from '../../problem/service-level.ts';
import { hasUnmetCost } from '../../problem/unmet-cost.ts';
import { allowedCosts, type ClassTransport } from './class-transport.ts';
import { unmetChange } from './exchanges.ts';
import { canImprove } from './improve.ts';
import { createTransports, movesOfTransports, place, presenceAfter } from './transports.ts';

/** Classes times locations; of larger problems the local search leaves little. */
const MAX_PLACES = 200;
const MAX_EXCHANGED = 2;
/** Exchanges tried in a full run, per class and location. */
const PROPOSALS = 36_000;
/** The first run, as a share of a full one: an easy problem is done after it. */
const FIRST_RUN = 1 / 2;
/** Full runs in a row without a cheaper plan. */
const MAX_VAIN_RUNS = 12;
/** Added cost accepted with probability 1/e, at the start and at the end of a run, in usual costs of a move. */
const FIRST_LOSS = 1;
const LAST_LOSS = 0.05;
/** Exchanges between two changes of the price, its factor, and its limits as multiples of the first one. */
const PROPOSALS_PER_LOOK = 64;
const PRICE_FACTOR = 1.01;
const LEAST_PRICE = 0.5;
const MOST_PRICE = 20;
/** Where a move comes from usually: the cost of a move is that to the location of this rank, by cost. */
const USUAL_RANK = 2;

/** Whether the search is of use, and supports all of the problem's constraints. */
export function canAnneal(problem: Problem): boolean {
  return canImprove(problem) && !hasUnmetCost(problem) && problem.supply.length <= MAX_PLACES;
}

/**
 * @param problem for which `canAnneal` holds
 * @param start a plan; null: all vehicles stay, whatever that serves
 * @param onPlan receives a plan after each run that found a cheaper one; the search ends if it returns true
 */
export function annealPlans(
  problem: Problem,
  start: Moves | null,
  isOver: () => boolean,
  onPlan: (moves: Moves) => boolean,
): void {
  const unit = usualCost(problem);
  if (unit === 0) return;
  const transports = createTransports(problem);
  if (start && !place(transports, presenceAfter(problem, start), isOver)) return;
  let best = start ? evaluateMoves(problem, start).costUnits : Number.POSITIVE_INFINITY;
  let vain = 0;
  for (let run = 0; vain < MAX_VAIN_RUNS && !isOver(); run++) {
    const share = run === 0 ? FIRST_RUN : 1;
    const proposals = Math.round(PROPOSALS * share * problem.supply.length);
    const found = anneal(problem, transports, { unit, proposals, seed: run, below: best }, isOver);
    if (!found) {
      vain++;
      continue;
    }
    vain = 0;
    best = found.costUnits;
    const placed = createTransports(problem);
    if (!place(placed, found.presence, () => false) || onPlan(movesOfTransports(placed))) return;
  }
}

/** What a move costs usually: the median over all locations. */
function usualCost(problem: Problem): number {
  const n = problem.locationIds.length;
  const costs = allowedCosts(problem);
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

/** Vehicles that one location gives another, by class; negative if it takes them. */
type Exchanged = { vehicles: Int32Array; size: number };

/** All exchanges of up to two vehicles for up to two of other classes, those of nearly equal capacity first. */
function listExchanges(capacities: Float64Array): Exchanged[] {
  const classes = capacities.length;
  const draws: number[][] = [];
  const draw = (drawn: number[]) => {
    draws.push(drawn);
    if (drawn.length === MAX_EXCHANGED) return;
    for (let k = drawn.at(-1) ?? 0; k < classes; k++) draw([...drawn, k]);
  };
  draw([]);
  const found: Exchanged[] = [];
  for (const given of draws) {
    for (const taken of draws) {
      if ((given.length === 0 && taken.length === 0) || given.some((k) => taken.includes(k))) continue;
      const vehicles = new Int32Array(classes);
      for (const k of given) vehicles[k]++;
      for (const k of taken) vehicles[k]--;
      found.push({ vehicles, size: vehicles.reduce((sum, count, k) => sum + count * capacities[k], 0) });
    }
  }
  return found.sort((x, y) => Math.abs(x.size) - Math.abs(y.size));
}

/**
 * One run, from the present state of the transports.
 * @param below cost units
 * @returns the cheapest plan found that costs less; null if there is none
 */
function anneal(
  problem: Problem,
  transports: ClassTransport[],
  { unit, proposals, seed, below }: { unit: number; proposals: number; seed: number; below: number },
  isOver: () => boolean,
): { costUnits: number; presence: Int32Array } | null {
  const { capacities, demand, network } = problem;
  const n = demand.length;
  const classes = capacities.length;
  const random = randomFrom(seed);
  const exchanges = listExchanges(capacities);
  const mayMiss = totalDemand(demand) - requiredDemand(problem);
  const excess = (unmet: number) => Math.max(0, unmet - mayMiss);
  const firstPrice = (unit * classes) / capacities.reduce((sum, capacity) => sum + capacity, 0);
  const spare = new Float64Array(n);
  let unmet = 0;
  let cost = 0;
  for (let j = 0; j < n; j++) {
    spare[j] = -demand[j];
    for (let k = 0; k < classes; k++) spare[j] += capacities[k] * transports[k].present(j);
    unmet += Math.max(0, -spare[j]);
  }
  for (const { forEachMove } of transports) {
    forEachMove((from, to, vehicles) => {
      cost += vehicles * network.costUnits[from * n + to];
    });
  }
  let price = firstPrice;
  let loss = 0;
  let best: { costUnits: number; presence: Int32Array } | null = null;

  for (let p = 0; p < proposals; p++) {
    if (p % PROPOSALS_PER_LOOK === 0) {
      if (isOver()) break;
      price *= excess(unmet) > 0 ? PRICE_FACTOR : 1 / PRICE_FACTOR;
      price = Math.max(LEAST_PRICE * firstPrice, Math.min(price, MOST_PRICE * firstPrice));
      loss = unit * FIRST_LOSS * (LAST_LOSS / FIRST_LOSS) ** (p / proposals);
    }
    const a = Math.floor(random() * n);
    const b = Math.floor(random() * n);
    // Squared: exchanges of nearly equal capacity are drawn more often.
    const { vehicles, size } = exchanges[Math.floor(exchanges.length * random() ** 2)];
    if (a === b || !hasVehicles(transports, vehicles, a, b)) continue;
    const added = unmetChange(spare, a, -size) + unmetChange(spare, b, size);
    const most = -loss * Math.log(random()) - price * (excess(unmet + added) - excess(unmet));
    const exact = exchange(transports, vehicles, a, b, most);
    if (exact === null) continue;
    cost += exact;
    unmet += added;
    spare[a] -= size;
    spare[b] += size;
    if (unmet > mayMiss || cost >= (best?.costUnits ?? below)) continue;
    const presence = Int32Array.from(problem.supply, (_, at) =>
      transports[Math.floor(at / n)].present(at % n),
    );
    best = { costUnits: cost, presence };
  }
  return best;
}

function hasVehicles(transports: ClassTransport[], vehicles: Int32Array, a: number, b: number): boolean {
  for (let k = 0; k < vehicles.length; k++) {
    if (vehicles[k] > 0 && transports[k].present(a) < vehicles[k]) return false;
    if (vehicles[k] < 0 && transports[k].present(b) < -vehicles[k]) return false;
  }
  return true;
}

/** Carries out an exchange if it costs no more than this. @returns its cost; null, without any change, otherwise */
function exchange(
  transports: ClassTransport[],
  vehicles: Int32Array,
  a: number,
  b: number,
  most: number,
): number | null {
  let least = 0;
  for (let k = 0; k < vehicles.length; k++) {
    if (vehicles[k] !== 0) least += vehicles[k] * transports[k].leastCost(a, b);
  }
  if (least > most) return null;
  let cost = 0;
  const done: [k: number, from: number, to: number][] = [];
  for (let k = 0; k < vehicles.length && cost <= most; k++) {
    const [from, to] = vehicles[k] > 0 ? [a, b] : [b, a];
    for (let v = Math.abs(vehicles[k]); v > 0 && cost <= most; v--) {
      const one = transports[k].shift(from, to);
      cost += one ?? Number.POSITIVE_INFINITY;
      if (one !== null) done.push([k, from, to]);
    }
  }
  if (cost <= most) return cost;
  for (const [k, from, to] of done.reverse()) transports[k].shift(to, from);
  return null;
}

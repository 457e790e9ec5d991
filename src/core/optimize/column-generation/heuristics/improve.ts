/**
 * Local search from a plan to a cheaper one, for several capacity classes. Given the number of vehicles of each class
 * per location, the cheapest moves are a flow per class (`class-transport.ts`). The search changes these numbers in
 * rounds of exchanges (`exchanges.ts`); it carries out each exchange and keeps it only if its saving exceeds its
 * exact cost. It ends when no round finds an exchange. A heuristic: it proves nothing.
 * With bounds per location the start has to keep them, and may serve too little: exchanges serve more, at rising
 * prices, until the service level is reached. The first plan is reported too.
 */
import { UNITS_PER_COST } from '../../problem/costs.ts';
import { demandFrom, floorSlack, floorsOf, levelAt } from '../../problem/floors.ts';
import { leastAt, mostAt } from '../../problem/location-bounds.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { dearestMove } from '../../problem/network.ts';
import { withPinnedAtHome } from '../../problem/pinned-places.ts';
import { leastServed, requiredDemand, totalDemand } from '../../problem/service-level.ts';
import { hasLocationBounds } from '../../problem/variants.ts';
import type { ClassTransport, ShiftMade } from './class-transport.ts';
import { type Exchange, findExchanges, type Shift, unmetChange } from './exchanges.ts';
import { createTransports, movesOfTransports, presenceAfter } from './transports.ts';

/** With more locations a round takes a second. */
const MAX_LOCATIONS = 2000;
const MAX_ROUNDS = 50;
/** Exchanges carried out per round, whether kept or undone. */
const MAX_TRIED = 300;
/** Factors on the price, used in turn when a round finds nothing: another price finds other exchanges. */
const WEIGHTS = [1, 0.8, 1.25];
/** The same while a start serves too little: the price of a unit of demand, in prices of the service level. */
const SHORT_FACTORS = [2, 8, 32];
/** Cost of a unit of demand that must not be lost, in dearest moves. */
const FORBIDDING = 100;
/** Number of nearby locations with which a vehicle may be exchanged. */
const REACH = 24;

/**
 * Whether the search supports the problem. It takes all vehicles for serving ones: under `total_fleet_size` its plans
 * may serve less than it believes, and are then no plans.
 */
export function canImprove({ capacities, locationIds }: Problem): boolean {
  return capacities.length > 1 && locationIds.length <= MAX_LOCATIONS;
}

/**
 * @param price cost units that a unit of served demand is worth, to weigh cost against service
 * @param isOver ends the search early
 * @param onPlan receives every round's plan; the search ends if it returns true
 */
export function improve(
  problem: Problem,
  start: Moves,
  price: number,
  isOver: () => boolean,
  onPlan: (moves: Moves) => boolean,
): void {
  const n = problem.locationIds.length;
  const { capacities, demand } = problem;
  const started = createTransports(problem, presenceAfter(problem, withPinnedAtHome(problem, start)), isOver);
  if (!started) return;
  const transports = started;
  const mayMiss = totalDemand(demand) - requiredDemand(problem);
  const spare = new Float64Array(n);
  const unmetUnits = new Float64Array(n);
  if (problem.unmetCost) for (let j = 0; j < n; j++) unmetUnits[j] = problem.unmetCost[j] * UNITS_PER_COST;
  const floors = mayMissByFloor(problem);
  const weighed = forbidLosses(problem, floors, unmetUnits);
  const here = new Int32Array(n);
  const least = Float64Array.from(here, (_, j) => leastAt(problem, j));
  const most = Float64Array.from(here, (_, j) => mostAt(problem, j));
  const fits = (j: number, more: number) =>
    more === 0 || (more > 0 ? here[j] + more <= most[j] : here[j] + more >= least[j]);

  /** Whether the present numbers of vehicles are yet to be reported. */
  let isNews = hasLocationBounds(problem);
  const mostUnmet = totalDemand(demand) - leastServed(problem);
  const leastPrice = dearestMove(problem.network) / capacities[capacities.length - 1];

  let weighing = 0;
  for (let round = 0; round < MAX_ROUNDS && !isOver(); round++) {
    let unmet = 0;
    for (let j = 0; j < n; j++) {
      spare[j] = -demand[j];
      here[j] = 0;
      for (let k = 0; k < capacities.length; k++) {
        here[j] += transports[k].present(j);
        spare[j] += capacities[k] * transports[k].present(j);
      }
      unmet += Math.max(0, -spare[j]);
    }
    if (isNews && here.some((count, j) => count < least[j] || count > most[j])) return;
    const isShort = unmet > mostUnmet;
    if (isNews && !isShort) {
      isNews = false;
      if (onPlan(movesOfTransports(transports))) return;
    }
    // Until the service level is reached, every exchange that serves more at a bearable cost is a saving.
    const extra = isShort ? SHORT_FACTORS[weighing] * Math.max(price, leastPrice) : 0;
    const slack = isShort ? Number.POSITIVE_INFINITY : mayMiss - unmet;
    const ofUnmet = (units: Float64Array) => (isShort ? units.map((each) => each + extra) : units);
    const exchanges = findExchanges({
      capacities,
      spare,
      slack,
      price: isShort ? extra : price * WEIGHTS[weighing],
      unmetUnits: ofUnmet(weighed),
      present: (k, j) => transports[k].present(j),
      reach: (k, from) => transports[k].reach(from, REACH),
      fits,
      isOver,
    });
    if (
      carryOut(
        exchanges,
        slack,
        ofUnmet(unmetUnits),
        floors.map((floor) => floor.mayMiss - unmetAt(problem, spare, floor)),
      )
    ) {
      isNews = isShort;
      if (isShort) weighing = 0;
      else if (onPlan(movesOfTransports(transports))) return;
    } else if (++weighing === WEIGHTS.length) return;
  }

  /** @param left of each floor: demand that may still be left unmet @returns whether any exchange was kept */
  function carryOut(exchanges: Exchange[], mayLose: number, units: Float64Array, left: number[]): boolean {
    let slack = mayLose;
    const isTouched = new Uint8Array(n);
    const isLossFree = units.every((each) => each === 0);
    let tried = 0;
    let kept = 0;
    for (const { shifts } of exchanges) {
      if (shifts.some(({ from, to }) => isTouched[from] || isTouched[to])) continue;
      // Costs may have been corrected in the meantime: of a hundred thousand exchanges, most end here.
      const moving = shifts.reduce((sum, { cost }) => sum + cost, 0);
      if (isLossFree && moving >= 0) continue;
      const added = new Map<number, number>();
      const arriving = new Map<number, number>();
      for (const { k, from, to, times } of shifts) {
        for (const [j, more] of [
          [from, -times],
          [to, times],
        ]) {
          added.set(j, (added.get(j) ?? 0) + capacities[k] * more);
          arriving.set(j, (arriving.get(j) ?? 0) + more);
        }
      }
      // Two changes that fit each by itself may meet at a location.
      if (![...arriving].every(([j, more]) => fits(j, more))) continue;
      let lost = 0;
      let costOfLost = 0;
      const lostAt = floors.map(() => 0);
      for (const [j, capacity] of added) {
        const change = unmetChange(spare, j, capacity);
        lost += change;
        costOfLost += units[j] * change;
        for (const [f, { level }] of floors.entries()) if (levelAt(problem, j) >= level) lostAt[f] += change;
      }
      if (lost > slack || lostAt.some((of, f) => of > Math.max(0, left[f]))) continue;
      if (moving + costOfLost >= 0 || leastCostOf(transports, shifts) + costOfLost >= 0) continue;
      if (tried++ === MAX_TRIED || isOver()) break;
      if (!carryOutOne(transports, shifts, costOfLost)) continue;
      slack -= lost;
      for (const [f, of] of lostAt.entries()) left[f] -= of;
      for (const [j, capacity] of added) {
        spare[j] += capacity;
        here[j] += arriving.get(j) ?? 0;
        isTouched[j] = 1;
      }
      kept++;
    }
    return kept > 0;
  }
}

/** A floor as demand that may stay unmet. */
type FloorMiss = { level: number; mayMiss: number };

/** @param spare n: capacity present beyond demand */
function unmetAt(problem: Problem, spare: Float64Array, { level }: FloorMiss): number {
  let unmet = 0;
  for (let j = 0; j < spare.length; j++) if (levelAt(problem, j) >= level) unmet += Math.max(0, -spare[j]);
  return unmet;
}

function mayMissByFloor(problem: Problem): FloorMiss[] {
  return floorsOf(problem).map(({ level, served }) => ({
    level,
    mayMiss: demandFrom(problem, level) - served + floorSlack(problem) / 2,
  }));
}

/** Where all demand has to be served, losing it costs more than any exchange saves. */
function forbidLosses(
  problem: Problem,
  floors: readonly FloorMiss[],
  unmetUnits: Float64Array,
): Float64Array {
  const all = floors.filter(({ mayMiss }) => mayMiss <= floorSlack(problem));
  if (all.length === 0) return unmetUnits;
  const least = Math.min(...all.map(({ level }) => level));
  const forbidden = FORBIDDING * dearestMove(problem.network);
  return unmetUnits.map((units, j) => (levelAt(problem, j) >= least ? units + forbidden : units));
}

/** A lower bound on the cost of moving for all of them, from the duals of the present moves. */
function leastCostOf(transports: ClassTransport[], shifts: readonly Shift[]): number {
  return shifts.reduce((sum, { k, from, to, times }) => sum + times * transports[k].leastCost(from, to), 0);
}

/**
 * Carries out all shifts if that saves cost, otherwise none, and records their exact costs.
 * @param costOfLost cost of the demand that they leave unmet
 */
function carryOutOne(transports: ClassTransport[], shifts: Shift[], costOfLost: number): boolean {
  const done: ShiftMade[] = [];
  let cost = costOfLost;
  for (const [s, shift] of shifts.entries()) {
    if (cost + leastCostOf(transports, shifts.slice(s)) >= 0) break;
    let exact = 0;
    for (let t = 0; t < shift.times; t++) {
      const made = transports[shift.k].shift(shift.from, shift.to);
      exact += made?.cost ?? Number.POSITIVE_INFINITY;
      if (made) done.push(made);
    }
    cost += exact;
    // A shift that is alone in its class costs the same in other exchanges.
    if (shifts.every((other) => other === shift || other.k !== shift.k)) shift.cost = exact;
    if (s === shifts.length - 1 && cost < 0) return true;
  }
  for (const made of done.reverse()) made.undo();
  return false;
}

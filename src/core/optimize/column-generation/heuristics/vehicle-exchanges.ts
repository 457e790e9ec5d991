/**
 * A fleet whose vehicles are placed one by one, and random exchanges of up to four of them:
 *   a vehicle goes to another location, often to its own;
 *   two locations exchange one vehicle for one, one for two, or two for two;
 *   three locations pass on a vehicle each, in a circle.
 * An exchange is rated in O(1). Every vehicle pays for its own way, so two of a class may cross: the cheapest moves for
 * the numbers of vehicles that result cost no more.
 */
import type { Moves, Problem } from '../../problem/model.ts';

/** Shares of the kinds of exchange; the rest are circles. */
const SHIFTS = 0.3;
const ONE_FOR_ONE = 0.3;
const ONE_FOR_TWO = 0.15;
const TWO_FOR_TWO = 0.15;
/** Share of the shifts that send a vehicle to its own location. */
const RETURNS = 0.3;
const MAX_MOVED = 4;

export type PlacedFleet = {
  readonly problem: Problem;
  /** Cost units, n × n; Infinity for a forbidden move. */
  readonly costs: Float64Array;
  readonly random: () => number;
  /** Per vehicle, ascending by class, then by location. */
  readonly classOf: Int32Array;
  readonly capacity: Float64Array;
  readonly home: Int32Array;
  readonly at: Int32Array;
  /** n: capacity present beyond demand, negative if demand is unmet. */
  readonly spare: Float64Array;
  cost: number;
  unmet: number;
  readonly proposed: Proposal;
};

/** `moved`, `target`: the first `count` vehicles, and where each goes. `change`: n, 0 between two proposals. */
type Proposal = {
  readonly moved: Int32Array;
  readonly target: Int32Array;
  count: number;
  readonly change: Float64Array;
  addedCost: number;
};

/** Of each vehicle, ascending by class, then by location: its class, its capacity, and the location where it is now. */
export function singleVehicles({ supply, capacities, demand }: Problem) {
  const n = demand.length;
  const classes: number[] = [];
  const home: number[] = [];
  for (let at = 0; at < supply.length; at++) {
    for (let v = 0; v < supply[at]; v++) {
      classes.push(Math.floor(at / n));
      home.push(at % n);
    }
  }
  return {
    classOf: Int32Array.from(classes),
    capacity: Float64Array.from(classes, (k) => capacities[k]),
    home: Int32Array.from(home),
  };
}

/** All vehicles stay. @param costs from `allowedCosts` */
export function placeFleet(problem: Problem, costs: Float64Array, random: () => number): PlacedFleet {
  const n = problem.demand.length;
  const vehicles = singleVehicles(problem);
  const fleet: PlacedFleet = {
    problem,
    costs,
    random,
    ...vehicles,
    at: vehicles.home.slice(),
    spare: new Float64Array(n),
    cost: 0,
    unmet: 0,
    proposed: {
      moved: new Int32Array(MAX_MOVED),
      target: new Int32Array(MAX_MOVED),
      count: 0,
      change: new Float64Array(n),
      addedCost: 0,
    },
  };
  sumUp(fleet);
  return fleet;
}

/** Cost and unmet demand from scratch: sums of many changes drift by their rounding errors. */
export function sumUp(fleet: PlacedFleet): void {
  const { problem, costs, capacity, home, at, spare } = fleet;
  const n = spare.length;
  fleet.unmet = sumSpare(problem, capacity, at, spare);
  fleet.cost = 0;
  for (let v = 0; v < at.length; v++) fleet.cost += costs[home[v] * n + at[v]];
}

/** Sums up `spare`, as in `PlacedFleet`. @returns the unmet demand */
export function sumSpare(
  { demand }: Problem,
  capacity: Float64Array,
  at: Int32Array,
  spare: Float64Array,
): number {
  let unmet = 0;
  for (let j = 0; j < spare.length; j++) spare[j] = -demand[j];
  for (let v = 0; v < at.length; v++) spare[at[v]] += capacity[v];
  for (let j = 0; j < spare.length; j++) unmet += Math.max(0, -spare[j]);
  return unmet;
}

/** Sends the vehicles along these moves; the others stay. */
export function followMoves(fleet: PlacedFleet, moves: Moves): void {
  fleet.at.set(placesAfter(fleet.problem, fleet.home, moves));
  sumUp(fleet);
}

/** Where each vehicle is after these moves. @param home from `singleVehicles` */
export function placesAfter(
  { supply, demand }: Problem,
  home: Int32Array,
  { capacityClass, source, target, count }: Moves,
): Int32Array {
  const next = new Int32Array(supply.length);
  for (let a = 1; a < next.length; a++) next[a] = next[a - 1] + supply[a - 1];
  const at = home.slice();
  for (let m = 0; m < count.length; m++) {
    const from = capacityClass[m] * demand.length + source[m];
    at.fill(target[m], next[from], next[from] + count[m]);
    next[from] += count[m];
  }
  return at;
}

/** K × n: vehicles at each location. */
export function presenceOfFleet({
  problem,
  classOf,
  at,
}: Pick<PlacedFleet, 'problem' | 'classOf' | 'at'>): Int32Array {
  const present = new Int32Array(problem.supply.length);
  for (let v = 0; v < at.length; v++) present[classOf[v] * problem.demand.length + at[v]]++;
  return present;
}

/**
 * Draws an exchange; `proposed` has the cost that it adds: Infinity with a forbidden move.
 * @returns false if the drawn vehicles do not form one
 */
export function propose(fleet: PlacedFleet): boolean {
  fleet.proposed.count = 0;
  if (!draw(fleet)) return false;
  addCost(fleet);
  return true;
}

/** The demand that the proposed exchange adds to what is unmet. */
export function addedUnmet({ capacity, at, spare, proposed }: PlacedFleet): number {
  const { moved, target, count, change } = proposed;
  for (let m = 0; m < count; m++) {
    change[at[moved[m]]] -= capacity[moved[m]];
    change[target[m]] += capacity[moved[m]];
  }
  let unmet = 0;
  // A location that several vehicles leave or reach counts once: its change is 0 afterwards.
  for (let m = 0; m < count; m++) {
    for (let j = at[moved[m]], end = 0; end < 2; j = target[m], end++) {
      if (change[j] === 0) continue;
      unmet += Math.max(0, -spare[j] - change[j]) - Math.max(0, -spare[j]);
      change[j] = 0;
    }
  }
  return unmet;
}

/** Carries out the proposed exchange. @param unmet what it adds */
export function accept(fleet: PlacedFleet, unmet: number): void {
  const { capacity, at, spare, proposed } = fleet;
  for (let m = 0; m < proposed.count; m++) {
    const v = proposed.moved[m];
    spare[at[v]] -= capacity[v];
    at[v] = proposed.target[m];
    spare[at[v]] += capacity[v];
  }
  fleet.cost += proposed.addedCost;
  fleet.unmet += unmet;
}

function draw(fleet: PlacedFleet): boolean {
  const { random, home, at, spare, proposed } = fleet;
  let kind = random();
  const v = Math.floor(random() * at.length);
  if (kind < SHIFTS) {
    const to = random() < RETURNS ? home[v] : Math.floor(random() * spare.length);
    send(proposed, v, to);
    return at[v] !== to;
  }
  const w = Math.floor(random() * at.length);
  if (at[v] === at[w]) return false;
  send(proposed, v, at[w]);
  kind -= SHIFTS + ONE_FOR_ONE;
  if (kind >= ONE_FOR_TWO + TWO_FOR_TWO) {
    const third = Math.floor(random() * at.length);
    send(proposed, w, at[third]);
    send(proposed, third, at[v]);
    return at[third] !== at[v] && at[third] !== at[w];
  }
  send(proposed, w, at[v]);
  if (kind < 0) return true;
  return sendCompanion(fleet, w, at[v]) && (kind < ONE_FOR_TWO || sendCompanion(fleet, v, at[w]));
}

function send(proposed: Proposal, v: number, to: number): void {
  proposed.moved[proposed.count] = v;
  proposed.target[proposed.count++] = to;
}

/** Sends another vehicle from where v is. @returns false if v is alone there */
function sendCompanion({ random, at, proposed }: PlacedFleet, v: number, to: number): boolean {
  let other = Math.floor(random() * at.length);
  for (let seen = 0; seen < at.length; seen++) {
    if (at[other] === at[v] && other !== v) {
      send(proposed, other, to);
      return true;
    }
    other = other + 1 === at.length ? 0 : other + 1;
  }
  return false;
}

function addCost({ costs, home, at, spare, proposed }: PlacedFleet): void {
  const { moved, target, count } = proposed;
  let cost = 0;
  for (let m = 0; m < count; m++) {
    const row = home[moved[m]] * spare.length;
    cost += costs[row + target[m]] - costs[row + at[moved[m]]];
  }
  proposed.addedCost = cost;
}

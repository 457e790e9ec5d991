/**
 * A fleet of thousands of vehicles, each of which has a place of its own, and random exchanges like those of
 * `vehicle-exchanges.ts`, but between a location and others near it:
 *   a vehicle goes to another location, often to its own, or to where another from near its own is;
 *   two locations exchange one vehicle for one, one for two, or two for two;
 *   three locations pass on a vehicle each, in a circle, or all but the last do;
 *   two vehicles from locations near each other exchange their places.
 */
import { UNITS_PER_COST } from '../../problem/costs.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { randomFrom } from '../../problem/random.ts';
import { allowedCosts } from './class-transport.ts';
import { placesAfter, singleVehicles } from './vehicle-exchanges.ts';

/** Nearby locations of each. */
const NEAR = 20;
/** What a move costs usually: that to the location of this rank, by cost. */
const USUAL_RANK = 2;
/** Shares of the kinds of exchange; the rest are circles. */
const SHIFTS = 0.2;
const ONE_FOR_ONE = 0.2;
const ONE_FOR_TWO = 0.15;
const TWO_FOR_TWO = 0.1;
const NEIGHBOURS = 0.1;
const CHAINS = 0.15;
/** Share of the chains whose second vehicle goes to its own location. */
const CHAIN_RETURNS = 0.3;
/** Shares of the shifts that send a vehicle to its own location, and to where one from near it is. */
const RETURNS = 0.15;
const FOLLOWS = 0.25;
/** Rows of costs between two looks at the clock. */
const ROWS_PER_LOOK = 64;

export type CityFleet = {
  problem: Problem;
  /** Cost units, n × n; Infinity for a forbidden move. */
  costs: Float64Array;
  /** n × NEAR: the nearest locations with demand, and with vehicles. */
  near: Int32Array;
  nearHomes: Int32Array;
  /** What a move costs usually. */
  usual: number;
  /** Per vehicle. */
  classOf: Int32Array;
  capacity: Float64Array;
  home: Int32Array;
  at: Int32Array;
  /** Its position among the vehicles of its place. */
  slot: Int32Array;
  /** Vehicles by place, and by home. */
  here: number[][];
  fromHere: number[][];
};

/** Every vehicle where these moves bring it. @param check looks at the clock */
export function placeInCity(problem: Problem, moves: Moves, check: () => void): CityFleet {
  const n = problem.demand.length;
  const vehicles = singleVehicles(problem);
  const { home } = vehicles;
  const at = placesAfter(problem, home, moves);
  const here: number[][] = Array.from({ length: n }, () => []);
  const fromHere: number[][] = Array.from({ length: n }, () => []);
  const slot = new Int32Array(at.length);
  for (let v = 0; v < at.length; v++) {
    slot[v] = here[at[v]].push(v) - 1;
    fromHere[home[v]].push(v);
  }
  const costs = allowedCosts(problem);
  const near = nearestOf(costs, n, (j) => problem.demand[j] > 0, check);
  const nearHomes = nearestOf(costs, n, (j) => fromHere[j].length > 0, check);
  const usual = usualCost(costs, near, problem.demand);
  return { problem, costs, near, nearHomes, usual, ...vehicles, at, slot, here, fromHere };
}

/** n × NEAR: the nearest others of the locations that count; the location itself stands for those that are missing. */
function nearestOf(
  costs: Float64Array,
  n: number,
  counts: (j: number) => boolean,
  check: () => void,
): Int32Array {
  const near = new Int32Array(n * NEAR);
  const least = new Float64Array(NEAR);
  const all = Int32Array.from({ length: n }, (_, j) => j).filter(counts);
  for (let j = 0; j < n; j++) {
    if (j % ROWS_PER_LOOK === 0) check();
    const first = j * NEAR;
    let found = 0;
    for (const a of all) {
      const cost = costs[j * n + a];
      if (a === j || cost === Number.POSITIVE_INFINITY) continue;
      if (found === NEAR && cost >= least[NEAR - 1]) continue;
      let to = found < NEAR ? found++ : NEAR - 1;
      for (; to > 0 && least[to - 1] > cost; to--) {
        least[to] = least[to - 1];
        near[first + to] = near[first + to - 1];
      }
      least[to] = cost;
      near[first + to] = a;
    }
    near.fill(j, first + found, first + NEAR);
  }
  return near;
}

/** The median of what a move to a place near another costs. */
function usualCost(costs: Float64Array, near: Int32Array, demand: Float64Array): number {
  const usual: number[] = [];
  for (let j = 0; j < demand.length; j++)
    if (demand[j] > 0) usual.push(costs[j * demand.length + near[j * NEAR + USUAL_RANK]]);
  usual.sort((a, b) => a - b);
  return usual[usual.length >> 1] ?? 0;
}

/** Of a run. */
export type CityState = {
  /** n: capacity present beyond demand, negative if demand is unmet. */
  spare: Float64Array;
  unmet: number;
  /** n: what a unit of unmet demand costs beside its price. */
  each: Float64Array;
  price: number;
  /** Added cost accepted with probability 1/e. */
  loss: number;
  random: () => number;
  /** The drawn exchange: the first vehicles go to these places. */
  moved: Int32Array;
  target: Int32Array;
};

export function createCityState({ problem: { demand, unmetCost } }: CityFleet, price: number): CityState {
  return {
    spare: new Float64Array(demand.length),
    unmet: 0,
    each: Float64Array.from(demand, (_, j) => (unmetCost ? unmetCost[j] * UNITS_PER_COST : 0)),
    price,
    loss: 0,
    random: randomFrom(demand.length),
    moved: new Int32Array(4),
    target: new Int32Array(4),
  };
}

/** Draws so many exchanges of these vehicles with others, and makes those that annealing accepts. */
export function tryExchanges(
  fleet: CityFleet,
  state: CityState,
  vehicles: readonly number[],
  count: number,
): void {
  const { costs, near, capacity, home, at, slot, here } = fleet;
  const { spare, each, price, loss, random, moved, target } = state;
  const n = spare.length;
  for (let tried = 0; tried < count; tried++) {
    // A vehicle at a, and a location b near a.
    const v = vehicles[Math.floor(random() * vehicles.length)];
    const a = at[v];
    const rank = Math.floor(NEAR * random() ** 2);
    let b = near[a * NEAR + rank];
    let c = -1;
    let kind = random();
    let size = 2;
    /** Capacity that a, b and c get. */
    let atA = -capacity[v];
    let atB = capacity[v];
    let atC = 0;
    moved[0] = v;
    if (kind < SHIFTS) {
      const to = random();
      if (to < RETURNS) b = home[v];
      else if (to < RETURNS + FOLLOWS) b = placeOfNeighbour(fleet, v, rank, random);
      if (b === a || b < 0) continue;
      target[0] = b;
      size = 1;
    } else {
      kind -= SHIFTS;
      const isChain = kind >= NEIGHBOURS && kind < NEIGHBOURS + CHAINS;
      if (kind < NEIGHBOURS || (isChain && random() < FOLLOWS)) {
        b = placeOfNeighbour(fleet, v, rank, random);
        if (b < 0) continue;
      }
      const others = here[b];
      if (b === a || others.length === 0) continue;
      const w = others[Math.floor(random() * others.length)];
      target[0] = b;
      moved[1] = w;
      kind -= kind < NEIGHBOURS ? NEIGHBOURS : NEIGHBOURS + CHAINS;
      if (isChain) {
        c = random() < CHAIN_RETURNS ? home[w] : near[b * NEAR + Math.floor(NEAR * random() ** 2)];
        if (c === a || c === b) continue;
        target[1] = c;
        atB -= capacity[w];
        atC = capacity[w];
      } else if (kind < ONE_FOR_ONE + ONE_FOR_TWO + TWO_FOR_TWO) {
        target[1] = a;
        atA += capacity[w];
        atB -= capacity[w];
        if (kind >= ONE_FOR_ONE) {
          if (others.length < 2) continue;
          const second = others[(slot[w] + 1 + Math.floor(random() * (others.length - 1))) % others.length];
          moved[2] = second;
          target[2] = a;
          size = 3;
          atA += capacity[second];
          atB -= capacity[second];
          if (kind >= ONE_FOR_ONE + ONE_FOR_TWO) {
            const mates = here[a];
            if (mates.length < 2) continue;
            const mate = mates[(slot[v] + 1 + Math.floor(random() * (mates.length - 1))) % mates.length];
            moved[3] = mate;
            target[3] = b;
            size = 4;
            atA -= capacity[mate];
            atB += capacity[mate];
          }
        }
      } else {
        c = near[b * NEAR + Math.floor(NEAR * random())];
        if (c === a || c === b || here[c].length === 0) continue;
        const third = here[c][Math.floor(random() * here[c].length)];
        target[1] = c;
        moved[2] = third;
        target[2] = a;
        size = 3;
        atA += capacity[third];
        atB -= capacity[w];
        atC = capacity[w] - capacity[third];
      }
    }
    let cost = 0;
    for (let m = 0; m < size; m++) {
      const row = home[moved[m]] * n;
      cost += costs[row + target[m]] - costs[row + at[moved[m]]];
    }
    const unmetA = Math.max(0, -spare[a] - atA) - Math.max(0, -spare[a]);
    const unmetB = Math.max(0, -spare[b] - atB) - Math.max(0, -spare[b]);
    const unmetC = c < 0 ? 0 : Math.max(0, -spare[c] - atC) - Math.max(0, -spare[c]);
    const unmet = unmetA + unmetB + unmetC;
    let rise = cost + price * unmet + each[a] * unmetA + each[b] * unmetB;
    if (c >= 0) rise += each[c] * unmetC;
    if (rise > 0 && rise > -loss * Math.log(1 - random())) continue;
    for (let m = 0; m < size; m++) send(fleet, spare, moved[m], target[m]);
    state.unmet += unmet;
  }
}

/** Where a vehicle is whose home is near that of v; −1: there is none. */
function placeOfNeighbour(
  { at, home, nearHomes, fromHere }: CityFleet,
  v: number,
  rank: number,
  random: () => number,
): number {
  const neighbours = fromHere[nearHomes[home[v] * NEAR + rank]];
  return neighbours.length === 0 ? -1 : at[neighbours[Math.floor(random() * neighbours.length)]];
}

function send({ capacity, at, slot, here }: CityFleet, spare: Float64Array, v: number, to: number): void {
  const left = here[at[v]];
  const last = left.pop()!;
  if (last !== v) {
    left[slot[v]] = last;
    slot[last] = slot[v];
  }
  slot[v] = here[to].push(v) - 1;
  spare[at[v]] -= capacity[v];
  at[v] = to;
  spare[to] += capacity[v];
}

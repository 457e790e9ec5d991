/**
 * Where the vehicles of a plan are, what they serve, and what broken limits cost, in cost units. Each limit has a
 * price, which rises while it is broken and falls while it is kept. With a fleet size, the smallest loads beyond it do
 * not count; who else serves is decided by `evaluate.ts`.
 */
import { UNITS_PER_COST } from '../problem/costs.ts';
import { floorSlack, floorsOf, levelAt } from '../problem/floors.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { hasChangeCost, targetGroups } from '../problem/previous.ts';
import { leastServed } from '../problem/service-level.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import { createServingLoads } from './serving-loads.ts';

const RISE = 1.002;
const FALL = 0.9995;

export type Stock = ReturnType<typeof createStock>;

/** @param usual what a move costs on average, in cost units, with its share of a pair */
export function createStock(problem: Problem, usual: number) {
  const { demand, supply, capacities, unmetCost, limits } = problem;
  const n = demand.length;
  const classes = capacities.length;
  const staying = supply.slice();
  const here = new Int32Array(n);
  const capacity = new Float64Array(n);
  const floors = [
    ...floorsOf(problem).map(({ level, served }) => ({ level, least: served - floorSlack(problem) })),
    { level: 0, least: leastServed(problem) },
  ];
  const served = new Float64Array(floors.length);
  const missingPrice = new Float64Array(floors.length).fill((2 * usual) / capacities[0]);
  let misplacedPrice = 2 * usual;
  const loads =
    limits.totalFleetSize === Number.POSITIVE_INFINITY ? null : createServingLoads(problem, supply);
  const unmetUnits = (j: number) => (unmetCost ? unmetCost[j] * UNITS_PER_COST : 0);
  const servedAt = (j: number, present: number) => Math.min(demand[j], Math.max(0, present));
  const least = Float64Array.from(demand, (_, j) => leastAt(problem, j));
  const most = Float64Array.from(demand, (_, j) => mostAt(problem, j));
  const outside = (j: number, vehicles: number) => Math.max(0, vehicles - most[j], least[j] - vehicles);
  const hasBounds = hasLocationBounds(problem);
  const changes = hasChangeCost(problem) ? createChanges(problem, staying) : null;
  let unmet = 0;
  let misplaced = 0;
  for (let at = 0; at < supply.length; at++) {
    here[at % n] += supply[at];
    capacity[at % n] += supply[at] * capacities[Math.floor(at / n)];
  }
  for (let j = 0; j < n; j++) {
    serve(j, servedAt(j, capacity[j]));
    unmet += unmetUnits(j) * demand[j];
    misplaced += outside(j, here[j]);
  }

  function serve(j: number, gained: number): void {
    const level = levelAt(problem, j);
    for (let f = 0; f < floors.length; f++) if (level >= floors[f].level) served[f] += gained;
    unmet -= unmetUnits(j) * gained;
  }
  function change(j: number, k: number, by: number): void {
    const before = servedAt(j, capacity[j]);
    misplaced += outside(j, here[j] + by) - outside(j, here[j]);
    here[j] += by;
    capacity[j] += by * capacities[k];
    serve(j, servedAt(j, capacity[j]) - before);
    loads?.change(j, k, by);
  }
  /** Demand of a floor that is not served. */
  function missingOf(f: number): number {
    const uncounted = f === floors.length - 1 && loads ? loads.uncounted() : 0;
    return Math.max(0, floors[f].least - served[f] + uncounted);
  }
  /** What a unit of served demand is worth. */
  function worthAt(j: number): number {
    const level = levelAt(problem, j);
    let worth = unmetUnits(j);
    for (let f = 0; f < floors.length; f++) if (level >= floors[f].level) worth += missingPrice[f];
    return worth;
  }
  /** What this many vehicles more or fewer cost because of bounds per location. */
  const misplacedUnits = (j: number, by: number) =>
    misplacedPrice * (outside(j, here[j] + by) - outside(j, here[j]));
  return {
    /** K × n: vehicles that have not left their location. */
    staying,
    /** n: vehicles at a location, and their capacity. */
    here,
    capacity,
    least,
    most,
    servedAt,
    /** Cost of unmet demand, and of changes of a previous plan. */
    otherUnits: () => unmet + (changes?.units() ?? 0),
    /** The prices of all limits that are broken. */
    penalty(): number {
      let sum = misplacedPrice * misplaced;
      for (let f = 0; f < floors.length; f++) sum += missingPrice[f] * missingOf(f);
      return sum;
    },
    keepsLimits: () => misplaced === 0 && floors.every((_, f) => missingOf(f) === 0),
    worthAt,
    /** What a vehicle that serves displaces, where the fleet size allows no more. */
    servingUnits: () => (loads ? loads.threshold() * missingPrice[floors.length - 1] : 0),
    misplacedUnits,
    /** The most that a vehicle saves by leaving its location, or by going where a previous plan sends it. */
    mostRelief: () => (hasBounds ? misplacedPrice : 0) + (changes ? problem.previous!.changeUnits : 0),
    /** What these vehicles of i, by class, cost there and in changes if they go to j. */
    leavingUnits(i: number, j: number, counts: Int32Array, count: number, brought: number): number {
      const lost = servedAt(i, capacity[i]) - servedAt(i, capacity[i] - brought);
      let sum = lost > 0 ? lost * worthAt(i) : 0;
      if (hasBounds) sum += misplacedUnits(i, -count);
      for (let k = 0; changes && k < classes; k++) if (counts[k] > 0) sum += changes.more(i, j, k, counts[k]);
      return sum;
    },
    /** The capacity of vehicles by class; vehicles that stay at their location. */
    capacityOf(counts: Int32Array): number {
      let sum = 0;
      for (let k = 0; k < classes; k++) sum += counts[k] * capacities[k];
      return sum;
    },
    stayingAt(i: number): number {
      let vehicles = 0;
      for (let k = 0; k < classes; k++) vehicles += staying[k * n + i];
      return vehicles;
    },
    send(i: number, j: number, k: number, count: number): void {
      changes?.send(i, j, k, count);
      change(i, k, -count);
      change(j, k, count);
      staying[k * n + i] -= count;
    },
    adaptPrices(): void {
      misplacedPrice *= misplaced > 0 ? RISE : FALL;
      for (let f = 0; f < floors.length; f++) missingPrice[f] *= missingOf(f) > 0 ? RISE : FALL;
    },
  };
}

/** The cost of vehicles that go elsewhere than a previous plan sends them. @param staying K × n, kept up to date */
function createChanges(problem: Problem, staying: Int32Array) {
  const n = problem.locationIds.length;
  const each = problem.previous!.changeUnits;
  const wanted = new Map<number, number>();
  const going = new Map<number, number>();
  const keyOf = (i: number, j: number, k: number) => (k * n + i) * n + j;
  let units = 0;
  for (const { capacityClass: k, location, target, count } of targetGroups(problem)) {
    wanted.set(keyOf(location, target, k), count);
    units += each * (location === target ? Math.max(0, count - staying[k * n + location]) : count);
  }
  const keeping = (key: number, vehicles: number) => Math.min(wanted.get(key) ?? 0, vehicles);
  function more(i: number, j: number, k: number, count: number): number {
    const [there, stays] = [keyOf(i, j, k), keyOf(i, i, k)];
    const now = going.get(there) ?? 0;
    const left = staying[k * n + i];
    const kept = keeping(there, now + count) - keeping(there, now);
    return each * (keeping(stays, left) - keeping(stays, left - count) - kept);
  }
  return {
    units: () => units,
    more,
    /** Before `staying` changes. */
    send(i: number, j: number, k: number, count: number): void {
      units += more(i, j, k, count);
      const there = keyOf(i, j, k);
      going.set(there, (going.get(there) ?? 0) + count);
    },
  };
}

/**
 * The smallest number of additional vehicles, placed where they help most, that makes a plan possible. They start at a
 * location outside, from where all moves are free. While there is room, an additional vehicle never makes a plan
 * impossible, so the number is found by bisection.
 */

import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { homeOf } from '../problem/pinned-places.ts';
import { mostCommonClass } from '../problem/serving.ts';
import { splitDemand } from '../problem/steps.ts';
import { countVehicles, MAX_VEHICLES } from '../problem/variants.ts';
import type { Stopping } from '../run/stopping.ts';
import { type Bisected, bisect } from './bisect.ts';
import { findPlan } from './feasibility.ts';

/** Vehicles to add at a location. */
export type Addition = { location: number; vehicles: number };

export type VehiclesNeeded = Omit<Bisected, 'plan'> & {
  /** Demand that each serves: as a vehicle of the fleet's most common capacity. */
  capacity: number;
  /** Where they can be put; empty if no number was found. */
  additions: Addition[];
};

export async function findVehiclesNeeded(problem: Problem, control: Stopping): Promise<VehiclesNeeded> {
  const common = mostCommonClass(problem) ?? 0;
  const withPlace = withPlaceOutside(problem);
  const most = mostToAdd(problem);
  const found = await bisect(most, control, (position, part) =>
    findPlan(withVehiclesFromOutside(withPlace, common, position + 1), part),
  );
  const count = (position: number | null) => (position === null ? null : position + 1);
  return {
    nearest: count(found.nearest),
    tooTight: count(found.tooTight),
    proved: found.proved && (found.nearest !== null || most === mostOfUse(problem)),
    capacity: commonCapacity(problem),
    additions: found.plan ? fromOutside(problem, found.plan.moves) : [],
  };
}

/** Vehicles that come from the outside location, by target. */
function fromOutside(problem: Problem, moves: Moves): Addition[] {
  const n = problem.locationIds.length;
  const byLocation = new Int32Array(n);
  for (let m = 0; m < moves.count.length; m++) {
    if (moves.source[m] === n) byLocation[moves.target[m]] += moves.count[m];
  }
  return [...byLocation].flatMap((vehicles, location) => (vehicles > 0 ? [{ location, vehicles }] : []));
}

/**
 * The problem with as many vehicles of the common capacity at the outside location as can be of use (and are searched
 * for). The outside location is the last one; its moves are free.
 */
export function withAnySupply(problem: Problem): Problem {
  const common = mostCommonClass(problem) ?? 0;
  return withVehiclesFromOutside(withPlaceOutside(problem), common, mostToAdd(problem));
}

/** The problem with vehicles of the common capacity added. */
export function withAdditions(problem: Problem, additions: readonly Addition[]): Problem {
  const n = problem.locationIds.length;
  const common = mostCommonClass(problem) ?? 0;
  const capacities =
    problem.capacities.length > 0 ? problem.capacities : Float64Array.of(problem.capacityPerVehicle);
  const supply = problem.capacities.length > 0 ? problem.supply.slice() : new Int32Array(n);
  for (const { location, vehicles } of additions) supply[common * n + location] += vehicles;
  return { ...problem, capacities, supply };
}

function commonCapacity(problem: Problem): number {
  const common = mostCommonClass(problem);
  return common === null ? problem.capacityPerVehicle : problem.capacities[common];
}

/**
 * The largest number of vehicles of the common capacity that can be of use; those without room at any location are not.
 */
function mostOfUse(problem: Problem): number {
  const capacity = commonCapacity(problem);
  let most = 0;
  let room = -countVehicles(problem);
  for (const [j, demand] of problem.demand.entries()) {
    const { full, rest } = splitDemand(demand, capacity);
    most += leastAt(problem, j) + full + (rest > 0 ? 1 : 0);
    room += mostAt(problem, j);
  }
  return Math.max(0, Math.min(most, room));
}

/** The same, capped at the searched number. */
function mostToAdd(problem: Problem): number {
  return Math.max(0, Math.min(mostOfUse(problem), MAX_VEHICLES - countVehicles(problem)));
}

/** The problem with one more location, last: vehicles leave it to any location at no cost, and none go there. */
function withPlaceOutside(problem: Problem): Problem {
  const n = problem.locationIds.length;
  const classes = Math.max(1, problem.capacities.length);
  const supply = new Int32Array(classes * (n + 1));
  for (let k = 0; k < problem.capacities.length; k++) {
    supply.set(problem.supply.subarray(k * n, (k + 1) * n), k * (n + 1));
  }
  const costUnits = new Float64Array((n + 1) * (n + 1));
  const distanceKm = problem.network.distanceKm && new Float64Array(costUnits.length);
  for (let i = 0; i < n; i++) {
    costUnits.set(problem.network.costUnits.subarray(i * n, (i + 1) * n), i * (n + 1));
    costUnits[i * (n + 1) + n] = Number.POSITIVE_INFINITY;
    distanceKm?.set(problem.network.distanceKm!.subarray(i * n, (i + 1) * n), i * (n + 1));
  }
  for (let j = 0; j < n; j++)
    if (homeOf(problem, j) >= 0) costUnits[n * (n + 1) + j] = Number.POSITIVE_INFINITY;
  return {
    ...problem,
    locationIds: Int32Array.from([...problem.locationIds, 2147483647]),
    capacities:
      problem.capacities.length > 0 ? problem.capacities : Float64Array.of(problem.capacityPerVehicle),
    supply,
    demand: Float64Array.from([...problem.demand, 0]),
    network: { costUnits, distanceKm },
    greatCircle: null,
    hasPlaceOutside: true,
  };
}

/** With `count` vehicles at the outside location. They may leave, or stay there. */
function withVehiclesFromOutside(problem: Problem, common: number, count: number): Problem {
  const places = problem.locationIds.length;
  const supply = problem.supply.slice();
  supply[common * places + places - 1] = count;
  return { ...problem, supply };
}

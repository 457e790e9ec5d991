/**
 * Configurations of a location: numbers of vehicles by class that a plan can have there. If the fleet is just large
 * enough, the service level leaves little capacity unused and little demand unserved. Then a location has few
 * configurations: each may waste no more capacity than the whole fleet may, and leave no more demand unmet than all
 * locations may. `configuration-model.ts` chooses one per location.
 */
import { demandFrom, floorSlack, floorsOf, levelAt } from '../problem/floors.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { leastServed, totalDemand } from '../problem/service-level.ts';
import { hasUnmetCost } from '../problem/unmet-cost.ts';

/** More take longer to choose from than branch and cut takes without them. */
const MAX_CONFIGURATIONS = 3000;
/** Numbers of vehicles looked at, so that the list of a large fleet ends within a few milliseconds. */
const MAX_LOOKS = 20 * MAX_CONFIGURATIONS;
/** Relative to the capacity of all vehicles: sums of capacities may be off by this. */
const SUM_NOISE = 1e-9;

/** `vehicles`: by class. `unmet`: demand of the location that these leave unserved. */
export type Configuration = { location: number; vehicles: number[]; unmet: number };

/** The configurations of all locations; null if they are too many, or rules count vehicles in other ways. */
export function listConfigurations(problem: Problem): Configuration[] | null {
  const { demand, capacities, supply, limits } = problem;
  if (limits.totalFleetSize !== Number.POSITIVE_INFINITY || problem.pinnedPlaces || hasUnmetCost(problem)) {
    return null;
  }
  const n = demand.length;
  const fleet = Array.from(capacities, (_, k) =>
    supply.subarray(k * n, (k + 1) * n).reduce((sum, count) => sum + count, 0),
  );
  /** What all vehicles of the class and the smaller ones can serve. */
  const reach: number[] = [];
  for (const [k, capacity] of capacities.entries()) reach.push((reach[k - 1] ?? 0) + fleet[k] * capacity);
  const all = reach.at(-1) ?? 0;
  const mayWaste = all - leastServed(problem) + SUM_NOISE * all;
  const found: Configuration[] = [];
  const vehicles = fleet.map(() => 0);
  let looks = 0;

  for (let j = 0; j < n; j++) {
    const mayMiss = mostUnmetAt(problem, j);
    const [least, most] = [leastAt(problem, j), mostAt(problem, j)];
    /** @param open demand that the classes above k leave unserved; `here`: their vehicles @returns whether to go on */
    const list = (k: number, open: number, here: number): boolean => {
      if (++looks > MAX_LOOKS) return false;
      if (k < 0) {
        if (here >= least) found.push({ location: j, vehicles: vehicles.slice(), unmet: Math.max(0, open) });
        return found.length <= MAX_CONFIGURATIONS;
      }
      const needed = Math.ceil((open - mayMiss - (k > 0 ? reach[k - 1] : 0)) / capacities[k]);
      for (let count = Math.max(0, needed); count <= Math.min(fleet[k], most - here); count++) {
        const left = open - count * capacities[k];
        if (-left > mayWaste) break;
        vehicles[k] = count;
        if (!list(k - 1, left, here + count)) return false;
      }
      vehicles[k] = 0;
      return true;
    };
    if (!list(capacities.length - 1, demand[j], 0)) return null;
  }
  return found;
}

/** The demand that may be unmet at a location even if all is served elsewhere. */
function mostUnmetAt(problem: Problem, j: number): number {
  let most = totalDemand(problem.demand) - leastServed(problem);
  for (const { level, served } of floorsOf(problem)) {
    if (levelAt(problem, j) >= level)
      most = Math.min(most, demandFrom(problem, level) - served + floorSlack(problem));
  }
  return most;
}

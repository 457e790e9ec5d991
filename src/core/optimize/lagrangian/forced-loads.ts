/**
 * Floors (`problem/floors.ts`) that are as high as reach allows, as loads that have to be served.
 *
 * The sets of loads that can be served at the same time are the independent sets of a matroid
 * (`problem/distances/reachable.ts`). Put the loads in order: by priority level, then by gain; equal ones are a group.
 * The greedy choice takes as many of every prefix as any set can. A plan that serves as much of every level as it does
 * takes as many of every prefix, too, so it serves **as many of every group**: of most groups all or none. Only loads
 * of equal gain leave a choice.
 *
 * The service level, which has a multiplier, asks for more of the loads of lower levels. If it asks for all that can be
 * served, they are groups as well.
 */
import { reachByLevel } from '../problem/distances/reachable.ts';
import { floorSlack, floorsOf, levelAt } from '../problem/floors.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { leastServed } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';

/** Gains that differ by less than this share of the capacity are equal: sums of decimals. */
const GAIN_NOISE = 1e-11;
/** More ranks would need multipliers beyond exact sums. */
const MAX_RANK = 50;

/** Loads of which exactly `served` are served: full loads, or the parts of a load, of these locations. */
type LoadGroup = { isPart: boolean; locations: Int32Array; loads: number; served: number };

export type ForcedLoads = {
  groups: LoadGroup[];
  /** n each: the higher, the sooner a full load, or the part of a load, is served; 0: nothing forces it. */
  fullRank: Float64Array;
  partRank: Float64Array;
  highest: number;
};

/**
 * @returns `moves`: a plan that keeps the floors and, at any cost, serves the most; `isAllForced`: the service level
 *   needs no multiplier; `infeasible`: no plan keeps the floors and the service level, whatever it costs; null: floors
 *   lower than reach allows, or too many groups
 */
export function forceLoads(
  problem: Problem,
  isOver: () => boolean,
): { forced: ForcedLoads; isAllForced: boolean; moves: Moves } | 'infeasible' | null {
  const floors = floorsOf(problem);
  if (problem.capacities.length !== 1 || problem.locationIds.length > MAX_MATRIX_LOCATIONS) return null;
  const reached = reachByLevel(problem, [...floors.map(({ level }) => level), 0], isOver);
  if (!reached) return null;
  const n = problem.demand.length;
  const [capacity] = problem.capacities;
  const rest = Float64Array.from(problem.demand, (demand) => splitDemand(demand, capacity).rest);
  const most = (level: number) => {
    let sum = 0;
    for (let j = 0; j < n; j++) {
      if (levelAt(problem, j) >= level) sum += reached.full[j] * capacity + reached.part[j] * rest[j];
    }
    return sum;
  };
  const slack = floorSlack(problem);
  for (const { level, served } of floors) {
    if (served - slack > most(level)) return 'infeasible';
    if (served + slack < most(level)) return null;
  }
  const required = leastServed(problem);
  if (required > most(0)) return 'infeasible';
  const isAllForced = required + 2 * slack >= most(0);
  const groups: LoadGroup[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (const level of [...floors.map((floor) => floor.level), ...(isAllForced ? [0] : [])]) {
    const at = [...rest.keys()].filter((j) => levelAt(problem, j) >= level && levelAt(problem, j) < before);
    before = level;
    groups.push(...groupLoads(problem, at, reached));
  }
  const forced = rankGroups(n, groups);
  return forced && { forced, isAllForced, moves: reached.moves };
}

function groupLoads(
  { demand, capacities: [capacity] }: Problem,
  at: readonly number[],
  { full, part }: { full: Int32Array; part: Int32Array },
): LoadGroup[] {
  const split = at.map((j) => ({ j, ...splitDemand(demand[j], capacity) }));
  const fullLoads = {
    isPart: false,
    at: [...at],
    loads: split.reduce((sum, one) => sum + one.full, 0),
    served: at.reduce((sum, j) => sum + full[j], 0),
  };
  const groups = [fullLoads];
  let gain = Number.POSITIVE_INFINITY;
  for (const { j, rest } of split
    .filter(({ rest }) => rest > 0)
    .sort((a, b) => b.rest - a.rest || a.j - b.j)) {
    if (rest < gain - GAIN_NOISE * capacity) {
      groups.push({ isPart: true, at: [], loads: 0, served: 0 });
      gain = rest;
    }
    const group = groups[groups.length - 1];
    group.at.push(j);
    group.loads++;
    group.served += part[j];
  }
  return groups
    .filter(({ served }) => served > 0)
    .map(({ at: locations, ...group }) => ({ ...group, locations: Int32Array.from(locations) }));
}

/** Groups that are served in full share a rank, up to the next one that is not. */
function rankGroups(n: number, groups: LoadGroup[]): ForcedLoads | null {
  let rank = 0;
  let wasPartly = true;
  const ranks = groups.map(({ loads, served }) => {
    const isPartly = served < loads;
    if (isPartly || wasPartly) rank++;
    wasPartly = isPartly;
    return rank;
  });
  if (rank > MAX_RANK) return null;
  const forced = {
    groups,
    fullRank: new Float64Array(n),
    partRank: new Float64Array(n),
    highest: rank,
  };
  for (const [g, { isPart, locations }] of groups.entries()) {
    for (const j of locations) (isPart ? forced.partRank : forced.fullRank)[j] = rank + 1 - ranks[g];
  }
  return forced;
}

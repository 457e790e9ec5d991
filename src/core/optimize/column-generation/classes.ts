/**
 * The base model of several capacity classes, of bounds per location, or of unmet demand that has a cost. Integer
 * columns per (k, j): in_jk, out_jk: vehicles that arrive and leave; idle_jk, only with total_fleet_size: vehicles
 * present but not counted. Per location u_j: unserved demand, at its cost.
 *
 *   leaving  (k, i)   out_ik − Σ_j x_ijk ≥ 0
 *   arriving (k, j)   Σ_i x_ijk − in_jk ≥ 0      (= 0 with bounds per location)
 *   demand j          u_j + Σ_k cap_k (in − out − idle)_jk ≥ D_j − Σ_k cap_k s_jk
 *   service level     Σ_j u_j ≤ (1 − min_service_level) Σ_j D_j + artificial
 *   counted (k, j)    in − out − idle ≥ −s_jk
 *   fleet size        Σ (in − out − idle) ≤ total_fleet_size − Σ s
 *   floor             Σ u_j ≤ Σ D_j − served + artificial, over the locations of a priority level or a higher one
 *   vehicles at j     min_j ≤ Σ_k (s + in − out)_jk ≤ max_j
 *
 * s_jk counts pinned vehicles at their location; out_jk is at most the others.
 *
 * Given whole values of these, the moves are a transportation problem with integral vertices. Arrivals and departures
 * have separate columns, rather than one for their difference, because the cuts that matter (`hull-cuts.ts`) are
 * written in them.
 * O(nK) rows and columns. Units: money, and demand in units of `demandScale`.
 */
import { feasibilityTolerance, leastUnits } from '../direct/formulation.ts';
import { createRowBuilder, type RowBuilder } from '../highs/linear-model.ts';
import { demandFrom, floorsOf, levelAt } from '../problem/floors.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { movableVehicles, standingVehicles } from '../problem/pinned-places.ts';
import { requiredDemand, SERVICE_TOLERANCE, totalDemand } from '../problem/service-level.ts';
import type { BaseModel } from './base-model.ts';
import { classesSize, layoutClasses } from './classes-layout.ts';

/** Demand below this share of the largest capacity would be lost in rows measured in that capacity. */
const MIN_LOAD = 1e-3;

/** A vehicle serves no more than the largest demand. If that is small, capacities are cut to it. */
export function usefulCapacities({ capacities, demand }: Problem): Float64Array {
  const most = demand.reduce((largest, d) => Math.max(largest, d), 0);
  if (most === 0 || most >= MIN_LOAD * capacities[capacities.length - 1]) return capacities;
  return capacities.map((capacity) => Math.min(capacity, most));
}

export function createClassesBase(problem: Problem, isBounded: boolean): BaseModel {
  const n = problem.locationIds.length;
  const { demand, limits } = problem;
  const standing = standingVehicles(problem);
  const movable = movableVehicles(problem);
  const capacities = usefulCapacities(problem);
  const classes = capacities.length;
  const size = classes * n;
  const {
    out,
    idle,
    hasIdle,
    integerColumns,
    unmet,
    firstArtificial,
    fromNowhere,
    toNowhere,
    placeShort,
    floorShort,
    columnCount,
  } = layoutClasses(classesSize(problem, isBounded));
  const demandScale = capacities[classes - 1];
  const rows = createRowBuilder(16 * size + 8 * n);
  const most = isBounded ? 0 : Number.POSITIVE_INFINITY;

  for (let at = 0; at < size; at++) {
    rows.add(out + at, 1);
    if (isBounded) rows.add(toNowhere + at, -1);
    rows.end(0, most);
  }
  for (let at = 0; at < size; at++) {
    rows.add(at, -1);
    rows.add(fromNowhere + at, 1);
    rows.end(0, most);
  }
  for (let j = 0; j < n; j++) {
    let least = demand[j];
    for (let k = 0; k < classes; k++) {
      const capacity = capacities[k] / demandScale;
      rows.add(k * n + j, capacity);
      rows.add(out + k * n + j, -capacity);
      if (hasIdle) rows.add(idle + k * n + j, -capacity);
      least -= capacities[k] * standing[k * n + j];
    }
    rows.add(unmet + j, 1);
    rows.end(least / demandScale, Number.POSITIVE_INFINITY);
  }
  for (let j = 0; j < n; j++) rows.add(unmet + j, 1);
  rows.add(firstArtificial, -1);
  const total = totalDemand(demand);
  const mayMiss = total - requiredDemand(problem) + (SERVICE_TOLERANCE * total) / 2;
  rows.end(Number.NEGATIVE_INFINITY, mayMiss / demandScale);
  if (hasIdle) {
    let fleet = 0;
    for (let at = 0; at < size; at++) {
      rows.add(at, 1);
      rows.add(out + at, -1);
      rows.add(idle + at, -1);
      rows.end(-standing[at], Number.POSITIVE_INFINITY);
      fleet += standing[at];
    }
    for (let at = 0; at < size; at++) {
      rows.add(at, 1);
      rows.add(out + at, -1);
      rows.add(idle + at, -1);
    }
    rows.end(Number.NEGATIVE_INFINITY, limits.totalFleetSize - fleet);
  }
  addFloorRows(rows, problem, { unmet, floorShort, demandScale });
  if (isBounded) addBoundRows(rows, problem, { standing, out, placeShort });

  const upper = new Float64Array(columnCount);
  for (let k = 0; k < classes; k++) {
    let fleet = 0;
    for (let j = 0; j < n; j++) fleet += movable[k * n + j];
    for (let j = 0; j < n; j++) {
      const at = k * n + j;
      // Without bounds per location a vehicle arrives only to serve.
      const arriving = isBounded ? fleet : Math.min(fleet, Math.ceil(demand[j] / capacities[k]));
      upper[at] = Math.min(arriving, fleet - movable[at]);
      upper[out + at] = movable[at];
      if (hasIdle) upper[idle + at] = fleet + standing[at];
      upper[fromNowhere + at] = upper[at];
      if (isBounded) upper[toNowhere + at] = movable[at];
    }
  }
  const cost = new Float64Array(columnCount);
  for (let j = 0; j < n; j++) {
    upper[unmet + j] = demand[j] / demandScale;
    if (problem.unmetCost) cost[unmet + j] = problem.unmetCost[j] * demandScale;
  }
  upper[firstArtificial] = total / demandScale;
  const vehicles = standing.reduce((sum, count) => sum + count, 0);
  if (isBounded) upper.fill(vehicles + limits.minVehiclesPerLocation, placeShort, floorShort);
  upper.fill(total / demandScale, floorShort);
  return {
    model: {
      columnCount,
      cost,
      lower: new Float64Array(columnCount),
      upper,
      ...rows.finish(),
    },
    integerColumns,
    firstArtificial,
    serviceRow: 2 * size + n,
    sourceRow: Int32Array.from({ length: size }, (_, at) => at),
    targetRow: Int32Array.from({ length: size }, (_, at) => size + at),
    limitsLeaving: true,
    firstUnmet: unmet,
    hasIdle,
    demandScale,
    tolerance: feasibilityTolerance(problem, demandScale),
  };
}

/** A row per floor, each with its artificial column. */
function addFloorRows(
  rows: RowBuilder,
  problem: Problem,
  { unmet, floorShort, demandScale }: { unmet: number; floorShort: number; demandScale: number },
): void {
  for (const [f, { level, served }] of floorsOf(problem).entries()) {
    for (let j = 0; j < problem.demand.length; j++) if (levelAt(problem, j) >= level) rows.add(unmet + j, 1);
    rows.add(floorShort + f, -1);
    const least = leastUnits(problem, served, demandScale, false);
    rows.end(Number.NEGATIVE_INFINITY, demandFrom(problem, level) / demandScale - least);
  }
}

/** A row of the vehicles at each location, with its artificial columns. */
function addBoundRows(
  rows: RowBuilder,
  problem: Problem,
  { standing, out, placeShort }: { standing: Int32Array; out: number; placeShort: number },
): void {
  const n = problem.locationIds.length;
  for (let j = 0; j < n; j++) {
    let here = 0;
    for (let k = 0; k < problem.capacities.length; k++) {
      rows.add(k * n + j, 1);
      rows.add(out + k * n + j, -1);
      here += standing[k * n + j];
    }
    rows.add(placeShort + j, 1);
    rows.add(placeShort + n + j, -1);
    rows.end(leastAt(problem, j) - here, mostAt(problem, j) - here);
  }
}

/**
 * The most demand that vehicles of any classes can serve at any cost, as an integer programme. Integer columns per (k,
 * j): z vehicles that serve and, only with bounds of vehicles per location, w idle vehicles; and per location u_j,
 * unserved demand.
 *
 *   minimise  Σ_j u_j
 *   demand j             u_j + Σ_k min(cap_k, D_j) z_jk ≥ D_j
 *   fleet size           Σ z ≤ total_fleet_size
 *   class k              Σ_j (z + w)_jk ≤ its vehicles;  with bounds per location =, as every vehicle is somewhere
 *   vehicles at j        min_j ≤ Σ_k (z + w)_jk ≤ max_j
 *   floor                Σ u_j ≤ what may stay unserved of a priority level and all higher ones
 *   reach of (k, S)      Σ_{j ∈ S} (z + w)_jk ≤ vehicles of class k that may come to S;  if violated (`cut-sets.ts`)
 *
 * To find how much bounds have to be loosened (`../looser-bounds.ts`), e_j loosens the one of location j, Σ e is
 * minimised, and Σ u is at most what the service level leaves open.
 *
 * It has no moves: 4 classes and 263 locations make some thousand columns instead of 280,000.
 * Units: demand by `demandScale`.
 */
import { feasibilityTolerance } from '../../direct/formulation.ts';
import { createRowBuilder, type LinearModel } from '../../highs/linear-model.ts';
import type { NewRow } from '../../highs/solver-model.ts';
import { demandFrom, floorSlack, floorsOf, levelAt } from '../../problem/floors.ts';
import { leastAt, mostAt } from '../../problem/location-bounds.ts';
import type { Problem } from '../../problem/model.ts';
import { homeOf } from '../../problem/pinned-places.ts';
import { requiredDemand, totalDemand } from '../../problem/service-level.ts';
import { splitDemand } from '../../problem/steps.ts';
import { countVehicles, hasLocationBounds } from '../../problem/variants.ts';
import type { Reach } from './class-reach.ts';

export type CoverageModel = {
  model: LinearModel;
  /** z by k · n + j, then w if there are bounds per location; u comes after them, then e. */
  integerColumns: number;
  isBounded: boolean;
  demandScale: number;
  tolerance: number;
};

/** Which bounds per location may be loosened: the minimums or the maximums. */
export type BoundSide = 'least' | 'most';

/** @param loosened bounds that are loosened as little as possible in total; absent: the most demand is served */
export function createCoverageModel(problem: Problem, reach: Reach, loosened?: BoundSide): CoverageModel {
  const n = problem.locationIds.length;
  const { capacities, supply, demand, limits } = problem;
  const classes = capacities.length;
  const size = classes * n;
  const bounded = hasLocationBounds(problem);
  const integerColumns = bounded ? 2 * size : size;
  const demandScale = capacities[classes - 1];
  const firstLoosened = integerColumns + n;
  const columnCount = firstLoosened + (loosened ? n : 0);
  const upper = new Float64Array(columnCount);
  const rows = createRowBuilder(4 * columnCount);
  for (let j = 0; j < n; j++) {
    upper[integerColumns + j] = demand[j] / demandScale;
    for (let k = 0; k < classes; k++) {
      let near = 0;
      for (const i of reach.sourcesOf[j]) near += supply[k * n + i];
      const { full, rest } = splitDemand(demand[j], capacities[k]);
      upper[k * n + j] = Math.min(near, full + (rest > 0 ? 1 : 0));
      if (bounded) upper[size + k * n + j] = near;
    }
  }
  for (let j = 0; j < n; j++) {
    if (demand[j] === 0) continue;
    for (let k = 0; k < classes; k++) rows.add(k * n + j, Math.min(capacities[k], demand[j]) / demandScale);
    rows.add(integerColumns + j, 1);
    rows.end(demand[j] / demandScale, Number.POSITIVE_INFINITY);
  }
  if (limits.totalFleetSize !== Number.POSITIVE_INFINITY) {
    for (let c = 0; c < size; c++) rows.add(c, 1);
    rows.end(Number.NEGATIVE_INFINITY, limits.totalFleetSize);
  }
  for (const { level, served } of floorsOf(problem)) {
    for (let j = 0; j < n; j++) if (levelAt(problem, j) >= level) rows.add(integerColumns + j, 1);
    const mayMiss = demandFrom(problem, level) - served + floorSlack(problem) / 2;
    rows.end(Number.NEGATIVE_INFINITY, mayMiss / demandScale);
  }
  for (let k = 0; k < classes; k++) {
    let fleet = 0;
    for (let j = 0; j < n; j++) {
      fleet += supply[k * n + j];
      for (let c = k * n + j; c < integerColumns; c += size) rows.add(c, 1);
    }
    rows.end(bounded ? fleet : Number.NEGATIVE_INFINITY, fleet);
  }
  for (let j = 0; bounded && j < n; j++) {
    const addPresent = () => {
      for (let c = j; c < integerColumns; c += n) rows.add(c, 1);
    };
    addPresent();
    if (loosened) {
      const [least, most] = [leastAt(problem, j), mostAt(problem, j)];
      const isLeast = loosened === 'least';
      upper[firstLoosened + j] = mostChange(problem, loosened, j);
      rows.add(firstLoosened + j, isLeast ? 1 : -1);
      rows.end(isLeast ? least : Number.NEGATIVE_INFINITY, isLeast ? Number.POSITIVE_INFINITY : most);
      addPresent();
      rows.end(isLeast ? Number.NEGATIVE_INFINITY : least, isLeast ? most : Number.POSITIVE_INFINITY);
      continue;
    }
    rows.end(leastAt(problem, j), mostAt(problem, j));
  }
  if (loosened) {
    for (let j = 0; j < n; j++) rows.add(integerColumns + j, 1);
    const mayMiss = totalDemand(demand) - requiredDemand(problem) + floorSlack(problem) / 2;
    rows.end(Number.NEGATIVE_INFINITY, mayMiss / demandScale);
  }
  // z and w are each bounded by the vehicles that can be at the location; their sum needs a row.
  for (let at = 0; bounded && at < size; at++) {
    rows.add(at, 1);
    rows.add(size + at, 1);
    rows.end(Number.NEGATIVE_INFINITY, upper[size + at]);
  }
  const cost = new Float64Array(columnCount);
  cost.fill(1, loosened ? firstLoosened : integerColumns);
  return {
    model: { columnCount, cost, lower: new Float64Array(columnCount), upper, ...rows.finish() },
    integerColumns,
    isBounded: bounded,
    demandScale,
    tolerance: feasibilityTolerance(problem, demandScale),
  };
}

/** By how much a bound may change: a minimum to 0, a maximum to all vehicles; those of pinned vehicles' places stay. */
function mostChange(problem: Problem, side: BoundSide, location: number): number {
  const isPlace = homeOf(problem, location) >= 0 || mostAt(problem, location) === Number.POSITIVE_INFINITY;
  if (side === 'least') return leastAt(problem, location);
  return isPlace ? 0 : Math.max(0, countVehicles(problem) - mostAt(problem, location));
}

/** The model with additional rows. */
export function withRows(model: LinearModel, more: readonly NewRow[]): LinearModel {
  const rows = createRowBuilder(
    model.values.length + more.reduce((sum, { indices }) => sum + indices.length, 0),
  );
  for (let r = 0; r < model.rowCount; r++) {
    for (let e = model.starts[r]; e < model.starts[r + 1]; e++) rows.add(model.indices[e], model.values[e]);
    rows.end(model.rowLower[r], model.rowUpper[r]);
  }
  for (const { indices, values, lower, upper } of more) {
    for (let e = 0; e < indices.length; e++) rows.add(indices[e], values[e]);
    rows.end(lower, upper);
  }
  return { ...model, ...rows.finish() };
}

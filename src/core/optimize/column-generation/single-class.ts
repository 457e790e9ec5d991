/**
 * The base model of one capacity class without bounds per location. Integer columns are the steps of
 * `problem/steps.ts`.
 *
 *   balance j       Σ_i x_ij − Σ_i x_ji − full_j − part_j ≥ −s_j      only vehicles present after the moves serve
 *   service level   Σ_j gain · steps + artificial ≥ required
 *   fleet size      Σ steps ≤ total_fleet_size
 *   floor           Σ gain · steps + artificial ≥ served, over the locations of a priority level or a higher one
 *
 * Only service level and fleet size link the locations: a vertex of the linear programme is fractional along few
 * cycles.
 * The row "at most s_i leave" is left out: if moving on costs no less than moving directly, no cheapest plan
 * violates it. Otherwise `master.ts` adds it.
 * O(n) rows and columns. Units: money, and gains in units of `demandScale`.
 */
import { feasibilityTolerance, leastUnits } from '../direct/formulation.ts';
import { createRowBuilder } from '../highs/linear-model.ts';
import { floorsOf, levelAt } from '../problem/floors.ts';
import type { Problem } from '../problem/model.ts';
import { standingVehicles } from '../problem/pinned-places.ts';
import { requiredDemand } from '../problem/service-level.ts';
import { createSteps } from '../problem/steps.ts';
import type { BaseModel } from './base-model.ts';

export function createSingleClassBase(problem: Problem): BaseModel {
  const n = problem.locationIds.length;
  const standing = standingVehicles(problem);
  const { stepGain, stepLocation, stepUpper } = createSteps(problem);
  const count = stepGain.length;
  const demandScale = stepGain.reduce((largest, g) => Math.max(largest, g), 0) || 1;
  const rows = createRowBuilder(4 * count + n);
  for (let j = 0, s = 0; j < n; j++) {
    for (; s < count && stepLocation[s] === j; s++) rows.add(s, -1);
    rows.end(-standing[j], Number.POSITIVE_INFINITY);
  }
  for (let s = 0; s < count; s++) rows.add(s, stepGain[s] / demandScale);
  rows.add(count, 1);
  const isNetwork = stepGain.every((g) => g === problem.capacities[0]);
  const units = (required: number) => leastUnits(problem, required, demandScale, isNetwork);
  const least = units(requiredDemand(problem));
  rows.end(least, Number.POSITIVE_INFINITY);
  if (problem.limits.totalFleetSize !== Number.POSITIVE_INFINITY) {
    for (let s = 0; s < count; s++) rows.add(s, 1);
    rows.end(Number.NEGATIVE_INFINITY, problem.limits.totalFleetSize);
  }
  const floors = floorsOf(problem);
  for (const [f, { level, served }] of floors.entries()) {
    for (let s = 0; s < count; s++) {
      if (levelAt(problem, stepLocation[s]) >= level) rows.add(s, stepGain[s] / demandScale);
    }
    rows.add(count + 1 + f, 1);
    rows.end(units(served), Number.POSITIVE_INFINITY);
  }
  const balance = Int32Array.from({ length: n }, (_, j) => j);
  const columnCount = count + 1 + floors.length;
  const upper = new Float64Array(columnCount);
  upper.set(stepUpper);
  upper[count] = Math.max(0, least);
  for (const [f, { served }] of floors.entries()) upper[count + 1 + f] = Math.max(0, units(served));
  return {
    model: {
      columnCount,
      cost: new Float64Array(columnCount),
      lower: new Float64Array(columnCount),
      upper,
      ...rows.finish(),
    },
    integerColumns: count,
    firstArtificial: count,
    serviceRow: n,
    sourceRow: balance,
    targetRow: balance,
    limitsLeaving: false,
    firstUnmet: -1,
    hasIdle: false,
    demandScale,
    tolerance: feasibilityTolerance(problem, demandScale),
  };
}

/**
 * The base model of one capacity class without bounds per location. Integer columns are the steps of
 * `problem/steps.ts`.
 *
 *   balance j       Σ_i x_ij − Σ_i x_ji − full_j − part_j ≥ −s_j      only vehicles present after the moves serve
 *   service level   Σ_j gain · steps + artificial ≥ required
 *   fleet size      Σ steps ≤ total_fleet_size
 *
 * Only service level and fleet size link the locations: a vertex of the linear programme is fractional along few
 * cycles.
 * The row "at most s_i leave" is left out: if moving on costs no less than moving directly, no cheapest plan
 * violates it. Otherwise `master.ts` adds it.
 * O(n) rows and columns. Units: money, and gains in units of `demandScale`.
 */
import { feasibilityTolerance } from '../direct/formulation.ts';
import { createRowBuilder } from '../highs/linear-model.ts';
import type { Problem } from '../problem/model.ts';
import { allDemand, requiredDemand, SERVICE_TOLERANCE } from '../problem/service-level.ts';
import { createSteps } from '../problem/steps.ts';
import type { BaseModel } from './base-model.ts';

export function createSingleClassBase(problem: Problem): BaseModel {
  const n = problem.locationIds.length;
  const { stepGain, stepLocation, stepUpper } = createSteps(problem);
  const count = stepGain.length;
  const demandScale = stepGain.reduce((largest, g) => Math.max(largest, g), 0) || 1;
  const rows = createRowBuilder(4 * count + n);
  for (let j = 0, s = 0; j < n; j++) {
    for (; s < count && stepLocation[s] === j; s++) rows.add(s, -1);
    rows.end(-problem.supply[j], Number.POSITIVE_INFINITY);
  }
  for (let s = 0; s < count; s++) rows.add(s, stepGain[s] / demandScale);
  rows.add(count, 1);
  const slack = SERVICE_TOLERANCE * allDemand(problem);
  const required = requiredDemand(problem);
  // In whole vehicles if all demand is; otherwise half of the tolerance is left to the solver's arithmetic.
  const isNetwork = stepGain.every((g) => g === problem.capacities[0]);
  const least = isNetwork
    ? Math.ceil((required - slack) / demandScale)
    : (required - slack / 2) / demandScale;
  rows.end(least, Number.POSITIVE_INFINITY);
  if (problem.limits.totalFleetSize !== Number.POSITIVE_INFINITY) {
    for (let s = 0; s < count; s++) rows.add(s, 1);
    rows.end(Number.NEGATIVE_INFINITY, problem.limits.totalFleetSize);
  }
  const balance = Int32Array.from({ length: n }, (_, j) => j);
  const upper = new Float64Array(count + 1);
  upper.set(stepUpper);
  upper[count] = Math.max(0, least);
  return {
    model: {
      columnCount: count + 1,
      cost: new Float64Array(count + 1),
      lower: new Float64Array(count + 1),
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

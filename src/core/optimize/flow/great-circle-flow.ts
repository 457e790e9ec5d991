/**
 * The flow between points on the sphere, without a distance matrix. It is solved on the moves within a radius, which
 * grows until the result is the optimum over all moves within the distance limit.
 *
 * Why a radius is sufficient: the optimum's proof has λ + q_j − α_i − β_j ≤ c_ij with α, β ≥ 0, so a move that costs
 * λ + max q or more (λ: the Lagrangian multiplier, q: costs of unserved demand) never matters. If every move within the
 * radius is listed and λ + max q is at most the cost at the radius, the prices prove the optimum over all moves. If the
 * problem is infeasible within the radius, or that sum is above that cost, the radius grows to what it requires, and at
 * least doubles. At the distance limit nothing is left to prove.
 *
 * Complexity: O(n log n + pairs within the radius) per round, 1–3 rounds.
 */
import { type Coordinates, EARTH_RADIUS_KM } from '../../geo.ts';
import { UNITS_PER_COST } from '../problem/costs.ts';
import { unitVectors } from '../problem/distances/chords.ts';
import { nearCosts } from '../problem/distances/near-costs.ts';
import { checkOf } from '../run/stopping.ts';
import { solveFlow, totalUnits } from './solve-flow.ts';
import type { FlowAmounts, FlowControl, FlowOutcome } from './types.ts';

/** Neighbours within the first radius if the points were spread evenly. */
const FIRST_NEIGHBOURS = 60;

/** Factor on the radius that the Lagrangian multiplier requires: prices are whole units, rounded up. */
const RADIUS_MARGIN = 1.001;

/** Points may coincide, so the radius has a minimum. */
const MIN_RADIUS_KM = 0.01;

export const HALF_CIRCUMFERENCE_KM = Math.PI * EARTH_RADIUS_KM * 1.001;

export type GreatCircleProblem = FlowAmounts & {
  points: readonly Coordinates[];
  costPerKm: number;
  /** Infinity: no limit. */
  maxDistanceKm: number;
};

/**
 * @returns as `solveFlow`, and the radius that the answer was found and proved with
 * @throws as `solveFlow`; OutOfTime while listing moves
 */
export function solveGreatCircleFlow(
  problem: GreatCircleProblem,
  control: FlowControl = {},
): FlowOutcome & { radiusKm: number } {
  const { points, costPerKm } = problem;
  const limitKm = Math.min(problem.maxDistanceKm, HALF_CIRCUMFERENCE_KM);
  const check = checkOf(control);
  // Too few vehicles, or too little demand: the answer is then the most that can be served, over all moves.
  const isShort = Math.min(totalUnits(problem.supply), totalUnits(problem.demand)) < problem.required;
  const dearest = problem.unservedCost?.reduce((most, cost) => Math.max(most, cost), 0) ?? 0;
  let radiusKm = isShort ? limitKm : Math.min(limitKm, measureExtent(points).firstRadiusKm);
  for (;;) {
    const outcome = solveFlow({ ...problem, cost: nearCosts(points, costPerKm, radiusKm, check) }, control);
    if (radiusKm === limitKm || outcome.kind === 'stopped') return { ...outcome, radiusKm };
    const price = outcome.kind === 'solved' ? outcome.duals.service + dearest : null;
    if (price !== null && price <= unitsBeyond(radiusKm, costPerKm)) return { ...outcome, radiusKm };
    radiusKm = widerRadius(radiusKm, price, { costPerKm, limitKm });
  }
}

/** Beyond the radius a move costs at least this many units. */
export function unitsBeyond(radiusKm: number, costPerKm: number): number {
  return Math.floor(radiusKm * costPerKm * UNITS_PER_COST);
}

/**
 * The radius that the Lagrangian multiplier requires (null: nothing was served), at least twice the present one, at
 * most the limit.
 */
export function widerRadius(
  radiusKm: number,
  price: number | null,
  { costPerKm, limitKm }: { costPerKm: number; limitKm: number },
): number {
  const askedKm = price === null ? 0 : price / (costPerKm * UNITS_PER_COST);
  return Math.min(limitKm, Math.max(2 * radiusKm, askedKm * RADIUS_MARGIN));
}

/** No two points are farther apart than `diameterKm`. O(n). */
export function measureExtent(points: readonly Coordinates[]): { firstRadiusKm: number; diameterKm: number } {
  const { x, y, z } = unitVectors(points);
  const extents = [x, y, z].map(extent).sort((a, b) => b - a);
  const area = extents[0] * extents[1] * EARTH_RADIUS_KM ** 2;
  const radiusKm = Math.sqrt((area * FIRST_NEIGHBOURS) / (Math.PI * Math.max(1, points.length)));
  const halfChord = Math.min(1, Math.hypot(...extents) / 2);
  return {
    firstRadiusKm: Math.max(MIN_RADIUS_KM, radiusKm),
    diameterKm: 2 * EARTH_RADIUS_KM * Math.asin(halfChord) * RADIUS_MARGIN + MIN_RADIUS_KM,
  };
}

function extent(values: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return Math.max(0, most - least);
}

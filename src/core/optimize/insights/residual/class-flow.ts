/**
 * The vehicles of one capacity class in a plan, as a flow:
 *   source i → location j       x_ij vehicles, cost(i,j), allowed moves and staying
 *   location j → served | idle  at most the whole vehicles that demand fills count as serving; the others are idle
 *                               at no cost
 *   served → sink               from the service level's vehicles up to the fleet size
 *   location in → location out  vehicles per location, if they are bounded
 * With one class and whole demand that is the whole problem. Otherwise the plan's own serving vehicles are fixed
 * (`serving`), so only the moves are open.
 */

import { fromUnits } from '../../problem/costs.ts';
import { evaluateMoves } from '../../problem/evaluate.ts';
import { leastAt, mostAt } from '../../problem/location-bounds.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { isAllowed } from '../../problem/network.ts';
import { leastServed } from '../../problem/service-level.ts';
import { splitDemand } from '../../problem/steps.ts';
import { hasLocationBounds, withLimits } from '../../problem/variants.ts';
import type { Effort } from '../effort.ts';
import type { FlowArcs } from './residual-arcs.ts';
import { createResidualNetwork, type ResidualNetwork } from './residual-network.ts';

export type ClassFlow = {
  network: ResidualNetwork;
  source: (i: number) => number;
  /** The node at which vehicles arriving at j are counted, and the node from which they leave. */
  arrival: (j: number) => number;
  departure: (j: number) => number;
  served: number;
  sink: number;
  /** Arc of a move or of staying, −1 if there is none. */
  moveArc: (i: number, j: number) => number;
  servedArc: number;
  /** Arc of the vehicles that serve at j. */
  demandArc: (j: number) => number;
  partArc: (j: number) => number;
};

/** Whether the problem is a network: one class and whole demand. */
export function hasOnlyFullLoads(problem: Problem): boolean {
  const [capacity] = problem.capacities;
  return problem.capacities.length === 1 && problem.demand.every((d) => splitDemand(d, capacity).rest === 0);
}

/** Vehicles that have to serve in a pure flow: the whole number that reaches the service level. */
export function requiredVehicles(problem: Problem, level: number, extraDemand = 0): number {
  const required = leastServed(withLimits(problem, { minServiceLevel: level }), extraDemand);
  return Math.max(0, Math.ceil(required / problem.capacities[0]));
}

/** The flow of a pure problem. */
export function createPureFlow(problem: Problem, moves: Moves, effort: Effort): ClassFlow {
  const [capacity] = problem.capacities;
  const { limits } = problem;
  const { presence } = evaluateMoves(problem, moves);
  const full = problem.demand.map((d) => splitDemand(d, capacity).full);
  let left = limits.totalFleetSize;
  const serving = full.map((most, j) => {
    const count = Math.min(most, presence[j], left);
    left -= count;
    return count;
  });
  return createClassFlow(problem, 0, moves, {
    serving,
    mostServing: full,
    idle: null,
    required: requiredVehicles(problem, limits.minServiceLevel),
    allowed: limits.totalFleetSize,
    effort,
  });
}

/** The maximum number of whole vehicles in `serving`, and the one that serves the remaining demand. */
export type HeldSteps = { full: Float64Array; part: Float64Array };

/**
 * The flow of a problem of one class with its serving steps held: both of their arcs, `demandArc(j)` and `partArc(j)`,
 * have yet to be opened. Any number of vehicles up to the fleet size may then serve.
 * @param scale factor on costs
 */
export function createHeldFlow(
  problem: Problem,
  moves: Moves,
  held: HeldSteps,
  scale: number,
  effort: Effort,
): ClassFlow {
  return createClassFlow(problem, 0, moves, {
    serving: held.full,
    mostServing: held.full,
    part: held.part,
    idle: null,
    required: 0,
    allowed: problem.limits.totalFleetSize,
    scale,
    effort,
  });
}

/** The flow of one class with the plan's serving vehicles (with bounds: all present vehicles) fixed. */
export function createFixedFlow(
  problem: Problem,
  k: number,
  moves: Moves,
  serving: Float64Array,
  effort: Effort,
): ClassFlow {
  const n = problem.locationIds.length;
  const isShared = problem.capacities.length > 1 && hasLocationBounds(problem);
  const { presence } = evaluateMoves(problem, moves);
  const total = serving.reduce((sum, count) => sum + count, 0);
  const present = presentVehicles(presence, n);
  const idle = serving.map((count, j) => presence[k * n + j] - count);
  return createClassFlow(problem, k, moves, {
    serving,
    mostServing: serving,
    // Bounds shared by several classes hold if every class keeps its presence; one vehicle may go where more than the
    // minimum are.
    idle: isShared
      ? {
          most: idle,
          least: idle.map((count, j) => Math.max(0, count - (present[j] > leastAt(problem, j) ? 1 : 0))),
        }
      : null,
    required: total,
    allowed: total,
    effort,
  });
}

/** Vehicles of all classes per location. @param presence per class and location */
export function presentVehicles(presence: ArrayLike<number>, n: number): Float64Array {
  const present = new Float64Array(n);
  for (let at = 0; at < presence.length; at++) present[at % n] += presence[at];
  return present;
}

type FlowOptions = {
  serving: Float64Array;
  mostServing: Float64Array;
  /** Vehicles that serve a part of their capacity, per location, fixed with the others. */
  part?: Float64Array;
  scale?: number;
  /** Idle vehicles per location, if these are fixed, too. */
  idle: { least: Float64Array; most: Float64Array } | null;
  required: number;
  allowed: number;
  effort: Effort;
};

function createClassFlow(problem: Problem, k: number, moves: Moves, options: FlowOptions): ClassFlow {
  const n = problem.locationIds.length;
  const { limits, network: costs } = problem;
  const { part, scale = 1, effort } = options;
  const isBounded = !options.idle && hasLocationBounds(problem);
  const arrival = (j: number) => n + j;
  const departure = isBounded ? (j: number) => 2 * n + j : arrival;
  const served = (isBounded ? 3 : 2) * n;
  const sink = served + 1;

  const going = new Map<number, number>();
  const presence = problem.supply.slice(k * n, (k + 1) * n);
  const staying = presence.slice();
  for (let m = 0; m < moves.count.length; m++) {
    if (moves.capacityClass[m] !== k) continue;
    const at = moves.source[m] * n + moves.target[m];
    going.set(at, (going.get(at) ?? 0) + moves.count[m]);
    staying[moves.source[m]] -= moves.count[m];
    presence[moves.source[m]] -= moves.count[m];
    presence[moves.target[m]] += moves.count[m];
  }

  const most = n * n + 4 * n + 1;
  const arcs: FlowArcs = {
    nodes: sink + 1,
    from: new Int32Array(most),
    to: new Int32Array(most),
    cost: new Float64Array(most),
    lower: new Float64Array(most),
    upper: new Float64Array(most),
    flow: new Float64Array(most),
  };
  let count = 0;
  const add = (u: number, v: number, unitCost: number, least: number, upper: number, units: number) => {
    arcs.from[count] = u;
    arcs.to[count] = v;
    arcs.cost[count] = unitCost;
    arcs.lower[count] = least;
    arcs.upper[count] = upper;
    arcs.flow[count] = units;
    return count++;
  };
  const moveArcs = new Int32Array(n * n).fill(-1);
  for (let i = 0; i < n; i++) {
    effort.check();
    for (let j = 0; j < n; j++) {
      const at = i * n + j;
      const units = i === j ? staying[i] : (going.get(at) ?? 0);
      if (isAllowed(costs, n, limits.maxDistanceKm, i, j)) {
        const unitCost = i === j ? 0 : scale * costs.costUnits[at];
        moveArcs[at] = add(i, arrival(j), unitCost, 0, Number.POSITIVE_INFINITY, units);
      }
    }
  }
  if (isBounded) {
    for (let j = 0; j < n; j++) {
      add(arrival(j), departure(j), 0, leastAt(problem, j), mostAt(problem, j), presence[j]);
    }
  }
  const demandArcs = count;
  let total = 0;
  for (let j = 0; j < n; j++) {
    const units = options.serving[j];
    total += units;
    add(departure(j), served, 0, part ? units : 0, options.mostServing[j], units);
    const { least, most } = options.idle ?? {};
    add(
      departure(j),
      sink,
      0,
      least?.[j] ?? 0,
      most?.[j] ?? Number.POSITIVE_INFINITY,
      presence[j] - units - (part?.[j] ?? 0),
    );
  }
  const partArcs = count;
  for (let j = 0; part && j < n; j++) {
    total += part[j];
    add(departure(j), served, 0, part[j], part[j], part[j]);
  }
  const servedArc = add(served, sink, 0, options.required, options.allowed, total);
  const network = createResidualNetwork(cutTo(arcs, count), effort);
  return {
    network,
    source: (i) => i,
    arrival,
    departure,
    served,
    sink,
    moveArc: (i, j) => moveArcs[i * n + j],
    servedArc,
    demandArc: (j) => demandArcs + 2 * j,
    partArc: (j) => partArcs + j,
  };
}

function cutTo({ nodes, from, to, cost, lower, upper, flow }: FlowArcs, count: number): FlowArcs {
  return {
    nodes,
    from: from.subarray(0, count),
    to: to.subarray(0, count),
    cost: cost.subarray(0, count),
    lower: lower.subarray(0, count),
    upper: upper.subarray(0, count),
    flow: flow.subarray(0, count),
  };
}

/** Money of units that may be out of reach. */
export function moneyOf(units: number | null): number | null {
  // Adding 0 makes −0 of 0 saved a plain 0.
  return units === null || !Number.isFinite(units) ? null : fromUnits(units) + 0;
}

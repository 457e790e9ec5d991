/**
 * Sensitivity of an optimal minimum-cost flow: the cost of sending one more unit between two nodes, of removing an arc
 * or of widening it, along shortest paths of the residual network. Two-sided and exact, which bare duals are not under
 * degeneracy.
 *
 * Notation: arc a from u to v has residual arcs 2a (u → v, cost c, residual upper − flow) and 2a + 1 (v → u, cost −c,
 * residual flow − lower). The flow is optimal if and only if no cycle of residual arcs with residual has a negative
 * cost. With potentials π, c + π_u − π_v ≥ 0 on every such residual arc; Dijkstra on these reduced costs preserves this
 * after every change.
 * Units: whole cost units and whole vehicles; all arithmetic is exact below 2⁵³.
 * Complexity: m arcs, v nodes. Potentials once (`optimal-potentials.ts`); O(m log v) per path, much less among
 * `near-arcs.ts`.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §9.7 (successive shortest paths) and §9.11 (sensitivity).
 */

import { KeyHeap } from '../../problem/key-heap.ts';
import type { Effort } from '../effort.ts';
import { findNearArcs, isDense, type NearArcs } from './near-arcs.ts';
import { settlePotentials } from './optimal-potentials.ts';
import { createResidualArcs, type FlowArcs, type ResidualArcs } from './residual-arcs.ts';

export type ResidualNetwork = {
  readonly arcs: FlowArcs;
  readonly residualArcs: ResidualArcs;
  readonly potential: Float64Array;
  /** Reduced distances of the last search, and the residual arc that each node was reached by (−1: not). */
  readonly distance: Float64Array;
  readonly parent: Int32Array;
  readonly heap: KeyHeap;
  /** Overwritten values and their places since the first mark, to be restored. */
  journal: { places: number[]; values: number[] } | null;
  /** Whether there are enough residual arcs to search those nearby first. */
  readonly hasNear: boolean;
  readonly nearPerNode: number;
  near: NearArcs | null;
  /** Potentials when `near` was built, and their drift since. */
  readonly nearPotential: Float64Array;
  drift: number;
  /** How much cheaper the initial flow could be made; 0 if it was optimal. */
  readonly improved: number;
  readonly check: () => void;
};

/** @throws OutOfTime, here and from the functions that search or change it; the state is unusable afterwards */
export function createResidualNetwork(arcs: FlowArcs, { check, nearPerNode }: Effort): ResidualNetwork {
  const { nodes } = arcs;
  const residualArcs = createResidualArcs(arcs, check);
  const potential = new Float64Array(nodes);
  const improved = settlePotentials(residualArcs, potential, check);
  return {
    arcs,
    residualArcs,
    potential,
    distance: new Float64Array(nodes),
    parent: new Int32Array(nodes),
    heap: new KeyHeap(nodes),
    journal: null,
    hasNear: isDense(residualArcs, nearPerNode),
    nearPerNode,
    near: null,
    nearPotential: new Float64Array(nodes),
    drift: 0,
    improved,
    check,
  };
}

export function setResidual(network: ResidualNetwork, h: number, value: number): void {
  const { journal } = network;
  const { residual } = network.residualArcs;
  journal?.places.push(h);
  journal?.values.push(residual[h]);
  residual[h] = value;
  network.near?.update(h);
}

export function push(network: ResidualNetwork, h: number, amount: number): void {
  const { residual, twin } = network.residualArcs;
  setResidual(network, h, residual[h] - amount);
  setResidual(network, twin[h], residual[twin[h]] + amount);
}

export function refreshNear(network: ResidualNetwork): void {
  const { residualArcs, potential, nearPerNode, check } = network;
  check();
  if (network.hasNear) network.near = findNearArcs(residualArcs, potential, nearPerNode, check);
  network.nearPotential.set(potential);
  network.drift = 0;
}

/** Closes an arc in both directions; its flow stays. */
export function shutArc(network: ResidualNetwork, arc: number): void {
  const { placeOf } = network.residualArcs;
  setResidual(network, placeOf[2 * arc], 0);
  setResidual(network, placeOf[2 * arc + 1], 0);
}

/** A new cost for an arc that is shut. */
export function setArcCost({ residualArcs, near }: ResidualNetwork, arc: number, unitCost: number): void {
  const { cost, placeOf } = residualArcs;
  cost[placeOf[2 * arc]] = unitCost;
  cost[placeOf[2 * arc + 1]] = 0 - unitCost;
  near?.update(placeOf[2 * arc]);
  near?.update(placeOf[2 * arc + 1]);
}

/** The cost of an arc on a path, in reduced terms: ≥ 0 if the residual arc has residual. */
export function reducedCost({ residualArcs, potential }: ResidualNetwork, number: number): number {
  const { cost, tail, head, placeOf } = residualArcs;
  const h = placeOf[number];
  return cost[h] + potential[tail[h]] - potential[head[h]];
}

/** Units on an arc now. */
export function flowOn({ arcs, residualArcs }: ResidualNetwork, arc: number): number {
  return residualArcs.residual[residualArcs.placeOf[2 * arc + 1]] + arcs.lower[arc];
}

/** Residual of a residual arc. */
export function residualOf({ residualArcs }: ResidualNetwork, number: number): number {
  return residualArcs.residual[residualArcs.placeOf[number]];
}

/** Saves this state. @returns a function that restores it, any number of times */
export function markState(network: ResidualNetwork): () => void {
  network.journal ??= { places: [], values: [] };
  const { places, values } = network.journal;
  const { residual } = network.residualArcs;
  const length = places.length;
  refreshNear(network);
  const potentialBefore = network.potential.slice();
  return () => {
    network.drift = 0;
    while (places.length > length) {
      const h = places.pop()!;
      residual[h] = values.pop()!;
      network.near?.update(h);
    }
    network.potential.set(potentialBefore);
  };
}

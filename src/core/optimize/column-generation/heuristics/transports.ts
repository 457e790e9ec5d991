/**
 * The cheapest moves of all classes for given numbers of vehicles: a flow per class, by the network simplex. Plans are
 * recomputed before they count, so nobody confirms these flows.
 */
import { flowCosts } from '../../flow/flow-costs.ts';
import { solveFlow } from '../../flow/solve-flow.ts';
import type { FlowControl, SolvedFlow } from '../../flow/types.ts';
import type { FlowCosts } from '../../problem/distances/move-costs.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { joinMoves, movesOfFlow } from '../../problem/moves.ts';
import { OutOfTime, type Stopping } from '../../run/stopping.ts';
import { allowedCosts, type ClassTransport, createClassTransport } from './class-transport.ts';

/** K × n: vehicles after the moves. */
export function presenceAfter({ supply, locationIds }: Problem, moves: Moves): Int32Array {
  const n = locationIds.length;
  const presence = supply.slice();
  for (let m = 0; m < moves.count.length; m++) {
    presence[moves.capacityClass[m] * n + moves.source[m]] -= moves.count[m];
    presence[moves.capacityClass[m] * n + moves.target[m]] += moves.count[m];
  }
  return presence;
}

/**
 * The cheapest moves after which there are at least so many vehicles.
 * @param presence K × n
 * @returns null if there are none, or time is up
 */
export function cheapestMovesTo(problem: Problem, presence: Int32Array, stopping: Stopping): Moves | null {
  const { deadlineMs, stopFlag, onLook } = stopping;
  const flows = flowsTo(problem, presence, () => flowCosts(problem, stopping), {
    deadlineMs,
    stopFlag,
    onLook,
    needsOptimum: true,
  });
  return flows && joinMoves(flows.map(({ flow }, k) => movesOfFlow(flow.from, flow.to, flow.units, k)));
}

/**
 * The same, to be kept optimal while the numbers change.
 * @param isOver ends the search early
 */
export function createTransports(
  problem: Problem,
  presence: Int32Array,
  isOver: () => boolean,
): ClassTransport[] | null {
  const costs = allowedCosts(problem);
  const onLook = () => {
    if (isOver()) throw new OutOfTime();
  };
  const flows = flowsTo(problem, presence, () => ({ kind: 'dense', units: costs }), {
    onLook,
    needsOptimum: true,
  });
  return flows?.map((flow, k) => createClassTransport(problem, k, costs, flow)) ?? null;
}

/**
 * @returns a flow per class; null if a class has none, time is up, sums are beyond exact integers, or a certificate
 *   does not hold
 */
function flowsTo(
  { locationIds, capacities, supply }: Problem,
  presence: Int32Array,
  costOf: () => FlowCosts,
  control: FlowControl,
): SolvedFlow[] | null {
  const n = locationIds.length;
  const flows: SolvedFlow[] = [];
  try {
    const cost = costOf();
    for (let k = 0; k < capacities.length; k++) {
      const [own, wanted] = [supply, presence].map((counts) => counts.subarray(k * n, (k + 1) * n));
      const required = wanted.reduce((sum, count) => sum + count, 0);
      const outcome = solveFlow({ n, supply: own, demand: wanted, required, cost }, control);
      if (outcome.kind !== 'solved') return null;
      flows.push(outcome);
    }
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return null;
  }
  return flows;
}

export function movesOfTransports(transports: ClassTransport[]): Moves {
  const ofClasses = transports.map((transport, k) => {
    const moves: [source: number, target: number, count: number][] = [];
    transport.forEachMove((...move) => moves.push(move));
    moves.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const [source, target, count] = [0, 1, 2].map((part) => Int32Array.from(moves, (move) => move[part]));
    return movesOfFlow(source, target, count, k);
  });
  return joinMoves(ofClasses);
}

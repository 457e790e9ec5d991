/** The cheapest moves of all classes for given numbers of vehicles: one transportation problem per class. */
import type { Moves, Problem } from '../../problem/model.ts';
import { joinMoves, movesOfFlow } from '../../problem/moves.ts';
import { allowedCosts, type ClassTransport, createClassTransport } from './class-transport.ts';

/** All vehicles stay. */
export function createTransports(problem: Problem): ClassTransport[] {
  const costs = allowedCosts(problem);
  return Array.from(problem.capacities, (_, k) => createClassTransport(problem, k, costs));
}

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

/** Distributes the vehicles at the least cost. @param wanted K × n @returns whether that was possible in time */
export function place(transports: ClassTransport[], wanted: Int32Array, isOver: () => boolean): boolean {
  const n = wanted.length / transports.length;
  for (let k = 0; k < transports.length; k++) {
    const { present, shiftToNearest } = transports[k];
    const isShort = (j: number) => present(j) < wanted[k * n + j];
    for (let from = 0; from < n; from++) {
      while (present(from) > wanted[k * n + from]) {
        if (isOver() || shiftToNearest(from, isShort) === null) return false;
      }
    }
  }
  return true;
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

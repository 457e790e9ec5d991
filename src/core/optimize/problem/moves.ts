/** The one way to build `Moves`: from arcs that carry vehicles, from a flow of one class, or by joining pieces. */
import type { Moves } from './model.ts';

/** Sources, targets and classes of arcs, in parallel arrays. */
type Arcs = {
  readonly [key in 'capacityClass' | 'source' | 'target']: ArrayLike<number>;
};

export const NO_MOVES: Moves = movesOfFlow(new Int32Array(0), new Int32Array(0), new Int32Array(0));

/** The moves on the given arcs, in their order. @param countOf vehicles on an arc */
export function movesOn(
  chosen: readonly number[],
  { capacityClass, source, target }: Arcs,
  countOf: (arc: number) => number,
): Moves {
  return {
    capacityClass: Int32Array.from(chosen, (a) => capacityClass[a]),
    source: Int32Array.from(chosen, (a) => source[a]),
    target: Int32Array.from(chosen, (a) => target[a]),
    count: Int32Array.from(chosen, countOf),
  };
}

/** The moves of one class. The arrays are kept, not copied. */
export function movesOfFlow(
  source: Int32Array,
  target: Int32Array,
  count: Int32Array,
  capacityClass = 0,
): Moves {
  return { capacityClass: new Int32Array(count.length).fill(capacityClass), source, target, count };
}

/** Joins moves, in order. */
export function joinMoves(parts: readonly Moves[]): Moves {
  return {
    capacityClass: Int32Array.from(parts.flatMap((part) => [...part.capacityClass])),
    source: Int32Array.from(parts.flatMap((part) => [...part.source])),
    target: Int32Array.from(parts.flatMap((part) => [...part.target])),
    count: Int32Array.from(parts.flatMap((part) => [...part.count])),
  };
}

import { evaluateMoves } from '../problem/evaluate.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';

/**
 * Pairs that any plan uses because of bounds per location: one from each location that holds more vehicles than it may,
 * and one to each that holds fewer. A pair may do both.
 */
export function fewestPairs(problem: Problem): number {
  const n = problem.locationIds.length;
  const { presence } = evaluateMoves(problem, NO_MOVES);
  let giving = 0;
  let taking = 0;
  for (let j = 0; j < n; j++) {
    let standing = 0;
    for (let at = j; at < presence.length; at += n) standing += presence[at];
    if (standing > mostAt(problem, j)) giving++;
    if (standing < leastAt(problem, j)) taking++;
  }
  return Math.max(giving, taking);
}

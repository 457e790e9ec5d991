/** Turns a plan into one that keeps the rules about pairs, where a few simple changes suffice. */
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { isRuled } from '../problem/pairs.ts';
import { createDraft, type Draft } from './draft.ts';

/**
 * Drops the smallest pairs of too many, raises or drops pairs with too few vehicles, then fills what is unserved along
 * the pairs that are left. O(pairs · log pairs + n · pairs).
 * @returns null if the plan does not satisfy all constraints then
 */
export function repairPairs(problem: Problem, moves: Moves): Moves | null {
  const draft = createDraft(problem, moves);
  dropSmallest(problem, draft);
  raiseOrDrop(problem, draft);
  fill(problem, draft);
  const repaired = draft.moves();
  return evaluateMoves(problem, repaired).broken.length > 0 ? null : repaired;
}

function dropSmallest({ limits, locationIds }: Problem, draft: Draft): void {
  const n = locationIds.length;
  const from = new Int32Array(n);
  let count = 0;
  for (const [pair] of draft.pairs().sort((a, b) => b[1] - a[1])) {
    const source = Math.floor(pair / n);
    if (count >= limits.maxPairs || from[source] >= limits.maxMovesFrom) draft.drop(pair);
    else {
      count++;
      from[source]++;
    }
  }
}

function raiseOrDrop({ limits }: Problem, draft: Draft): void {
  const least = limits.minVehiclesPerMove;
  for (const [pair, vehicles] of draft.pairs().sort((a, b) => b[1] - a[1])) {
    if (vehicles >= least) continue;
    if (!draft.add(pair, least - vehicles)) draft.drop(pair);
  }
}

/** Sends vehicles that stay to where demand is unserved, along used pairs. */
function fill(problem: Problem, draft: Draft): void {
  const n = problem.locationIds.length;
  for (const [pair] of draft.pairs()) {
    const [source, target] = [Math.floor(pair / n), pair % n];
    if (!isRuled(problem, source)) continue;
    while (draft.unserved(target) > 0 && draft.spare(source) > 0 && draft.add(pair, 1));
  }
}

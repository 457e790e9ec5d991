import { solveDirect } from '../../../../src/core/optimize/direct/direct.ts';
import { createIncumbent } from '../../../../src/core/optimize/problem/incumbent.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';

const LIMIT_MS = 20_000;

/** Objective of the cheapest plan by HiGHS with all moves in one model, in cost units; null if there is none. */
export async function optimumByAllMoves(problem: Problem): Promise<number | null> {
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const incumbent = createIncumbent(problem, 0, control);
  const ended = await solveDirect(problem, incumbent, control);
  if (ended === 'infeasible') return null;
  const outcome = incumbent.finish(ended);
  if (outcome.kind !== 'solved' || !outcome.solution.proved) throw new Error(`HiGHS: ${outcome.kind}`);
  return outcome.solution.objectiveUnits;
}

/**
 * HiGHS confirms the result of the network simplex. It gets the tree as a starting basis, on the tree's arcs and
 * those that came closest to entering it, and must find no improvement by its own factorisation, reduced costs and
 * feasibility tests.
 * All arcs have been checked before (`flow/certify.ts`). HiGHS is the second opinion of an independent engine. It
 * takes about as long as the flow itself with few locations, and a tenth of that with 2,000.
 */

import { confirmBasis } from '../highs/highs-confirm.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { createFlowModel } from './highs-basis.ts';
import type { FlowAmounts, SolvedFlow } from './types.ts';

/**
 * `confirmed`: in this number of iterations. `unconfirmed`: time ran out first. `contradicted`: HiGHS found another
 * optimum.
 */
export type Confirmation =
  | { kind: 'confirmed'; columns: number; iterations: number }
  | { kind: 'unconfirmed' }
  | { kind: 'contradicted' };

/** Asks HiGHS to confirm the optimum of a flow problem. */
export async function confirmFlow(
  cache: Cache,
  problem: FlowAmounts,
  solved: SolvedFlow,
  control: Pick<SolveControl, 'deadlineMs' | 'stopFlag'>,
): Promise<Confirmation> {
  const { model, ...basis } = createFlowModel(problem, solved.basis, solved.alternatives);
  const { status, objective, iterations } = await confirmBasis(cache, model, basis, control);
  if (status === 'stopped') return { kind: 'unconfirmed' };
  const cost = fromUnits(solved.cost);
  const isSame = status === 'optimal' && Math.abs(objective - cost) <= Math.max(1, cost) * 1e-7;
  return isSame ? { kind: 'confirmed', columns: model.columnCount, iterations } : { kind: 'contradicted' };
}

import type { FastifyRequest } from 'fastify';
import { AppError } from '../../answers/errors.ts';
import type { PlanMove } from '../../contracts/plans.ts';
import type { Queryable } from '../../db/client.ts';
import { readPlanMoves } from '../../db/plans/plan-locations.ts';
import { readPlan, type StoredPlan } from '../../db/plans/plans.ts';
import { onlyOwner } from '../auth/identity.ts';

/** Each page reads the whole plan; most plans need only one. */
const MOVES_PER_PAGE = 5000;

/**
 * A stored plan that the caller may see.
 * @param field name of its id in the request
 * @throws AppError RESOURCE_NOT_FOUND
 */
export async function findStoredPlan(
  db: Queryable,
  planId: string,
  { identity }: Pick<FastifyRequest, 'identity'>,
  field = 'plan_id',
): Promise<StoredPlan> {
  const plan = await readPlan(db, planId, onlyOwner(identity));
  if (plan) return plan;
  throw planNotFound(planId, field);
}

/**
 * No plan of this id is stored. Thrown while the pages of a plan are read, it was deleted meanwhile: an answer that has
 * begun breaks off, one that has not (a compressor still holds it) becomes this 404.
 */
export function planNotFound(planId: string, field = 'plan_id'): AppError {
  const message =
    `plan "${planId}" not found: it never existed, or it was deleted after RETENTION_PLAN_DAYS; GET ` +
    '/api/v1/plans lists the stored plans';
  return new AppError('RESOURCE_NOT_FOUND', [{ message, field }]);
}

/** The moves of a plan by pair of locations, as `readPlanMoves` orders them. */
export async function* movePages(
  db: Queryable,
  { planId, rebalancedCount }: Pick<StoredPlan, 'planId' | 'rebalancedCount'>,
): AsyncGenerator<PlanMove[]> {
  let moved = 0;
  for (let read = 0; moved < rebalancedCount; read += MOVES_PER_PAGE) {
    const rows = await readPlanMoves(db, planId, read, MOVES_PER_PAGE);
    if (rows.length === 0) throw planNotFound(planId);
    for (const { vehicles } of rows) moved += vehicles;
    yield rows;
  }
}

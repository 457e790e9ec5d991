import { and, asc, desc, eq, gte, lte, sql } from 'drizzle-orm';
import type { AllocationPlanItem, OptimizationResult } from '../contracts/optimize.ts';
import type { PlanDifference } from '../contracts/plans.ts';
import type { Queryable } from './client.ts';
import { planItems, plans } from './schema.ts';

/** Rows per INSERT of plan items: bounded memory, few round trips. */
const ITEMS_PER_INSERT = 20_000;

/**
 * Stores a plan and its items; to be called in the transaction that ends the job.
 * @param certificate what proves the plan: objective, bound, gap, method, sizes, checks
 */
export async function insertPlan(
  tx: Queryable,
  plan: {
    planId: string;
    jobId: string;
    result: OptimizationResult;
    solveTimeMs: number;
    certificate: unknown;
  },
): Promise<void> {
  const { result } = plan;
  await tx.insert(plans).values({
    planId: plan.planId,
    jobId: plan.jobId,
    solverStatus: result.solver_status,
    gap: result.gap ?? null,
    totalCost: result.total_cost,
    demandCoverage: result.kpis.demand_coverage,
    utilization: result.kpis.utilization,
    rebalancedCount: result.kpis.rebalanced_count,
    totalDistanceKm: result.kpis.total_distance_km,
    unmetDemand: result.kpis.unmet_demand,
    vehicleCount: result.allocation_plan.length,
    solveTimeMs: plan.solveTimeMs,
    certificate: JSON.stringify(plan.certificate),
  });
  for (let start = 0; start < result.allocation_plan.length; start += ITEMS_PER_INSERT) {
    const items = result.allocation_plan.slice(start, start + ITEMS_PER_INSERT);
    const column = (pick: (item: AllocationPlanItem) => unknown) => sql.param(items.map(pick));
    await tx.execute(sql`
      insert into ${planItems} (plan_id, ordinal, vehicle_id, source_location, target_location, cost, assignment)
      select ${plan.planId}, ${start} + u.n, u.vehicle_id, u.source_location, u.target_location, u.cost, u.assignment
      from unnest(${column((i) => i.vehicle_id)}::text[], ${column((i) => i.source_location)}::int[],
        ${column((i) => i.target_location)}::int[], ${column((i) => i.cost)}::float8[],
        ${column((i) => i.assignment)}::text[])
        with ordinality as u (vehicle_id, source_location, target_location, cost, assignment, n)`);
  }
}

const planColumns = {
  planId: plans.planId,
  jobId: plans.jobId,
  createdAt: plans.createdAt,
  solverStatus: plans.solverStatus,
  gap: plans.gap,
  totalCost: plans.totalCost,
  demandCoverage: plans.demandCoverage,
  utilization: plans.utilization,
  rebalancedCount: plans.rebalancedCount,
  totalDistanceKm: plans.totalDistanceKm,
  unmetDemand: plans.unmetDemand,
  vehicleCount: plans.vehicleCount,
  solveTimeMs: plans.solveTimeMs,
};

/** The plan's record without its items, or undefined. */
export async function readPlan(db: Queryable, planId: string) {
  const [row] = await db.select(planColumns).from(plans).where(eq(plans.planId, planId));
  return row;
}
export type PlanRecord = NonNullable<Awaited<ReturnType<typeof readPlan>>>;

export type PlanFilter = {
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
  minCoverage?: number | undefined;
  maxCost?: number | undefined;
  /** plans that move a vehicle from or to this location */
  locationId?: number | undefined;
};

/** Plans, newest first, without their items; `before` as in `readJobPage`. */
export async function readPlanPage(
  db: Queryable,
  before: [createdAt: string, planId: string] | null,
  limit: number,
  filter: PlanFilter,
): Promise<PlanRecord[]> {
  const { createdAfter, createdBefore, minCoverage, maxCost, locationId } = filter;
  return db
    .select(planColumns)
    .from(plans)
    .where(
      and(
        createdAfter !== undefined ? sql`${plans.createdAt} >= ${createdAfter}::timestamptz` : undefined,
        createdBefore !== undefined ? sql`${plans.createdAt} < ${createdBefore}::timestamptz` : undefined,
        minCoverage !== undefined ? gte(plans.demandCoverage, minCoverage) : undefined,
        maxCost !== undefined ? lte(plans.totalCost, maxCost) : undefined,
        before
          ? sql`(${plans.createdAt}, ${plans.planId}) < (${before[0]}::timestamptz, ${before[1]})`
          : undefined,
        // Two look-ups in the indexes of the moves, not a scan of every plan's items.
        locationId !== undefined
          ? sql`(exists (select 1 from ${planItems} i where i.plan_id = ${plans.planId} and i.assignment = 'rebalance' and i.source_location = ${locationId})
              or exists (select 1 from ${planItems} i where i.plan_id = ${plans.planId} and i.assignment = 'rebalance' and i.target_location = ${locationId}))`
          : undefined,
      ),
    )
    .orderBy(desc(plans.createdAt), desc(plans.planId))
    .limit(limit);
}

const pairing = (planId: string, otherId: string) => sql`
  (select * from ${planItems} where plan_id = ${planId}) a
  full join (select * from ${planItems} where plan_id = ${otherId}) b using (vehicle_id)`;
const isDifferent = sql`(a.source_location, a.target_location) is distinct from (b.source_location, b.target_location)`;

/** How many vehicles two plans treat alike, differently, or have alone. */
export async function countPlanDifferences(db: Queryable, planId: string, otherId: string) {
  const { rows } = await db.execute<{
    same: number;
    different: number;
    only_in_plan: number;
    only_in_other: number;
  }>(sql`
    select count(*) filter (where not ${isDifferent})::int as same,
      count(*) filter (where ${isDifferent} and a.plan_id is not null and b.plan_id is not null)::int as different,
      count(*) filter (where b.plan_id is null)::int as only_in_plan,
      count(*) filter (where a.plan_id is null)::int as only_in_other
    from ${pairing(planId, otherId)}`);
  return rows[0];
}

/** A page of the vehicles that two plans do not treat alike, by vehicle id. */
export async function readPlanDifferences(
  db: Queryable,
  planId: string,
  otherId: string,
  after: string | null,
  limit: number,
): Promise<PlanDifference[]> {
  const { rows } = await db.execute<PlanDifference>(sql`
    select vehicle_id, a.source_location, a.target_location, a.cost,
      b.source_location as other_source_location, b.target_location as other_target_location, b.cost as other_cost
    from ${pairing(planId, otherId)}
    where ${isDifferent} and (${after}::text is null or vehicle_id > ${after})
    order by vehicle_id limit ${limit}`);
  return rows;
}

/** A page of a plan's items, in the order of the request. */
export async function readPlanItems(
  db: Queryable,
  planId: string,
  after: number,
  limit: number,
): Promise<(AllocationPlanItem & { ordinal: number })[]> {
  return db
    .select({
      ordinal: planItems.ordinal,
      vehicle_id: planItems.vehicleId,
      source_location: planItems.sourceLocation,
      target_location: planItems.targetLocation,
      cost: planItems.cost,
      assignment: planItems.assignment,
    })
    .from(planItems)
    .where(sql`${planItems.planId} = ${planId} and ${planItems.ordinal} > ${after}`)
    .orderBy(asc(planItems.ordinal))
    .limit(limit);
}

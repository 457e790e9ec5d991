import { and, arrayContains, asc, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm';
import type { AllocationPlanItem, OptimizationResult } from '../contracts/optimize.ts';
import type { PlanDifference } from '../contracts/plans.ts';
import type { Queryable } from './client.ts';
import { planItems, plans } from './schema.ts';

/** A plan on its way into the database. */
export type NewPlan = {
  planId: string;
  jobId: string;
  result: OptimizationResult;
  solveTimeMs: number;
  /** what proves the plan: objective, bound, gap, method, sizes, checks */
  certificate: unknown;
};

/**
 * Stores a plan and its items: parts of the statement that ends the job (`finishJob`), which do nothing where
 * `held` is empty. `stored_items` is there to be counted once the items are stored.
 */
export function planParts({ planId, jobId, result, solveTimeMs, certificate }: NewPlan): SQL {
  const { kpis, allocation_plan: items } = result;
  // An array as PostgreSQL writes it: pg quotes every element, which takes four times as long.
  const column = (pick: (item: AllocationPlanItem) => number | string) => `{${items.map(pick).join(',')}}`;
  return sql`
    stored_plan as (
      insert into ${plans} (plan_id, job_id, solver_status, gap, total_cost, demand_coverage, utilization,
        rebalanced_count, total_distance_km, unmet_demand, vehicle_count, solve_time_ms, certificate, moved_locations)
      select ${planId}, ${jobId}, ${result.solver_status}, ${result.gap ?? null}::float8, ${result.total_cost}::float8,
        ${kpis.demand_coverage}::float8, ${kpis.utilization}::float8, ${kpis.rebalanced_count}::int,
        ${kpis.total_distance_km}::float8, ${kpis.unmet_demand}::float8, ${items.length}::int,
        ${solveTimeMs}::float8, ${JSON.stringify(certificate)}::json, ${sql.param(movedLocations(items))}::int[]
      from held),
    stored_items as (
      insert into ${planItems} (plan_id, ordinal, vehicle_id, source_location, target_location, cost, assignment)
      select ${planId}, u.n, u.vehicle_id, u.source_location, u.target_location, u.cost, u.assignment
      from held, unnest(${sql.param(items.map((item) => item.vehicle_id))}::text[],
        ${column((i) => i.source_location)}::int[], ${column((i) => i.target_location)}::int[],
        ${column((i) => i.cost)}::float8[], ${column((i) => i.assignment)}::text[])
        with ordinality as u (vehicle_id, source_location, target_location, cost, assignment, n)
      returning 1)`;
}

/** The locations that vehicles leave or come to, ascending. */
function movedLocations(items: readonly AllocationPlanItem[]): number[] {
  const moves = items.filter((item) => item.assignment === 'rebalance');
  return [...new Set(moves.flatMap((item) => [item.source_location, item.target_location]))].sort(
    (a, b) => a - b,
  );
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
        locationId !== undefined ? arrayContains(plans.movedLocations, [locationId]) : undefined,
      ),
    )
    .orderBy(desc(plans.createdAt), desc(plans.planId))
    .limit(limit);
}

export type Comparison = {
  different: number;
  only_in_plan: number;
  only_in_other: number;
  /** by vehicle id */
  differences: PlanDifference[];
};

/**
 * Pairs the vehicles of two plans: how many are not treated alike, and a page of those.
 * One join, of which only what differs is kept; PostgreSQL puts on disk what does not fit its `work_mem`.
 * @param after vehicle id of the last row of the page before
 */
export async function readPlanComparison(
  db: Queryable,
  planId: string,
  otherId: string,
  after: string | null,
  limit: number,
): Promise<Comparison> {
  const { rows } = await db.execute<Comparison>(sql`
    with difference as materialized (
      select vehicle_id, a.source_location, a.target_location, a.cost,
        b.source_location as other_source_location, b.target_location as other_target_location, b.cost as other_cost
      from (select * from ${planItems} where plan_id = ${planId}) a
      full join (select * from ${planItems} where plan_id = ${otherId}) b using (vehicle_id)
      where (a.source_location, a.target_location) is distinct from (b.source_location, b.target_location)),
    page as (
      select * from difference where ${after}::text is null or vehicle_id > ${after} order by vehicle_id limit ${limit})
    select count(*) filter (where source_location is not null and other_source_location is not null)::int as different,
      count(*) filter (where other_source_location is null)::int as only_in_plan,
      count(*) filter (where source_location is null)::int as only_in_other,
      (select coalesce(json_agg(page order by vehicle_id), '[]') from page) as differences
    from difference`);
  return rows[0];
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

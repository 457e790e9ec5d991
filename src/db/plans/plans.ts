import { and, arrayContains, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm';
import type { AllocationPlanItem } from '../../contracts/optimize.ts';
import type { PlanDifference } from '../../contracts/plans.ts';
import { type Queryable, unplanned } from '../client.ts';
import { ownedBy, ownerOf, scheduleOf } from '../owner.ts';
import { planParts, plans, travel } from '../schema.ts';
import { PART_SIZE, type PlanRecord } from './plan-record.ts';

/** A plan to be stored. */
export type NewPlan = {
  planId: string;
  jobId: string;
  solveTimeMs: number;
  record: PlanRecord;
  /** of moves whose minutes are not known */
  speedKmh: number;
  /** the vehicles that it moves leave at once */
  isCarriedOut?: boolean;
};

/**
 * Stores a plan and its vehicles. These are parts of the statement that ends the job (`finishJob`); they do nothing if
 * `held` is empty. Counting `stored_vehicles` waits until the vehicles are stored. A plan that was made without stored
 * travel gets the minutes of its moves from there: who drives wants to know them, whatever the plan was made with.
 */
export function insertPlan({ planId, jobId, solveTimeMs, speedKmh, record }: NewPlan): SQL {
  const { figures, vehicleCount, movedLocations, parts, locations, moveDistances } = record;
  const { kpis } = figures;
  const numbersOf = (column: Uint8Array, type: 'int' | 'float8') =>
    sql`${unplanned(sql`${column}::${sql.raw(type)}[]`)}[p.first : p.first + ${sql.raw(`${PART_SIZE - 1}`)}]`;
  return sql`
    stored_plan as (
      insert into ${plans} (plan_id, job_id, solver_status, gap, total_cost, demand_coverage, utilization,
        rebalanced_count, total_distance_km, unmet_demand, unmet_demand_cost, vehicle_count, solve_time_ms,
        speed_kmh, certificate, findings, insights, moved_locations,
        location_ids, location_names, location_demands, location_vehicles_before, location_vehicles_after,
        location_capacities, location_served, location_priorities, move_sources, move_targets, move_km, move_minutes,
        total_minutes, owner, schedule_id)
      select ${planId}, ${jobId}, ${figures.solver_status}, ${figures.gap ?? null}::float8,
        ${figures.total_cost}::float8, ${kpis.demand_coverage}::float8, ${kpis.utilization}::float8,
        ${kpis.rebalanced_count}::int, ${kpis.total_distance_km}::float8, ${kpis.unmet_demand}::float8,
        ${kpis.unmet_demand_cost ?? null}::float8,
        ${vehicleCount}::int, ${solveTimeMs}::float8, ${speedKmh}::float8, ${record.certificate}::json,
        ${record.findings}::json,
        ${record.insights}::json, ${sql.param(movedLocations)}::int[],
        ${locations.location_id}::int[], ${locations.name}::text[], ${locations.demand}::float8[],
        ${locations.vehicles_before}::int[], ${locations.vehicles_after}::int[], ${locations.capacity_after}::float8[],
        ${locations.served}::float8[], ${locations.priority ?? null}::smallint[],
        ${moveDistances?.sources ?? null}::int[],
        ${moveDistances?.targets ?? null}::int[], ${moveDistances?.km ?? null}::float8[],
        coalesce(${moveDistances?.minutes ?? null}::float8[], (${minutesOf(record)})),
        ${kpis.total_minutes ?? null}::float8, ${ownerOf(jobId)}, ${scheduleOf(jobId)}
      from held),
    stored_vehicles as (
      insert into ${planParts} (plan_id, first_ordinal, vehicle_ids, source_locations, target_locations, costs)
      select ${planId}, p.first, p.vehicle_ids::text[], ${numbersOf(parts.sourceLocations, 'int')},
        ${numbersOf(parts.targetLocations, 'int')}, ${numbersOf(parts.costs, 'float8')}
      from held, (select vehicle_ids, 1 + ${sql.raw(`${PART_SIZE}`)} * (n::int - 1) as first
        from unnest(${unplanned(sql`${parts.vehicleIds}::text[]`)}) with ordinality as u (vehicle_ids, n)) as p
      returning 1)`;
}

/**
 * The minutes of stored travel for each move of a plan, null where it lacks the pair; no row if it has none of them, or
 * if the locations are not stored ones. A look-up per pair: a join might read all of 25 million pairs; `offset 0`, so
 * that it is made once, not for each use of the minutes.
 */
const minutesOf = ({ moveDistances, hasStoredLocations }: PlanRecord) => sql`
  select array_agg(minutes order by n) from (
    select m.n, (select t.duration_minutes from ${travel} t
      where t.from_location_id = m.source and t.to_location_id = m.target) as minutes
    from unnest(${unplanned(sql`${moveDistances?.sources ?? null}::int[]`)},
        ${unplanned(sql`${moveDistances?.targets ?? null}::int[]`)}) with ordinality as m (source, target, n)
    where ${unplanned(sql`${hasStoredLocations}::boolean`)} offset 0) as stored
  having count(minutes) > 0`;

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
  totalMinutes: plans.totalMinutes,
  unmetDemand: plans.unmetDemand,
  unmetDemandCost: plans.unmetDemandCost,
  vehicleCount: plans.vehicleCount,
  solveTimeMs: plans.solveTimeMs,
};

/** The plan's record without its items, or undefined. @param owner as in `readJob` */
export async function readPlan(db: Queryable, planId: string, owner?: string) {
  const columns = {
    ...planColumns,
    speedKmh: plans.speedKmh,
    certificate: sql<string>`${plans.certificate}::text`,
    findings: sql<string | null>`${plans.findings}::text`,
    insights: sql<string | null>`${plans.insights}::text`,
  };
  const [row] = await db
    .select(columns)
    .from(plans)
    .where(and(eq(plans.planId, planId), ownedBy(plans.owner, owner)));
  return row;
}
/** Certificate, findings and insights are JSON text. */
export type StoredPlan = NonNullable<Awaited<ReturnType<typeof readPlan>>>;
export type StoredPlanSummary = Omit<StoredPlan, 'certificate' | 'findings' | 'insights' | 'speedKmh'>;

export type PlanFilter = {
  /** only those of this owner */
  owner?: string | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
  minCoverage?: number | undefined;
  maxCost?: number | undefined;
  /** only plans that move a vehicle from or to this location */
  locationId?: number | undefined;
  /** only plans of this schedule */
  scheduleId?: string | undefined;
};

/** Plans, newest first, without their items; `before` as in `readJobPage`. */
export async function readPlanPage(
  db: Queryable,
  before: [createdAt: string, planId: string] | null,
  limit: number,
  filter: PlanFilter,
): Promise<StoredPlanSummary[]> {
  const { owner, createdAfter, createdBefore, minCoverage, maxCost, locationId, scheduleId } = filter;
  return db
    .select(planColumns)
    .from(plans)
    .where(
      and(
        ownedBy(plans.owner, owner),
        createdAfter !== undefined ? sql`${plans.createdAt} >= ${createdAfter}::timestamptz` : undefined,
        createdBefore !== undefined ? sql`${plans.createdAt} < ${createdBefore}::timestamptz` : undefined,
        minCoverage !== undefined ? gte(plans.demandCoverage, minCoverage) : undefined,
        maxCost !== undefined ? lte(plans.totalCost, maxCost) : undefined,
        before
          ? sql`(${plans.createdAt}, ${plans.planId}) < (${before[0]}::timestamptz, ${before[1]})`
          : undefined,
        scheduleId !== undefined ? eq(plans.scheduleId, scheduleId) : undefined,
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
 * Pairs the vehicles of two plans: the number of differences, and a page of them. One join, which keeps only the
 * differences; PostgreSQL puts on disk what exceeds its `work_mem`.
 * @param after vehicle id of the last row of the previous page
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
      from (${vehiclesOf(planId)}) a full join (${vehiclesOf(otherId)}) b using (vehicle_id)
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

/** The vehicles of a plan, or of some of its parts: (ordinal, vehicle_id, source_location, target_location, cost). */
export const vehiclesOf = (
  planId: string,
  parts = sql`select * from ${planParts} where plan_id = ${planId}`,
) => sql`
  select p.first_ordinal + v.n::int - 1 as ordinal, v.vehicle_id, v.source_location, v.target_location, v.cost
  from (${parts}) p, unnest(p.vehicle_ids, p.source_locations, p.target_locations, p.costs)
    with ordinality as v (vehicle_id, source_location, target_location, cost, n)`;

/** A page of a plan's vehicles, in the order of the request: at most `parts` parts, a thousand vehicles each. */
export async function readPlanItems(
  db: Queryable,
  planId: string,
  after: number,
  parts: number,
): Promise<(AllocationPlanItem & { ordinal: number })[]> {
  const page = sql`select * from ${planParts} where plan_id = ${planId} and first_ordinal > ${after}
    order by first_ordinal limit ${parts}`;
  const { rows } = await db.execute<Omit<AllocationPlanItem, 'assignment'> & { ordinal: number }>(
    sql`${vehiclesOf(planId, page)} order by ordinal`,
  );
  return rows.map((row) => ({
    ...row,
    assignment: row.source_location === row.target_location ? 'stay' : 'rebalance',
  }));
}

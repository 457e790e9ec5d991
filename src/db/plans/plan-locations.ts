import { sql } from 'drizzle-orm';
import type { PlanLocation } from '../../contracts/optimize.ts';
import type { PlanLevelDifference, PlanLocationDifference, PlanMove } from '../../contracts/plans.ts';
import type { Queryable } from '../client.ts';
import { plans } from '../schema.ts';
import { vehiclesOf } from './plans.ts';

/** The locations of a plan, unpacked: a row per location (location_id, name, demand, …, priority or null). */
const locationsOf = (planId: string) => sql`
  select l.*, l.demand - l.served as unmet
  from ${plans} p, unnest(p.location_ids, p.location_names, p.location_demands, p.location_vehicles_before,
    p.location_vehicles_after, p.location_capacities, p.location_served, p.location_priorities)
    as l (location_id, name, demand, vehicles_before, vehicles_after, capacity_after, served, priority)
  where p.plan_id = ${planId}`;

/** A page of a plan's locations by ascending id, after `after` (null: from the first one). */
export async function readPlanLocations(
  db: Queryable,
  planId: string,
  after: number | null,
  limit: number,
): Promise<PlanLocation[]> {
  const { rows } = await db.execute<Omit<PlanLocation, 'priority'> & { priority: number | null }>(sql`
    select location_id, name, demand, vehicles_before, vehicles_after, capacity_after, served, unmet, priority
    from (${locationsOf(planId)}) l
    where ${after}::int is null or location_id > ${after}::int order by location_id limit ${limit}`);
  return rows.map(({ priority, ...row }) => ({ ...row, ...(priority !== null && { priority }) }));
}

/**
 * A page of the moves of a plan by pair of locations. They are ordered by source, the longest move first; if distances
 * are unknown, the dearest. Pages are stable, because a stored plan never changes. Reads all vehicles of the plan.
 */
export async function readPlanMoves(
  db: Queryable,
  planId: string,
  offset: number,
  limit: number,
): Promise<PlanMove[]> {
  const { rows } = await db.execute<PlanMove>(sql`
    with place as materialized (select location_id, name from (${locationsOf(planId)}) l),
    distance as materialized (
      select d.* from ${plans} p, unnest(p.move_sources, p.move_targets, p.move_km, p.move_minutes)
        as d (source_location, target_location, km, minutes)
      where p.plan_id = ${planId}),
    pair as (
      select source_location, target_location, count(*)::int as vehicles, sum(cost) as cost, max(cost) as each,
        array_agg(vehicle_id order by ordinal) as vehicle_ids
      from (${vehiclesOf(planId)}) v where source_location <> target_location
      group by source_location, target_location)
    select source_location, s.name as source_name, target_location, t.name as target_name, vehicles,
      round(km * 1e4) / 1e4 as distance_km, minutes as duration_minutes, round(cost * 1e4) / 1e4 as cost, vehicle_ids
    from pair left join distance using (source_location, target_location)
      left join place s on s.location_id = source_location left join place t on t.location_id = target_location
    order by source_location, km desc nulls last, each desc, target_location
    offset ${offset} limit ${limit}`);
  return rows;
}

/** The locations whose figures differ between two plans, by ascending id. */
export async function readLocationDifferences(
  db: Queryable,
  planId: string,
  otherId: string,
): Promise<PlanLocationDifference[]> {
  const figures = (row: 'a' | 'b') => {
    const own = sql.identifier(row);
    return sql`case when ${own}.location_id is not null then json_strip_nulls(json_build_object('demand', ${own}.demand,
      'vehicles_before', ${own}.vehicles_before, 'vehicles_after', ${own}.vehicles_after,
      'capacity_after', ${own}.capacity_after, 'served', ${own}.served, 'unmet', ${own}.unmet,
      'priority', ${own}.priority)) end`;
  };
  const { rows } = await db.execute<{ differences: PlanLocationDifference[] }>(sql`
    with difference as (
      select location_id, coalesce(a.name, b.name) as name, ${figures('a')} as figures, ${figures('b')} as other_figures
      from (${locationsOf(planId)}) a full join (${locationsOf(otherId)}) b using (location_id)
      where (a.demand, a.vehicles_before, a.vehicles_after, a.capacity_after, a.served, a.priority)
        is distinct from (b.demand, b.vehicles_before, b.vehicles_after, b.capacity_after, b.served, b.priority))
    select coalesce(json_agg(difference order by location_id), '[]') as differences from difference`);
  return rows[0].differences;
}

/**
 * Compares what two plans serve of each priority level, the highest first. A location has the higher of its levels in
 * the two plans: a plan that knew no priorities is asked about the same locations.
 * @returns none if neither plan has a level above 0
 */
export async function readLevelDifferences(
  db: Queryable,
  planId: string,
  otherId: string,
): Promise<PlanLevelDifference[]> {
  // Sums of tenths are not exact in binary; ten decimals are.
  const total = (figure: 'demand' | 'served' | 'unmet', row: 'a' | 'b') =>
    sql`round(sum(${sql.identifier(row)}.${sql.identifier(figure)})::numeric, 10)::float8`;
  const figures = (row: 'a' | 'b') => sql`case when count(${sql.identifier(row)}.location_id) > 0 then
    json_build_object('demand', ${total('demand', row)}, 'served', ${total('served', row)},
      'unmet', ${total('unmet', row)}) end`;
  const { rows } = await db.execute<PlanLevelDifference>(sql`
    select greatest(a.priority, b.priority, 0)::int as level, ${figures('a')} as figures,
      ${figures('b')} as other_figures
    from (${locationsOf(planId)}) a full join (${locationsOf(otherId)}) b using (location_id)
    group by level order by level desc`);
  return rows.some(({ level }) => level > 0) ? rows : [];
}

import { sql } from 'drizzle-orm';
import { DEFAULT_SPEED_KMH } from '../contracts/bounds.ts';
import type { Queryable } from './client.ts';
import { vehiclesOf } from './plans.ts';
import { locations, plans, vehicles } from './schema.ts';

/**
 * Sends the stored vehicles on their way that a plan moves, as of the time when it was stored. Each is at its target
 * from its arrival on: by the minutes of stored travel, else by its kilometres at `DEFAULT_SPEED_KMH`, else at once.
 * One that is still on its way to where the plan found it leaves when it has arrived there. One that is no longer where
 * the plan found it has been reported elsewhere meanwhile, and stays as reported. Call it in the transaction that
 * stores the plan. Locks locations, then vehicles by id, as other writers do.
 */
export async function carryOutPlan(tx: Queryable, planId: string): Promise<void> {
  await tx.execute(sql`
    with plan as materialized (
      select created_at, move_sources, move_targets, move_km, move_minutes from ${plans} where plan_id = ${planId}),
    moved as materialized (
      select vehicle_id, source_location, target_location from (${vehiclesOf(planId)}) v
      where source_location <> target_location),
    known as materialized (
      select id from ${locations} where id in (select target_location from moved) order by id for key share),
    held as materialized (
      select v.vehicle_id from ${vehicles} v
      where (v.vehicle_id, v.location_id) in (
        select vehicle_id, source_location from moved where target_location in (select id from known))
      order by v.vehicle_id for no key update),
    travelled as (
      select p.created_at, m.* from plan p,
        unnest(p.move_sources, p.move_targets, p.move_km, p.move_minutes) as m (source, target, km, minutes))
    update ${vehicles} v
    set location_id = m.target_location, available_at = (
      select greatest(t.created_at, v.available_at)
        + make_interval(secs => 60 * coalesce(t.minutes, t.km / ${DEFAULT_SPEED_KMH}::float8 * 60))
      from travelled t where t.source = m.source_location and t.target = m.target_location)
    from moved m, held where v.vehicle_id = m.vehicle_id and held.vehicle_id = m.vehicle_id`);
}

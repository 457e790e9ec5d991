import { sql } from 'drizzle-orm';
import type { Queryable } from '../client.ts';
import { holdLocations } from '../data/locations.ts';
import { locations, plans, vehicles } from '../schema.ts';
import { vehiclesOf } from './plans.ts';

/**
 * Sends the stored vehicles on their way that a plan moves, as of the time when it was stored. Each is at its target
 * from its arrival on: by the minutes of stored travel, else by its kilometres at the speed of the plan, else at once.
 * One that is still on its way to where the plan found it leaves when it has arrived there. One that has been reported
 * elsewhere or out of service since the plan was made stays as reported. Call it in the transaction that stores the
 * plan, after `holdFleet`. Locks locations, then vehicles by id, as other writers do.
 */
export async function carryOutPlan(tx: Queryable, planId: string): Promise<void> {
  await tx.execute(sql`
    with plan as materialized (
      select created_at, speed_kmh, move_sources, move_targets, move_km, move_minutes from ${plans} where plan_id = ${planId}),
    moved as materialized (
      select vehicle_id, source_location, target_location from (${vehiclesOf(planId)}) v
      where source_location <> target_location),
    known as materialized (
      select id from ${locations} where id in (select target_location from moved) order by id for key share),
    held as materialized (
      select v.vehicle_id from ${vehicles} v
      where v.status = 'operational' and (v.vehicle_id, v.location_id) in (
        select vehicle_id, source_location from moved where target_location in (select id from known))
      order by v.vehicle_id for no key update),
    travelled as materialized (
      select m.* from plan p,
        unnest(p.move_sources, p.move_targets, p.move_km, p.move_minutes) as m (source, target, km, minutes)),
    going as materialized (
      select m.vehicle_id, m.target_location, p.created_at, p.speed_kmh, t.km, t.minutes
      from held join moved m using (vehicle_id) cross join plan p
        left join travelled t on t.source = m.source_location and t.target = m.target_location)
    update ${vehicles} v
    set location_id = g.target_location, available_at = greatest(g.created_at, v.available_at)
      + make_interval(secs => coalesce(60 * g.minutes, 3600 * g.km / g.speed_kmh, 0))
    from going g where v.vehicle_id = g.vehicle_id`);
}

/**
 * Waits for whoever replaces the fleet or deletes these locations, and then holds both until the transaction ends. Call
 * it before any other lock: a job that is held meanwhile would look abandoned, and two writers would wait for each
 * other.
 */
export async function holdFleet(tx: Queryable, locationIds: readonly number[]): Promise<void> {
  await holdLocations(tx, locationIds);
  await tx.execute(sql`lock table ${vehicles} in row exclusive mode`);
}

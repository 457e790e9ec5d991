import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../client.ts';
import { ownedBy } from '../owner.ts';
import { jobPrevious, jobs, planParts, plans } from '../schema.ts';

/** Whether a plan is stored. @param owner as in `readJob` */
export const isStoredPlan = (planId: string, owner: string | undefined): SQL<boolean> =>
  sql<boolean>`exists (select from ${plans} where ${and(eq(plans.planId, planId), ownedBy(plans.owner, owner))})`;

/**
 * Keeps a copy of a plan's targets with a job, as a part of the statement that stores the job: the plan may be deleted
 * before the job runs. @param job name of the part that has the `job_id`, if the job was stored
 */
export const copyTargets = (planId: string, job: SQL): SQL => sql`
  insert into ${jobPrevious} (job_id, first_ordinal, vehicle_ids, target_locations)
  select job_id, first_ordinal, vehicle_ids, target_locations from ${job}, ${planParts} where plan_id = ${planId}`;

/** Whether a plan is stored, in a query of its own. @param owner as in `readJob` */
export async function hasPlan(db: Queryable, planId: string, owner?: string): Promise<boolean> {
  const { rows } = await db.execute<{ found: boolean }>(sql`select ${isStoredPlan(planId, owner)} as found`);
  return rows[0].found;
}

/** The copy that a job has: JSON texts, `[vehicle ids, locations to which they go]` each. */
export async function readTargets(db: Queryable, jobId: string): Promise<string[]> {
  const { rows } = await db.execute<{ part: string }>(sql`
    select json_build_array(vehicle_ids, target_locations)::text as part from ${jobPrevious} where job_id = ${jobId}`);
  return rows.map(({ part }) => part);
}

/** Deletes the copies of jobs that have ended, of at most `limit` jobs. @returns the number of rows deleted */
export async function deleteJobPrevious(tx: Queryable, limit: number): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    delete from ${jobPrevious} where job_id = any(array(
      select job_id from ${jobs} where finished_at is not null
        and job_id = any(array(select distinct job_id from ${jobPrevious})) limit ${limit}))`);
  return rowCount ?? 0;
}

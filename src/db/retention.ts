import { sql } from 'drizzle-orm';
import type { Database, Queryable } from './client.ts';
import { jobs, planParts, plans, removedPlans } from './schema.ts';

/** Key of the advisory lock under which batches are cleaned: "FLET" in ASCII. */
const LOCK_KEY = 0x464c4554;

/** Cleans at most `limit` rows. @returns how many there were: 0 where nothing is left to be cleaned */
export type CleanBatch = (tx: Queryable, limit: number) => Promise<number>;

/**
 * Cleans one batch in a transaction of its own, unless another process cleans one at this moment: however many
 * workers there are, the database does one batch at a time.
 * @returns rows cleaned, or null where another process is at it
 */
export async function cleanAlone(db: Database, clean: CleanBatch, limit: number): Promise<number | null> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ locked: boolean }>(
      sql`select pg_try_advisory_xact_lock(${LOCK_KEY}) as locked`,
    );
    return rows[0].locked ? clean(tx, limit) : null;
  });
}

// `= any(array(…))` below, not `in (…)`: rows that were found in an index are looked up in one, whatever the planner
// thinks of the size of the table.
const isOlder = (time: unknown, days: number) => sql`${time} < now() - ${days} * interval '1 day'`;

/**
 * Drops the inputs of jobs that ended more than `days` ago, and the locations kept with them; the jobs and their
 * answers stay.
 */
export const dropInputs =
  (days: number): CleanBatch =>
  async (tx, limit) => {
    const { rowCount } = await tx.execute(sql`
      update ${jobs} set input = null, locations = null where job_id = any(array(
        select job_id from ${jobs}
        where finished_at is not null and input is not null and ${isOlder(sql`finished_at`, days)}
        order by finished_at limit ${limit} for update skip locked))`);
    return rowCount ?? 0;
  };

/**
 * Deletes the records of jobs that ended more than `days` ago, with their answers and attempts. A job whose
 * idempotency key still leads to it stays until the key expires. Plans stay: they have a time of their own.
 */
export const deleteJobs =
  (days: number): CleanBatch =>
  async (tx, limit) => {
    const { rowCount } = await tx.execute(sql`
      delete from ${jobs} where job_id = any(array(
        select job_id from ${jobs}
        where finished_at is not null and ${isOlder(sql`finished_at`, days)}
          and (idempotency_expires_at is null or idempotency_expires_at <= now())
        order by finished_at, job_id limit ${limit} for update skip locked))`);
    return rowCount ?? 0;
  };

/** Deletes plans made more than `days` ago. They are gone at once for everybody; `deletePlanParts` does the rest. */
export const deletePlans =
  (days: number): CleanBatch =>
  async (tx, limit) => {
    const { rowCount } = await tx.execute(sql`
      with deleted as (
        delete from ${plans} where plan_id = any(array(
          select plan_id from ${plans} where ${isOlder(sql`created_at`, days)}
          order by created_at, plan_id limit ${limit} for update skip locked))
        returning plan_id)
      insert into ${removedPlans} select plan_id from deleted`);
    return rowCount ?? 0;
  };

/** Removed plans whose parts one batch deletes, at most: a batch is short where plans are small, too. */
const PLANS_PER_PART_BATCH = 100;

/** Deletes parts of plans that are gone: a plan of 100,000 vehicles goes in several batches, many small ones in one. */
export const deletePlanParts: CleanBatch = async (tx, limit) => {
  const { rows } = await tx.execute<{ plan_id: string }>(
    sql`select plan_id from ${removedPlans} order by plan_id limit ${PLANS_PER_PART_BATCH}`,
  );
  let left = limit;
  for (const { plan_id } of rows) {
    // By their places in the table: looked up in the index, found without a second search.
    const { rowCount } = await tx.execute(sql`
      delete from ${planParts} where ctid = any(array(
        select ctid from ${planParts} where plan_id = ${plan_id} order by first_ordinal limit ${left}))`);
    left -= rowCount ?? 0;
    if (left === 0) break;
    await tx.execute(sql`delete from ${removedPlans} where plan_id = ${plan_id}`);
  }
  return limit - left;
};

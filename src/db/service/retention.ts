import { sql } from 'drizzle-orm';
import type { Database, Queryable } from '../client.ts';
import { tryLock } from '../locks.ts';
import { auditLog, jobs, planParts, plans, removedPlans, replays, webhookDeliveries } from '../schema.ts';

/** Cleans at most `limit` rows. @returns the number of rows cleaned; 0: nothing is left */
export type CleanBatch = (tx: Queryable, limit: number) => Promise<number>;

/**
 * Cleans one batch in a transaction of its own, unless another process is cleaning one. So the database cleans one
 * batch at a time, however many workers there are.
 * @returns rows cleaned, or null if another process is cleaning
 */
export async function cleanAlone(db: Database, clean: CleanBatch, limit: number): Promise<number | null> {
  return db.transaction(async (tx) => ((await tryLock(tx, 'cleaning')) ? clean(tx, limit) : null));
}

// `= any(array(…))` below, not `in (…)`: PostgreSQL then looks the rows up in an index, even if the planner misjudges
// the size of the table.
const isOlder = (time: unknown, days: number) => sql`${time} < now() - ${days} * interval '1 day'`;

/**
 * Removes the inputs of jobs that ended more than `days` ago, and the copies of locations kept with them. Jobs and
 * answers stay.
 */
export const dropInputs =
  (days: number): CleanBatch =>
  async (tx, limit) => {
    const { rowCount } = await tx.execute(sql`
      update ${jobs} set input = null, packed_input = null, locations = null where job_id = any(array(
        select job_id from ${jobs}
        where finished_at is not null and input is not null and ${isOlder(sql`finished_at`, days)}
        order by finished_at limit ${limit} for update skip locked))`);
    return rowCount ?? 0;
  };

/**
 * Deletes the records of jobs that ended more than `days` ago, with their answers and attempts. A job with a valid
 * idempotency key stays until the key expires. Plans stay, since they have a retention time of their own.
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

/**
 * Deletes plans made more than `days` ago. Nobody can read them from then on. `deletePlanParts` deletes their vehicles.
 */
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

/** Deletes replays made more than `days` ago. */
export const deleteReplays =
  (days: number): CleanBatch =>
  async (tx, limit) => {
    const { rowCount } = await tx.execute(sql`
      delete from ${replays} where replay_id = any(array(
        select replay_id from ${replays} where ${isOlder(sql`created_at`, days)}
        order by created_at, replay_id limit ${limit} for update skip locked))`);
    return rowCount ?? 0;
  };

/** A batch deletes the parts of at most this many plans, so that it is also short for small plans. */
const PLANS_PER_PART_BATCH = 100;

/**
 * Deletes parts of deleted plans. A plan of 100,000 vehicles takes several batches; one batch takes many small plans.
 */
export const deletePlanParts: CleanBatch = async (tx, limit) => {
  const { rows } = await tx.execute<{ plan_id: string }>(
    sql`select plan_id from ${removedPlans} order by plan_id limit ${PLANS_PER_PART_BATCH}`,
  );
  let left = limit;
  for (const { plan_id } of rows) {
    // Deletes by row address (ctid): the index finds the rows once.
    const { rowCount } = await tx.execute(sql`
      delete from ${planParts} where ctid = any(array(
        select ctid from ${planParts} where plan_id = ${plan_id} order by first_ordinal limit ${left}))`);
    left -= rowCount ?? 0;
    if (left === 0) break;
    await tx.execute(sql`delete from ${removedPlans} where plan_id = ${plan_id}`);
  }
  return limit - left;
};

/** Deletes deliveries of events of more than `days` ago: what has ended, and what waits for no webhook. */
export const deleteDeliveries =
  (days: number): CleanBatch =>
  async (tx, limit) => {
    const { rowCount } = await tx.execute(sql`
      delete from ${webhookDeliveries} where delivery_id = any(array(
        select delivery_id from ${webhookDeliveries} where ${isOlder(sql`created_at`, days)}
        order by created_at limit ${limit} for update skip locked))`);
    return rowCount ?? 0;
  };

/** Deletes what was noted of requests more than `days` ago. */
export const deleteAuditEntries =
  (days: number): CleanBatch =>
  async (tx, limit) => {
    const { rowCount } = await tx.execute(sql`
      delete from ${auditLog} where audit_id = any(array(
        select audit_id from ${auditLog} where ${isOlder(sql`at`, days)}
        order by at, audit_id limit ${limit} for update skip locked))`);
    return rowCount ?? 0;
  };

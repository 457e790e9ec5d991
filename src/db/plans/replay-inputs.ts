/** The stored data as a replay read it at its first attempt, so that every attempt replays the same past. */
import { sql } from 'drizzle-orm';
import type { Queryable } from '../client.ts';
import { jobReplays, jobs } from '../schema.ts';

/** Packed inputs, and the version of their form. */
export type KeptInputs = { version: number; inputs: Uint8Array };

/** Keeps the inputs of a replay in place of those that it kept. Call it in a transaction that holds the job. */
export async function storeReplayInputs(tx: Queryable, jobId: string, kept: KeptInputs): Promise<void> {
  const row = { version: kept.version, inputs: sql`${kept.inputs}::bytea` };
  await tx
    .insert(jobReplays)
    .values({ jobId, ...row })
    .onConflictDoUpdate({ target: jobReplays.jobId, set: row });
}

/** The inputs that a replay keeps; undefined if it keeps none yet. */
export async function readReplayInputs(db: Queryable, jobId: string): Promise<KeptInputs | undefined> {
  const { rows } = await db.execute<KeptInputs>(
    sql`select version, inputs from ${jobReplays} where job_id = ${jobId}`,
  );
  return rows[0];
}

/** Deletes the inputs of replays that have ended, at most `limit`. @returns the number of rows deleted */
export async function deleteReplayInputs(tx: Queryable, limit: number): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    delete from ${jobReplays} where job_id = any(array(
      select job_id from ${jobs} where finished_at is not null
        and job_id = any(array(select job_id from ${jobReplays})) limit ${limit}))`);
  return rowCount ?? 0;
}

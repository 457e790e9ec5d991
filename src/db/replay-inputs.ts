/** What a replay read of the stored data at its first attempt, so that every attempt replays the same past. */
import { sql } from 'drizzle-orm';
import type { Queryable } from './client.ts';
import { jobReplays, jobs } from './schema.ts';

/** Keeps the inputs of a replay, packed. Call it once, in a transaction that holds the job. */
export async function storeReplayInputs(tx: Queryable, jobId: string, inputs: Uint8Array): Promise<void> {
  await tx.insert(jobReplays).values({ jobId, inputs: sql`${inputs}::bytea` });
}

/** The inputs that a replay keeps, packed; undefined if it keeps none yet. */
export async function readReplayInputs(db: Queryable, jobId: string): Promise<Uint8Array | undefined> {
  const { rows } = await db.execute<{ inputs: Buffer }>(
    sql`select inputs from ${jobReplays} where job_id = ${jobId}`,
  );
  return rows[0]?.inputs;
}

/** Deletes the inputs of replays that have ended, at most `limit`. @returns the number of rows deleted */
export async function deleteReplayInputs(tx: Queryable, limit: number): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    delete from ${jobReplays} where job_id = any(array(
      select job_id from ${jobs} where finished_at is not null
        and job_id = any(array(select job_id from ${jobReplays})) limit ${limit}))`);
  return rowCount ?? 0;
}

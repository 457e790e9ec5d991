import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../client.ts';
import { callerBytes } from '../schema.ts';

/** Rows of a caller and day: connections that store jobs for it at once share few of them. */
const SLOTS = 32;

/** Smaller bodies count as so many bytes or as none, by chance: few of them write, and the sum is right. */
const LEAST_COUNTED = 64 * 1024;

const today = sql`(now() at time zone 'UTC')::date`;

/** The bytes that a caller has stored today. */
export const bytesOfToday = (caller: string): SQL<number> => sql<number>`(
  select coalesce(sum(bytes), 0)::float8 from ${callerBytes} where caller = ${caller} and day = ${today})`;

/** The bytes that a body counts as. */
export function countedBytes(body: number): number {
  if (body >= LEAST_COUNTED) return body;
  return Math.random() * LEAST_COUNTED < body ? LEAST_COUNTED : 0;
}

/** Seconds until the bytes of today no longer count. */
export const secondsOfToday = sql<number>`
  ceil(86400 - extract(epoch from now() at time zone 'UTC')::numeric % 86400)::int`;

/**
 * Adds the bytes of a job to those of its caller, as a part of the statement that stores the job.
 * @param stored name of the part that has the `caller`, if the job was stored
 */
export const countBytes = (stored: SQL, bytes: SQL): SQL => sql`
  insert into ${callerBytes} as counted (caller, day, slot, bytes)
  select caller, ${today}, pg_backend_pid() % ${sql.raw(String(SLOTS))}, ${bytes} from ${stored}
  on conflict (caller, day, slot) do update set bytes = counted.bytes + excluded.bytes`;

/** Deletes the counts of days that are over. */
export async function deleteCallerBytes(tx: Queryable, limit: number): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    delete from ${callerBytes} where ctid = any(array(
      select ctid from ${callerBytes} where day < ${today} limit ${limit}))`);
  return rowCount ?? 0;
}

/**
 * Stored trip flows as a plan reads them: packed by PostgreSQL, in pieces, so that the event loop of a worker touches
 * no count. A job keeps the pieces of its first attempt, so that every attempt plans with the same ones.
 */
import { eq, sql } from 'drizzle-orm';
import { ALL_HOURS, HOURS_OF_WEEK } from '../../contracts/bounds.ts';
import type { TripHours } from '../../contracts/job-facts.ts';
import type { Queryable } from '../client.ts';
import { jobs, jobTrips, tripFlows } from '../schema.ts';

/** Counts of a piece: under two megabytes. */
const COUNTS_PER_PIECE = 100_000;

/** Which counts: those of some hours of the week, those of each hour, or of all hours as one. */
export type AskedHours = TripHours | 'each' | 'together';

/**
 * The counts above 0 of trips between these locations (`openTrips`), by ascending ids and hour. Rows that count all
 * hours are among them, whichever hours are asked for.
 * @param most counts to read
 * @returns null if there are more
 */
export async function readTripPieces(
  db: Queryable,
  ids: readonly number[],
  hours: AskedHours,
  most: number,
): Promise<Uint8Array[] | null> {
  const counts = countsOf(ids, hours);
  const { rows: found } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from (select from (${counts}) c limit ${most + 1}) c`,
  );
  if (found[0].count > most) return null;
  const { rows } = await db.execute<{ counts: Buffer }>(sql`
    select string_agg(int4send("from") || int4send("to") || int2send(hour::int2) || float8send(trips), ''::bytea
      order by n) as counts
    from (
      select n / ${COUNTS_PER_PIECE} as piece, numbered.* from (
        select row_number() over (order by "from", "to", hour) - 1 as n, c.* from (${counts}) c) numbered) pieces
    group by piece order by piece`);
  return rows.map((row) => row.counts);
}

function countsOf(ids: readonly number[], hours: AskedHours) {
  const { fromLocationId: from, toLocationId: to, hourOfWeek: hour } = tripFlows;
  const between = sql`
    ${from} = any(${sql.param(ids)}::int[]) and ${to} = any(${sql.param(ids)}::int[]) and trips > 0`;
  if (hours === 'together')
    return sql`select ${from} as "from", ${to} as "to", ${ALL_HOURS}::int as hour, sum(trips order by ${hour}) as trips
      from ${tripFlows} where ${between} group by 1, 2`;
  const only =
    hours === 'each'
      ? sql``
      : sql`and (${hour} is null or ${hour} = any(${sql.param(listOf(hours))}::int[]))`;
  return sql`select ${from} as "from", ${to} as "to", coalesce(${hour}, ${ALL_HOURS}) as hour, trips
    from ${tripFlows} where ${between} ${only}`;
}

const listOf = ({ first, count }: TripHours): number[] =>
  Array.from({ length: Math.min(count, HOURS_OF_WEEK) }, (_, h) => (first + h) % HOURS_OF_WEEK);

/**
 * Keeps the counts of a job in place of those that it kept. Call it in a transaction that holds the job; none are kept,
 * too.
 */
export async function storeJobTrips(
  tx: Queryable,
  jobId: string,
  pieces: readonly Uint8Array[],
): Promise<void> {
  await tx.delete(jobTrips).where(eq(jobTrips.jobId, jobId));
  // The first piece may be empty: then there are no counts, and a later attempt must not look for them.
  for (const [piece, counts] of (pieces.length > 0 ? pieces : [new Uint8Array()]).entries())
    await tx.insert(jobTrips).values({ jobId, piece, counts: sql`${counts}::bytea` });
}

/** The counts that a job keeps; undefined if it keeps none yet. */
export async function readJobTrips(db: Queryable, jobId: string): Promise<Uint8Array[] | undefined> {
  const { rows } = await db.execute<{ counts: Buffer }>(
    sql`select counts from ${jobTrips} where job_id = ${jobId} order by piece`,
  );
  return rows.length === 0 ? undefined : rows.map(({ counts }) => counts).filter(({ length }) => length > 0);
}

/** Deletes the counts of jobs that have ended, of at most `limit` jobs. @returns the number of rows deleted */
export async function deleteJobTrips(tx: Queryable, limit: number): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    delete from ${jobTrips} where job_id = any(array(
      select job_id from ${jobs} where finished_at is not null
        and job_id = any(array(select distinct job_id from ${jobTrips})) limit ${limit}))`);
  return rowCount ?? 0;
}

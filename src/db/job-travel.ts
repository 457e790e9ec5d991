import { sql } from 'drizzle-orm';
import type { Queryable } from './client.ts';
import { jobs, jobTravel, travel } from './schema.ts';

/** Sources per query: 15 MB of pairs at most. */
const SOURCES_PER_QUERY = 250;

/**
 * Stored travel between locations for a job, as packed pairs (`schema.ts`). The first call keeps a copy with the job,
 * and later ones return that copy: a repeated attempt plans with the same pairs.
 */
export async function takeTravel(
  db: Queryable,
  jobId: string,
  locationIds: readonly number[],
): Promise<Uint8Array[]> {
  const ids = sql`${sql.param(locationIds)}::int[]`;
  // Every location gets a row: an empty table was taken, too.
  await db.execute(sql`
    insert into ${jobTravel} (job_id, from_location_id, pairs)
    select ${jobId}, source.id, coalesce(packed.pairs, '') from unnest(${ids}) as source (id)
    left join (
      select from_location_id, string_agg(int4send(from_location_id) || int4send(to_location_id)
        || float8send(distance_km) || float8send(duration_minutes), ''::bytea order by to_location_id) as pairs
      from ${travel} where from_location_id = any(${ids}) and to_location_id = any(${ids})
      group by from_location_id
    ) packed on packed.from_location_id = source.id
    where not exists (select from ${jobTravel} where job_id = ${jobId})`);
  const pieces: Uint8Array[] = [];
  for (let i = 0; i < locationIds.length; i += SOURCES_PER_QUERY) {
    const sources = sql.param(locationIds.slice(i, i + SOURCES_PER_QUERY));
    const { rows } = await db.execute<{ pairs: Buffer }>(sql`
      select pairs from ${jobTravel} where job_id = ${jobId} and from_location_id = any(${sources}::int[])
      order by from_location_id`);
    for (const { pairs } of rows) pieces.push(pairs);
  }
  return pieces;
}

/** Whether travel between any two of these locations is stored. */
export async function hasTravel(db: Queryable, locationIds: readonly number[]): Promise<boolean> {
  const ids = sql`${sql.param(locationIds)}::int[]`;
  const { rows } = await db.execute<{ found: boolean }>(sql`
    select exists (select from ${travel} where from_location_id = any(${ids}) and to_location_id = any(${ids})
      and from_location_id <> to_location_id) as found`);
  return rows[0].found;
}

/** Deletes the copies of jobs that have ended, of at most `limit` jobs. @returns the number of rows deleted */
export async function deleteJobTravel(tx: Queryable, limit: number): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    delete from ${jobTravel} where job_id = any(array(
      select job_id from ${jobs} where finished_at is not null
        and job_id = any(array(select distinct job_id from ${jobTravel})) limit ${limit}))`);
  return rowCount ?? 0;
}

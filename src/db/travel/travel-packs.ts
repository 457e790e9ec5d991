/**
 * Stored travel as workers read it: packed by source, a pack per revision of the source (`schema.ts`).
 *
 * A job takes a version of the table once, all its attempts plan with that version, and the version is exactly the
 * table after one of its changes. Taking a version copies nothing but the sources that changed since they were last
 * packed. Writers of the table never wait for packs.
 */
import { sql } from 'drizzle-orm';
import { type Database, executePrepared, type Queryable } from '../client.ts';
import { holdLock } from '../locks.ts';
import { jobs, travel, travelPacks, travelRevision, travelSources } from '../schema.ts';

/** Sources packed in one transaction: at most half a million pairs. */
const SOURCES_PER_BATCH = 100;

/** A source of travel, and the revision of its pack. */
export type PackKey = { source: number; revision: number };

/**
 * The version of stored travel of a job, as the keys of its packs, by ascending source. The first call takes the
 * present version, and later ones return the same. Sources without travel are not in it.
 * @param locationIds of the job; the same at each call
 * @returns null if the job has ended
 */
export async function takeTravel(
  db: Database,
  jobId: string,
  locationIds: readonly number[],
): Promise<PackKey[] | null> {
  for (;;) {
    const revision = await takeRevision(db, jobId, locationIds);
    if (revision !== null) return listPacks(db, revision, locationIds);
    const { rows } = await db.execute(
      sql`select from ${jobs} where job_id = ${jobId} and finished_at is null`,
    );
    if (rows.length === 0) return null;
    while ((await packSources(db, locationIds)) > 0);
  }
}

/** @returns null if a source has to be packed first, or the job has ended */
async function takeRevision(db: Database, jobId: string, locationIds: readonly number[]) {
  return db.transaction(async (tx) => {
    await holdLock(tx, 'travel_versions', 'share');
    // One statement, so one snapshot: revision, sources and packs agree.
    const { rows } = await tx.execute<{ revision: number }>(sql`
      update ${jobs} set travel_revision = coalesce(travel_revision, (select revision from ${travelRevision}))
      where job_id = ${jobId} and finished_at is null and (travel_revision is not null or not exists (
        select from ${travelSources} s where from_location_id = any(${sql.param(locationIds)}::int[]) and not exists (
          select from ${travelPacks} p
          where p.from_location_id = s.from_location_id and p.revision = s.revision)))
      returning travel_revision as revision`);
    return rows[0]?.revision ?? null;
  });
}

/** Packs some sources that have no pack of their revision. @returns their number; 0: there are none */
async function packSources(db: Database, locationIds: readonly number[]): Promise<number> {
  return db.transaction(async (tx) => {
    await holdLock(tx, 'travel_packs');
    const { rowCount } = await tx.execute(sql`
      insert into ${travelPacks} (from_location_id, revision, pairs)
      select s.from_location_id, s.revision, coalesce(packed.pairs, '') from (
        select from_location_id, revision from ${travelSources} s
        where from_location_id = any(${sql.param(locationIds)}::int[]) and not exists (
          select from ${travelPacks} p
          where p.from_location_id = s.from_location_id and p.revision = s.revision)
        order by from_location_id limit ${SOURCES_PER_BATCH}
      ) s cross join lateral (
        select string_agg(float8send(distance_km), ''::bytea order by to_location_id)
          || string_agg(float8send(duration_minutes), ''::bytea order by to_location_id)
          || string_agg(int4send(to_location_id), ''::bytea order by to_location_id) as pairs
        from ${travel} t where t.from_location_id = s.from_location_id
      ) packed`);
    return rowCount ?? 0;
  });
}

async function listPacks(db: Database, revision: number, locationIds: readonly number[]): Promise<PackKey[]> {
  const { rows } = await db.execute<PackKey>(sql`
    select distinct on (from_location_id) from_location_id as source, revision from ${travelPacks}
    where from_location_id = any(${sql.param(locationIds)}::int[]) and revision <= ${revision}
    order by from_location_id, revision desc`);
  return rows;
}

/** Reads packs (`sharePack`), in the order of their keys. @throws Error if one is missing */
export async function readPacks(db: Database, keys: readonly PackKey[]): Promise<Uint8Array[]> {
  const rows = await executePrepared<{ pairs: Buffer | null }>(
    db,
    'read_travel_packs',
    sql`select pairs from unnest(${sql.param(keys.map(({ source }) => source))}::int[],
        ${sql.param(keys.map(({ revision }) => revision))}::int[]) with ordinality as k (source, revision, n)
      left join ${travelPacks} p on p.from_location_id = k.source and p.revision = k.revision order by n`,
  );
  return rows.map(({ pairs }, at) => {
    if (pairs) return pairs;
    throw new Error(`the travel from ${keys[at].source} at revision ${keys[at].revision} is gone`);
  });
}

/**
 * Deletes packs that have a successor which all jobs that plan with stored travel can use; at most `limit`.
 * @returns the number of packs deleted
 */
export async function deleteTravelPacks(tx: Queryable, limit: number): Promise<number> {
  await holdLock(tx, 'travel_versions');
  const { rowCount } = await tx.execute(sql`
    delete from ${travelPacks} where ctid = any(array(
      select p.ctid from (
        select ctid, from_location_id, revision,
          lead(revision) over (partition by from_location_id order by revision) as successor
        from ${travelPacks}
      ) p left join ${travelSources} s on s.from_location_id = p.from_location_id
      where coalesce(successor, nullif(s.revision, p.revision)) <= coalesce(
        (select min(travel_revision) from ${jobs} where finished_at is null and travel_revision is not null),
        (select revision from ${travelRevision}))
      limit ${limit}))`);
  return rowCount ?? 0;
}

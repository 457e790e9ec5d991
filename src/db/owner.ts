import { type Column, eq, type SQL, sql } from 'drizzle-orm';
import { jobs } from './schema.ts';

/** The condition of a query that a row belongs to an owner; undefined: no condition. */
export const ownedBy = (column: Column, owner: string | undefined): SQL | undefined =>
  owner === undefined ? undefined : eq(column, owner);

/** The owner of a job, for what it makes. */
export const ownerOf = (jobId: string): SQL =>
  sql`(select owned.owner from ${jobs} owned where owned.job_id = ${jobId})`;

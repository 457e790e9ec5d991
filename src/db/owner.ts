import { type Column, eq, type SQL, sql } from 'drizzle-orm';
import { jobs } from './schema.ts';

/** The condition of a query that a row belongs to an owner; undefined: no condition. */
export const ownedBy = (column: Column, owner: string | undefined): SQL | undefined =>
  owner === undefined ? undefined : eq(column, owner);

/** The owner of a job, for what it makes. */
export const ownerOf = (jobId: string): SQL =>
  sql`(select owned.owner from ${jobs} owned where owned.job_id = ${jobId})`;

/** The schedule of a job, for its plan; null if it has none. */
export const scheduleOf = (jobId: string): SQL =>
  sql`(select made.schedule_id from ${jobs} made where made.job_id = ${jobId})`;

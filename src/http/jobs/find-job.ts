import { AppError } from '../../answers/errors.ts';
import type { Database } from '../../db/client.ts';
import { type JobRecord, readJob } from '../../db/jobs/jobs.ts';
import { type Identity, onlyOwner } from '../auth/identity.ts';

/** The job of a path. @throws AppError RESOURCE_NOT_FOUND, also of a job that the caller may not see */
export async function findJob(db: Database, jobId: string, identity: Identity): Promise<JobRecord> {
  const job = await readJob(db, jobId, onlyOwner(identity));
  if (job) return job;
  const message =
    `job "${jobId}" not found: it never existed, or it was deleted after RETENTION_JOB_DAYS; GET ` +
    '/api/v1/jobs lists the stored jobs';
  throw new AppError('RESOURCE_NOT_FOUND', [{ message, field: 'job_id' }]);
}

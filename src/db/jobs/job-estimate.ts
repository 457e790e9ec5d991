import { sql } from 'drizzle-orm';
import type { Queryable } from '../client.ts';
import { jobs } from '../schema.ts';

/** An estimate uses the newest past jobs: at most MAX_JOBS, at least MIN_JOBS. */
const MAX_JOBS = 200;
const MIN_JOBS = 5;

/** z of the 90th percentile of a normal distribution. */
const Z90 = 1.2816;

/** Seconds until a job ends, estimated from past jobs. */
export type DurationEstimate = {
  median: number;
  /** 10th and 90th percentile */
  p10: number;
  p90: number;
  /** number of past jobs of similar size that it is based on */
  basedOn: number;
};

type Row = {
  n: number;
  median: number | null;
  p10: number | null;
  p90: number | null;
  mean: number | null;
  deviation: number | null;
  parallel: number;
};

/**
 * Estimates when a queued or running job ends: the rest of its wait plus the rest of its solve.
 *
 * Rest of the solve: from the newest jobs of the same kind and size class that completed at their first attempt, in
 * proportion to their work where their facts state it (replays). If the job has run for t seconds, only jobs that took
 * longer than t count, with the time that they took beyond t.
 *
 * Rest of the wait, for place p in the queue order with c jobs running now: p departures at the pace of the newest
 * completed jobs (mean m, deviation s), which take p·m/c ± √p·s/c. The percentiles of both parts are added, which makes
 * the range too wide rather than too narrow.
 *
 * @param position place in queue order; 0 for a running job
 * @returns null if fewer than five past jobs are comparable, or if the job waits and no job is running
 */
export async function estimateJob(
  db: Queryable,
  jobId: string,
  position: number,
): Promise<DurationEstimate | null> {
  const took = sql`extract(epoch from finished_at - started_at)::float8`;
  const work = sql`coalesce((facts->>'work')::float8, 1)`;
  const { rows } = await db.execute<Row>(sql`
    with job as (
      select kind, size_class, ${work} as work, case when status = 'running' then coalesce((
          select extract(epoch from now() - a.started_at)::float8 from job_attempts a
          where a.job_id = j.job_id and a.attempt = j.attempts), 0) else 0 end as elapsed
      from ${jobs} j where job_id = ${jobId}),
    alike as (
      select p.took * job.work / p.work - job.elapsed as rest
      from job, lateral (
        select ${took} as took, ${work} as work from ${jobs}
        where status = 'completed' and kind = job.kind and size_class = job.size_class and attempts = 1
        order by finished_at desc limit ${MAX_JOBS}) p
      where p.took * job.work / p.work > job.elapsed),
    recent as (
      select ${took} as took from ${jobs}
      where ${position}::int > 0 and finished_at is not null and status = 'completed' and attempts = 1
      order by finished_at desc limit ${MAX_JOBS})
    select count(*)::int as n,
      percentile_cont(0.5) within group (order by rest) as median,
      percentile_cont(0.1) within group (order by rest) as p10,
      percentile_cont(0.9) within group (order by rest) as p90,
      (select avg(took) from recent) as mean,
      (select stddev_pop(took) from recent) as deviation,
      (select count(*)::int from ${jobs} where ${position}::int > 0 and status = 'running') as parallel
    from alike`);
  const { n, median, p10, p90, mean, deviation, parallel } = rows[0];
  if (n < MIN_JOBS || median === null || p10 === null || p90 === null) return null;
  if (position === 0) return { median, p10, p90, basedOn: n };
  if (mean === null || deviation === null || parallel === 0) return null;
  const wait = (position * mean) / parallel;
  const spread = (Z90 * Math.sqrt(position) * deviation) / parallel;
  return {
    median: wait + median,
    p10: Math.max(0, wait - spread) + p10,
    p90: wait + spread + p90,
    basedOn: n,
  };
}

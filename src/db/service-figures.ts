import { sql } from 'drizzle-orm';
import { JOB_PRIORITIES, type JobPriority } from '../contracts/priorities.ts';
import { type Database, executePrepared } from './client.ts';
import { jobs, plans, workers } from './schema.ts';

/** Figures of the whole service, which every process reads alike. */
export type ServiceFigures = {
  /** per priority; 0 where no job waits */
  waiting: { priority: JobPriority; jobs: number; oldestSeconds: number }[];
  running: number;
  /** with a heartbeat within the time after which they count as dead */
  workers: number;
  slots: number;
  /** of the newest plan; null if there is none */
  newestPlan: { utilization: number; demandCoverage: number } | null;
};

/**
 * Reads the figures: waiting and running jobs from their partial indexes, which hold no ended job, and the newest plan
 * from the end of its index. The cost grows with the jobs that wait, of which there are `QUEUE_MAX_WAITING` at most.
 * @param lockSeconds silence after which a worker counts as dead
 */
export async function readServiceFigures(
  db: Pick<Database, '$client'>,
  lockSeconds: number,
): Promise<ServiceFigures> {
  type Row = Omit<ServiceFigures, 'waiting'> & { waiting: ServiceFigures['waiting'] | null };
  const statement = sql`
    select w.workers, w.slots, (select count(*)::int from ${jobs} where status = 'running') as running,
      (select json_agg(json_build_object('priority', priority, 'jobs', n, 'oldestSeconds', oldest)) from (
        select priority, count(*)::int as n, greatest(0, extract(epoch from now() - min(created_at)))::float8 as oldest
        from ${jobs} where status = 'queued' group by priority) q) as waiting,
      (select json_build_object('utilization', utilization, 'demandCoverage', demand_coverage) from (
        select utilization, demand_coverage from ${plans} order by created_at desc, plan_id desc limit 1) p)
        as "newestPlan"
    from (select count(*)::int as workers, coalesce(sum(slots), 0)::int as slots from ${workers}
      where heartbeat_at >= now() - make_interval(secs => ${lockSeconds}::float8)) w`;
  const [{ waiting, ...figures }] = await executePrepared<Row>(db, 'service_figures', statement);
  const known = new Map(waiting?.map((row) => [row.priority, row]));
  return {
    ...figures,
    waiting: JOB_PRIORITIES.map((priority) => known.get(priority) ?? { priority, jobs: 0, oldestSeconds: 0 }),
  };
}

import { sql } from 'drizzle-orm';
import { JOB_PRIORITIES, type JobPriority } from '../../contracts/priorities.ts';
import { type Database, executePrepared } from '../client.ts';
import { jobs, plans, storedWebhooks, webhookDeliveries, workers } from '../schema.ts';

/** Waiting events that are looked at for the oldest of a webhook: those to be tried last, which have waited longest. */
const LOOKED_AT = 100;

/** Figures of the whole service, which every process reads alike. */
export type ServiceFigures = {
  /** per priority; 0 where no job waits */
  waiting: { priority: JobPriority; jobs: number; oldestSeconds: number }[];
  running: number;
  /** with a heartbeat within the time after which they count as dead */
  workers: number;
  slots: number;
  /** age of the oldest event that waits for a webhook which is switched on; 0: none waits */
  oldestWebhookSeconds: number;
  /** of the newest plan; null if there is none */
  newestPlan: { utilization: number; demandCoverage: number } | null;
};

/**
 * Reads the figures: waiting and running jobs from their partial indexes, which hold no ended job, and the newest plan
 * from the end of its index. The cost grows with the jobs that wait, of which there are `QUEUE_MAX_WAITING` at most. Of
 * the events that wait for a webhook it reads a few, however many wait: delays grow with the age of an event.
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
      (select greatest(0, extract(epoch from now() - min(late.created_at)))::float8 from ${storedWebhooks} h
        cross join lateral (select created_at from ${webhookDeliveries} d
          where d.webhook_id = h.webhook_id and d.status = 'waiting' order by next_at desc limit ${LOOKED_AT}) late
        where h.active) as "oldestWebhookSeconds",
      (select json_build_object('utilization', utilization, 'demandCoverage', demand_coverage) from (
        select utilization, demand_coverage from ${plans} order by created_at desc, plan_id desc limit 1) p)
        as "newestPlan"
    from (select count(*)::int as workers, coalesce(sum(slots), 0)::int as slots from ${workers}
      where heartbeat_at >= now() - make_interval(secs => ${lockSeconds}::float8)) w`;
  const [{ waiting, ...figures }] = await executePrepared<Row>(db, 'service_figures', statement);
  const known = new Map(waiting?.map((row) => [row.priority, row]));
  return {
    ...figures,
    oldestWebhookSeconds: figures.oldestWebhookSeconds ?? 0,
    waiting: JOB_PRIORITIES.map((priority) => known.get(priority) ?? { priority, jobs: 0, oldestSeconds: 0 }),
  };
}

import { type SQL, sql } from 'drizzle-orm';
import { DELIVERY_PREFIX } from '../../contracts/webhooks.ts';
import { unplanned } from '../client.ts';
import { storedWebhooks, webhookDeliveries } from '../schema.ts';

const utc = (time: string) => sql.raw(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Writes a row for each webhook that wants one of these events. Without webhooks it reads one empty table. */
const noteEvents = (from: SQL, isWanted: SQL, at: SQL, data: SQL): SQL => sql`
  insert into ${webhookDeliveries} (delivery_id, webhook_id, event, job_id, data, created_at, next_at, retry_until)
  select ${sql.raw(`'${DELIVERY_PREFIX}_'`)} || gen_random_uuid(), w.webhook_id, e.event, f.job_id, ${data},
    ${at}, ${at}, ${at} + interval '1 day'
  from ${from} f join ${storedWebhooks} w on w.active cross join unnest(w.events) e(event)
  where ${isWanted}`;

/** The links of an event are paths, as the service does not know by which names it is reached. */
const jobLinks = (planId: string | null): SQL => sql`json_strip_nulls(json_build_object(
  'job', '/api/v1/jobs/' || f.job_id,
  'plan', '/api/v1/plans/' || ${planId}::text,
  'decision', case when f.kind = 'decision' then '/api/v1/decisions/' || f.job_id end,
  'replay', case when f.kind = 'replay' then '/api/v1/replays/' || f.job_id end))`;

/**
 * The part of the statement that ends a job which notes its events: `job.completed`, `job.failed`,
 * `decision.completed`. A cancelled job has no event.
 * @param from name of the part that ended the job. It has its columns
 * @param reason why it failed
 */
export const noteJobEvents = (from: SQL, planId: string | null, reason: string | null): SQL =>
  noteEvents(
    from,
    sql`e.event = 'job.' || f.status or (f.kind = 'decision' and e.event = 'decision.' || f.status)`,
    sql`f.finished_at`,
    sql`json_build_object('job_id', f.job_id, 'kind', f.kind, 'status', f.status, 'solver_status', f.solver_status,
      'http_status', f.http_status, 'reason', case when f.status = 'failed' then ${reason}::text end,
      'plan_id', ${planId}::text, 'schedule_id', f.schedule_id, 'request_id', f.request_id,
      'created_at', ${utc('f.created_at')}, 'finished_at', ${utc('f.finished_at')}, 'links', ${jobLinks(planId)})`,
  );

/**
 * The part of a statement that takes a job from a dead worker which notes the event `worker.lost`.
 * @param from name of the part that took the job. It has the columns of the job
 * @param isLost false: its worker lives, and nothing is noted
 */
export const noteWorkerLost = (
  from: SQL,
  { workerId, attempt }: { workerId: string; attempt: number },
  reason: string | null,
  isLost: boolean,
): SQL =>
  noteEvents(
    from,
    sql`${unplanned(sql`${isLost}::boolean`)} and e.event = 'worker.lost'`,
    sql`now()`,
    sql`json_build_object('worker_id', ${workerId}::text, 'job_id', f.job_id, 'kind', f.kind,
      'attempt', ${attempt}::int, 'reason', ${reason}::text, 'job_status', f.status, 'request_id', f.request_id,
      'links', json_build_object('job', '/api/v1/jobs/' || f.job_id))`,
  );

import { type SQL, sql } from 'drizzle-orm';
import { JOB_FORMAT } from '../../contracts/jobs.ts';
import type { JobPriority } from '../../contracts/priorities.ts';
import { commitLater, type Database, executePrepared, type Queryable } from '../client.ts';
import { callerTurns, clientTurns, jobs, priorityLines, workers } from '../schema.ts';

/** Limit of running jobs per caller: a number, or null for one fewer than all slots of live workers. */
export type RunningLimit = {
  runningPerCaller: number | null;
  /** silence after which a worker counts as dead */
  lockSeconds: number;
};

/** No limit. */
export const NO_RUNNING_LIMIT: RunningLimit = { runningPerCaller: 2_147_483_647, lockSeconds: 0 };

/** Records that a worker is alive, and how many jobs it runs at once. */
export async function beatWorker(db: Queryable, workerId: string, slots: number): Promise<void> {
  await db.execute(sql`
    insert into ${workers} (worker_id, slots) select ${workerId}, ${slots}::int where ${commitLater}
    on conflict (worker_id) do update set slots = excluded.slots, heartbeat_at = excluded.heartbeat_at`);
}

/**
 * Whether a worker is one of the first few that are alive: these look after all of them, so that what a thousand
 * workers ask of PostgreSQL while they have nothing to do does not grow a thousandfold. Where they die, others are the
 * first as soon as they count as dead.
 */
export async function isAmongFirst(
  db: Queryable,
  workerId: string,
  lockSeconds: number,
  most: number,
): Promise<boolean> {
  const { rows } = await db.execute<{ first: boolean }>(sql`
    select ${workerId} in (select worker_id from ${workers}
      where heartbeat_at >= now() - make_interval(secs => ${lockSeconds}::float8)
      order by worker_id limit ${most}) as first`);
  return rows[0].first;
}

/** Removes a worker that ends: its slots no longer count. */
export async function removeWorker(db: Queryable, workerId: string): Promise<void> {
  await db.execute(sql`delete from ${workers} where worker_id = ${workerId}`);
}

/** Removes silent workers and callers that have left the queue order, and forgets use from long ago. */
export async function tidyTurns(db: Queryable, lockSeconds: number): Promise<void> {
  await db.execute(sql`delete from ${workers} where worker_id = any(array(
    select worker_id from ${workers} where heartbeat_at < now() - make_interval(secs => ${2 * lockSeconds})
    for update skip locked))`);
  await db.execute(sql`select tidy_lines()`);
  await db.execute(sql`select drop_idle_turns(priority, 100000) from ${priorityLines}`);
}

const runningLimit = ({ runningPerCaller, lockSeconds }: RunningLimit) =>
  sql`running_limit(${runningPerCaller}::int, ${lockSeconds}::float8)`;
const runningOf = (caller: SQL) =>
  sql`(select count(*)::int from ${jobs} r where r.status = 'running' and r.caller = ${caller})`;
const isClaimable = sql`j.status = 'queued' and (j.retry_at is null or j.retry_at <= now())
  and j.format <= ${sql.raw(String(JOB_FORMAT))}`;

/** Number of jobs that workers could claim now, counted up to `most`. Jobs beyond their caller's limit do not count. */
export async function countClaimable(db: Queryable, most: number, limit: RunningLimit): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from (
      select from (select ${runningLimit(limit)} as running) l, ${callerTurns} c cross join lateral (
        select from ${jobs} j where ${isClaimable} and j.priority = c.priority and j.caller = c.caller
        limit case when l.running is not null then greatest(0, l.running - ${runningOf(sql`c.caller`)}) end) q
      limit ${most}) n`);
  return rows[0].n;
}

/**
 * Whether the end of a job lets another job of its caller start, which the caller's limit held back: claims skipped
 * that job and used up its token. Ask after the end is stored: later claims see the end themselves.
 */
export async function isHeldBack(
  db: Pick<Database, '$client'>,
  jobId: string,
  limit: RunningLimit,
): Promise<boolean> {
  const statement = sql`
    select coalesce(${runningLimit(limit)} <= 1 + ${runningOf(sql`ended.caller`)}, false) and exists (
      select from ${jobs} j where ${isClaimable} and j.priority = any(enum_range(null::job_priority))
        and j.caller = ended.caller) as held
    from ${jobs} ended where ended.job_id = ${jobId}`;
  const [row] = await executePrepared<{ held: boolean }>(db, 'is_held_back', statement);
  return row?.held ?? false;
}

/**
 * Number of jobs of one caller or client that are claimed before `tag`: those that start at a smaller tag, or at the
 * same tag if it entered the queue order earlier.
 */
const before = (start: SQL, expected: SQL, since: SQL, tag: SQL, tagSince: SQL) => sql`
  greatest(0, case when ${since} < ${tagSince} then floor((${tag} - ${start}) / ${expected}) + 1
    else ceil((${tag} - ${start}) / ${expected}) end)`;

/**
 * Position of a queued job in queue order; 1 is next. It is an estimate: each waiting job is assumed to use as much as
 * the last one of its caller. Limits of callers are ignored.
 */
export async function readQueuePosition(
  db: Queryable,
  job: { jobId: string; priority: JobPriority; caller: string; clientId: string; createdAt: Date },
): Promise<number> {
  const { jobId, priority, caller, clientId } = job;
  const createdAt = job.createdAt.toISOString();
  const ownTag = sql`(m.start + m.older * m.expected)`;
  const otherClients = before(sql`o.start`, sql`o.expected`, sql`o.since`, ownTag, sql`m.since`);
  const otherCallers = before(sql`c.start`, sql`c.expected`, sql`c.since`, sql`mine.tag`, sql`mine.since`);
  const { rows } = await db.execute<{ n: number }>(sql`
    with waiting as materialized (
      select caller, client_id, count(*) as jobs, min(created_at) as oldest,
        count(*) filter (where (created_at, job_id) < (${createdAt}::timestamptz, ${jobId})) as older
      from ${jobs} where status = 'queued' and priority = ${priority} group by caller, client_id),
    callers as materialized (
      select c.caller, c.expected_seconds as expected, c.since, c.virtual_seconds,
        line_start(c.seconds, p.virtual_seconds, c.served_at, w.oldest) as start
      from ${callerTurns} c join ${priorityLines} p on p.priority = c.priority
        left join (select caller, min(oldest) as oldest from waiting group by caller) w on w.caller = c.caller
      where c.priority = ${priority}),
    clients as (
      select w.client_id, w.jobs, w.older, t.since, t.expected_seconds as expected,
        line_start(t.seconds, c.virtual_seconds, t.served_at, w.oldest) as start
      from waiting w join ${clientTurns} t
          on t.priority = ${priority} and t.caller = ${caller} and t.client_id = w.client_id
        join callers c on c.caller = ${caller}
      where w.caller = ${caller}),
    own as (
      select m.older + coalesce(sum(least(o.jobs, ${otherClients})), 0) as n
      from clients m left join clients o on o.client_id <> m.client_id
      where m.client_id = ${clientId} group by m.older),
    mine as (
      select own.n, c.start + own.n * c.expected as tag, c.since from callers c, own where c.caller = ${caller})
    select (1 + (select count(*) from ${jobs} where status = 'queued' and priority > ${priority})
      + coalesce((select n from mine), 0)
      + coalesce((select sum(least(w.jobs, ${otherCallers}))
          from mine, callers c, (select caller, sum(jobs) as jobs from waiting group by caller) w
          where c.caller = w.caller and c.caller <> ${caller}), 0))::int as n`);
  return rows[0].n;
}

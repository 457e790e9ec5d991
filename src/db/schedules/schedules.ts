import { and, desc, eq, sql } from 'drizzle-orm';
import { START_NOW } from '../../contracts/forecast.ts';
import type { JobFacts } from '../../contracts/job-facts.ts';
import { JOB_FORMAT, type JobStatus } from '../../contracts/jobs.ts';
import type { JobPriority } from '../../contracts/priorities.ts';
import { LAST_PLAN, type MissedPolicy, type OccurrenceOutcome } from '../../contracts/schedules.ts';
import type { TraceContext } from '../../contracts/trace.ts';
import type { Database, Queryable } from '../client.ts';
import { countBytes } from '../jobs/caller-bytes.ts';
import { holdLock } from '../locks.ts';
import { ownedBy } from '../owner.ts';
import { jobs, plans, scheduleOccurrences, schedules, vehicles } from '../schema.ts';

/** The new values in a job of a schedule. */
type ScheduledRun = {
  jobId: string;
  requestId: string;
  /** what its spans follow; undefined: it is not traced */
  trace: TraceContext | undefined;
};

/** The columns of its jobs that a schedule keeps. */
export type ScheduledJob = {
  /** the body as JSON: text, or bytes, which go to PostgreSQL unchanged */
  input: string | Uint8Array;
  inputHash: Uint8Array;
  facts: JobFacts;
  priority: JobPriority;
  locationCount: number;
  vehicleCount: number;
};

/** When a schedule has occurrences. */
type ScheduleTimes = {
  name: string;
  cron: string;
  timeZone: string;
  missed: MissedPolicy;
  /** null: it is paused */
  nextAt: Date | null;
  /** why a worker paused it */
  pausedBecause: string | null;
};

export type NewSchedule = ScheduledJob &
  ScheduleTimes & { scheduleId: string; caller: string; clientId: string; owner: string | null };

/** The time of the database. All processes decide by this one clock. */
export async function readNow(db: Queryable): Promise<Date> {
  const { rows } = await db.execute<{ now: Date }>(sql`select clock_timestamp()::timestamptz(3) as now`);
  return new Date(rows[0].now);
}

/**
 * Stores a schedule.
 * @param most as many schedules may be stored
 * @returns what prevents it: its name is in use, or there are too many; nothing is stored then
 */
export async function insertSchedule(
  db: Database,
  schedule: NewSchedule,
  most: number,
): Promise<'stored' | 'named' | 'full'> {
  return db.transaction(async (tx) => {
    await holdLock(tx, 'schedules');
    if (await isNamed(tx, schedule.name)) return 'named';
    if ((await tx.$count(schedules)) >= most) return 'full';
    await tx.insert(schedules).values({ ...schedule, ...columnsOf(schedule) });
    return 'stored';
  });
}

async function isNamed(tx: Queryable, name: string): Promise<boolean> {
  return (
    (await tx.select({ name: schedules.name }).from(schedules).where(eq(schedules.name, name))).length > 0
  );
}

/** The columns that are sent as bytes, and the format of what they hold. */
const columnsOf = ({ input, inputHash }: Pick<ScheduledJob, 'input' | 'inputHash'>) => ({
  input: sql`${input}::json`,
  inputHash: sql`${inputHash}::bytea`,
  format: JOB_FORMAT,
});

const columns = {
  scheduleId: schedules.scheduleId,
  name: schedules.name,
  cron: schedules.cron,
  timeZone: schedules.timeZone,
  missed: schedules.missed,
  nextAt: schedules.nextAt,
  pausedBecause: schedules.pausedBecause,
  owner: schedules.owner,
  carriesOut: sql<boolean>`coalesce((${schedules.facts} ->> 'carry_out')::boolean, false)`,
  createdAt: schedules.createdAt,
  updatedAt: schedules.updatedAt,
};

const isSchedule = (scheduleId: string, owner: string | undefined) =>
  and(eq(schedules.scheduleId, scheduleId), ownedBy(schedules.owner, owner));

/** A schedule without the body of its decisions, or undefined. @param owner as in `readJob` */
export async function readSchedule(db: Queryable, scheduleId: string, owner?: string) {
  const [row] = await db.select(columns).from(schedules).where(isSchedule(scheduleId, owner));
  return row;
}
export type ScheduleRecord = NonNullable<Awaited<ReturnType<typeof readSchedule>>>;

/** The body of a schedule's decisions as JSON text, or undefined. */
export async function readScheduleInput(db: Queryable, scheduleId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ input: sql<string>`${schedules.input}::text` })
    .from(schedules)
    .where(eq(schedules.scheduleId, scheduleId));
  return row?.input;
}

/** Schedules, newest first; `before` as in `readJobPage`, `owner` as in `readJob`. */
export async function readSchedulePage(
  db: Queryable,
  before: [createdAt: string, scheduleId: string] | null,
  limit: number,
  owner?: string,
): Promise<ScheduleRecord[]> {
  return db
    .select(columns)
    .from(schedules)
    .where(
      and(
        ownedBy(schedules.owner, owner),
        before
          ? sql`(${schedules.createdAt}, ${schedules.scheduleId}) < (${before[0]}::timestamptz, ${before[1]})`
          : undefined,
      ),
    )
    .orderBy(desc(schedules.createdAt), desc(schedules.scheduleId))
    .limit(limit);
}

/** The occurrences of a schedule that have been decided on, newest first, with their jobs and plans. */
export async function readOccurrences(db: Queryable, scheduleId: string, limit: number) {
  return db
    .select({
      dueAt: scheduleOccurrences.dueAt,
      outcome: scheduleOccurrences.outcome,
      decidedAt: scheduleOccurrences.decidedAt,
      jobId: scheduleOccurrences.jobId,
      status: sql<JobStatus | null>`${jobs.status}`,
      solverStatus: jobs.solverStatus,
      planId: plans.planId,
      // Answers with a plan may have megabytes.
      error: sql<
        string | null
      >`case when ${jobs.httpStatus} >= 400 then ${jobs.result} #>> '{errors,0,message}' end`,
    })
    .from(scheduleOccurrences)
    .leftJoin(jobs, eq(jobs.jobId, scheduleOccurrences.jobId))
    .leftJoin(plans, eq(plans.jobId, scheduleOccurrences.jobId))
    .where(eq(scheduleOccurrences.scheduleId, scheduleId))
    .orderBy(desc(scheduleOccurrences.dueAt))
    .limit(limit);
}
export type OccurrenceRecord = Awaited<ReturnType<typeof readOccurrences>>[number];

/** The new values of a schedule; those that are left out stay. */
export type ScheduleChange = { times: Partial<ScheduleTimes>; job: ScheduledJob | undefined };

/**
 * Changes a schedule. Workers do not decide on its occurrences meanwhile.
 * @param change the new values, from the present ones
 * @param owner as in `readJob`
 * @returns undefined if it does not exist, `named` if another schedule has the name
 */
export async function changeSchedule(
  db: Database,
  scheduleId: string,
  change: (present: ScheduleRecord) => ScheduleChange,
  owner?: string,
): Promise<'changed' | 'named' | undefined> {
  return db.transaction(async (tx) => {
    await holdLock(tx, 'schedules');
    const own = isSchedule(scheduleId, owner);
    const [present] = await tx.select(columns).from(schedules).where(own).for('no key update');
    if (!present) return undefined;
    const { times, job } = change(present);
    if (times.name !== undefined && times.name !== present.name && (await isNamed(tx, times.name)))
      return 'named';
    await tx
      .update(schedules)
      .set({ ...times, ...(job && { ...job, ...columnsOf(job) }), updatedAt: sql`now()` })
      .where(own);
    return 'changed';
  });
}

/** Deletes a schedule with its occurrences; their jobs stay. @param owner as in `readJob` */
export async function deleteSchedule(db: Queryable, scheduleId: string, owner?: string): Promise<boolean> {
  const { rowCount } = await db.delete(schedules).where(isSchedule(scheduleId, owner));
  return rowCount === 1;
}

/**
 * Schedules with an occurrence that is due, the longest overdue first.
 * @param now undefined: the time of the database
 */
export async function findDueSchedules(
  db: Queryable,
  now: Date | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .select({ scheduleId: schedules.scheduleId })
    .from(schedules)
    .where(sql`${schedules.nextAt} <= coalesce(${now?.toISOString() ?? null}::timestamptz, now())`)
    .orderBy(schedules.nextAt)
    .limit(limit);
  return rows.map((row) => row.scheduleId);
}

/**
 * Locks a due schedule until the end of the transaction.
 * @returns undefined if another process has it, or it is no longer due
 */
export async function holdDueSchedule(tx: Queryable, scheduleId: string, now: Date) {
  const bytes = sql<number>`octet_length(${schedules.input}::text)`;
  const [row] = await tx
    .select({ ...columns, caller: schedules.caller, bytes })
    .from(schedules)
    .where(
      and(
        eq(schedules.scheduleId, scheduleId),
        sql`${schedules.nextAt} <= ${now.toISOString()}::timestamptz`,
      ),
    )
    .for('no key update', { skipLocked: true });
  return row;
}

/** Whether the newest job of a schedule has not ended. */
export async function isScheduleBusy(tx: Queryable, scheduleId: string): Promise<boolean> {
  const { rows } = await tx.execute<{ busy: boolean }>(sql`select coalesce((
    select j.finished_at is null from ${scheduleOccurrences} o join ${jobs} j on j.job_id = o.job_id
    where o.schedule_id = ${scheduleId} and o.job_id is not null order by o.due_at desc limit 1), false) as busy`);
  return rows[0].busy;
}

/** The decision on the occurrences that are due: the newest one, and earlier ones, which were missed. */
export type Decided = {
  scheduleId: string;
  dueAt: Date;
  /** null: the occurrence makes no job, for this reason */
  job: ScheduledRun | null;
  outcome: OccurrenceOutcome;
  missedAt: readonly Date[];
  nextAt: Date;
};

/**
 * Stores the decision on a schedule that the transaction holds. One statement stores the occurrence and its job, so
 * there is never one without the other.
 * @returns false if the occurrence had been decided on before; then only the next one is stored
 */
export async function storeOccurrence(tx: Queryable, decided: Decided): Promise<boolean> {
  const { scheduleId, dueAt, job, outcome, missedAt, nextAt } = decided;
  const at = dueAt.toISOString();
  const missed = missedAt.map((time) => time.toISOString());
  const { rows } = await tx.execute(sql`
    with passed as (
      insert into ${scheduleOccurrences} (schedule_id, due_at, outcome)
      select ${scheduleId}, t, 'missed' from unnest(${sql.param(missed)}::timestamptz[]) t on conflict do nothing),
    decided as (
      insert into ${scheduleOccurrences} (schedule_id, due_at, outcome, job_id)
      values (${scheduleId}, ${at}::timestamptz, ${outcome}, ${job?.jobId ?? null})
      on conflict do nothing returning job_id),
    ${job ? sql`${insertJobOf(scheduleId, at, job)},` : sql``}
    moved as (
      update ${schedules} set next_at = ${nextAt.toISOString()}::timestamptz where schedule_id = ${scheduleId})
    select from decided`);
  return rows.length > 0;
}

/** Pauses a schedule that the transaction holds. */
export async function pauseSchedule(tx: Queryable, scheduleId: string, why: string): Promise<void> {
  await tx
    .update(schedules)
    .set({ nextAt: null, pausedBecause: why })
    .where(eq(schedules.scheduleId, scheduleId));
}

/** Moves a schedule whose occurrences turned out not to be due: the rules of its time zone have changed. */
export async function postponeSchedule(tx: Queryable, scheduleId: string, nextAt: Date): Promise<void> {
  await tx.update(schedules).set({ nextAt }).where(eq(schedules.scheduleId, scheduleId));
}

/**
 * The job of an occurrence, from the columns of its schedule; the stored fleet counts as it is now. `last` as previous
 * plan becomes the newest plan of the schedule; before there is one, the decision has no previous plan and changes cost
 * nothing. A named plan that is no longer stored is marked: the job fails, and says so. `now` as start becomes the time
 * of the occurrence, so that a late job plans the hour that it was due for.
 */
const insertJobOf = (scheduleId: string, dueAt: string, { jobId, requestId, trace }: ScheduledRun) => sql`
  previous as (
    select plan_id from ${plans} where schedule_id = ${scheduleId} order by created_at desc, plan_id desc limit 1),
  wanted as (
    select s.*, s.facts ->> 'previousPlanId' = ${LAST_PLAN} as is_last,
      s.facts ->> 'previousPlanId' <> ${LAST_PLAN} and not exists (
        select from ${plans} where plan_id = s.facts ->> 'previousPlanId') as is_gone,
      (select plan_id from previous) as last_plan,
      case when s.facts ->> 'start_at' = ${START_NOW} then jsonb_build_object('start_at', ${dueAt}::text) else '{}' end
        as start
    from ${schedules} s, decided where s.schedule_id = ${scheduleId}),
  stored as (
    insert into ${jobs} (job_id, kind, status, request_id, input, input_hash, priority, caller, client_id, facts,
      location_count, vehicle_count, schedule_id, format, owner)
    select ${jobId}, 'decision', 'queued', ${requestId},
      case when is_last and last_plan is null
          then (input::jsonb #- '{options,previous_plan_id}' #- '{options,change_cost}' || start)::json
        when is_last
          then (jsonb_set(input::jsonb, '{options,previous_plan_id}', to_jsonb(last_plan)) || start)::json
        when start <> '{}' then (input::jsonb || start)::json
        else input end,
      input_hash, priority, caller, client_id,
      case when is_last and last_plan is null then facts - 'previousPlanId'
        when is_last then jsonb_set(facts, '{previousPlanId}', to_jsonb(last_plan))
        when is_gone then facts || '{"isPreviousPlanGone": true}' else facts end || start
        || ${JSON.stringify({ trace })}::jsonb,
      location_count, case when (facts ->> 'hasFleet')::boolean then vehicle_count
        else (select count(*)::int from ${vehicles}) end, schedule_id, format, owner
    from wanted returning job_id, facts, caller, octet_length(input::text) as bytes),
  counted as (${countBytes(sql`stored`, sql`bytes`)}),
  copied as (
    insert into job_previous (job_id, first_ordinal, vehicle_ids, target_locations)
    select stored.job_id, first_ordinal, vehicle_ids, target_locations
    from stored join plan_parts on plan_id = stored.facts ->> 'previousPlanId')`;

/**
 * Deletes occurrences that were decided on more than `days` ago and whose job is no longer kept. Each job is looked up:
 * for `not exists` PostgreSQL would read all jobs and all occurrences, and join them.
 */
export const deleteOccurrences =
  (days: number) =>
  async (tx: Queryable, limit: number): Promise<number> => {
    const { rowCount } = await tx.execute(sql`
      delete from ${scheduleOccurrences} where ctid = any(array(
        select o.ctid from ${scheduleOccurrences} o
        where o.decided_at < now() - ${days} * interval '1 day'
          and coalesce((select false from ${jobs} j where j.job_id = o.job_id), true)
        order by o.decided_at limit ${limit} for update skip locked))`);
    return rowCount ?? 0;
  };

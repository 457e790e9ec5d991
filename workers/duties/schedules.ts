import { v7 as uuidv7 } from 'uuid';
import { ROLES, type Role } from '../../src/contracts/access.ts';
import { JOB_PREFIXES } from '../../src/contracts/jobs.ts';
import type { OccurrenceOutcome } from '../../src/contracts/schedules.ts';
import type { TraceContext } from '../../src/contracts/trace.ts';
import type { Queryable } from '../../src/db/client.ts';
import { readAdmission } from '../../src/db/jobs/job-intake.ts';
import {
  type Decided,
  findDueSchedules,
  holdDueSchedule,
  isScheduleBusy,
  pauseSchedule,
  postponeSchedule,
  readNow,
  type ScheduleRecord,
  storeOccurrence,
} from '../../src/db/schedules/schedules.ts';
import { hasKeyOfRole } from '../../src/db/service/api-keys.ts';
import { nextOccurrence, occurrencesUpTo, recurrenceOf } from '../../src/occurrences.ts';
import type { WorkerDeps } from '../run/end-job.ts';

/** Schedules that one call decides on; the next call has the others. */
const SCHEDULES_PER_CALL = 1000;
/** Missed occurrences that are recorded for one outage, the last ones. */
const MAX_RECORDED_MISSED = 100;
/** A later occurrence counts as missed: workers look every second, so none was running. */
const GRACE_MS = 60_000;

export type ScheduleDeps = Pick<WorkerDeps, 'config' | 'db' | 'queue' | 'logger' | 'tracing'>;

/**
 * Decides on the occurrences that are due: stores their jobs, then announces them. Any number of processes may do this
 * at once, and each may die at any moment. The transaction that holds the schedule stores occurrence, job and next
 * occurrence together, so a due schedule has either been decided on or is still due. A job that was stored and not
 * announced is found by the sweeper, as every job is.
 * @param now default: the time of the database
 */
export async function runSchedules(deps: ScheduleDeps, now?: Date): Promise<void> {
  const { db, logger } = deps;
  const due = await findDueSchedules(db, now, SCHEDULES_PER_CALL);
  if (due.length === 0) return;
  const at = now ?? (await readNow(db));
  for (const scheduleId of due) {
    // One that fails must not hold up the others.
    await runSchedule(deps, scheduleId, at).catch((err) =>
      logger.error({ err, schedule_id: scheduleId }, 'schedule not decided on'),
    );
  }
}

async function runSchedule(deps: ScheduleDeps, scheduleId: string, now: Date): Promise<void> {
  // Sent only if it is ended below: an occurrence that makes no job has no trace.
  const span = deps.tracing?.start('schedule occurrence', undefined, {
    attributes: { 'fleet.schedule.id': scheduleId },
  });
  const decided = await deps.db.transaction(async (tx) => {
    const decision = await decide(deps, tx, scheduleId, now, span?.context);
    return decision && (await storeOccurrence(tx, decision)) ? decision : undefined;
  });
  if (!decided) return;
  const { dueAt, outcome, job, missedAt } = decided;
  const logger = deps.logger.child({
    schedule_id: scheduleId,
    ...(job && { job_id: job.jobId, ...(span && { trace_id: span.traceId }) }),
  });
  logger.info({ due_at: dueAt.toISOString(), outcome, missed: missedAt.length }, 'schedule occurrence');
  if (!job) return;
  span?.set({ 'fleet.job.id': job.jobId });
  const enqueueing = span?.child('enqueue job');
  await deps.queue.enqueue(0, enqueueing).catch((err) => logger.error({ err }, 'job not enqueued yet'));
  enqueueing?.end();
  span?.end();
}

/**
 * Holds a schedule and decides on its newest occurrence; earlier ones were missed.
 * @returns undefined if there is nothing to decide: another process has it; or the queue is full, or its caller has
 * stored as many bytes today as it may, and it stays due
 */
async function decide(
  { config, logger }: ScheduleDeps,
  tx: Queryable,
  scheduleId: string,
  now: Date,
  trace: TraceContext | undefined,
): Promise<Decided | undefined> {
  const schedule = await holdDueSchedule(tx, scheduleId, now);
  if (!schedule?.nextAt) return undefined;
  const lost = await lostRights(config, tx, schedule);
  if (lost !== undefined) {
    await pauseSchedule(tx, scheduleId, lost);
    logger.warn({ schedule_id: scheduleId, reason: lost }, 'schedule paused');
    return undefined;
  }
  const { nextAt: firstAt, timeZone, missed } = schedule;
  const recurrence = recurrenceOf(schedule.cron, timeZone);
  const nextAt = nextOccurrence(recurrence, now);
  const due = occurrencesUpTo(recurrence, now, firstAt).take(MAX_RECORDED_MISSED + 1);
  const [dueAt, ...missedAt] = due;
  if (!dueAt) {
    await postponeSchedule(tx, scheduleId, nextAt);
    return undefined;
  }
  const isLate = now.getTime() - dueAt.getTime() > GRACE_MS;
  const outcome: OccurrenceOutcome =
    isLate && missed === 'skip' ? 'missed' : (await isScheduleBusy(tx, scheduleId)) ? 'overlapped' : 'job';
  const decision = { scheduleId, dueAt, outcome, missedAt, nextAt };
  if (outcome !== 'job') return { ...decision, job: null };
  const { QUEUE_MAX_WAITING: maxWaiting, JOBS_BYTES_PER_CALLER: max } = config;
  const own = { caller: schedule.caller, body: schedule.bytes, max };
  const { waiting, bytesOfCaller } = await readAdmission(tx, {
    locationIds: [],
    maxWaiting,
    bytesOfCaller: own,
  });
  if (waiting >= maxWaiting || bytesOfCaller + own.body > max) return undefined;
  const jobId = `${JOB_PREFIXES.decision}_${uuidv7()}`;
  return { ...decision, job: { jobId, requestId: `${scheduleId}/${dueAt.toISOString()}`, trace } };
}

/**
 * Why a schedule may not go on; undefined: it may. Its rights are those that the keys of its owner have now. What a
 * token gave its subject is known only while the token is used, so schedules of such owners go on.
 */
async function lostRights(
  { AUTH }: ScheduleDeps['config'],
  tx: Queryable,
  { owner, carriesOut }: ScheduleRecord,
): Promise<string | undefined> {
  if (!AUTH.includes('keys') || owner === null || owner.startsWith('jwt')) return undefined;
  const needed: Role = carriesOut ? 'operator' : 'planner';
  if (await hasKeyOfRole(tx, owner, ROLES.slice(ROLES.indexOf(needed)))) return undefined;
  return `its owner "${owner}" has no valid key with the role ${needed}; give it one, then resume the schedule`;
}

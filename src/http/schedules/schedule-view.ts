import type { Occurrence, ScheduleSummary, ScheduleView } from '../../contracts/schedules.ts';
import type { OccurrenceRecord, ScheduleRecord } from '../../db/schedules/schedules.ts';
import { occurrencesAfter, recurrenceOf } from '../../occurrences.ts';

const UPCOMING = 5;

/** A schedule as lists show it. */
export function scheduleSummaryOnWire(schedule: ScheduleRecord): ScheduleSummary {
  const { nextAt } = schedule;
  return {
    schedule_id: schedule.scheduleId,
    name: schedule.name,
    cron: schedule.cron,
    time_zone: schedule.timeZone,
    missed: schedule.missed,
    paused: nextAt === null,
    next_at: nextAt?.toISOString() ?? null,
    ...(schedule.pausedBecause !== null && { paused_because: schedule.pausedBecause }),
    created_at: schedule.createdAt.toISOString(),
    updated_at: schedule.updatedAt.toISOString(),
  };
}

/** A schedule without the body of its decisions. */
export function scheduleOnWire(schedule: ScheduleRecord, occurrences: OccurrenceRecord[]): ScheduleView {
  return {
    ...scheduleSummaryOnWire(schedule),
    upcoming: upcomingOf(schedule).map((time) => time.toISOString()),
    occurrences: occurrences.map(occurrenceOnWire),
  };
}

/** The next occurrence and those after it. */
function upcomingOf({ cron, timeZone, nextAt }: ScheduleRecord): Date[] {
  if (!nextAt) return [];
  return [nextAt, ...occurrencesAfter(recurrenceOf(cron, timeZone), nextAt).take(UPCOMING - 1)];
}

function occurrenceOnWire(one: OccurrenceRecord): Occurrence {
  return {
    due_at: one.dueAt.toISOString(),
    outcome: one.outcome,
    decided_at: one.decidedAt.toISOString(),
    job_id: one.jobId,
    status: one.status,
    solver_status: one.solverStatus,
    plan_id: one.planId,
    error: one.error,
  };
}

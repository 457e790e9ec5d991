import { type Static, Type } from 'typebox';
import { MAX_CRON_LENGTH, MAX_NAME_LENGTH, MAX_TIME_ZONE_LENGTH } from './bounds.ts';
import { DecisionRequest } from './decisions.ts';
import { Timestamp } from './envelope.ts';
import { JOB_STATUSES, JobId, PlanId, ScheduleId } from './jobs.ts';
import { nullable } from './nullable.ts';
import { SOLVER_STATUSES } from './optimize.ts';
import { STORABLE_TEXT } from './vehicles.ts';

/** The treatment of the newest occurrence that no worker decided on in time. */
export const MISSED_POLICIES = ['run_last', 'skip'] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

/**
 * The outcome of an occurrence: it made a job; or it made none, because no worker was running (`missed`) or the job of
 * an earlier occurrence had not ended (`overlapped`).
 */
export const OCCURRENCE_OUTCOMES = ['job', 'missed', 'overlapped'] as const;
export type OccurrenceOutcome = (typeof OCCURRENCE_OUTCOMES)[number];

/** In place of the id of a previous plan: the newest plan of the schedule itself. */
export const LAST_PLAN = 'last';

const Name = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  pattern: STORABLE_TEXT,
  description: 'no two schedules have the same',
});
const Cron = Type.String({
  minLength: 1,
  maxLength: MAX_CRON_LENGTH,
  pattern: STORABLE_TEXT,
  description:
    'minute, hour, day of the month, month, day of the week, on the clock of `time_zone`. If both days are ' +
    'restricted, either is enough',
});
const TimeZone = Type.String({
  format: 'time-zone',
  maxLength: MAX_TIME_ZONE_LENGTH,
  description: 'IANA time zone, for example America/New_York',
});
const Missed = Type.Enum([...MISSED_POLICIES], {
  default: 'run_last',
  description:
    'what happens to occurrences that were missed: `run_last` makes up for the last of them, `skip` for none',
});
const Paused = Type.Boolean({ default: false, description: 'true: it has no occurrences' });
const decision = {
  ...DecisionRequest,
  description:
    'the body of `POST /api/v1/decisions`; `"last"` as `options.previous_plan_id` is the newest plan of the ' +
    'schedule, `"now"` as `start_at` the time of the occurrence; at most 1,000,000 bytes: without `fleet_state` the ' +
    'stored fleet counts, as it is at each occurrence',
};

export const ScheduleRequest = Type.Object(
  {
    name: Name,
    cron: Cron,
    time_zone: TimeZone,
    missed: Type.Optional(Missed),
    paused: Type.Optional(Paused),
    decision,
  },
  { $id: 'ScheduleRequest', additionalProperties: false },
);
export type ScheduleRequest = Static<typeof ScheduleRequest>;

export const SchedulePatch = Type.Object(
  {
    name: Type.Optional(Name),
    cron: Type.Optional(Cron),
    time_zone: Type.Optional(TimeZone),
    missed: Type.Optional(Missed),
    paused: Type.Optional(Paused),
    decision: Type.Optional(decision),
  },
  { $id: 'SchedulePatch', additionalProperties: false, minProperties: 1 },
);
export type SchedulePatch = Static<typeof SchedulePatch>;

export const ScheduleSummary = Type.Object(
  {
    schedule_id: ScheduleId,
    name: Name,
    cron: Cron,
    time_zone: TimeZone,
    missed: Type.Enum([...MISSED_POLICIES]),
    paused: Type.Boolean(),
    next_at: nullable(Timestamp, 'the next occurrence; null while it is paused'),
    paused_because: Type.Optional(
      Type.String({
        description: 'only if the service paused it: its owner has lost the rights that it needs',
      }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'ScheduleSummary' },
);
export type ScheduleSummary = Static<typeof ScheduleSummary>;

const Occurrence = Type.Object(
  {
    due_at: Timestamp,
    outcome: Type.Enum([...OCCURRENCE_OUTCOMES], {
      description:
        '`job`: it made a job; `missed`: no worker was running; `overlapped`: the job of an earlier occurrence had ' +
        'not ended',
    }),
    decided_at: { ...Timestamp, description: 'when the job was stored, or the occurrence was passed over' },
    job_id: nullable(JobId, 'its job, a decision; null if it made none'),
    status: nullable(Type.Enum(JOB_STATUSES), 'null without a job, or if the job is no longer kept'),
    solver_status: nullable(Type.Enum([...SOLVER_STATUSES]), 'null until the job has ended'),
    plan_id: nullable(PlanId, 'null if there is no plan'),
    error: nullable(Type.String(), 'why there is no plan, as the answer of the job says first; else null'),
  },
  { $id: 'Occurrence' },
);
export type Occurrence = Static<typeof Occurrence>;

export const Schedule = Type.Object(
  {
    ...ScheduleSummary.properties,
    upcoming: Type.Array(Timestamp, { description: 'the next five occurrences; none while it is paused' }),
    occurrences: Type.Array(Occurrence, { description: 'the last twenty, newest first' }),
    decision: { ...DecisionRequest, description: 'the body of each decision' },
  },
  { $id: 'Schedule' },
);
export type ScheduleView = Omit<Static<typeof Schedule>, 'decision'>;

export const RemovedSchedule = Type.Object({ schedule_id: ScheduleId }, { $id: 'RemovedSchedule' });

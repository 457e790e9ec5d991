import { type Static, Type } from 'typebox';
import { Timestamp } from './envelope.ts';
import { SOLVER_STATUSES } from './optimize.ts';
import { JOB_PRIORITIES } from './priorities.ts';

/**
 * The life of a job, in one table: state → possible next states. The enum below, the Drizzle column and the SQL check
 * of the jobs table are made from it.
 */
const JOB_TRANSITIONS = {
  queued: ['running', 'cancelled', 'failed'],
  running: ['queued', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
} as const;

export type JobStatus = keyof typeof JOB_TRANSITIONS;
export const JOB_STATUSES = Object.keys(JOB_TRANSITIONS) as JobStatus[];
export const ENDED_JOB_STATUSES = JOB_STATUSES.filter((s) => JOB_TRANSITIONS[s].length === 0);

/** Whether a job in this state has its result and never changes again. */
export function isEnded(status: JobStatus): boolean {
  return JOB_TRANSITIONS[status].length === 0;
}

/** Kind of job → prefix of its identifiers. */
export const JOB_PREFIXES = { optimize: 'opt', backtest: 'bt', decision: 'dec', replay: 'rpl' } as const;
export type JobKind = keyof typeof JOB_PREFIXES;
export const JOB_KINDS = Object.keys(JOB_PREFIXES) as [JobKind, ...JobKind[]];

/**
 * The knowledge that a worker needs to do a job as its caller asked: kinds of jobs, fields of requests, facts. It is
 * raised by one in a release that adds to any of them. Workers of earlier releases leave such jobs to newer ones.
 */
export const JOB_FORMAT = 1;

/**
 * How an attempt ended: as the job did; or the worker stopped and gave the job back (`released`); or the worker or
 * solver thread died or lost its connection (`crashed`). Only crashes count against the limit of attempts.
 */
export const ATTEMPT_OUTCOMES = ['completed', 'failed', 'cancelled', 'released', 'crashed'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Prefix of the identifiers of schedules. */
export const SCHEDULE_PREFIX = 'sch';

export const UUID_PATTERN = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

export const JobId = Type.String({
  pattern: `^(${Object.values(JOB_PREFIXES).join('|')})_${UUID_PATTERN}$`,
  description:
    '`opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is',
});
export const ReplayId = Type.String({ pattern: `^${JOB_PREFIXES.replay}_${UUID_PATTERN}$` });
export const DecisionId = Type.String({ pattern: `^${JOB_PREFIXES.decision}_${UUID_PATTERN}$` });
/** Identifier of a job or a plan in a request: any printable text, so that an unknown one gets 404 and not 400. */
export const JobReference = Type.String({ minLength: 1, maxLength: 64, pattern: '^[!-~]+$' });
export const ScheduleId = Type.String({ pattern: `^${SCHEDULE_PREFIX}_${UUID_PATTERN}$` });
export const PlanId = Type.String({ pattern: `^plan_${UUID_PATTERN}$` });

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Progress of a running solve. A known figure stays until a newer one is reported, also in a later attempt. */
export const ProgressState = {
  progress: Type.Number({ minimum: 0, maximum: 1, description: 'never falls' }),
  stage: nullable(
    Type.String({
      description:
        '`build`, `critical_demand` (with priorities), `solve`, `milp_refinement` (with `options.refine`), `verify`, ' +
        '`explain`; of a decision `risk`, `forecast` before them; of a backtest `backtest`; of a replay `replay`',
    }),
  ),
  incumbent: nullable(
    Type.Number({ description: 'cost of the best plan so far; never null again once known' }),
  ),
  bound: nullable(Type.Number({ description: 'proved lower bound of the cost' })),
  gap: nullable(Type.Number({ description: '(incumbent − bound) / incumbent' })),
  iterations: nullable(
    Type.Integer({ description: 'of the simplex method, or pivots of the network simplex' }),
  ),
};

export const JobAttempt = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1 }),
    worker_id: Type.String({ description: 'process:random; the worker log names the host' }),
    started_at: Timestamp,
    ended_at: nullable(Timestamp),
    outcome: Type.Union([Type.Enum([...ATTEMPT_OUTCOMES]), Type.Null()], {
      description:
        'null while it runs; `released`: its worker was stopped; `crashed`: worker or solver died or ' +
        'lost its connection',
    }),
    reason: nullable(Type.String({ description: 'why the attempt gave no answer' })),
  },
  { $id: 'JobAttempt' },
);
export type JobAttempt = Static<typeof JobAttempt>;

export const JobPhase = Type.Object(
  {
    phase: Type.String({
      description: '`queued`, `started`, stages as in `stage`, `store`, `finished`; of the last attempt',
    }),
    at: Timestamp,
    ms: nullable(Type.Number({ description: 'duration; null for `finished` and until it has ended' })),
  },
  { $id: 'JobPhase' },
);
export type JobPhase = Static<typeof JobPhase>;

export const JobEstimate = Type.Object(
  {
    median_seconds: Type.Number({ minimum: 0 }),
    p10_seconds: Type.Number({ minimum: 0, description: '10th percentile' }),
    p90_seconds: Type.Number({ minimum: 0, description: '90th percentile' }),
    based_on: Type.Integer({ description: 'number of past jobs of similar size' }),
  },
  { $id: 'JobEstimate' },
);
export type JobEstimate = Static<typeof JobEstimate>;

export const Job = Type.Object(
  {
    job_id: JobId,
    kind: Type.Enum(JOB_KINDS),
    status: Type.Enum(JOB_STATUSES),
    priority: Type.Enum([...JOB_PRIORITIES]),
    ...ProgressState,
    solver_status: nullable(Type.Enum([...SOLVER_STATUSES])),
    attempts: Type.Integer({ description: 'number of times a worker has claimed the job' }),
    retry_at: Type.Union([Timestamp, Type.Null()], {
      description: 'after a crash: not retried before this time',
    }),
    created_at: Timestamp,
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    queue_position: Type.Optional({
      ...Type.Integer({ minimum: 1 }),
      description: 'only while queued; 1 is next',
    }),
    estimate: Type.Optional(
      Type.Union([JobEstimate, Type.Null()], {
        description:
          'only while queued or running: time until it ends; null if too few past jobs of similar size are known',
      }),
    ),
    phases: Type.Optional(Type.Array(JobPhase, { description: 'not in lists' })),
    attempt_history: Type.Optional(Type.Array(JobAttempt, { description: 'not in lists' })),
    plan_id: nullable(PlanId),
    schedule_id: Type.Optional({ ...ScheduleId, description: 'only of a job that a schedule made' }),
    request_id: Type.String(),
    // A reference by name, since the answers use shapes that use the identifiers of this file.
    result: Type.Optional(Type.Ref('JobResult')),
  },
  { $id: 'Job' },
);
export type Job = Static<typeof Job>;

/** The request of a job as the service reads it. */
export const JobRequest = Type.Object(
  {
    job_id: JobId,
    kind: Type.Enum(JOB_KINDS),
    request: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'the body of the request that made the job; send it again, changed, to the operation of its kind',
    }),
  },
  { $id: 'JobRequest' },
);

export const AcceptedJob = Type.Object(
  { job_id: JobId, status: Type.Enum(JOB_STATUSES) },
  { $id: 'AcceptedJob' },
);

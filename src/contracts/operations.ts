import { type Static, Type } from 'typebox';
import { Timestamp } from './envelope.ts';
import { JOB_KINDS } from './jobs.ts';
import { JOB_PRIORITIES } from './priorities.ts';

/** Minutes of a step of the last hour, and how many there are. */
export const OPERATIONS_STEP_MINUTES = 5;
export const OPERATIONS_STEPS = 12;
/** Running jobs and failed jobs that are listed at most. */
export const MAX_LISTED_RUNNING = 1000;
export const MAX_LISTED_FAILED = 20;

const Count = Type.Integer({ minimum: 0 });
const Seconds = Type.Number({ minimum: 0 });
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const OperationsWorker = Type.Object(
  {
    worker_id: Type.String(),
    started_at: Timestamp,
    last_seen_at: Timestamp,
    is_alive: Type.Boolean({ description: 'false: silent for longer than `JOB_LOCK_SECONDS`' }),
    slots: Type.Integer({ minimum: 1, description: 'jobs that it runs at once' }),
  },
  { $id: 'OperationsWorker' },
);

const OperationsQueue = Type.Object(
  {
    priority: Type.Enum(JOB_PRIORITIES),
    jobs: Count,
    oldest_seconds: Type.Number({ minimum: 0, description: 'age of the oldest; 0: none waits' }),
  },
  { $id: 'OperationsQueue' },
);

const OperationsRunningJob = Type.Object(
  {
    job_id: Type.String(),
    kind: Type.Enum(JOB_KINDS),
    worker_id: orNull(Type.String(), 'the worker that has claimed it'),
    attempt: Type.Integer({ minimum: 1 }),
    running_seconds: Type.Number({ minimum: 0, description: 'since this attempt began' }),
    stage: orNull(Type.String(), 'null: it has reported none yet'),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
  },
  { $id: 'OperationsRunningJob' },
);

const OperationsStep = Type.Object(
  {
    starts_at: Timestamp,
    completed: Count,
    failed: Count,
    cancelled: Count,
    median_wait_seconds: orNull(
      Seconds,
      'from being accepted to the first claim; null: none of them was claimed',
    ),
    p95_wait_seconds: orNull(Seconds, 'the wait that one in twenty of them exceeded'),
  },
  { $id: 'OperationsStep' },
);

const OperationsFailedJob = Type.Object(
  {
    job_id: Type.String(),
    kind: Type.Enum(JOB_KINDS),
    finished_at: Timestamp,
    attempts: Count,
    message: orNull(Type.String(), 'the first error of its answer'),
  },
  { $id: 'OperationsFailedJob' },
);

export const OperationsReport = Type.Object(
  {
    workers: Type.Array(OperationsWorker, {
      description: 'those that were seen lately; a worker that ends in order leaves at once',
    }),
    queue: Type.Array(OperationsQueue, { description: 'jobs that wait, the highest priority first' }),
    queue_limit: Type.Integer({ description: 'jobs that may wait (`QUEUE_MAX_WAITING`)' }),
    running: Count,
    running_jobs: Type.Array(OperationsRunningJob, {
      description: `the longest first, ${MAX_LISTED_RUNNING} at most`,
    }),
    last_hour: Type.Array(OperationsStep, {
      description: `jobs by when they ended, in steps of ${OPERATIONS_STEP_MINUTES} minutes up to now`,
    }),
    failed_jobs: Type.Array(OperationsFailedJob, {
      description: `of those that failed, the ${MAX_LISTED_FAILED} accepted last`,
    }),
  },
  { $id: 'OperationsReport' },
);
export type OperationsReport = Static<typeof OperationsReport>;

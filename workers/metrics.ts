import type { Config } from '../src/config.ts';
import { ATTEMPT_OUTCOMES, JOB_KINDS, type JobKind, type JobStatus } from '../src/contracts/jobs.ts';
import type { SolverStatus } from '../src/contracts/optimize.ts';
import type { AttemptEnd, FinishedJob } from '../src/db/jobs/job-claims.ts';
import { DURATION_BUCKETS, type Metrics } from '../src/process/metrics.ts';
import type { RunningJobs } from './run/running-jobs.ts';

/** Relative gaps of plans; the setting's default is 0.01. */
const GAP_BUCKETS = [0, 1e-6, 1e-4, 1e-3, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1];
const SIZE_BUCKETS = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000];

/** The outcomes of optimizations and decisions. */
const REQUEST_STATUSES = ['optimal', 'feasible', 'infeasible', 'failed', 'cancelled'] as const;
const WEBHOOK_OUTCOMES = ['delivered', 'retried', 'dead'] as const;

/** Labels. */
const BY_PRIORITY = ['kind', 'priority'];
const BY_PHASE = ['kind', 'phase', 'outcome'];
const BY_STATUS = ['kind', 'status'];

/** A job whose end this worker has stored. */
type EndedJob = FinishedJob & {
  kind: JobKind;
  status: JobStatus;
  solverStatus: SolverStatus | null;
  solveTimeMs: number;
  /** of its plan, JSON text; null if it has none */
  certificate: string | null;
};

export type WorkerMetrics = {
  /** Call it when the end is stored, so that no job counts twice. */
  jobEnded(job: EndedJob): void;
  /** @param seconds from its claim to its end; null: unknown */
  attemptEnded(kind: JobKind, end: AttemptEnd, seconds: number | null): void;
  /** An attempt to send an event ended, and so did the delivery, or it is retried. */
  webhookAttempted(outcome: (typeof WEBHOOK_OUTCOMES)[number]): void;
};

/** The figures of a worker: the jobs that it ended, and what it is doing. */
export function addWorkerMetrics(
  { client, registry }: Metrics,
  config: Pick<Config, 'WORKER_CONCURRENCY'>,
  running: Pick<RunningJobs, 'count'>,
): WorkerMetrics {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[]) =>
    new client.Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, labelNames: string[] = [], buckets = DURATION_BUCKETS) =>
    new client.Histogram({ name, help, labelNames, buckets, registers });

  const requests = counter(
    'fleet_optimization_requests_total',
    'Optimizations and decisions that this worker ended: optimal, feasible, infeasible, failed or cancelled',
    ['status'],
  );
  const durations = histogram(
    'fleet_optimization_duration_seconds',
    'Time from the claim of an optimization or decision to its stored end, in the attempt that ended it',
  );
  const jobs = histogram(
    'fleet_job_duration_seconds',
    'Time from being accepted to the stored end, waits and earlier attempts included',
    ['kind', 'outcome'],
  );
  const waits = histogram(
    'fleet_job_wait_seconds',
    'Time from being accepted to the first claim',
    BY_PRIORITY,
  );
  const phases = histogram('fleet_job_phase_seconds', 'Time that a phase of an attempt took', BY_PHASE);
  const attempts = counter(
    'fleet_job_attempts_total',
    'Attempts by how they ended; crashed: the worker or its solver died, or lost its connection',
    ['kind', 'outcome'],
  );
  const solves = histogram(
    'fleet_solver_seconds',
    "Time of an ended job's last work in a solver thread",
    BY_STATUS,
  );
  const webhooks = counter(
    'fleet_webhook_attempts_total',
    'Attempts of this worker to send an event to a webhook: delivered, retried later, or given up as dead',
    ['outcome'],
  );
  const gaps = histogram('fleet_solver_gap_ratio', 'Relative gap of plans', ['kind'], GAP_BUCKETS);
  const locations = histogram('fleet_problem_locations', 'Locations of ended jobs', ['kind'], SIZE_BUCKETS);
  const vehicles = histogram('fleet_problem_vehicles', 'Vehicles of ended jobs', ['kind'], SIZE_BUCKETS);
  const slots = (name: string, help: string, read: () => number) =>
    new client.Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  slots('fleet_worker_jobs_running', 'Jobs that this worker works on', running.count);
  slots(
    'fleet_worker_concurrency',
    'Jobs that this worker can work on at once',
    () => config.WORKER_CONCURRENCY,
  );

  // Prometheus sees no increase in a counter that begins with 1: what alerts watch begins with 0.
  for (const status of REQUEST_STATUSES) requests.inc({ status }, 0);
  for (const outcome of WEBHOOK_OUTCOMES) webhooks.inc({ outcome }, 0);
  for (const kind of JOB_KINDS) {
    jobs.zero({ kind, outcome: 'failed' });
    for (const outcome of ATTEMPT_OUTCOMES) attempts.inc({ kind, outcome }, 0);
  }

  return {
    webhookAttempted: (outcome) => webhooks.inc({ outcome }),
    jobEnded(job) {
      const { kind, status, solverStatus, priority } = job;
      const outcome = status === 'completed' ? (solverStatus ?? status) : status;
      jobs.observe({ kind, outcome }, job.seconds);
      if (job.waitSeconds !== null) waits.observe({ kind, priority }, job.waitSeconds);
      if (job.solveTimeMs > 0) solves.observe({ kind, status: outcome }, job.solveTimeMs / 1000);
      const gap = job.certificate === null ? null : readGap(job.certificate);
      if (gap !== null) gaps.observe({ kind }, gap);
      locations.observe({ kind }, job.locationCount);
      vehicles.observe({ kind }, job.vehicleCount);
      if (kind !== 'optimize' && kind !== 'decision') return;
      requests.inc({ status: outcome });
      durations.observe(job.attemptSeconds);
    },
    attemptEnded(kind, { outcome, phases: marks }, seconds) {
      attempts.inc({ kind, outcome });
      for (const [i, { phase, ms }] of marks.entries()) {
        const end = marks[i + 1]?.ms ?? (seconds === null ? undefined : seconds * 1000);
        if (end !== undefined) phases.observe({ kind, phase, outcome }, Math.max(0, end - ms) / 1000);
      }
    },
  };
}

/** The gap that a certificate proves; null if no bound is known. */
function readGap(certificate: string): number | null {
  const { gap } = JSON.parse(certificate) as { gap?: number | null };
  return gap ?? null;
}

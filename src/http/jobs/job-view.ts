import type { Job, JobAttempt, JobEstimate, JobPhase } from '../../contracts/jobs.ts';
import type { DurationEstimate } from '../../db/jobs/job-estimate.ts';
import type { AttemptRecord, JobRecord } from '../../db/jobs/jobs.ts';

/** A job as lists show it. */
export function jobOnWire(job: JobRecord): Job {
  return {
    job_id: job.jobId,
    kind: job.kind,
    status: job.status,
    priority: job.priority,
    progress: job.progress,
    stage: job.stage,
    incumbent: job.incumbent,
    bound: job.bound,
    gap: job.gap,
    iterations: job.iterations,
    solver_status: job.solverStatus,
    attempts: job.attempts,
    retry_at: job.retryAt?.toISOString() ?? null,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    plan_id: job.planId,
    ...(job.scheduleId !== null && { schedule_id: job.scheduleId }),
    request_id: job.requestId,
  };
}

/** Every attempt, the first one first. */
export function historyOnWire(attempts: readonly AttemptRecord[]): JobAttempt[] {
  return attempts.map((attempt) => ({
    attempt: attempt.attempt,
    worker_id: attempt.workerId,
    started_at: attempt.startedAt.toISOString(),
    ended_at: attempt.endedAt?.toISOString() ?? null,
    outcome: attempt.outcome,
    reason: attempt.reason,
  }));
}

/**
 * When each phase began and how long it took: the wait, then the phases of the last attempt (its inner ones are stored
 * when it ends), then the end. Times since the claim are added to the time of the claim.
 */
export function phasesOnWire(job: JobRecord, attempts: readonly AttemptRecord[]): JobPhase[] {
  const begins: { phase: string; at: number }[] = [{ phase: 'queued', at: job.createdAt.getTime() }];
  const last = attempts.at(-1);
  if (last && job.status !== 'queued') {
    const claimedAt = last.startedAt.getTime();
    begins.push({ phase: 'started', at: claimedAt });
    for (const { phase, ms } of last.phases ?? []) begins.push({ phase, at: claimedAt + ms });
  }
  if (job.finishedAt) begins.push({ phase: 'finished', at: job.finishedAt.getTime() });
  return begins.map(({ phase, at }, i) => {
    const next = begins[i + 1];
    return {
      phase,
      at: new Date(at).toISOString(),
      ms: next ? Math.max(0, Math.round((next.at - at) * 1000) / 1000) : null,
    };
  });
}

/** An estimate, its seconds rounded to the millisecond. */
export function estimateOnWire(estimate: DurationEstimate | null): JobEstimate | null {
  if (!estimate) return null;
  const round = (seconds: number) => Math.round(seconds * 1000) / 1000;
  return {
    median_seconds: round(estimate.median),
    p10_seconds: round(estimate.p10),
    p90_seconds: round(estimate.p90),
    based_on: estimate.basedOn,
  };
}

import { JOB_PREFIXES } from '../../src/contracts/jobs.ts';
import type { ClaimedJob } from '../../src/db/jobs/job-claims.ts';
import type { PhaseMark } from '../../src/db/schema.ts';
import type { TraceSpan, Tracing } from '../../src/process/tracing.ts';
import type { QueueSpan } from '../../src/queue/telemetry.ts';
import type { Phases } from './phases.ts';

type Traced = Pick<ClaimedJob, 'jobId' | 'kind' | 'attempt' | 'workerId' | 'trace'>;

const attributesOf = ({ jobId, kind, attempt, workerId }: Traced) => ({
  ...{ 'fleet.job.id': jobId, 'fleet.job.kind': kind },
  ...{ 'fleet.job.attempt': attempt, 'fleet.worker.id': workerId },
});

/**
 * The span of an attempt, in the trace of the request or schedule that made the job: every attempt has its own. The
 * first one also tells how long the job waited.
 * @param token the span of the token that claimed the job; it joins the trace
 */
export function traceAttempt(
  tracing: Tracing,
  token: QueueSpan,
  job: Traced,
  { claimedAt }: Phases,
): TraceSpan {
  const attributes = attributesOf(job);
  if (job.attempt === 1) {
    const startedAt = Math.min(acceptedAt(job), claimedAt);
    tracing.start('wait in queue', job.trace, { startedAt, attributes }).end(claimedAt);
  }
  return token.join(job.trace).child(`run ${job.kind}`, { startedAt: claimedAt, attributes });
}

/** The span of giving up a job for a worker that is silent: its own spans may be lost with it. */
export function traceTakeover(tracing: Tracing, job: Traced, silentSeconds: number): TraceSpan {
  const attributes = { ...attributesOf(job), 'fleet.worker.silent_seconds': silentSeconds };
  return tracing.start('take over from silent worker', job.trace, { attributes });
}

/**
 * Makes a span of each stage of the work in a thread. Threads measure with the clock that all threads of a process
 * share.
 * @param from number of phases before the work began
 * @param endedMs when the work ended, milliseconds since the claim, as those of the phases
 */
export function traceStages(
  thread: TraceSpan,
  { claimedAt, marks }: Pick<Phases, 'claimedAt' | 'marks'>,
  from: number,
  endedMs: number,
): void {
  const stages: PhaseMark[] = marks.slice(from).sort((a, b) => a.ms - b.ms);
  stages.forEach(({ phase, ms }, at) => {
    const span = thread.child(`stage ${phase}`, { startedAt: claimedAt + ms });
    span.end(claimedAt + (stages[at + 1]?.ms ?? endedMs));
  });
}

/** Milliseconds since 1970, from the identifier: the API process makes it when it accepts the job. */
function acceptedAt({ jobId, kind }: Traced): number {
  const uuid = jobId.slice(JOB_PREFIXES[kind].length + 1);
  return Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
}

import type { AttemptOutcome, JobStatus } from '../../src/contracts/jobs.ts';

/** The columns of `jobs` that concern attempts. */
export type AttemptedJob = { status: JobStatus; attempts: number; crashes: number; finished_at: string };
export type StoredAttempt = {
  attempt: number;
  outcome: AttemptOutcome | null;
  reason: string | null;
  started_at: string;
  ended_at: string | null;
};

const SLACK_MS = 1000;

/**
 * Faults in the attempts of an ended job. Every claim must have its row and an end, one after the other. The last
 * attempt ended as the job did, or was broken off and the job could not be tried again. Crashes are counted.
 * @param maxCrashes a job with so many crashes ends as failed
 */
export function attemptFaults(
  job: AttemptedJob,
  attempts: readonly StoredAttempt[],
  maxCrashes: number,
): string[] {
  const faults: string[] = [];
  const numbers = attempts.map(({ attempt }) => attempt).join();
  if (numbers !== Array.from({ length: job.attempts }, (_, i) => i + 1).join()) {
    faults.push(`${job.attempts} claims, but the attempts ${numbers || 'none'}`);
  }
  const crashes = attempts.filter(({ outcome }) => outcome === 'crashed').length;
  if (crashes !== job.crashes) faults.push(`${crashes} attempts crashed, but ${job.crashes} are counted`);
  for (const [i, { attempt, outcome, reason, started_at, ended_at }] of attempts.entries()) {
    const isLast = i === attempts.length - 1;
    if (outcome === null || ended_at === null) {
      faults.push(`attempt ${attempt} has no end`);
      continue;
    }
    if (Date.parse(ended_at) < Date.parse(started_at))
      faults.push(`attempt ${attempt} ended before it began`);
    const next = attempts[i + 1];
    // Both times are those at which a statement began; a statement may have waited for another one.
    if (next && Date.parse(next.started_at) < Date.parse(ended_at) - SLACK_MS) {
      faults.push(`attempt ${next.attempt} began before the one before it ended`);
    }
    const isBrokenOff = outcome === 'crashed' || outcome === 'released';
    if (isBrokenOff && !reason) faults.push(`attempt ${attempt} was ${outcome} for no reason`);
    if (!isLast && !isBrokenOff) faults.push(`attempt ${attempt} was ${outcome}, and there is another one`);
    if (isLast && !isBrokenOff && outcome !== job.status)
      faults.push(`the last attempt was ${outcome}, the job is ${job.status}`);
    if (isLast && !isBrokenOff && ended_at !== job.finished_at)
      faults.push('the last attempt did not end with the job');
    if (isLast && job.status === 'completed' && isBrokenOff)
      faults.push(`the job is completed, its last attempt was ${outcome}`);
  }
  if (job.status === 'failed' && crashes !== maxCrashes) {
    faults.push(`the job is failed after ${crashes} crashes; the limit is ${maxCrashes}`);
  }
  if (job.status !== 'failed' && job.status !== 'cancelled' && crashes >= maxCrashes) {
    faults.push(`the job is ${job.status} after ${crashes} crashes; the limit is ${maxCrashes}`);
  }
  return faults;
}

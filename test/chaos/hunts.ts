import { setTimeout as delay } from 'node:timers/promises';
import { cancel, submit } from './behaviours.ts';
import type { LedgerCaller } from './caller.ts';
import type { Fleet, FleetMember } from './fleet.ts';
import type { PosedProblem } from './problems.ts';
import type { Targets } from './targets.ts';

const POLL_MS = 40;
/** Longer than the silence after which a worker counts as dead. */
const PAST_LOCK_MS = 9000;
/** PostgreSQL may be away when a hunt begins. */
const SUBMIT_LIMIT_MS = 15_000;

/**
 * Freezes the worker of a job and cancels the job, which is then answered 202. Kills the worker, or lets it continue
 * after it counted as dead. The job must end as cancelled.
 * @returns whether the cancellation was answered 202
 */
export async function cancelOnFrozenWorker(targets: Targets, pick: number): Promise<boolean> {
  const { caller, fleet } = targets;
  const hunted = await submitLarge(targets, pick);
  if (!hunted) return false;
  const { jobId, problem } = hunted;
  const owner = await ownerOf(caller, fleet, jobId);
  if (owner) {
    const dies = pick < 0.5 && !owner.isSpared;
    const frozen = fleet.freeze(owner, PAST_LOCK_MS);
    await cancel(caller, jobId, problem);
    if (dies) await fleet.kill(owner, 0);
    await frozen;
  }
  await caller.follow(jobId, problem);
  return owner !== undefined;
}

/**
 * Kills every worker that claims a job, or freezes it until it counts as dead, until the job has ended.
 * @returns whether the job ended as failed
 */
export async function crashToLimit(targets: Targets, pick: number): Promise<boolean> {
  const { caller, fleet } = targets;
  const hunted = await submitLarge(targets, pick);
  if (!hunted) return false;
  const { jobId, problem } = hunted;
  const starting: Promise<void>[] = [];
  for (;;) {
    const owner = await ownerOf(caller, fleet, jobId);
    if (!owner) break;
    if (owner.isSpared) await fleet.freeze(owner, PAST_LOCK_MS);
    else starting.push(fleet.kill(owner, 0));
  }
  await Promise.all(starting);
  const result = await caller.follow(jobId, problem);
  return result?.errors?.[0]?.code === 'INTERNAL_ERROR';
}

/** A job that keeps its worker busy for seconds; undefined if the service has refused it for too long. */
async function submitLarge({ caller, problems }: Targets, pick: number) {
  const large = problems.filter(({ name }) => name.startsWith('large'));
  const problem: PosedProblem = large[Math.floor(pick * large.length)];
  const until = performance.now() + SUBMIT_LIMIT_MS;
  while (performance.now() < until) {
    const jobId = await submit(caller, problem);
    if (jobId !== undefined) return { jobId, problem };
    await delay(POLL_MS, undefined, { signal: caller.signal });
  }
  return undefined;
}

/** The worker that has the job, once it is one of the running ones; undefined if the job has ended. */
async function ownerOf(caller: LedgerCaller, fleet: Fleet, jobId: string): Promise<FleetMember | undefined> {
  for (;;) {
    const answer = await caller.call(`/api/v1/jobs/${jobId}`, { expected: [200] });
    const job = answer?.body.data;
    if (job?.finished_at) return undefined;
    const attempt = job?.status === 'running' ? job.attempt_history.at(-1) : undefined;
    const pid = Number(attempt?.worker_id.split(':')[0]);
    const owner = fleet.members.find((member) => member.pid === pid);
    if (owner) return owner;
    await delay(POLL_MS, undefined, { signal: caller.signal });
  }
}

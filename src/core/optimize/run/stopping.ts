/**
 * When work ends early: the stop flag is set, or time is up. Work of more than a few milliseconds checks both
 * regularly, by `isOver` or by a check that throws.
 */

import { nowMs, threadCpuMs } from './clock.ts';
import { type SolveControl, UNKNOWN_PROGRESS } from './control.ts';

export type Stopping = Pick<SolveControl, 'deadlineMs' | 'stopFlag' | 'onLook'>;

/** Time is up, or the caller has cancelled. The catcher keeps what was found before. */
export class OutOfTime extends Error {}

/** Called every few milliseconds of work. @throws OutOfTime */
export type Check = () => void;

/** Whether the work must end now. Without a deadline only the flag ends it. */
export function isOver({
  deadlineMs = Number.POSITIVE_INFINITY,
  stopFlag,
  onLook,
}: Partial<Stopping>): boolean {
  onLook?.();
  return isStopped(stopFlag) || nowMs() >= deadlineMs;
}

export function checkOf(control: Partial<Stopping>): Check {
  return () => {
    if (isOver(control)) throw new OutOfTime();
  };
}

/** Checks only the stop flag: for work that a plan requires, even past the time limit. */
export function flagCheckOf({ stopFlag }: Pick<Stopping, 'stopFlag'>): Check {
  return checkOf({ stopFlag });
}

/**
 * CPU-time allowance past the deadline, so that a busy machine does not use it up: a late plan is better than none.
 * @returns whether the allowance is spent; it starts with the first call
 */
export function createAllowance(ms: number): () => boolean {
  let from: { clockMs: number; cpuMs: number } | null = null;
  return () => {
    from ??= { clockMs: nowMs(), cpuMs: threadCpuMs() };
    // The wall clock first: reading it costs a fraction of reading the CPU time.
    return nowMs() - from.clockMs >= ms && threadCpuMs() - from.cpuMs >= ms;
  };
}

/** @returns the share of the time from now to the deadline that is over. It throws OutOfTime when all of it is */
export function shareOfTime(control: Stopping): () => number {
  const from = nowMs();
  return () => {
    if (isOver(control)) throw new OutOfTime();
    return (nowMs() - from) / (control.deadlineMs - from);
  };
}

/** Work that uses all its time until the deadline, so that the clock measures its progress. */
export function byClock({ stopFlag, onProgress }: SolveControl, deadlineMs: number): Stopping {
  const from = nowMs();
  const onLook = () => {
    const share = (nowMs() - from) / (deadlineMs - from);
    onProgress?.({ ...UNKNOWN_PROGRESS, share });
  };
  return { stopFlag, deadlineMs, onLook: onProgress && onLook };
}

/** @returns whether the work finished in time */
export function untilOutOfTime(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof OutOfTime) return false;
    throw error;
  }
}

export function isStopped(stopFlag: Int32Array | undefined): boolean {
  return stopFlag !== undefined && Atomics.load(stopFlag, 0) !== 0;
}

/**
 * When work ends early: the stop flag is set, or the time is up. Whatever takes more than a few milliseconds looks at both in
 * between (`bench/silence.ts` tells the longest that it does not), by asking `isOver` or by calling a check that throws.
 */

import { nowMs, threadCpuMs } from './clock.ts';
import type { SolveControl } from './control.ts';

export type Stopping = Pick<SolveControl, 'deadlineMs' | 'stopFlag' | 'onLook'>;

/** The time is up, or the caller has cancelled: whoever asked keeps what was found before. */
export class OutOfTime extends Error {}

/** Called every few milliseconds of work. @throws OutOfTime */
export type Check = () => void;

/** Whether the work ends here; without a deadline the flag alone ends it. */
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

/** Looks at the stop flag alone: in what it takes to have a plan, past the time limit too. */
export function flagCheckOf({ stopFlag }: Pick<Stopping, 'stopFlag'>): Check {
  return checkOf({ stopFlag });
}

/**
 * Time past the time limit, of a processor: where other work keeps that from this thread, a plan that comes later is better than none.
 * @returns whether it is spent; it runs from the first time that it is asked
 */
export function createAllowance(ms: number): () => boolean {
  let from: { clockMs: number; cpuMs: number } | null = null;
  return () => {
    from ??= { clockMs: nowMs(), cpuMs: threadCpuMs() };
    // The clock first: reading it costs a fraction.
    return nowMs() - from.clockMs >= ms && threadCpuMs() - from.cpuMs >= ms;
  };
}

/** Work that ends at a deadline, whatever it has come to by then: how far it is, the clock tells. */
export function byClock({ stopFlag, onProgress }: SolveControl, deadlineMs: number): Stopping {
  const from = nowMs();
  const onLook = () => {
    const share = (nowMs() - from) / (deadlineMs - from);
    onProgress?.({ share, incumbentUnits: null, boundUnits: null, gap: null });
  };
  return { stopFlag, deadlineMs, onLook: onProgress && onLook };
}

/** @returns whether there was time for all of it */
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

import type { PhaseMark } from '../../src/db/schema.ts';

/** Milliseconds of `process.hrtime`: the clock that all threads of a process share, and that never jumps. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Rounds milliseconds to the microsecond. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** When each phase of an attempt began. */
export type Phases = {
  /** in the order of their start, in milliseconds since the claim */
  marks: PhaseMark[];
  /**
   * Marks the start of a phase. Does nothing if the phase has already begun.
   * @param at milliseconds of `process.hrtime`
   */
  enter(phase: string, at?: number): void;
  /** the time of the claim, milliseconds since 1970 */
  claimedAt: number;
  /** milliseconds since the claim */
  elapsedMs(): number;
};

/** Call it when the job has been claimed. */
export function startPhases(): Phases {
  const claimedAt = monotonicMs();
  const marks: PhaseMark[] = [];
  return {
    marks,
    claimedAt: Date.now(),
    elapsedMs: () => monotonicMs() - claimedAt,
    enter(phase, at = monotonicMs()) {
      if (marks.some((mark) => mark.phase === phase)) return;
      marks.push({ phase, ms: roundMs(at - claimedAt) });
    },
  };
}

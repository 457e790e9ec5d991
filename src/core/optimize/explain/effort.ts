/** What computations on a flow may take. */
import { isStopped } from '../highs.ts';
import type { SolveControl } from '../model.ts';
import { NEAR_PER_NODE } from './near-arcs.ts';

/** The time is up, or the caller has cancelled: whoever asked keeps what was found before. */
export class OutOfTime extends Error {}

export type Effort = {
  /** Called every few milliseconds of work. @throws OutOfTime */
  check: () => void;
  /** Half-arcs per node that searches for what is nearby read, where there are several times as many. */
  nearPerNode: number;
};

export function effortOf({ deadlineMs, stopFlag }: SolveControl, nearPerNode = NEAR_PER_NODE): Effort {
  return {
    check: () => {
      if (performance.now() >= deadlineMs || isStopped(stopFlag)) throw new OutOfTime();
    },
    nearPerNode,
  };
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

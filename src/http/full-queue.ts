/** How long a full queue is taken to be full, ms. Workers end fewer jobs in this time than a useful limit holds. */
const FULL_MS = 100;

/**
 * What an API process knows of a full queue: for a moment after a refusal, further calls are refused without a look.
 * So refusals take no connection from calls that can be served, and do not wait for one.
 */
export type FullQueue = {
  /** Whether to refuse at once. After the moment is over, one call at a time is let through, until one is stored. */
  isFull(): boolean;
  refused(): void;
  stored(): void;
};

/** @param now a clock, ms */
export function createFullQueue(now: () => number = () => performance.now()): FullQueue {
  let until: number | undefined;
  return {
    isFull() {
      if (until === undefined) return false;
      if (now() < until) return true;
      until = now() + FULL_MS;
      return false;
    },
    refused() {
      until = now() + FULL_MS;
    },
    stored() {
      until = undefined;
    },
  };
}

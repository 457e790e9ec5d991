import type { JobPriority } from '../src/contracts/priorities.ts';

/** Of so many claims of a worker, one goes to normal, and one to low priority first. */
export const NORMAL_EVERY = 4;
export const LOW_EVERY = 16;

/**
 * Which priority goes first at a worker's next claim: the highest one (null), but now and then a lower one, so
 * that an endless stream of urgent jobs slows the others down and does not starve them.
 */
export function createLevelOrder(): () => JobPriority | null {
  let claims = 0;
  return () => {
    claims++;
    if (claims % LOW_EVERY === 0) return 'low';
    return claims % NORMAL_EVERY === 0 ? 'normal' : null;
  };
}

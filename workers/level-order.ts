import type { JobPriority } from '../src/contracts/priorities.ts';

/** Every so many claims of a worker, normal or low priority goes first. */
const NORMAL_EVERY = 4;
const LOW_EVERY = 16;

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

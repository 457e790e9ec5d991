import type { JobPriority } from '../../src/contracts/priorities.ts';

/** After this many claims of a worker, normal or low priority goes first once. */
const NORMAL_EVERY = 4;
const LOW_EVERY = 16;

/**
 * Decides which priority goes first at a worker's next claim: usually the highest (null), sometimes a lower one. So an
 * endless stream of urgent jobs slows the other jobs down but never starves them.
 */
export function createLevelOrder(): () => JobPriority | null {
  let claims = 0;
  return () => {
    claims++;
    if (claims % LOW_EVERY === 0) return 'low';
    return claims % NORMAL_EVERY === 0 ? 'normal' : null;
  };
}

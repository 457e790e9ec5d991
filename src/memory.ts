import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often a process looks whether it has grown. */
const EVERY_MS = 10_000;
/** A process that uses more of its time than this is at work, and collects garbage by itself. */
const MAX_UTILIZATION = 0.1;
const GROWTH = 1.1;

/**
 * Environment of a process whose memory comes back after peaks: glibc keeps large blocks once it has freed some, and
 * a pool of memory per thread. Both have to stand in the environment before the process starts.
 */
export const MEMORY_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** Looks that are passed over after a collection that brought too little back: 1, 2, 4 … up to these. */
const MAX_PASSED_OVER = 32;

/**
 * Gives memory back after peaks. V8 collects garbage while it allocates: a process that has answered its largest
 * request and rests would keep hundreds of megabytes for good. Collects where the process is larger than it was at rest, and
 * again, ever less often, while it stays so: what one collection found in use may be garbage at the next.
 */
export function giveMemoryBack(): { close(): void } {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  // Not known before the first collection: what is loaded while the process starts is no growth.
  let rest = Number.POSITIVE_INFINITY;
  let collected = Number.POSITIVE_INFINITY;
  let passOver = 1;
  let left = 0;
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization > MAX_UTILIZATION) return;
    const size = process.memoryUsage.rss();
    if (rest < Number.POSITIVE_INFINITY && size < rest * GROWTH) {
      passOver = 1;
      left = 0;
      return;
    }
    if (size < collected * GROWTH && left-- > 0) return;
    collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
    collected = process.memoryUsage.rss();
    rest = Math.min(rest, collected);
    left = passOver;
    passOver = Math.min(passOver * 2, MAX_PASSED_OVER);
  }, EVERY_MS);
  return { close: () => clearInterval(timer) };
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often a process looks whether it has grown. */
const EVERY_MS = 10_000;
/** A process whose thread works for more of its time than this is busy, and collects garbage by itself. */
const MAX_WORKING_SHARE = 0.2;
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
 * Decides when a process collects garbage: when it rests and is larger than it was at rest; and again, ever less often,
 * while it stays so and does nothing: what one collection found in use may be garbage at the next.
 */
export function planCollections() {
  // Not known before the first collection: what is loaded while the process starts is no growth.
  let rest = Number.POSITIVE_INFINITY;
  let collected = Number.POSITIVE_INFINITY;
  let passOver = 1;
  let left = 0;
  const beginAgain = () => {
    passOver = 1;
    left = 0;
  };
  return {
    /** @param workingShare of the time since the last look; @param size of the process in bytes */
    isDue(workingShare: number, size: number): boolean {
      const isBusy = workingShare > MAX_WORKING_SHARE;
      const isSmall = rest < Number.POSITIVE_INFINITY && size < rest * GROWTH;
      if (isBusy || isSmall || size >= collected * GROWTH) beginAgain();
      return !isBusy && !isSmall && left-- <= 0;
    },
    /** @param size after a collection */
    noteCollection(size: number): void {
      collected = size;
      rest = Math.min(rest, size);
      left = passOver;
      passOver = Math.min(passOver * 2, MAX_PASSED_OVER);
    },
  };
}

/**
 * Gives memory back after peaks. V8 collects garbage while it allocates: a process that has answered its largest
 * request and rests would keep hundreds of megabytes for good. So would glibc, between what it has freed and what is
 * still in use. Whether a process rests is told by the processor, not by the clock: others make a thread late, not
 * busy.
 */
export function giveMemoryBack(): { close(): void } {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  const trim = openTrim();
  const plan = planCollections();
  let lastMs = performance.now();
  let lastCpu = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(lastCpu);
    const workingShare = (user + system) / 1000 / (performance.now() - lastMs);
    if (plan.isDue(workingShare, process.memoryUsage.rss())) {
      collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
      trim();
      plan.noteCollection(process.memoryUsage.rss());
    }
    lastMs = performance.now();
    lastCpu = process.threadCpuUsage();
  }, EVERY_MS);
  return { close: () => clearInterval(timer) };
}

/**
 * A function that has the C library give free memory back to the system, of all threads: `malloc_trim` of glibc
 * (malloc_trim(3)). It does nothing where there is none (musl, macOS, Windows), or where Node.js cannot call it.
 */
function openTrim(): () => void {
  const { emitWarning } = process;
  // Loading it says that it is experimental, which is nothing that an operator could act on.
  process.emitWarning = () => {};
  try {
    const { dlopen } = process.getBuiltinModule('node:ffi');
    const { functions } = dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    return () => functions.malloc_trim(0n);
  } catch {
    return () => {};
  } finally {
    process.emitWarning = emitWarning;
  }
}

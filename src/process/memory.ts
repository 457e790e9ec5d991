import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Interval between two looks at the size of the process. */
const CHECK_EVERY_MS = 10_000;
/**
 * A process is busy if its thread works for more than this share of the time. It then collects garbage by itself. A
 * collection here costs some tenths of a second with what it makes others do: it also drops compiled code, which the
 * next calls compile anew. So it waits until hardly any come.
 */
const MAX_WORKING_SHARE = 0.05;
const GROWTH = 1.1;

/**
 * Environment of a process that gives memory back after peaks. By default glibc keeps large blocks after it has freed
 * some, and a pool of memory per thread. Both variables must be set before the process starts.
 */
export const MEMORY_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** After a collection that freed too little, this many looks are skipped at most: 1, 2, 4 … 32. */
const MAX_SKIPPED = 32;

/**
 * Decides when a process collects garbage: when it is idle and larger than when it was last idle. It collects again,
 * less and less often, while the process stays large and idle: memory in use at one collection may be garbage at the
 * next.
 */
export function planCollections() {
  // Unknown before the first collection: memory that is loaded during the start is not growth.
  let rest = Number.POSITIVE_INFINITY;
  let collected = Number.POSITIVE_INFINITY;
  let skip = 1;
  let left = 0;
  const beginAgain = () => {
    skip = 1;
    left = 0;
  };
  return {
    /** @param workingShare share of the time since the last look; @param size of the process in bytes */
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
      left = skip;
      skip = Math.min(skip * 2, MAX_SKIPPED);
    },
  };
}

/**
 * Gives memory back after the start and after peaks. V8 collects garbage only while it allocates: an idle process
 * would keep hundreds of megabytes of its largest request for good. glibc would keep the freed parts between blocks in
 * use. Processor time decides whether a process is idle, not the clock: on a busy machine a thread is late, not busy.
 * @returns `begin`: call it when the process has started. Loading its code leaves some 75 MB of garbage.
 */
export function giveMemoryBack(): { begin(): void; close(): void } {
  const collect = openCollection();
  const trim = openTrim();
  const plan = planCollections();
  let lastMs = performance.now();
  let lastCpu = process.threadCpuUsage();
  const giveBack = () => {
    collect();
    trim();
    plan.noteCollection(process.memoryUsage.rss());
  };
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(lastCpu);
    const workingShare = (user + system) / 1000 / (performance.now() - lastMs);
    if (plan.isDue(workingShare, process.memoryUsage.rss())) giveBack();
    lastMs = performance.now();
    lastCpu = process.threadCpuUsage();
  }, CHECK_EVERY_MS);
  return { begin: giveBack, close: () => clearInterval(timer) };
}

/**
 * A function that collects all garbage of the calling thread. It also gives up compiled code, so it is for a thread
 * that has nothing to do, or would have to be renewed.
 */
export function openCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  return () => collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}

/**
 * A function that makes the C library return free memory of all threads to the system: `malloc_trim` of glibc
 * (malloc_trim(3)). It does nothing if the library has no such function (musl, macOS, Windows), or if Node.js cannot
 * call it.
 */
function openTrim(): () => void {
  const { emitWarning } = process;
  // Loading the module warns that it is experimental. An operator can do nothing about that.
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

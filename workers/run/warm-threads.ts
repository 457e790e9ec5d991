import { memoryUsage } from 'node:process';
import type { Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';

/**
 * A thread collects its garbage when the process has grown by this much since the thread was new, and is renewed if
 * that does not help: the memory of WebAssembly never shrinks. Small jobs of all kinds make it grow by up to 180 MiB,
 * and a new thread loads and compiles its code anew, which takes seconds.
 */
const GROWTH_BYTES = 192 * 1024 ** 2;

/** If the process is large at rest, a thread is renewed after it has been idle this long. */
const REST_MS = 10_000;
/** A process is large at rest if it exceeds the smallest size that it had before work by this factor. */
const REST_GROWTH = 1.2;

export type WarmThreads<Task> = {
  run<Outcome>(task: Task, options: { signal: AbortSignal; transferList: Transferable[] }): Promise<Outcome>;
  close(): Promise<void>;
};

type RunOptions = NonNullable<Parameters<Piscina['run']>[1]>;

type Thread = {
  pool: Piscina;
  busy: number;
  /**
   * the smallest size of the process at the start of any work of the thread; null if it has not worked yet. At its
   * first work, the thread that it replaces may not have ended: that size would make each limit higher than the last.
   */
  startBytes: number | null;
  /** end of its last work, on the clock of `performance` */
  idleSince: number;
  isRenewed: boolean;
};

/**
 * Opens `count` threads and keeps them warm. When the work of a thread has made the process grow, also without its
 * garbage, the thread continues until its replacement is warm, then finishes its current work and ends: no work waits
 * for the change. A thread that has worked is also renewed if the process stays large at rest: the small growth of many
 * jobs adds up, and would raise the limit with it.
 * @param filename module of the threads; its default export does the work, and for `null` only collects garbage
 */
export function openWarmThreads<Task>(
  filename: string,
  count: number,
  { growthBytes = GROWTH_BYTES, restMs = REST_MS } = {},
): WarmThreads<Task> {
  const open = (): Thread => {
    const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1 });
    return { pool, busy: 0, startBytes: null, idleSince: performance.now(), isRenewed: false };
  };
  const threads = new Set(Array.from({ length: count }, open));
  const ending = new Set<Thread>();
  let leastBytes = Number.POSITIVE_INFINITY;
  let isClosed = false;

  const endIfIdle = async (thread: Thread) => {
    if (thread.busy > 0) return;
    ending.delete(thread);
    await thread.pool.destroy();
  };
  const renew = async (old: Thread) => {
    old.isRenewed = true;
    const fresh = open();
    ending.add(fresh);
    await fresh.pool.run(null);
    ending.delete(fresh);
    threads.add(fresh);
    threads.delete(old);
    ending.add(old);
    await endIfIdle(old);
  };

  // If that fails, the old thread stays in use.
  const tryToRenew = (thread: Thread) => {
    if (thread.isRenewed || isClosed) return;
    renew(thread).catch(() => {
      thread.isRenewed = false;
    });
  };
  const isGrown = ({ startBytes }: Thread) =>
    memoryUsage.rss() > (startBytes ?? Number.POSITIVE_INFINITY) + growthBytes;
  const use = async (thread: Thread, task: Task | null, options: RunOptions = {}) => {
    thread.busy++;
    try {
      return await thread.pool.run(task, options);
    } finally {
      thread.busy--;
      thread.idleSince = performance.now();
      if (ending.has(thread)) void endIfIdle(thread);
    }
  };
  // If it fails, the next work that ends tries it again.
  const shrink = (thread: Thread) => {
    if (thread.isRenewed || isClosed) return;
    use(thread, null).then(
      () => isGrown(thread) && tryToRenew(thread),
      () => {},
    );
  };
  const timer = setInterval(() => {
    if (memoryUsage.rss() <= leastBytes * REST_GROWTH) return;
    for (const thread of threads) {
      const rests = thread.busy === 0 && performance.now() - thread.idleSince >= restMs;
      if (rests && thread.startBytes !== null) tryToRenew(thread);
    }
  }, restMs);

  return {
    async run(task, { signal, transferList }) {
      const thread = [...threads].reduce((least, one) => (one.busy < least.busy ? one : least));
      const before = memoryUsage.rss();
      thread.startBytes = Math.min(thread.startBytes ?? Number.POSITIVE_INFINITY, before);
      leastBytes = Math.min(leastBytes, before);
      try {
        // Piscina's types assume a newer signature of postMessage; it passes on an array.
        return await use(thread, task, { signal, transferList: transferList as never });
      } finally {
        if (isGrown(thread)) shrink(thread);
      }
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await Promise.all([...threads, ...ending].map(({ pool }) => pool.destroy()));
    },
  };
}

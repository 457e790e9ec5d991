import { memoryUsage } from 'node:process';
import type { Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';

/**
 * A thread is renewed when the process has grown by this much since its first work: the memory of WebAssembly never
 * shrinks, and V8 keeps garbage while it is idle. Small jobs of all kinds make the process grow by up to 180 MiB.
 */
const GROWTH_BYTES = 192 * 1024 ** 2;

export type WarmThreads<Task> = {
  run<Outcome>(task: Task, options: { signal: AbortSignal; transferList: Transferable[] }): Promise<Outcome>;
  close(): Promise<void>;
};

type Thread = {
  pool: Piscina;
  busy: number;
  /** Smallest size of the process before any of its works: before the first one, its predecessor may not have ended. */
  startBytes: number;
  isRenewed: boolean;
};

/**
 * Opens `count` threads and keeps them warm. A thread whose work has made the process grow continues until its
 * replacement is warm, then finishes its current work and ends: no work waits for the change.
 * @param filename module of the threads; its default export does the work, and for `null` only gets ready
 */
export function openWarmThreads<Task>(
  filename: string,
  count: number,
  growthBytes = GROWTH_BYTES,
): WarmThreads<Task> {
  const open = (): Thread => {
    const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1 });
    return { pool, busy: 0, startBytes: Number.POSITIVE_INFINITY, isRenewed: false };
  };
  const threads = new Set(Array.from({ length: count }, open));
  /** Threads that get no work: not yet warm, or about to end. */
  const others = new Set<Thread>();
  let isClosed = false;

  const endIfIdle = async (thread: Thread) => {
    if (thread.busy > 0) return;
    others.delete(thread);
    await thread.pool.destroy();
  };
  const renew = async (old: Thread) => {
    const fresh = open();
    others.add(fresh);
    await fresh.pool.run(null);
    others.delete(fresh);
    threads.add(fresh);
    threads.delete(old);
    others.add(old);
    await endIfIdle(old);
  };
  const endWork = (thread: Thread) => {
    thread.busy--;
    if (others.has(thread)) void endIfIdle(thread);
    const isGrown = memoryUsage.rss() > thread.startBytes + growthBytes;
    if (!isGrown || thread.isRenewed || isClosed) return;
    thread.isRenewed = true;
    // The old thread stays in use if that fails, and the next work that ends tries it again.
    renew(thread).catch(() => {
      thread.isRenewed = false;
    });
  };

  return {
    async run(task, { signal, transferList }) {
      const thread = [...threads].reduce((least, one) => (one.busy < least.busy ? one : least));
      thread.startBytes = Math.min(thread.startBytes, memoryUsage.rss());
      thread.busy++;
      try {
        // Piscina's types assume a newer signature of postMessage; it passes on an array.
        return await thread.pool.run(task, { signal, transferList: transferList as never });
      } finally {
        endWork(thread);
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...threads, ...others].map(({ pool }) => pool.destroy()));
    },
  };
}

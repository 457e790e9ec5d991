import { memoryUsage } from 'node:process';
import type { Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';

/**
 * Growth of the process since a thread was new after which it is renewed: the memory of WebAssembly never shrinks,
 * and a heap that has grown does so slowly. Twice what small jobs make of it.
 */
const GROWTH_BYTES = 64 * 1024 ** 2;

/** How long a thread has been idle when it is renewed because the process is large at rest. */
const REST_MS = 10_000;
/** A process is large at rest beyond this many times the least that it had before work. */
const REST_GROWTH = 1.2;

export type WarmThreads<Task> = {
  run<Outcome>(task: Task, options: { signal: AbortSignal; transferList: Transferable[] }): Promise<Outcome>;
  close(): Promise<void>;
};

type Thread = {
  pool: Piscina;
  busy: number;
  /** size of the process before its first work; null where it has not worked yet */
  startBytes: number | null;
  /** end of its last work, on the clock of `performance` */
  idleSince: number;
  isRenewed: boolean;
};

/**
 * Opens `count` threads, kept warm. One in which work made the process grow goes on until another is warm in its
 * place, and ends then, with the work that it has: no work waits for that. One that has worked is also renewed where
 * the process stays large while it rests: small growth of many jobs adds up, and would move the mark with it.
 * @param filename module of the threads; its default export does the work, and nothing for `null`
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

  // Where it fails the old one goes on.
  const tryToRenew = (thread: Thread) => {
    if (thread.isRenewed || isClosed) return;
    renew(thread).catch(() => {
      thread.isRenewed = false;
    });
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
      const startBytes = thread.startBytes ?? memoryUsage.rss();
      thread.startBytes = startBytes;
      leastBytes = Math.min(leastBytes, startBytes);
      thread.busy++;
      try {
        // Piscina derives the type from a newer signature of postMessage; an array is what it hands on.
        return await thread.pool.run(task, { signal, transferList: transferList as never });
      } finally {
        thread.busy--;
        thread.idleSince = performance.now();
        if (ending.has(thread)) void endIfIdle(thread);
        else if (memoryUsage.rss() > startBytes + growthBytes) tryToRenew(thread);
      }
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await Promise.all([...threads, ...ending].map(({ pool }) => pool.destroy()));
    },
  };
}

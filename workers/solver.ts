import { MessageChannel } from 'node:worker_threads';

import { Piscina } from 'piscina';
import type { LocationPoint, OptimizeSettings } from '../src/core/optimize/model.ts';
import type { OptimizeOutcome } from '../src/core/optimize/optimize.ts';
import type { Progress } from '../src/db/jobs.ts';
import type { SolveTask, Threw } from './solver-thread.ts';

export type SolveOutcome = OptimizeOutcome | Threw;

export type Solve = {
  outcome: Promise<SolveOutcome>;
  /** Ends the solve: asks first, and ends the thread where it does not answer. */
  stop(): void;
};

export type Solver = {
  start(
    task: { input: string; locations: LocationPoint[]; settings: OptimizeSettings; limitSeconds: number },
    onProgress: (progress: Progress) => void,
  ): Solve;
  close(): Promise<void>;
};

/** How long a solve may take to notice that it is to stop, before its thread is ended: it mostly takes less than half of that. */
const STOP_GRACE_MS = 150;
/** What building, verifying and explaining may take beside the solver's own time limit. */
const OVERRUN_MS = 10_000;

/** Opens `threads` solver threads, kept warm: loading the solver costs more than a small solve. */
export function openSolver(threads: number): Solver {
  const pool = new Piscina({
    filename: new URL('./solver-thread.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
  });

  return {
    start({ input, locations, settings, limitSeconds }, onProgress) {
      const { port1, port2 } = new MessageChannel();
      const stopFlag = new Int32Array(new SharedArrayBuffer(4));
      const killer = new AbortController();
      let grace: NodeJS.Timeout | undefined;
      const stop = () => {
        Atomics.store(stopFlag, 0, 1);
        grace ??= setTimeout(() => killer.abort(), STOP_GRACE_MS);
      };
      const watchdog = setTimeout(stop, limitSeconds * 1000 + OVERRUN_MS);
      port1.on('message', (p: Partial<Progress> & { progress: number }) =>
        onProgress({
          progress: p.progress,
          stage: p.stage ?? null,
          incumbent: p.incumbent ?? null,
          bound: p.bound ?? null,
          gap: p.gap ?? null,
        }),
      );
      const task: SolveTask = { input, locations, settings, stopFlag, progressPort: port2 };
      const outcome: Promise<SolveOutcome> = pool
        // Piscina derives the type from a newer signature of postMessage; an array is what it hands on.
        .run(task, { transferList: [port2] as never, signal: killer.signal })
        .catch((error) => {
          if (killer.signal.aborted) return { status: 'cancelled' as const };
          throw error;
        })
        .finally(() => {
          clearTimeout(watchdog);
          clearTimeout(grace);
          port1.close();
        });
      return { outcome, stop };
    },
    close: () => pool.destroy(),
  };
}

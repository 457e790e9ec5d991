import type { MessagePort } from 'node:worker_threads';
import { type BacktestOptions, type BacktestReport, backtest } from '../src/core/forecast/backtest.ts';
import type { DemandSeries } from '../src/core/forecast/types.ts';
import { loadSolver } from '../src/core/optimize/highs.ts';
import type { LocationPoint, OptimizeSettings } from '../src/core/optimize/model.ts';
import { optimize } from '../src/core/optimize/optimize.ts';

// Warm before the first job: loading the solver takes longer than most solves.
await loadSolver();

/** Progress of a loop is told at most this often. */
const LEAST_MS_BETWEEN_REPORTS = 200;

/** How far a thread is; `progress` from 0 to 1, never falling. */
export type ThreadProgress = {
  stage: string;
  progress: number;
  incumbent?: number | null;
  bound?: number | null;
  gap?: number | null;
};

export type Hooks = {
  /** one number in shared memory; anything but 0 ends the work */
  stopFlag: Int32Array;
  onProgress(progress: ThreadProgress): void;
};

/** The work that is done in threads: here, and nowhere else in the process, the event loop may block. */
const WORK = {
  /** `input`: the request body as JSON text, cheaper to hand over than objects */
  optimize(task: { input: string; locations: LocationPoint[]; settings: OptimizeSettings }, hooks: Hooks) {
    const { input, locations, settings } = task;
    return optimize({ request: JSON.parse(input), locations, settings }, hooks);
  },

  async backtest(
    { series, options }: { series: DemandSeries[]; options: BacktestOptions },
    { stopFlag, onProgress }: Hooks,
  ): Promise<{ status: 'done'; report: BacktestReport } | { status: 'cancelled' }> {
    const tell = loopProgress('backtest', onProgress);
    const report = backtest(series, options, { stopFlag, onProgress: tell });
    return report === null ? { status: 'cancelled' } : { status: 'done', report };
  },
};

function loopProgress(stage: string, onProgress: Hooks['onProgress']) {
  let toldAt = performance.now();
  onProgress({ stage, progress: 0 });
  return (done: number, total: number) => {
    const now = performance.now();
    if (done < total && now - toldAt < LEAST_MS_BETWEEN_REPORTS) return;
    toldAt = now;
    onProgress({ stage, progress: done / total });
  };
}

type Work = typeof WORK;
export type WorkName = keyof Work;
export type WorkInput<W extends WorkName> = Parameters<Work[W]>[0];
export type WorkOutcome<W extends WorkName> = Awaited<ReturnType<Work[W]>>;

export type ThreadTask<W extends WorkName = WorkName> = {
  work: W;
  input: WorkInput<W>;
  stopFlag: Int32Array;
  progressPort: MessagePort;
};

/** A fault of our own code: the same input would end the same way again. */
export type Threw = { status: 'threw'; stack: string };

/**
 * What a thread adds to its outcome: when each stage began, in milliseconds of `process.hrtime`, which all
 * threads of a process share.
 * The progress it has told may still be on its way when the outcome arrives.
 */
export type Timed = { stages: { stage: string; at: number }[] };

/** Entry of a thread. */
export default async function run<W extends WorkName>(
  task: ThreadTask<W>,
): Promise<(WorkOutcome<W> | Threw) & Timed> {
  const stages: Timed['stages'] = [];
  const hooks: Hooks = {
    stopFlag: task.stopFlag,
    onProgress(progress) {
      const { stage } = progress;
      if (stages.at(-1)?.stage !== stage) stages.push({ stage, at: Number(process.hrtime.bigint()) / 1e6 });
      task.progressPort.postMessage(progress);
    },
  };
  const work = WORK[task.work] as (input: WorkInput<W>, hooks: Hooks) => Promise<WorkOutcome<W>>;
  try {
    return { ...(await work(task.input, hooks)), stages };
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { status: 'threw', stack, stages };
  } finally {
    task.progressPort.close();
  }
}

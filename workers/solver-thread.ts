import type { MessagePort } from 'node:worker_threads';
import { loadSolver } from '../src/core/optimize/highs.ts';
import type { LocationPoint, OptimizeSettings } from '../src/core/optimize/model.ts';
import { type OptimizeOutcome, optimize } from '../src/core/optimize/optimize.ts';

// Warm before the first job: loading the solver takes longer than most solves.
await loadSolver();

export type SolveTask = {
  /** the request body as JSON text: cheaper to hand over than objects */
  input: string;
  locations: LocationPoint[];
  settings: OptimizeSettings;
  /** one number in shared memory; anything but 0 ends the solve */
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

/** Entry of a solver thread: here, and nowhere else in the process, the solver may block. */
export default async function solve(task: SolveTask): Promise<(OptimizeOutcome | Threw) & Timed> {
  const stages: Timed['stages'] = [];
  try {
    const outcome = await optimize(
      { request: JSON.parse(task.input), locations: task.locations, settings: task.settings },
      {
        stopFlag: task.stopFlag,
        onProgress: (progress) => {
          const { stage } = progress;
          if (stages.at(-1)?.stage !== stage)
            stages.push({ stage, at: Number(process.hrtime.bigint()) / 1e6 });
          task.progressPort.postMessage(progress);
        },
      },
    );
    return { ...outcome, stages };
  } catch (error) {
    return {
      status: 'threw',
      stack: error instanceof Error ? (error.stack ?? error.message) : String(error),
      stages,
    };
  } finally {
    task.progressPort.close();
  }
}

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

/** Entry of a solver thread: here, and nowhere else in the process, the solver may block. */
export default async function solve(task: SolveTask): Promise<OptimizeOutcome | Threw> {
  try {
    return await optimize(
      { request: JSON.parse(task.input), locations: task.locations, settings: task.settings },
      { stopFlag: task.stopFlag, onProgress: (progress) => task.progressPort.postMessage(progress) },
    );
  } catch (error) {
    return {
      status: 'threw',
      stack: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  } finally {
    task.progressPort.close();
  }
}

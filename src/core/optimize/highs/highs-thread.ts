/**
 * Entry of the solver's own thread: executes the calls of `highs-in-worker.ts` one after the other and reports the
 * results.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createCache } from '../run/cache.ts';
import { nowMs } from '../run/clock.ts';
import { loadSolver, openHere } from './highs.ts';
import { type Call, MESSAGES, READY, type SolverMessage, type ThreadData } from './highs-in-worker.ts';
import type { OpenModel, RunControl, SolverModel } from './solver-model.ts';

const { port, signals }: ThreadData = workerData;
const solver = await loadSolver(createCache());
serve(parentPort!, port, signals);
Atomics.store(signals, READY, 1);

/** Answers calls until the thread is ended. */
function serve(calls: MessagePort, port: MessagePort, signals: Int32Array): void {
  const models = new Map<number, OpenModel & { control: RunControl }>();
  /** Errors of calls that are not answered, by model; the model's next run reports them. */
  const faults = new Map<number, unknown>();
  const send = (message: SolverMessage) => {
    port.postMessage(message);
    Atomics.add(signals, MESSAGES, 1);
    Atomics.notify(signals, MESSAGES);
  };
  const answer = (call: Call) => {
    if (call.kind === 'open') {
      const control: RunControl = { deadlineMs: 0 };
      const open = openHere(solver, call.source, call.tolerance, control, null);
      models.set(call.id, { control, ...open });
      return;
    }
    const open = models.get(call.id);
    if (!open) return;
    if (call.kind === 'change') apply(open.model, call.change);
    if (call.kind === 'run') run(open, call, send);
    if (call.kind === 'dispose') {
      models.delete(call.id);
      open.dispose();
    }
  };
  calls.on('message', (call: Call) => {
    try {
      if (call.kind === 'dispose') faults.delete(call.id);
      if (faults.has(call.id)) throw faults.get(call.id);
      answer(call);
    } catch (error) {
      faults.set(call.id, error);
      if (call.kind !== 'run') return;
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      send({ kind: 'threw', runId: call.runId, name, message });
    }
  });
}

function apply(model: SolverModel, { method, args }: Extract<Call, { kind: 'change' }>['change']): void {
  (model[method] as (...args: unknown[]) => void)(...args);
}

function run(
  { model, control }: OpenModel & { control: RunControl },
  call: Extract<Call, { kind: 'run' }>,
  send: (message: SolverMessage) => void,
): void {
  const { run, runId } = call;
  // Clocks of different threads have different origins.
  control.deadlineMs = nowMs() + call.leftMs;
  control.progressIntervalMs = call.progressIntervalMs;
  control.stopFlag = call.stopFlag;
  control.onProgress = (progress) => send({ kind: 'progress', runId, progress });
  control.onImproved = (values) => send({ kind: 'improved', runId, values });
  const result =
    run.method === 'mixed' ? model.runMixed(run.options) : model.runLinear(0, run.by, run.keepsBasis);
  send({ kind: 'ended', runId, result, memoryBytes: solver.memoryBytes });
}

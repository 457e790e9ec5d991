/**
 * A model opened in a separate thread, where the solver can be ended whatever it does. The calling thread stays
 * synchronous: it posts a call and waits for messages in shared memory, reading stop flag and deadline meanwhile.
 *
 * When time is up, the solver is asked to stop and gets a short while to do so. Then its thread is ended, and the
 * result is what the solver had reported by then: its best point, bound and counts. Every later call to that model
 * returns `stopped`. The thread starts with the first such model and is kept for the next ones. It does not keep a
 * process running, and it ends with the thread that started it.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { msOf } from '../run/budget.ts';
import { type Cache, keptIn, type Slot } from '../run/cache.ts';
import { nowMs } from '../run/clock.ts';
import type { RunState } from '../run/control.ts';
import { isOver } from '../run/stopping.ts';
import type { LinearModel } from './linear-model.ts';
import {
  type LinearMethod,
  type LinearResult,
  type MixedOptions,
  type MixedResult,
  type ModelChanges,
  NO_LINEAR_RESULT,
  NO_MIXED_RESULT,
  type OpenModel,
  type RunControl,
} from './solver-model.ts';

/** Elements of the shared memory: the number of messages posted by the solver, and whether it is loaded. */
export const MESSAGES = 0;
export const READY = 1;

/** The data that the solver's thread receives at its start. */
export type ThreadData = { port: MessagePort; signals: Int32Array };

type Change = {
  [M in keyof ModelChanges]: { method: M; args: Parameters<ModelChanges[M]> };
}[keyof ModelChanges];
type Run =
  | { method: 'linear'; by: LinearMethod; keepsBasis: boolean }
  | { method: 'mixed'; options: MixedOptions };

/** Calls to the solver's thread; only runs are answered. */
export type Call = { id: number } & (
  | { kind: 'open'; source: LinearModel; tolerance: number }
  | { kind: 'change'; change: Change }
  | { kind: 'run'; runId: number; run: Run; leftMs: number; stopFlag: Int32Array; progressIntervalMs: number }
  | { kind: 'dispose' }
);

/** Messages of the solver's thread during a run and at its end. */
export type SolverMessage = { runId: number } & (
  | { kind: 'progress'; progress: RunState }
  | { kind: 'improved'; values: Float64Array }
  | { kind: 'ended'; result: LinearResult | MixedResult; memoryBytes: number }
  | { kind: 'threw'; name: string; message: string }
);

type SolverThread = {
  worker: Worker;
  port: MessagePort;
  signals: Int32Array;
  isEnded: boolean;
  memoryBytes: number;
  /** Called once, when the thread must no longer be used. */
  onEnd(ended: SolverThread): void;
};

/** Numbers copied between two looks at the clock. */
const PIECE = 1 << 20;
/** WebAssembly memory never shrinks: a thread that holds more than this is ended after its model. */
const MAX_KEPT_BYTES = 256e6;

const THREAD: Slot<{ thread?: SolverThread | undefined; nextId: number; nextRunId: number }> = {
  create: () => ({ nextId: 0, nextRunId: 0 }),
};

/**
 * Opens a model in the solver's thread. Returns before the model has been passed; its first run throws if the model
 * is invalid.
 */
export function openInWorker(
  cache: Cache,
  source: LinearModel,
  tolerance: number,
  control: RunControl,
): OpenModel {
  const kept = keptIn(cache, THREAD);
  kept.thread ??= startThread((ended) => {
    if (kept.thread === ended) kept.thread = undefined;
  });
  const own = kept.thread;
  const id = kept.nextId++;
  let isGone = false;
  const post = (call: Call) => {
    if (!own.isEnded) own.worker.postMessage(call);
  };

  /** The answer of a run, or its last reports if its thread was ended first. */
  function ask(run: Run, deadlineMs: number) {
    const known: { result?: LinearResult | MixedResult; values: Float64Array | null; last: RunState } = {
      values: null,
      last: { iterations: 0, nodes: 0, incumbent: null, bound: null },
    };
    const stopping = { ...control, deadlineMs };
    const isDue = () => isOver(stopping);
    if (isGone || isDue()) return known;
    if (own.isEnded) throw new Error("the solver's thread ended by itself");
    const { port, signals } = own;
    const runId = kept.nextRunId++;
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const hear = () => {
      for (;;) {
        const received: SolverMessage | undefined = receiveMessageOnPort(port)?.message;
        if (received === undefined) return;
        // A message of an earlier run, given up before the thread was loaded.
        if (received.runId !== runId) continue;
        switch (received.kind) {
          case 'progress':
            known.last = received.progress;
            control.onProgress?.(received.progress);
            break;
          case 'improved':
            known.values = received.values;
            break;
          case 'ended':
            known.result = received.result;
            own.memoryBytes = received.memoryBytes;
            break;
          case 'threw':
            endThread(own);
            throw Object.assign(new Error(received.message), { name: received.name });
        }
      }
    };
    post({
      kind: 'run',
      id,
      runId,
      run,
      leftMs: deadlineMs - nowMs(),
      stopFlag,
      progressIntervalMs: Math.min(msOf('progress'), control.progressIntervalMs ?? Number.POSITIVE_INFINITY),
    });
    let endMs = Number.POSITIVE_INFINITY;
    for (;;) {
      const seen = Atomics.load(signals, MESSAGES);
      hear();
      if (known.result) return known;
      if (endMs === Number.POSITIVE_INFINITY && isDue()) {
        Atomics.store(stopFlag, 0, 1);
        endMs = nowMs() + msOf('solverThreadEnd');
      }
      if (nowMs() >= endMs) {
        isGone = true;
        // A thread that is still loading has nothing to lose and will be needed again soon.
        if (Atomics.load(signals, READY) !== 0) endThread(own);
        hear();
        return known;
      }
      Atomics.wait(signals, MESSAGES, seen, msOf('solverThreadPoll'));
    }
  }

  const change =
    <M extends keyof ModelChanges>(method: M) =>
    (...args: Parameters<ModelChanges[M]>) =>
      post({ kind: 'change', id, change: { method, args } as Change });

  const shared = share(source, () => isOver(control));
  if (shared) post({ kind: 'open', id, source: shared, tolerance });
  else isGone = true;
  return {
    dispose() {
      if (own.memoryBytes > MAX_KEPT_BYTES) endThread(own);
      post({ kind: 'dispose', id });
    },
    model: {
      runLinear(graceMs = 0, by = 'dual', keepsBasis = false) {
        const { result } = ask({ method: 'linear', by, keepsBasis }, control.deadlineMs + graceMs);
        return (result as LinearResult | undefined) ?? NO_LINEAR_RESULT;
      },
      runMixed(options) {
        const untilMs = Math.min(control.deadlineMs, options.untilMs ?? Number.POSITIVE_INFINITY);
        const { result, values, last } = ask({ method: 'mixed', options }, untilMs);
        if (result) return result as MixedResult;
        const { iterations, nodes, bound } = last;
        return { ...NO_MIXED_RESULT, values, iterations, nodes, bound: bound ?? NO_MIXED_RESULT.bound };
      },
      setColumnBounds: change('setColumnBounds'),
      setRowBounds: change('setRowBounds'),
      addColumns: change('addColumns'),
      setCosts: change('setCosts'),
      setBasis: change('setBasis'),
      addRows: change('addRows'),
    },
  };
}

/**
 * A copy in shared memory, which a message passes without copying: copying a large model of some tens of MB takes
 * tens of milliseconds.
 * @returns null if time was up before the copy was complete
 */
function share(source: LinearModel, isLate: () => boolean): LinearModel | null {
  const copy = { ...source };
  for (const name of ['cost', 'lower', 'upper', 'rowLower', 'rowUpper', 'values'] as const) {
    const target = new Float64Array(new SharedArrayBuffer(source[name].byteLength));
    if (!copyInPieces(source[name], target, isLate)) return null;
    copy[name] = target;
  }
  for (const name of ['starts', 'indices'] as const) {
    const target = new Int32Array(new SharedArrayBuffer(source[name].byteLength));
    if (!copyInPieces(source[name], target, isLate)) return null;
    copy[name] = target;
  }
  return copy;
}

function copyInPieces<T extends Float64Array | Int32Array>(from: T, to: T, isLate: () => boolean): boolean {
  for (let at = 0; at < from.length; at += PIECE) {
    if (at > 0 && isLate()) return false;
    to.set(from.subarray(at, at + PIECE), at);
  }
  return true;
}

function startThread(onEnd: (ended: SolverThread) => void): SolverThread {
  const { port1, port2 } = new MessageChannel();
  const signals = new Int32Array(new SharedArrayBuffer(8));
  const workerData: ThreadData = { port: port2, signals };
  const worker = new Worker(new URL('./highs-thread.ts', import.meta.url), {
    workerData,
    transferList: [port2],
  });
  worker.unref();
  const started: SolverThread = { worker, port: port1, signals, isEnded: false, memoryBytes: 0, onEnd };
  // A thread that died is not used again; a run that waits for it ends at its deadline.
  worker.on('error', () => endThread(started));
  worker.on('exit', () => endThread(started));
  return started;
}

function endThread(ended: SolverThread): void {
  if (ended.isEnded) return;
  ended.isEnded = true;
  ended.onEnd(ended);
  void ended.worker.terminate();
}

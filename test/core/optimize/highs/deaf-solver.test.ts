import { afterAll, expect, test, vi } from 'vitest';
import { wholeSteps } from '../../../../src/core/optimize/direct/extract.ts';
import { formulate } from '../../../../src/core/optimize/direct/formulation.ts';
import { openInWorker } from '../../../../src/core/optimize/highs/highs-in-worker.ts';
import type { RunState } from '../../../../src/core/optimize/run/control.ts';
import { buildCached as buildProblem, threadCache } from '../cached.ts';
import { cityInstance, SETTINGS } from '../instances.ts';

// Other files of this process have loaded the real one.
vi.hoisted(() => vi.resetModules());
vi.mock('node:worker_threads', async (original) => {
  const threads = await original<typeof import('node:worker_threads')>();
  class DeafWorker extends threads.Worker {
    constructor(_: string | URL, options?: import('node:worker_threads').WorkerOptions) {
      super(new URL('./deaf-highs-thread.ts', import.meta.url), options);
    }
  }
  return { ...threads, Worker: DeafWorker };
});

afterAll(() => {
  vi.doUnmock('node:worker_threads');
  vi.resetModules();
});

const { request, locations } = cityInstance(35, {
  locations: 60,
  perLocation: 10,
  fractional: true,
  capacities: [1, 2, 3],
});
const problem = buildProblem(request, locations, { ...SETTINGS, maxRebalancingCost: null });

test('a solver that is ended because it does not listen leaves the best point and the bound that it had told', {
  tags: 'slow',
}, () => {
  const f = formulate(problem);
  const { firstStep, stepClass } = f.variables;
  const stopFlag = new Int32Array(new SharedArrayBuffer(4));
  let last: RunState | null = null;
  let stoppedMs = 0;
  const { model, dispose } = openInWorker(threadCache, f.model, f.tolerance, {
    deadlineMs: performance.now() + 60_000,
    stopFlag,
    progressIntervalMs: 5,
    onProgress(progress) {
      last = progress;
      if (progress.incumbent === null || stoppedMs > 0) return;
      stoppedMs = performance.now();
      Atomics.store(stopFlag, 0, 1);
    },
  });
  const integers = { integerFrom: firstStep, integerTo: firstStep + stepClass.length };
  const mixed = model.runMixed({ ...integers, gap: 0, absoluteGap: 0 });
  // A run that had listened, or had finished, would have returned within this time.
  expect(performance.now() - stoppedMs).toBeGreaterThanOrEqual(40);
  const told = last as RunState | null;
  expect(mixed).toMatchObject({
    status: 'stopped',
    bound: told!.bound,
    nodes: told!.nodes,
    iterations: told!.iterations,
  });
  expect(mixed.bound).toBeGreaterThan(0);

  // The point is whole, satisfies all constraints, and costs at most the reported value.
  expect(wholeSteps(f, mixed.values!)).not.toBeNull();
  const { starts, indices, values, rowLower, rowUpper, rowCount } = f.model;
  for (let r = 0; r < rowCount; r++) {
    let activity = 0;
    for (let e = starts[r]; e < starts[r + 1]; e++) activity += values[e] * mixed.values![indices[e]];
    expect(activity).toBeGreaterThanOrEqual(rowLower[r] - 1e-6);
    expect(activity).toBeLessThanOrEqual(rowUpper[r] + 1e-6);
  }
  const cost = mixed.values!.reduce((sum, value, c) => sum + value * f.columnCost[c], 0);
  expect(cost).toBeLessThanOrEqual(told!.incumbent! + 1e-6);
  expect(cost).toBeGreaterThanOrEqual(mixed.bound - 1e-6);

  // Later calls have no effect, and the next model gets a new thread.
  expect(model.runMixed({ ...integers, gap: 0, absoluteGap: 0 })).toMatchObject({
    status: 'stopped',
    values: null,
  });
  dispose();
  const next = openInWorker(threadCache, f.model, f.tolerance, { deadlineMs: performance.now() + 60_000 });
  expect(next.model.runLinear().status).toBe('optimal');
  next.dispose();
});

/**
 * Solves of large problems that are stopped at random moments.
 * @module-tag slow
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { verifyPlan } from '../../../../src/core/optimize/answer/verify.ts';
import { solveDirect } from '../../../../src/core/optimize/direct/direct.ts';
import { formulate } from '../../../../src/core/optimize/direct/formulation.ts';
import { openInWorker } from '../../../../src/core/optimize/highs/highs-in-worker.ts';
import type { LinearModel } from '../../../../src/core/optimize/highs/linear-model.ts';
import { createIncumbent } from '../../../../src/core/optimize/problem/incumbent.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem, optimizeCached as optimize, threadCache } from '../cached.ts';
import { compute, startCpuClock } from '../compute.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
/**
 * CPU time of the process after a stop. It is some tens of milliseconds: this only catches work that does not listen.
 */
const MAX_MS = 2500;
const MOMENTS = 12;

const classes = cityInstance(31, {
  locations: 263,
  perLocation: 10,
  fractional: true,
  capacities: [1, 2, 3],
});
const large = cityInstance(32, {
  locations: 1000,
  perLocation: 10,
  fractional: true,
  capacities: [1, 2, 3],
});
const everyday = cityInstance(33, { locations: 1000, perLocation: 20, fractional: true });
const small = cityInstance(34, { locations: 30, perLocation: 10, fractional: true, capacities: [1, 2, 3] });

/** CPU time of the process, in µs. */
const cpuTime = () => Object.values(process.cpuUsage()).reduce((a, b) => a + b);
/** Sets flags at given times while a solve blocks this thread. */
const clock = new Worker(
  `const cpuTime = ${cpuTime};
   require('node:worker_threads').parentPort.on('message', ({ flag, ms }) => {
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
     Atomics.store(flag, 1, BigInt(cpuTime()));
     Atomics.store(flag, 0, 1n);
   })`,
  { eval: true },
);
afterAll(async () => {
  await clock.terminate();
});

type Case = { name: string; spanMs: number; solve(stopFlag: Int32Array): Promise<{ status: string }> };

function whole(instance: typeof classes, spanMs: number, rest: Partial<OptimizeRequest>, name: string): Case {
  const request = { ...instance.request, ...rest };
  return {
    name,
    spanMs,
    solve: (stopFlag) => optimize({ request, locations: instance.locations, settings }, { stopFlag }),
  };
}

const exact = { optimality_gap: 0 };
const cases: Case[] = [
  whole(classes, 800, { options: exact }, '263 locations and 3 classes'),
  whole(large, 1500, { options: exact }, '1,000 locations and 3 classes'),
  whole(everyday, 800, { options: exact }, '1,000 locations and fractional demand'),
  whole(small, 1500, { options: { ...exact, explain: true } }, 'an explained plan'),
  whole(
    classes,
    2500,
    { options: { ...exact, refine: { cost_per_pair: 5, min_vehicles_per_move: 3 } } },
    'rules about pairs of locations',
  ),
  whole(classes, 1200, { constraints: { total_fleet_size: 900 } }, 'an explained conflict'),
  {
    name: 'all moves in one model',
    spanMs: 1500,
    async solve(stopFlag) {
      const problem = buildProblem(classes.request, classes.locations, settings);
      const control = { deadlineMs: performance.now() + 60_000, stopFlag };
      const incumbent = createIncumbent(problem, 0, control);
      const ended = await solveDirect(problem, incumbent, control);
      return { status: ended === 'infeasible' ? ended : incumbent.finish(ended).kind };
    },
  },
];

describe('a solve listens within a moment, whatever it is doing:', () => {
  test.each(cases)('$name', async ({ solve, spanMs }) => {
    let cancelled = 0;
    for (const seed of seeds(1, MOMENTS)) {
      // The first 32 bits are the flag; the time of the stop is stored after them.
      const flag = new BigInt64Array(new SharedArrayBuffer(16));
      clock.postMessage({ flag, ms: ((seed - createRandom(seed).next()) / MOMENTS) * spanMs });
      const { status } = await solve(new Int32Array(flag.buffer));
      if (status !== 'cancelled') continue;
      cancelled++;
      expect((cpuTime() - Number(Atomics.load(flag, 1))) / 1000).toBeLessThan(MAX_MS);
    }
    expect(cancelled).toBeGreaterThan(enough(0));
  });
});

describe('a time limit', () => {
  test('at any moment leaves a verified plan with its proved gap', async () => {
    for (const seed of seeds(1, MOMENTS)) {
      const share = (seed - createRandom(seed).next()) / MOMENTS;
      const options = { optimality_gap: 0, time_limit_seconds: 0.02 + 1.5 * share };
      const request = { ...classes.request, options };
      const outcome = await optimize({ request, locations: classes.locations, settings });
      if (outcome.status !== 'feasible') throw new Error(outcome.status);
      const { objective, bound, gap } = outcome.certificate;
      expect(gap).toBeCloseTo((objective - bound) / objective, 9);
      expect(outcome.result.gap).toBe(gap);
      expect(verifyPlan(request, classes.locations, settings, outcome.result)).toEqual([]);
    }
  });
});

describe('a time limit with rules about pairs of locations', () => {
  test.each([{ cost_per_pair: 5 }, { min_vehicles_per_move: 4 }, { max_pairs: 170 }, { max_moves_from: 3 }])(
    '%o leaves a plan that keeps them, however short it is',
    async (refine) => {
      const city = cityInstance(35, { locations: 263, perLocation: 10, fractional: true });
      for (const seed of seeds(1, 5)) {
        const options = { refine, optimality_gap: 0, time_limit_seconds: 0.2 * seed };
        const request = { ...city.request, options };
        const outcome = await optimize({ request, locations: city.locations, settings });
        if (outcome.status !== 'feasible') throw new Error(outcome.status);
        const { objective, bound, gap } = outcome.certificate;
        expect(gap).toBeCloseTo((objective - bound) / objective, 9);
        expect(verifyPlan(request, city.locations, settings, outcome.result)).toEqual([]);
      }
    },
  );
});

describe('a problem without a plan', () => {
  /** The moves are so short that they are listed, so no matrix is built before the search for reasons. */
  const solve = (seed: number, onExplain: () => void, stopFlag?: Int32Array) => {
    const city = cityInstance(seed, { locations: 300, perLocation: 10, fractional: true });
    const request = { ...city.request, constraints: { min_service_level: 1, max_distance: 0.5 } };
    const onProgress = ({ stage }: { stage: string }) => void (stage === 'explain' && onExplain());
    return optimize({ request, locations: city.locations, settings }, { stopFlag, onProgress });
  };

  test('is told without reasons where the time is up before the matrices that these need are there', async () => {
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    const watch = vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
    try {
      const outcome = await solve(51, () => {
        aheadMs = 1e9;
      });
      if (outcome.status !== 'infeasible') throw new Error(outcome.status);
      expect(outcome.errors).toMatchObject([{ code: 'INFEASIBLE_PROBLEM', field: null, detail: null }]);
      expect(outcome.errors[0].message).toContain('raise options.time_limit_seconds');
    } finally {
      watch.mockRestore();
    }
  });

  test('is cancelled while these are built', async () => {
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const stop = () => Atomics.store(stopFlag, 0, 1);
    expect(await solve(52, stop, stopFlag)).toEqual({ status: 'cancelled' });
  });

  test('is told with reasons where there is time', async () => {
    const outcome = await solve(53, () => {});
    if (outcome.status !== 'infeasible') throw new Error(outcome.status);
    expect(outcome.errors.map(({ field }) => field)).toContain('constraints.max_distance');
  });
});

describe('reading the costs of a request', () => {
  /**
   * @param happen called when the first rows have been read
   * @returns the outcome, and whether all rows were read
   */
  async function read(happen: () => void, stopFlag?: Int32Array) {
    const { request, locations } = cityInstance(54, { locations: 300, perLocation: 10, fractional: true });
    const ids = locations.map(({ id }) => id);
    const row = ids.map(() => 1);
    const costs = ids.map(() => row);
    Object.defineProperty(costs, 10, {
      get() {
        happen();
        return row;
      },
    });
    // Each further row takes a millisecond of CPU time.
    const readSlowly = () => {
      compute(1);
      return row;
    };
    for (let i = 11; i < 299; i++) Object.defineProperty(costs, i, { get: readSlowly });
    const readLast = vi.fn(() => row);
    Object.defineProperty(costs, 299, { get: readLast });
    const asked = {
      ...request,
      network: { location_ids: ids, costs },
      options: { time_limit_seconds: 60 },
    };
    const outcome = await optimize({ request: asked, locations, settings }, { stopFlag });
    return { outcome, isReadToEnd: readLast.mock.calls.length > 0 };
  }

  test('listens to the stop flag', async () => {
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const { outcome, isReadToEnd } = await read(() => Atomics.store(stopFlag, 0, 1), stopFlag);
    expect(outcome).toEqual({ status: 'cancelled' });
    expect(isReadToEnd).toBe(false);
  });

  test('ends when the time limit has passed, and the request is told so', async () => {
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now');
    const { outcome, isReadToEnd } = await read(() => clock.mockImplementation(() => now() + 60_000));
    clock.mockRestore();
    expect(outcome).toEqual({
      status: 'error',
      message:
        'no plan was found within the time limit of 60 s; raise options.time_limit_seconds, ' +
        'or ask for the plan that serves most with constraints.shortage "serve_most"',
    });
    expect(isReadToEnd).toBe(false);
  });
});

describe('listing the moves of many locations', () => {
  test.each([true, false])(
    'ends when the time limit has passed (fractional demand: %s)',
    async (fractional) => {
      const { request, locations } = cityInstance(55, { locations: 5001, perLocation: 1, fractional });
      const now = performance.now.bind(performance);
      const clock = vi.spyOn(performance, 'now');
      const onProgress = ({ stage }: { stage: string }) =>
        void (stage === 'solve' && clock.mockImplementation(() => now() + 60_000));
      try {
        const asked = { ...request, options: { time_limit_seconds: 60 } };
        expect(await optimize({ request: asked, locations, settings }, { onProgress })).toEqual({
          status: 'error',
          message:
            'no plan was found within the time limit of 60 s; raise options.time_limit_seconds, ' +
            'or ask for the plan that serves most with constraints.shortage "serve_most"',
        });
      } finally {
        clock.mockRestore();
      }
    },
  );
});

describe("the solver's own thread", () => {
  /** minimise 10 x + 11 y with x + y ≥ 2.5, x ≤ 2; a further column is added that need not be whole. */
  const tiny: LinearModel = {
    columnCount: 2,
    rowCount: 1,
    cost: Float64Array.of(10, 11),
    lower: new Float64Array(2),
    upper: Float64Array.of(2, 9),
    rowLower: Float64Array.of(2.5),
    rowUpper: Float64Array.of(9),
    starts: Int32Array.of(0, 2),
    indices: Int32Array.of(0, 1),
    values: Float64Array.of(1, 1),
  };
  const options = { integerFrom: 0, integerTo: 2, gap: 0, absoluteGap: 0 };
  const solveTiny = () => {
    const { model, dispose } = openInWorker(threadCache, tiny, 1e-7, {
      deadlineMs: performance.now() + 30_000,
    });
    model.setCosts(Float64Array.of(12, 11));
    const linear = model.runLinear();
    model.addColumns({
      cost: Float64Array.of(1),
      lower: new Float64Array(1),
      upper: Float64Array.of(1),
      starts: Int32Array.of(0, 1),
      indices: Int32Array.of(0),
      values: Float64Array.of(1),
    });
    const mixed = model.runMixed(options);
    dispose();
    return { linear, mixed };
  };

  test('answers like the calling one, after changes of the model too', () => {
    const { linear, mixed } = solveTiny();
    expect(linear).toMatchObject({ status: 'optimal', objective: 27.5, values: Float64Array.of(0, 2.5) });
    expect(mixed).toMatchObject({ status: 'optimal', bound: 22.5, values: Float64Array.of(0, 2, 0.5) });
  });

  test('is ended in the middle of a step that does not listen, and the next model is solved', () => {
    const problem = buildProblem(classes.request, classes.locations, settings);
    const f = formulate(problem);
    solveTiny();
    for (const limitMs of [60, 400]) {
      const cpuMs = startCpuClock();
      const control = { deadlineMs: performance.now() + limitMs };
      const { model, dispose } = openInWorker(threadCache, f.model, f.tolerance, control);
      const { firstStep, stepClass } = f.variables;
      const integers = { integerFrom: firstStep, integerTo: firstStep + stepClass.length };
      expect(model.runMixed({ ...integers, gap: 0, absoluteGap: 0 })).toMatchObject({ status: 'stopped' });
      expect(cpuMs()).toBeLessThan(limitMs + MAX_MS);
      control.deadlineMs += 60_000;
      // Later calls have no effect and do no harm, even if the run ended on its own.
      model.setRowBounds(0, 0, 1);
      dispose();
      expect(solveTiny().mixed.status).toBe('optimal');
    }
  });

  test('tells the error of a model that is none', () => {
    const broken = { ...tiny, indices: Int32Array.of(0, 7) };
    const { model, dispose } = openInWorker(threadCache, broken, 1e-7, {
      deadlineMs: performance.now() + 30_000,
    });
    expect(() => model.runMixed(options)).toThrow(/index|indices/i);
    dispose();
    expect(solveTiny().mixed.status).toBe('optimal');
  });

  test('keeps no process running', async () => {
    const script = `
      import { optimizeCached } from './test/core/optimize/cached.ts';
      import { cityInstance, SETTINGS } from './test/core/optimize/instances.ts';
      const { request, locations } = cityInstance(31, { locations: 100, perLocation: 10, fractional: true, capacities: [1, 2, 3] });
      request.options = { optimality_gap: 0, time_limit_seconds: 0.2 };
      console.log((await optimizeCached({ request, locations, settings: { ...SETTINGS, maxRebalancingCost: null } })).status);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: new URL('../../../..', import.meta.url),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout.on('data', (text) => {
      told += text;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(told).toBe('feasible\n');
  });
});

import { describe, expect, test } from 'vitest';
import { createBaseModel } from '../../../src/core/optimize/column-generation/build-base-model.ts';
import { planGreedily } from '../../../src/core/optimize/column-generation/heuristics/greedy.ts';
import { createMaster } from '../../../src/core/optimize/column-generation/master.ts';
import { relaxWithoutArtificialColumns } from '../../../src/core/optimize/column-generation/search.ts';
import { withSolverModel } from '../../../src/core/optimize/highs/highs.ts';
import type { LinearModel } from '../../../src/core/optimize/highs/linear-model.ts';
import { buildCached as buildProblem, optimizeCached as optimize, threadCache } from './cached.ts';
import { cityInstance, SETTINGS } from './instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
const capacitiesUpTo = (count: number) => Array.from({ length: count }, (_, k) => 1 + k / count);

test('a model so large that it is held in a thread of its own is cut there too', {
  tags: 'slow',
}, async () => {
  const city = cityInstance(61, {
    locations: 60,
    perLocation: 5,
    fractional: true,
    capacities: capacitiesUpTo(300),
  });
  const request = { ...city.request, options: { optimality_gap: 0.1 } };
  expect(await optimize({ request, locations: city.locations, settings })).toMatchObject({
    status: 'optimal',
  });
});

test('more capacities than fit the solver are refused before anything is built, with what to do', async () => {
  const city = cityInstance(62, {
    locations: 400,
    perLocation: 5,
    fractional: true,
    capacities: capacitiesUpTo(500),
  });
  const outcome = await optimize({ request: city.request, locations: city.locations, settings });
  expect(outcome).toMatchObject({
    status: 'refused',
    faults: [
      {
        field: 'fleet_state.vehicles',
        message: expect.stringMatching(
          /^\d+ distinct capacities at 400 locations make a model of \d+ columns, more than the 500000 that fit the solver's memory; use fewer distinct capacities or split the request$/,
        ),
      },
    ],
  });
});

test('a greedy plan listens while it looks at many moves', { tags: 'slow' }, async () => {
  const { request, locations } = cityInstance(63, {
    locations: 100,
    perLocation: 5,
    fractional: true,
    capacities: capacitiesUpTo(100),
  });
  const problem = buildProblem(request, locations, settings);
  const base = createBaseModel(problem);
  const control = { deadlineMs: performance.now() + 300_000 };
  await withSolverModel(threadCache, base.model, base.tolerance, control, (model) => {
    const master = createMaster(problem, base, model, () => false);
    relaxWithoutArtificialColumns(problem, master);
    let looks = 0;
    const isOver = () => {
      looks++;
      return false;
    };
    expect(planGreedily(problem, master, null, isOver)).not.toBeNull();
    expect(looks).toBeGreaterThan(2);
    looks = 0;
    expect(planGreedily(problem, master, null, () => ++looks === 2)).toBeNull();
    expect(looks).toBe(2);
  });
});

describe('costs and demand of any size', () => {
  const pair = (cost: number, demand: number, capacities: number[], explain = false) =>
    optimize({
      request: {
        demand_forecast: { 1: [0], 2: [demand], 3: [demand / 3] },
        fleet_state: {
          vehicles: capacities.map((capacity, v) => ({ id: `v${v}`, location: 1, capacity })),
        },
        network: {
          location_ids: [1, 2, 3],
          costs: [
            [0, cost, 2 * cost],
            [cost, 0, cost],
            [2 * cost, cost, 0],
          ],
        },
        constraints: { min_service_level: 1 },
        options: { explain, optimality_gap: 0 },
      },
      locations: [],
      settings,
    });

  test.each([1, 1e4, 1e6, 1e8, 1e10])(
    'a move may cost %d: the plan is the optimum, and explained',
    async (cost) => {
      const outcome = await pair(cost, 1.5, [1, 1, 1, 2, 3], true);
      if (outcome.status !== 'optimal') throw new Error(outcome.status);
      expect(outcome.result.total_cost).toBe(3 * cost);
      for (const [i, saves] of [0, cost, 2 * cost].entries()) {
        const { one_more_saves, error_at_most } = outcome.result.insights!.locations[i];
        // Nothing is saved at the first location: 0 is smaller than the smallest error of large numbers.
        if (saves > 0) expect(Math.abs(one_more_saves! - saves)).toBeLessThanOrEqual(error_at_most!);
        else expect(one_more_saves ?? 0).toBe(0);
        expect(error_at_most ?? 0).toBeLessThan(1e-7 * cost);
      }
    },
  );

  test.each([1, 1e-6, 1e-9, 1e-12, 1e-300])(
    'demand may be %d of a vehicle where capacities differ',
    async (demand) => {
      const outcome = await pair(5, demand, [1, 1, 3]);
      if (outcome.status !== 'optimal') throw new Error(outcome.status);
      expect(outcome.result.total_cost).toBe(15);
    },
  );

  test('demand may be a billionth of the one capacity', async () => {
    expect((await pair(5, 1e-9, [1, 1])).status).toBe('optimal');
  });

  test('a model whose costs are scaled for the solver tells money', async () => {
    const spread: LinearModel = {
      columnCount: 1,
      rowCount: 1,
      cost: Float64Array.of(1),
      lower: Float64Array.of(0),
      upper: Float64Array.of(1),
      rowLower: Float64Array.of(0.5),
      rowUpper: Float64Array.of(1),
      starts: Int32Array.of(0, 1),
      indices: Int32Array.of(0),
      values: Float64Array.of(1),
    };
    const control = { deadlineMs: performance.now() + 300_000 };
    for (const costScale of [1, 2 ** -10]) {
      const { objective, rowDual } = await withSolverModel(
        threadCache,
        { ...spread, costScale },
        1e-7,
        control,
        (model) => model.runLinear(),
      );
      expect([objective, rowDual[0]]).toEqual([0.5, 1]);
    }
  });
});

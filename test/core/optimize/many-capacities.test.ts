import { expect, test } from 'vitest';
import { withSolverModel } from '../../../src/core/optimize/highs.ts';
import { createBaseModel } from '../../../src/core/optimize/mixed/base-model.ts';
import { planGreedily } from '../../../src/core/optimize/mixed/greedy.ts';
import { createMaster } from '../../../src/core/optimize/mixed/master.ts';
import { relaxWithoutShortage } from '../../../src/core/optimize/mixed/search.ts';
import { optimize } from '../../../src/core/optimize/optimize.ts';
import { buildProblem } from '../../../src/core/optimize/problem.ts';
import { cityInstance, SETTINGS } from './instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
const capacitiesUpTo = (count: number) => Array.from({ length: count }, (_, k) => 1 + k / count);

test('a model so large that it is held in a thread of its own is cut there too', async () => {
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
  if (outcome.status !== 'error') throw new Error(outcome.status);
  expect(outcome.message).toMatch(
    /^\d+ distinct capacities at 400 locations make a model of \d+ columns, more than the 500000 that fit the solver's memory; use fewer distinct capacities or split the request$/,
  );
});

test('a greedy plan listens while it looks at many moves', async () => {
  const { request, locations } = cityInstance(63, {
    locations: 100,
    perLocation: 5,
    fractional: true,
    capacities: capacitiesUpTo(100),
  });
  const problem = buildProblem(request, locations, settings);
  const base = createBaseModel(problem);
  const control = { deadlineMs: performance.now() + 60_000 };
  await withSolverModel(base.model, base.tolerance, control, (model) => {
    const master = createMaster(problem, base, model, () => false);
    relaxWithoutShortage(problem, master);
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

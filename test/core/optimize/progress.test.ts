import { expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { ProgressReport } from '../../../src/core/optimize/progress.ts';
import { optimizeCached as optimize } from './cached.ts';
import { cityInstance, SETTINGS } from './instances.ts';

type Case = { size: Parameters<typeof cityInstance>[1]; constraints?: OptimizeRequest['constraints'] };

const CASES: Record<string, Case> = {
  'a plan of several capacities, explained': {
    size: { locations: 40, perLocation: 5, fractional: true, capacities: [1, 2, 4] },
  },
  'a plan of one capacity, explained': { size: { locations: 60, perLocation: 5, fractional: true } },
  'a plan of whole demand, explained': { size: { locations: 60, perLocation: 5, fractional: false } },
  'no plan, and why': {
    size: { locations: 5, perLocation: 2, fractional: true, load: 1.2 },
    constraints: { max_distance: 5 },
  },
};

test.each(Object.entries(CASES))(
  'progress is told at most ten times a second, and each stage at once: %s',
  { tags: 'slow' },
  async (_, { size, constraints }) => {
    const { request, locations } = cityInstance(5, size);
    const told: ProgressReport[] = [];
    const startedMs = performance.now();
    const options = { explain: true, optimality_gap: 0, time_limit_seconds: 1 };
    const outcome = await optimize(
      { request: { ...request, constraints, options }, locations, settings: SETTINGS },
      { onProgress: (report) => told.push(report) },
    );
    const tenths = (performance.now() - startedMs) / 100;
    const stages = told.map(({ stage }) => stage).filter((stage, at) => stage !== told[at - 1]?.stage);
    const hasPlan = 'result' in outcome;
    expect(stages).toEqual(hasPlan ? ['build', 'solve', 'verify', 'explain'] : ['build', 'solve', 'explain']);
    expect(told.length).toBeLessThanOrEqual(stages.length + tenths);
    for (let t = 1; t < told.length; t++)
      expect(told[t].progress).toBeGreaterThanOrEqual(told[t - 1].progress);
  },
);

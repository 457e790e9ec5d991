import { describe, expect, test } from 'vitest';
import type { Insights } from '../../../../src/contracts/optimize.ts';
import type { ProgressReport } from '../../../../src/core/optimize/progress.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { cityInstance, SETTINGS } from '../instances.ts';

/** A city of 73 locations whose vehicles have several capacities, explained. */
async function explainCity(seed: number, capacities: number[], time_limit_seconds: number, constraints = {}) {
  const size = { locations: 73, perLocation: 5, fractional: true, load: 0.7, capacities };
  const { request, locations } = cityInstance(seed, size);
  const told: (ProgressReport & { atMs: number })[] = [];
  const outcome = await optimize(
    {
      request: {
        ...request,
        constraints: { min_service_level: 0.95, max_rebalancing_cost: null, ...constraints },
        options: { explain: true, time_limit_seconds },
      },
      locations,
      settings: SETTINGS,
    },
    { onProgress: (report) => told.push({ ...report, atMs: performance.now() }) },
  );
  if (!('result' in outcome)) throw new Error(outcome.status);
  return { insights: outcome.result.insights!, cost: outcome.result.total_cost, told };
}

/** Each figure with its stated error. */
function figuresOf({ locations, moves, binding_constraints }: Insights) {
  return [
    ...locations.flatMap((one) =>
      [one.one_more_saves, one.one_fewer_costs, one.more_demand_costs].map((value) => ({
        value,
        error: one.error_at_most,
      })),
    ),
    ...moves.map((one) => ({ value: one.forbidding_costs, error: one.error_at_most })),
    ...binding_constraints.map((one) => ({ value: one.saves, error: one.error_at_most })),
  ].filter((figure): figure is { value: number; error: number | null } => figure.value !== null);
}

describe('an explanation with several capacities', () => {
  // Without the service level nothing has to move, so it binds if the plan costs anything.
  test.each([
    ['two capacities, little time', 3, [1, 2], 2, {}],
    ['three capacities, little time', 2, [1, 2, 4], 3, {}],
    ['a fleet size', 1, [1, 2, 4], 5, { total_fleet_size: 300 }],
    ['a distance', 1, [1, 2], 8, { max_distance: 12 }],
    ['more time', 2, [1, 2, 4], 16, {}],
  ])(
    'names the service level where it binds: %s',
    { tags: 'slow' },
    async (_, seed, capacities, seconds, more) => {
      const { insights, cost } = await explainCity(seed, capacities, seconds, more);
      expect(cost).toBeGreaterThan(0);
      expect(insights.binding_constraints.map(({ constraint }) => constraint)).toContain('min_service_level');
      for (const { value, error } of figuresOf(insights)) {
        expect(error).not.toBeNull();
        if (error! > 0) expect(Math.abs(value)).toBeGreaterThan(error!);
      }
      for (const one of insights.locations) {
        for (const name of one.not_known) expect(one[name]).toBeNull();
        if (one.error_at_most === null) expect(one.not_known).toHaveLength(3);
      }
      const isAllKnown = [...insights.moves, ...insights.binding_constraints].every(
        (one) => one.error_at_most !== null,
      );
      if (insights.complete)
        expect(isAllKnown && insights.locations.every((one) => one.not_known.length === 0)).toBe(true);
    },
  );

  test('moves its progress all the time that it takes', { tags: 'slow' }, async () => {
    const { told } = await explainCity(2, [1, 2, 4], 16);
    const explaining = told.filter(({ stage }) => stage === 'explain');
    const tookMs = explaining.at(-1)!.atMs - explaining[0].atMs;
    expect(tookMs).toBeGreaterThan(2000);
    // In each tenth of the time there is a report, with more progress than before.
    for (let tenth = 1; tenth <= 10; tenth++) {
      const until = explaining.filter(({ atMs }) => atMs <= explaining[0].atMs + (tenth / 10) * tookMs);
      const before = explaining.filter(
        ({ atMs }) => atMs <= explaining[0].atMs + ((tenth - 1) / 10) * tookMs,
      );
      expect(until.at(-1)!.progress).toBeGreaterThan(before.at(-1)!.progress);
    }
  });
});

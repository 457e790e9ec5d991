/** @module-tag slow */
import { expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { refinePlan } from '../../../../src/core/optimize/refine/refine.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { buildCached as buildProblem, optimizeCached as optimize } from '../cached.ts';
import { SETTINGS } from '../instances.ts';

/** n locations in a line. The first half of them hold two vehicles each. */
const request = (constraints: OptimizeRequest['constraints'], maxPairs: number, n = 12): OptimizeRequest => ({
  demand_forecast: { [n / 2 + 1]: [1] },
  fleet_state: {
    vehicles: Array.from({ length: n }, (_, v) => ({ id: `v${v}`, location: 1 + Math.floor(v / 2) })),
  },
  constraints: { min_service_level: 0, ...constraints },
  options: { refine: { max_pairs: maxPairs } },
  network: {
    location_ids: Array.from({ length: n }, (_, j) => j + 1),
    costs: Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => Math.abs(i - j))),
  },
});
const solve = (constraints: OptimizeRequest['constraints'], maxPairs: number) =>
  optimize({ request: request(constraints, maxPairs), locations: [], settings: SETTINGS });

const DOCKS = { max_vehicles_per_location: { default: 2, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1 } };
const PRESENCE = { min_vehicles_per_location: { 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1 } };

test.each([
  ['bays', DOCKS, 'constraints.max_vehicles_per_location'],
  ['least presences', PRESENCE, 'constraints.min_vehicles_per_location'],
])(
  'a pair per location with too few %s is needed, also to serve the most',
  async (_what, constraints, field) => {
    const planned = await solve(constraints, 6);
    expect(planned).toMatchObject({ status: 'optimal', result: { refinement: { pairs: 6 } } });
    for (const shortage of ['fail', 'serve_most'] as const) {
      const refused = await solve({ ...constraints, shortage }, 5);
      expect(refused.status).toBe('infeasible');
      if (refused.status !== 'infeasible') return;
      expect(refused.errors.map((error) => error.field)).toContain(field);
      const pairs = refused.errors.find((error) => error.field === 'options.refine.max_pairs');
      expect(pairs?.message).toMatch('raise it to at least 6');
    }
  },
);

test('of many locations without a bay for each vehicle it is proved before the time is up', async () => {
  const n = 200;
  const docks = Object.fromEntries(Array.from({ length: n / 2 }, (_, j) => [j + 1, 1]));
  const body = request({ max_vehicles_per_location: docks }, n / 2 - 1, n);
  const problem = buildProblem(body, [], SETTINGS);
  const control = { deadlineMs: performance.now() + 20_000 };
  expect(await refinePlan(problem, null, 0, control, solveProblem)).toEqual({ kind: 'infeasible' });
});

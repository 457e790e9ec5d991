import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { LocationPoint, OptimizeOutcome } from '../../../src/core/optimize/problem/model.ts';
import { checkRequest } from '../../../src/core/optimize/request/check.ts';
import { solveProblem } from '../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../helpers/depth.ts';
import { buildCached as buildProblem, optimizeCached as optimize } from './cached.ts';
import { cheapestByTryingAll } from './exhaustive.ts';
import { createRandom, SETTINGS } from './instances.ts';
import { COSTS, reordered, tinyInstance } from './tiny-instances.ts';

const INSTANCES = 4000;

/** The kinds of instances and answers that exist. */
const KINDS = [
  ...['one location', 'no demand', 'fractional', 'whole'],
  ...[1, 2, 3, 4].map((count) => `${count} classes`),
  ...COSTS.map((costs) => `moves at ${costs} cost`),
  ...['none', 'network_simplex', 'linear', 'rounding'],
];
const IN_THE_WAY = [
  ...['supply', 'min_service_level', 'max_distance', 'network', 'max_rebalancing_cost'],
  ...['min_vehicles_per_location', 'max_vehicles_per_location', 'total_fleet_size'],
];

type Asked = { request: OptimizeRequest; locations: LocationPoint[] };

/** Does not look for reasons, because each takes many solves. */
async function isInfeasible({ request, locations }: Asked): Promise<boolean> {
  const problem = buildProblem(request, locations, SETTINGS);
  return (await solveProblem(problem, 0, { deadlineMs: performance.now() + 60_000 })).kind === 'infeasible';
}

function costOf(outcome: OptimizeOutcome): number | string {
  if (outcome.status === 'optimal') return Math.round(outcome.certificate.objective * 1e4);
  return outcome.status === 'error' ? outcome.message : outcome.status;
}

describe('the optimum', () => {
  test('agrees with trying every plan, in cost and in feasibility, on random requests, in another order and under other ids too', {
    tags: 'slow',
  }, async () => {
    const seen = new Map<string, number>();
    const see = (kind: string) => seen.set(kind, (seen.get(kind) ?? 0) + 1);
    const wrong: unknown[] = [];
    const check = async (seed: number, asked: Asked, expected: number | null) => {
      expect(checkRequest(asked.request, new Set(asked.locations.map(({ id }) => id)), SETTINGS)).toEqual([]);
      if (expected === null && seed % 10 > 0 && (await isInfeasible(asked))) return null;
      const outcome = await optimize({ ...asked, settings: SETTINGS });
      const cost = costOf(outcome);
      if (cost !== (expected ?? 'infeasible')) wrong.push({ seed, cost, expected });
      return outcome;
    };
    for (const seed of seeds(1, INSTANCES)) {
      const instance = tinyInstance(seed);
      const expected = cheapestByTryingAll(instance.request, instance.locations)?.costUnits ?? null;
      const outcome = await check(seed, instance, expected);
      const random = createRandom(seed);
      await check(seed, reordered(instance, random, random.pick(['same ids', 'other ids'])), expected);

      const { vehicles } = instance.request.fleet_state;
      see(`${new Set(vehicles.filter((v) => v.status === undefined).map((v) => v.capacity)).size} classes`);
      if (instance.locations.length === 1) see('one location');
      if (
        Object.values(instance.request.demand_forecast)
          .flat()
          .every((step) => step === 0)
      )
        see('no demand');
      if (outcome?.status === 'infeasible') for (const { constraint } of outcome.conflicts) see(constraint);
      if (outcome?.status !== 'optimal') continue;
      see(outcome.certificate.method);
      see(instance.isFractional ? 'fractional' : 'whole');
      if (outcome.result.kpis.rebalanced_count > 0) see(`moves at ${instance.costs} cost`);
    }
    expect(wrong).toEqual([]);
    for (const kind of KINDS) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(enough(INSTANCES / 80));
    for (const name of IN_THE_WAY) expect(seen.get(name) ?? 0, name).toBeGreaterThan(enough(3));
  });
});

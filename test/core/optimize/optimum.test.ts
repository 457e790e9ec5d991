import { describe, expect, test } from 'vitest';
import { optimize } from '../../../src/core/optimize/optimize.ts';
import { cheapestByTryingAll } from './exhaustive.ts';
import { randomInstance, SETTINGS } from './instances.ts';

const INSTANCES = 1000;

describe('the optimum', () => {
  test(`agrees with trying every plan, in cost and in feasibility, on ${INSTANCES} random requests`, async () => {
    const seen = { optimal: 0, infeasible: 0, moving: 0, linear: 0, mixed: 0 };
    const wrong: unknown[] = [];
    for (let seed = 1; seed <= INSTANCES; seed++) {
      const { request, locations } = randomInstance(seed);
      const expected = cheapestByTryingAll(request, locations);
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      const cost =
        outcome.status === 'optimal' ? Math.round(outcome.certificate.objective * 1e4) : outcome.status;
      if (cost !== (expected?.costUnits ?? 'infeasible')) {
        wrong.push({
          seed,
          cost,
          expected,
          message: outcome.status === 'error' ? outcome.message : undefined,
        });
      }
      if (outcome.status === 'optimal') {
        seen.optimal++;
        if (outcome.certificate.objective > 0) seen.moving++;
        if (outcome.certificate.method === 'linear') seen.linear++;
        else seen.mixed++;
      } else if (outcome.status === 'infeasible') seen.infeasible++;
    }
    expect(wrong).toEqual([]);
    // The instances are of every kind.
    expect(Math.min(seen.infeasible, seen.moving, seen.linear, seen.mixed)).toBeGreaterThan(INSTANCES / 50);
  });
});

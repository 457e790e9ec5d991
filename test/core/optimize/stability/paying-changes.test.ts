/** @module-tag slow */
import { expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { PreviousPlan } from '../../../../src/core/optimize/problem/model.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { SETTINGS } from '../instances.ts';
import { CHURN_KINDS, churnCity } from './churn-city.ts';
import { savedByTakingBack } from './taking-back.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null, optimalityGap: 0.01, timeLimitSeconds: 20 };
const SIZES = [
  { side: 12, fleet: 2000, count: 3 },
  { side: 6, fleet: 120, count: 25 },
];

async function plan(request: OptimizeRequest, previous: PreviousPlan | null = null) {
  const outcome = await optimize({ request, locations: [], settings, previous });
  if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome;
}

test('with 0.2 % more demand and a change cost, no set of changes can be taken back to make the plan cheaper', async () => {
  const wrong: unknown[] = [];
  const seen = { plans: 0, changed: 0, 'not the best plan': 0 };
  for (const { count, ...size } of SIZES) {
    for (const kind of CHURN_KINDS) {
      for (const seed of seeds(1, count)) {
        const { request, more } = churnCity(seed, kind, size);
        const { result } = await plan(request);
        const previous = new Map(
          result.allocation_plan.map((item) => [item.vehicle_id, item.target_location]),
        );
        for (const change_cost of [0.25, 1, 2]) {
          const asked = { ...more, options: { previous_plan_id: 'plan_before', change_cost } };
          const { result: again, certificate } = await plan(asked, previous);
          const saved = savedByTakingBack(asked, again.allocation_plan, previous);
          if (saved > 0) wrong.push({ kind, size, seed, change_cost, saved });
          seen.plans++;
          seen.changed += again.stability!.changed_vehicles;
          if (certificate.gap > 0) seen['not the best plan']++;
        }
      }
    }
  }
  expect(wrong).toEqual([]);
  // Plans that are only within the gap could have changes that do not pay.
  expect(seen['not the best plan']).toBeGreaterThan(enough(seen.plans / 10));
  expect(seen.changed).toBeGreaterThan(enough(seen.plans));
});

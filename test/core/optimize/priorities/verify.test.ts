import { describe, expect, test } from 'vitest';
import type { OptimizationResult, OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { verifyPlan } from '../../../../src/core/optimize/answer/verify.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { SETTINGS } from '../instances.ts';

const locations = [
  { id: 1, latitude: 40.7, longitude: -74, priority: 9 },
  { id: 2, latitude: 40.75, longitude: -74 },
  { id: 3, latitude: 40.8, longitude: -74 },
];

/** Four vehicles at location 3, of which three count: two serve location 1, and one serves location 2. */
const request: OptimizeRequest = {
  demand_forecast: { 1: [1.5], 2: [1], 3: [2] },
  fleet_state: { vehicles: ['a', 'b', 'c', 'd'].map((id) => ({ id, location: 3 })) },
  constraints: { min_service_level: 0.5, total_fleet_size: 3, priorities: { 2: 2 } },
};

async function plan(over: OptimizeRequest['constraints'] = {}): Promise<OptimizationResult> {
  const changed = { ...request, constraints: { ...request.constraints, ...over } };
  const outcome = await optimize({ request: changed, locations, settings: SETTINGS });
  if (outcome.status !== 'optimal') throw new Error(outcome.status);
  return outcome.result;
}

const verify = (result: OptimizationResult, constraints: OptimizeRequest['constraints'] = {}) =>
  verifyPlan(
    { ...request, constraints: { ...request.constraints, ...constraints } },
    locations,
    SETTINGS,
    result,
  );

describe('verifyPlan, of critical demand,', () => {
  test('finds nothing wrong with right figures', async () => {
    const result = await plan();
    expect(result.priorities).toEqual([
      { level: 9, demand: 1.5, served: 1.5, served_at_most: 1.5 },
      { level: 2, demand: 1, served: 1, served_at_most: 1 },
    ]);
    expect(verify(result)).toEqual([]);
  });

  const tampered: [string, (r: OptimizationResult) => unknown, RegExp][] = [
    ['levels that are missing', (r) => (r.priorities = []), /name the levels {2}instead of 9,2/],
    ['a level that is missing', (r) => r.priorities!.pop(), /name the levels 9 instead of 9,2/],
    ['levels out of order', (r) => r.priorities!.reverse(), /name the levels 2,9 instead of 9,2/],
    ['another demand', (r) => (r.priorities![0].demand += 0.1), /level 9 states demand 1\.6 instead of 1\.5/],
    ['more served', (r) => (r.priorities![0].served = 1.6), /level 9 states 1\.6 served/],
    ['less served', (r) => (r.priorities![0].served = 1.4), /level 9 states 1\.4 served/],
    ['a bound below', (r) => (r.priorities![1].served_at_most = 0.5), /level 2 states served_at_most 0\.5/],
    ['a bound above', (r) => (r.priorities![1].served_at_most = 1.5), /level 2 states served_at_most 1\.5/],
    ['a figure that is none', (r) => (r.priorities![1].served = Number.NaN), /level 2 states NaN served/],
  ];
  for (const [name, spoil, message] of tampered) {
    test(`catches ${name}, whether all vehicles count or not`, async () => {
      for (const constraints of [{}, { total_fleet_size: 4 }]) {
        const result = structuredClone(await plan(constraints));
        spoil(result);
        expect(verify(result, constraints).join('\n')).toMatch(message);
      }
    });
  }

  test('counts the vehicles that the levels need, and those that are left for the service level', async () => {
    const result = await plan();
    expect(verify(result, { total_fleet_size: 2 }).join()).toMatch(
      /need 3 vehicles, more than total_fleet_size 2/,
    );
    // One vehicle stands at location 3. If location 1 had only one of the two that count there, 3 would be served.
    expect(verify(result, { min_service_level: 0.6 }).join()).toMatch(/2\.5 of 4\.5 demand is served/);
  });

  test('bounds what the rest costs by the vehicles that are left once the levels are served', async () => {
    // Alone, the dearest demand would be that of location 3, where a vehicle stays.
    const priced = { unmet_demand_cost: { 1: 1, 2: 1, 3: 5 } };
    const result = await plan(priced);
    expect(result.kpis.unmet_demand_cost).toBe(10);
    expect(verify(result, priced)).toEqual([]);
    for (const wrong of [9, 7.5, 5.5, 11]) {
      const spoilt = structuredClone(result);
      spoilt.kpis.unmet_demand_cost = wrong;
      expect(verify(spoilt, priced).join(), `${wrong}`).toMatch(
        new RegExp(`unmet_demand_cost is ${wrong} instead of`),
      );
    }
  });

  test('reads the levels from the request, then from the stored locations', async () => {
    const result = await plan();
    expect(verify(result, { priorities: { 1: 5, 2: 2 } }).join()).toMatch(/levels 9,2 instead of 5,2/);
    expect(verify(result, { priorities: { 2: 2, default: 0 } }).join()).toMatch(/levels 9,2 instead of 2/);
    expect(verify(result, { priorities: {} }).join()).toMatch(/levels 9,2 instead of 9/);
  });
});

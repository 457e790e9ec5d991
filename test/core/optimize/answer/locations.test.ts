/** @module-tag slow */
import { describe, expect, test } from 'vitest';
import type { AllocationPlanItem } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { cityInstance, type Instance, randomInstance, SETTINGS } from '../instances.ts';

/** Solves an instance; null without a plan. Every other location has a name. */
async function plan({ request, locations }: Instance) {
  const named = locations.map((point, i) => (i % 2 === 0 ? { ...point, name: `Place ${point.id}` } : point));
  const outcome = await optimize({ request, locations: named, settings: SETTINGS });
  return 'result' in outcome ? outcome : null;
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const count = (
  items: readonly AllocationPlanItem[],
  end: 'source_location' | 'target_location',
  id: number,
) => items.filter((item) => item[end] === id).length;

describe('the locations of a plan', () => {
  const instances: [string, Instance[]][] = [
    ['tiny requests of every kind', Array.from({ length: 150 }, (_, i) => randomInstance(70_000 + i))],
    [
      'a city with demand of whole vehicles',
      [cityInstance(1, { locations: 60, perLocation: 6, fractional: false })],
    ],
    [
      'a city with several capacities',
      [cityInstance(2, { locations: 20, perLocation: 4, fractional: true, capacities: [1, 2.5] })],
    ],
  ];
  test.each(instances)(
    'add up to the kpis and to the vehicles of the plan: %s',
    { tags: 'slow' },
    async (_kind, some) => {
      let plans = 0;
      for (const instance of some) {
        const outcome = await plan(instance);
        if (!outcome) continue;
        plans++;
        const where = `seed ${instance.seed}`;
        const { allocation_plan: items, kpis, locations = [] } = outcome.result;
        const demand = sum(locations.map((one) => one.demand));
        const served = sum(locations.map((one) => one.served));
        const tolerance = 1e-9 * (1 + demand);
        expect(Math.abs(sum(locations.map((one) => one.unmet)) - kpis.unmet_demand), where).toBeLessThan(
          tolerance,
        );
        expect(Math.abs(served - kpis.demand_coverage * demand), where).toBeLessThan(tolerance);
        expect(sum(locations.map((one) => one.vehicles_before)), where).toBe(items.length);
        expect(sum(locations.map((one) => one.vehicles_after)), where).toBe(items.length);
        for (const one of locations) {
          expect(one.vehicles_before).toBe(count(items, 'source_location', one.location_id));
          expect(one.vehicles_after).toBe(count(items, 'target_location', one.location_id));
          expect(one.unmet).toBe(one.demand - one.served);
          expect(one.served).toBe(Math.min(one.demand, one.capacity_after));
        }
        const ids = locations.map((one) => one.location_id);
        expect(ids, where).toEqual(ids.toSorted((a, b) => a - b));
      }
      expect(plans).toBeGreaterThan(some.length / 3);
    },
  );

  test('have the names that are stored, and none where the request brings a network', async () => {
    const seen = { network: 0, stored: 0 };
    for (const seed of seeds(70_000, 70_059)) {
      const instance = randomInstance(seed);
      const outcome = await plan(instance);
      if (!outcome) continue;
      const { network } = instance.request;
      seen[network ? 'network' : 'stored']++;
      for (const { location_id: id, name } of outcome.result.locations ?? []) {
        const isNamed = instance.locations.findIndex((one) => one.id === id) % 2 === 0;
        expect(name).toBe(!network && isNamed ? `Place ${id}` : null);
      }
    }
    expect(Math.min(seen.network, seen.stored)).toBeGreaterThan(enough(5));
  });

  test('have a length for every pair of moves, and the lengths of all moves add up to the total', async () => {
    const seen = { known: 0, unknown: 0 };
    for (const instance of instances.flatMap(([, some]) => some)) {
      const outcome = await plan(instance);
      if (!outcome) continue;
      const { moveDistances: distances, result } = outcome;
      seen[distances ? 'known' : 'unknown']++;
      expect(distances === null).toBe(result.kpis.total_distance_km === null);
      if (!distances) continue;
      const km = new Map(
        distances.km.map((length, i) => [`${distances.sources[i]} ${distances.targets[i]}`, length]),
      );
      const moves = result.allocation_plan.filter(({ assignment }) => assignment === 'rebalance');
      const pairs = moves.map((item) => `${item.source_location} ${item.target_location}`);
      expect(km.size).toBe(distances.km.length);
      expect([...km.keys()].toSorted()).toEqual([...new Set(pairs)].toSorted());
      expect(sum(pairs.map((pair) => km.get(pair)!))).toBeCloseTo(result.kpis.total_distance_km!, 6);
    }
    expect(Math.min(seen.known, seen.unknown)).toBeGreaterThan(5);
  });
});

import { expect, test } from 'vitest';
import { solveFractional } from '../../../../src/core/optimize/lagrangian/fractional-demand.ts';
import { criticalLevels, withFloors } from '../../../../src/core/optimize/problem/floors.ts';
import { createIncumbent } from '../../../../src/core/optimize/problem/incumbent.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { serviceLevelOf } from '../../../../src/core/optimize/problem/service-level.ts';
import { hasLocationBounds, withLimits } from '../../../../src/core/optimize/problem/variants.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached } from '../cached.ts';
import { byPriorityByTryingAll, readFacts } from '../exhaustive.ts';
import { createRandom, SETTINGS } from '../instances.ts';
import { withPriorities } from '../priorities/instances.ts';
import { tinyInstance } from '../tiny-instances.ts';

const control = { deadlineMs: Number.POSITIVE_INFINITY };

/** What the engine alone makes of a problem, in cost units. */
function solve(problem: Problem) {
  const incumbent = createIncumbent(problem, 0, control);
  const ended = solveFractional(problem, incumbent, control);
  return { ended, bound: incumbent.boundUnits(), cost: incumbent.best()?.objectiveUnits ?? null };
}

test('with floors, bound ≤ optimum ≤ plan, as of all plans of tiny requests, and infeasible only where none is', {
  tags: 'slow',
}, () => {
  const seen = { proved: 0, all: 0, atLevel: 0, partly: 0, beyond: 0 };
  let asked = 0;
  for (const seed of seeds(1, 4000)) {
    const instance = tinyInstance(seed);
    const random = createRandom(seed + 8e6);
    const { request: of, locations } = withPriorities(instance, seed);
    const vehicles = of.fleet_state.vehicles.map((vehicle) => ({ ...vehicle, capacity: 2, pinned: false }));
    const { max_rebalancing_cost: _, min_demand_coverage: _alias, ...others } = of.constraints ?? {};
    const constraints = { ...others, min_service_level: random.pick([0, 0.3, 0.6, 0.9]) };
    const request = { ...of, fleet_state: { vehicles }, constraints };
    const built = buildCached(request, locations, SETTINGS);
    const levels = criticalLevels(built);
    if (levels.length === 0 || built.supply.length === 0 || hasLocationBounds(built)) continue;
    const isAll = random.chance(0.5);
    const best = byPriorityByTryingAll(request, locations, isAll);
    if (!best) continue;
    const facts = readFacts(request, locations);
    const stated = [...new Set(facts.ids.map(facts.level))]
      .filter((level) => level > 0)
      .sort((a, b) => b - a);
    let higher = 0;
    const floors = levels.map((level) => {
      higher += best.served[stated.indexOf(level)];
      return { level, served: higher };
    });
    const total = best.served.at(-1)!;
    const problem = withFloors(
      isAll ? withLimits(built, { minServiceLevel: serviceLevelOf(built, total) }) : built,
      floors,
    );
    const { ended, bound, cost } = solve(problem);
    asked++;
    expect(ended, `seed ${seed}`).not.toBe('infeasible');
    expect(bound, `seed ${seed}`).toBeLessThanOrEqual(best.costUnits);
    if (cost !== null) expect(cost, `seed ${seed}`).toBeGreaterThanOrEqual(best.costUnits);
    if (cost === best.costUnits) seen[isAll ? 'all' : 'atLevel']++;
    if (ended === 'done') seen.proved++;
    const demand = built.demand.reduce((sum, d, j) => sum + (built.priorities![j] > 0 ? d : 0), 0);
    if (higher < demand - 1e-6 && cost === best.costUnits) seen.partly++;
    // No plan serves this.
    const [{ level, served }, ...lower] = floors;
    const beyond = solve(withFloors(problem, [{ level, served: served + 0.1 }, ...lower]));
    if (beyond.ended === 'infeasible') seen.beyond++;
    expect(beyond.cost, `seed ${seed}`).toBeNull();
  }
  expect(asked).toBeGreaterThan(enough(900));
  expect(seen.all).toBeGreaterThan(enough(0.4 * asked));
  for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(100));
});

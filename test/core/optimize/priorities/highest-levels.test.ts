import { expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { highestAlone } from '../../../../src/core/optimize/priorities/highest-levels.ts';
import { servedFrom, withFloor } from '../../../../src/core/optimize/priorities/most-from.ts';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import { NO_MOVES } from '../../../../src/core/optimize/problem/moves.ts';
import { totalDemand } from '../../../../src/core/optimize/problem/service-level.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached } from '../cached.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';
import { mostByAllMoves } from '../most-by-all-moves.ts';

const LEVELS = [9, 5, 0];
const CITIES = 20;

test('within docks the most of each level is known without a question, and HiGHS alone finds no more', {
  tags: 'slow',
}, async () => {
  const control = { deadlineMs: performance.now() + 1e6 };
  let partly = 0;
  for (const seed of seeds(1, CITIES)) {
    const random = createRandom(seed + 8e6);
    const capacities = seed % 2 ? [1, 2] : [2];
    const { request, locations } = cityInstance(seed, {
      locations: 15,
      perLocation: 4,
      fractional: true,
      capacities,
      load: 2,
    });
    const docks = Object.fromEntries(locations.map(({ id }) => [id, random.integer(4, 12)]));
    const constraints: OptimizeRequest['constraints'] = {
      min_service_level: 0,
      max_vehicles_per_location: docks,
      priorities: Object.fromEntries(locations.map(({ id }) => [id, random.pick(LEVELS)])),
      ...(random.chance(0.5) && { max_distance: 20 }),
    };
    const problem = buildCached({ ...request, constraints }, locations, SETTINGS);
    const unit = 1e-6 * totalDemand(problem.demand);
    let least = problem;
    for (const level of LEVELS) {
      const none = { moves: NO_MOVES, served: 0 };
      const { plan, most } = await highestAlone(problem, least, level, none, unit, control);
      expect(evaluateMoves(least, plan.moves).broken, `${seed}`).toEqual([]);
      expect(Math.abs(servedFrom(least, plan.moves, level, plan.served) - plan.served)).toBeLessThan(unit);
      expect(most - plan.served, `${seed}, level ${level}`).toBeLessThan(unit);
      const alone = await mostByAllMoves(least, control, level);
      expect(alone.proved).toBe(true);
      expect(Math.abs(alone.plan!.served - plan.served), `${seed}, level ${level}`).toBeLessThan(unit);
      const demand = problem.demand.reduce(
        (sum, of, j) => sum + (problem.priorities![j] >= level ? of : 0),
        0,
      );
      if (plan.served < demand - unit) partly++;
      least = withFloor(least, level, plan.served);
    }
  }
  expect(partly).toBeGreaterThan(enough(CITIES));
});

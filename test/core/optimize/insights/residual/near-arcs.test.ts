import { describe, expect, test } from 'vitest';
import { effortOf } from '../../../../../src/core/optimize/insights/effort.ts';
import { explainPureFlow } from '../../../../../src/core/optimize/insights/flow-insights.ts';
import { groupMoves } from '../../../../../src/core/optimize/insights/move-figures.ts';
import {
  boundDemand,
  boundFewer,
  boundMore,
  boundMove,
  boundUnchanged,
  createParametricFlow,
} from '../../../../../src/core/optimize/insights/parametric-flow.ts';
import type { Problem } from '../../../../../src/core/optimize/problem/model.ts';
import { solveProblem } from '../../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../../cached.ts';
import { cityInstance, createRandom, SETTINGS } from '../../instances.ts';

const control = () => ({ deadlineMs: performance.now() + 300_000 });
/**
 * So few that most searches have to go beyond the nearest residual arcs of their nodes. In use, this begins with cities
 * of some hundred locations.
 */
const FEW = 2;
const ALL = Number.POSITIVE_INFINITY;

async function* solvedCities(first: number, last: number, fractional: boolean) {
  for (const seed of seeds(first, last)) {
    const random = createRandom(seed);
    const size = { locations: random.integer(12, 40), perLocation: random.integer(1, 4), fractional };
    const { request, locations } = cityInstance(seed, { ...size, load: random.pick([0.5, 0.7, 0.9]) });
    const problem: Problem = buildProblem(request, locations, { ...SETTINGS, maxRebalancingCost: null });
    const outcome = await solveProblem(problem, 0.02, control());
    if (outcome.kind === 'solved') yield { seed, problem, solution: outcome.solution };
  }
}

describe('searches among nearby half-arcs', () => {
  test('give the insights of a network that searches among all of them give', async () => {
    let moves = 0;
    for await (const { seed, problem, solution } of solvedCities(80_000, 80_059, false)) {
      const few = await explainPureFlow(problem, solution, control(), FEW);
      const all = await explainPureFlow(problem, solution, control(), ALL);
      const costs = ({ moves }: typeof few) => moves.map(({ forbidding_costs }) => forbidding_costs);
      expect(few.locations, `seed ${seed}`).toEqual(all.locations);
      expect(costs(few), `seed ${seed}`).toEqual(costs(all));
      moves += few.moves.length;
    }
    expect(moves).toBeGreaterThan(enough(300));
  });

  test('give the same bounds for every change, at a Lagrangian multiplier', { tags: 'slow' }, async () => {
    let bounds = 0;
    for await (const { seed, problem, solution } of solvedCities(81_000, 81_039, true)) {
      const [few, all] = [FEW, ALL].map((nearPerNode) => {
        const flow = createParametricFlow(problem, solution, effortOf(control(), nearPerNode));
        const places = [...problem.locationIds.keys()];
        return [
          boundUnchanged(flow).range.least,
          ...places.flatMap((i) => [boundMore(flow, i), boundFewer(flow, i), boundDemand(flow, i)]),
          ...groupMoves(problem, solution.moves).map((move) => boundMove(flow, move)),
        ].map((bound) => (typeof bound === 'number' ? bound : bound.range.least));
      });
      expect(few, `seed ${seed}`).toEqual(all);
      bounds += few.length;
    }
    expect(bounds).toBeGreaterThan(enough(2000));
  });
});

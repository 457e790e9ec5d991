import { describe, expect, test } from 'vitest';
import {
  annealPlans,
  canAnneal,
} from '../../../../../src/core/optimize/column-generation/heuristics/anneal.ts';
import { evaluateMoves } from '../../../../../src/core/optimize/problem/evaluate.ts';
import type { Moves, Problem } from '../../../../../src/core/optimize/problem/model.ts';
import { solveProblem } from '../../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../../cached.ts';
import { createRandom, SETTINGS } from '../../instances.ts';
import { tinyInstance } from '../../tiny-instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
const never = () => false;

/** Vehicles of each capacity, demand and place. 99.9 % of the demand is to be served with 5 % to spare. */
const PUZZLE: { latitude: number; longitude: number; demand: number; vehicles: Record<string, number> }[] = [
  { latitude: 40.63133212262765, longitude: -73.95195272348356, demand: 10.83, vehicles: { 2.61: 1 } },
  { latitude: 40.68241176987067, longitude: -73.8895568826003, demand: 15.82, vehicles: {} },
  { latitude: 40.74041453339159, longitude: -73.7644434922142, demand: 3.37, vehicles: { 5.23: 3, 1.37: 1 } },
  {
    latitude: 40.82034636093304,
    longitude: -73.91320991776884,
    demand: 15.88,
    vehicles: { 3.9: 1, 2.61: 3, 5.23: 1 },
  },
  {
    latitude: 40.73016496207565,
    longitude: -73.78093136758544,
    demand: 12.76,
    vehicles: { 2.61: 1, 5.23: 2 },
  },
  {
    latitude: 40.80607829699293,
    longitude: -74.0307266724296,
    demand: 15.82,
    vehicles: { 5.23: 2, 2.61: 1 },
  },
  {
    latitude: 40.71693552350625,
    longitude: -74.13155941856094,
    demand: 13.65,
    vehicles: { 2.61: 2, 3.9: 1 },
  },
  {
    latitude: 40.8852650647983,
    longitude: -73.80721204406582,
    demand: 4.99,
    vehicles: { 5.23: 1, 3.9: 1, 1.37: 1, 2.61: 1 },
  },
  {
    latitude: 40.889321913197634,
    longitude: -74.19601426371374,
    demand: 2.49,
    vehicles: { 3.9: 1, 2.61: 1 },
  },
  {
    latitude: 40.658678867015986,
    longitude: -73.72696913678665,
    demand: 9.92,
    vehicles: { 5.23: 3, 2.61: 1 },
  },
  {
    latitude: 40.8968680806458,
    longitude: -73.83072048069444,
    demand: 9.92,
    vehicles: { 1.37: 1, 5.23: 1, 3.9: 1 },
  },
  {
    latitude: 40.59470598781481,
    longitude: -74.01758240552154,
    demand: 9.62,
    vehicles: { 1.37: 1, 2.61: 2 },
  },
  {
    latitude: 40.80392419779673,
    longitude: -73.72292357373517,
    demand: 10.9,
    vehicles: { 1.37: 4, 5.23: 1, 2.61: 1 },
  },
  { latitude: 40.832609261292966, longitude: -73.99438903694973, demand: 2.19, vehicles: { 5.23: 1 } },
];
/** HiGHS alone, `highs-formulation.ts`, proves in 85 s that no plan costs less, in cost units. */
const PUZZLE_BOUND = 2_222_064;

/** The cheapest plan known: annealing ends there from many starts. */
const PUZZLE_BEST = 2_244_482;

/** @param shift of every place, in degrees, drawn at random up to this */
function puzzleProblem(shift = 0, seed = 1): Problem {
  const random = createRandom(seed);
  const shifted = (degrees: number) => degrees + shift * (2 * random.next() - 1);
  return buildProblem(
    {
      demand_forecast: Object.fromEntries(PUZZLE.map(({ demand }, i) => [i + 1, [demand]])),
      fleet_state: {
        vehicles: PUZZLE.flatMap(({ vehicles }, i) =>
          Object.entries(vehicles).flatMap(([capacity, count]) =>
            Array.from({ length: count }, (_, v) => ({
              id: `${i}-${capacity}-${v}`,
              location: i + 1,
              capacity: Number(capacity),
            })),
          ),
        ),
      },
      constraints: { min_service_level: 0.999 },
    },
    PUZZLE.map(({ latitude, longitude }, i) => ({
      id: i + 1,
      latitude: shifted(latitude),
      longitude: shifted(longitude),
    })),
    settings,
  );
}

/** Every vehicle has a capacity of its own, and a hidden plan serves everything with 2 % to spare. */
function problemWithPlan(seed: number): { problem: Problem; hiddenUnits: number } {
  const random = createRandom(seed);
  const ids = Array.from({ length: 12 }, (_, i) => i + 1);
  const points = ids.map((id) => ({
    id,
    latitude: 40.5 + 0.4 * random.next(),
    longitude: -74.25 + 0.5 * random.next(),
  }));
  const away = (a: number, b: number) =>
    (points[a].latitude - points[b].latitude) ** 2 + (points[a].longitude - points[b].longitude) ** 2;
  const capacityAt = new Float64Array(ids.length);
  const hidden: [from: number, to: number][] = [];
  const vehicles = Array.from({ length: 30 }, (_, v) => {
    const from = random.integer(0, ids.length - 1);
    const near = [...ids.keys()].sort((a, b) => away(from, a) - away(from, b));
    const to = near[random.integer(0, 3)];
    const capacity = random.integer(100, 600) / 100 + v / 1e4;
    capacityAt[to] += capacity;
    hidden.push([from, to]);
    return { id: `${v}`, location: from + 1, capacity };
  });
  const problem = buildProblem(
    {
      demand_forecast: Object.fromEntries(ids.map((id, i) => [id, [0.98 * capacityAt[i]]])),
      fleet_state: { vehicles },
      constraints: { min_service_level: 1 },
    },
    points,
    settings,
  );
  problem.greatCircle?.buildCosts(never);
  const { costUnits } = problem.network;
  return {
    problem,
    hiddenUnits: hidden.reduce((sum, [from, to]) => sum + costUnits[from * ids.length + to], 0),
  };
}

/** Ends a search after this many looks at the clock; one stands for 64 exchanges. */
function afterLooks(most: number): () => boolean {
  let looks = 0;
  return () => ++looks > most;
}

describe('simulated annealing', { tags: 'slow' }, () => {
  test('finds a plan within 1 % of the optimum where vehicles must fit demands, without a plan to start from', () => {
    const problem = puzzleProblem();
    let best = Number.POSITIVE_INFINITY;
    annealPlans(problem, null, never, (moves) => {
      const { costUnits, broken } = evaluateMoves(problem, moves);
      expect(broken).toEqual([]);
      expect(costUnits).toBeLessThan(best);
      best = costUnits;
      return 0.99 * best <= PUZZLE_BOUND;
    });
    expect(best).toBeGreaterThanOrEqual(PUZZLE_BOUND);
    expect(0.99 * best).toBeLessThanOrEqual(PUZZLE_BOUND);
  });

  test('finds plans within 1 % of the best known of shifted copies, in 20 million exchanges', () => {
    for (const seed of seeds(1, 4)) {
      let best = Number.POSITIVE_INFINITY;
      annealPlans(puzzleProblem(5e-5, seed), null, afterLooks(20e6 / 64), (moves) => {
        best = evaluateMoves(puzzleProblem(5e-5, seed), moves).costUnits;
        return best <= 1.01 * PUZZLE_BEST;
      });
      expect(best, `seed ${seed}`).toBeLessThanOrEqual(1.01 * PUZZLE_BEST);
    }
  });

  test('finds a plan no dearer than a hidden one if every vehicle has its own capacity, in 20 million exchanges', () => {
    for (const seed of seeds(1, 12)) {
      const { problem, hiddenUnits } = problemWithPlan(seed);
      expect(problem.capacities).toHaveLength(30);
      expect(canAnneal(problem)).toBe(true);
      let best = Number.POSITIVE_INFINITY;
      annealPlans(problem, null, afterLooks(20e6 / 64), (moves) => {
        const { costUnits, broken } = evaluateMoves(problem, moves);
        expect(broken).toEqual([]);
        best = costUnits;
        return best <= hiddenUnits;
      });
      expect(best, `seed ${seed}`).toBeLessThanOrEqual(hiddenUnits);
    }
  });

  test('goes on from a plan that it is given, and reports only cheaper ones', () => {
    const problem = puzzleProblem();
    const found: Moves[] = [];
    const first = (moves: Moves) => found.push(moves) > 0;
    annealPlans(problem, null, never, first);
    annealPlans(problem, found[0], never, first);
    const [before, after] = found.map((moves) => evaluateMoves(problem, moves));
    expect(after.broken).toEqual([]);
    expect(after.costUnits).toBeLessThan(before.costUnits);
  });

  test('takes the same path each time', () => {
    const problem = puzzleProblem();
    const plans = [1, 2].map(() => {
      let found: Moves | null = null;
      annealPlans(problem, null, never, (moves) => {
        found = moves;
        return true;
      });
      return found;
    });
    expect(plans[0]).not.toBeNull();
    expect(plans[1]).toEqual(plans[0]);
  });

  test('finds the optimum of most tiny problems, and never a plan that breaks a rule or costs less', async () => {
    let optimal = 0;
    let missed = 0;
    for (const seed of seeds(1, 60)) {
      const { request, locations } = tinyInstance(seed);
      const problem = buildProblem(request, locations, settings);
      if (!canAnneal(problem)) continue;
      const solved = await solveProblem(problem, 0, { deadlineMs: performance.now() + 300_000 });
      let best = Number.POSITIVE_INFINITY;
      annealPlans(problem, null, afterLooks(2e6 / 64), (moves) => {
        const { costUnits, broken } = evaluateMoves(problem, moves);
        expect(broken, `seed ${seed}`).toEqual([]);
        best = costUnits;
        return solved.kind === 'solved' && best <= solved.solution.costUnits;
      });
      // All vehicles staying is no discovery, and neither is a plan above the ceiling.
      if (solved.kind !== 'solved' || solved.solution.costUnits === 0) continue;
      expect(best, `seed ${seed}`).toBeGreaterThanOrEqual(solved.solution.costUnits);
      if (best === solved.solution.costUnits) optimal++;
      else missed++;
    }
    expect(optimal).toBeGreaterThan(enough(4 * missed));
  });
});

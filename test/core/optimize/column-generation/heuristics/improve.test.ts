import { describe, expect, test } from 'vitest';
import {
  allowedCosts,
  type ClassTransport,
  createClassTransport,
} from '../../../../../src/core/optimize/column-generation/heuristics/class-transport.ts';
import {
  canImprove,
  improve,
} from '../../../../../src/core/optimize/column-generation/heuristics/improve.ts';
import { solveFlow } from '../../../../../src/core/optimize/flow/solve-flow.ts';
import type { SolvedFlow } from '../../../../../src/core/optimize/flow/types.ts';
import { evaluateMoves } from '../../../../../src/core/optimize/problem/evaluate.ts';
import { demandFrom, withFloors } from '../../../../../src/core/optimize/problem/floors.ts';
import type { Moves, Problem } from '../../../../../src/core/optimize/problem/model.ts';
import { NO_MOVES } from '../../../../../src/core/optimize/problem/moves.ts';
import { solveProblem } from '../../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../../cached.ts';
import { cityInstance, createRandom, type Random, SETTINGS } from '../../instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };

/**
 * A few vehicles of one class between locations, not all of which have demand. Costs violate the triangle inequality,
 * and some are missing.
 */
function smallProblem(random: Random): Problem {
  const n = random.integer(2, 5);
  const ids = Array.from({ length: n }, (_, i) => i + 1);
  const forbidden = random.pick([0, 0.3]);
  return buildProblem(
    {
      demand_forecast: Object.fromEntries(ids.map((id) => [id, [id === 1 || random.chance(0.7) ? 1 : 0]])),
      fleet_state: {
        vehicles: Array.from({ length: random.integer(1, 6) }, (_, v) => ({
          id: `v${v}`,
          location: random.pick(ids),
        })),
      },
      network: {
        location_ids: ids,
        costs: ids.map(() =>
          ids.map(() => (random.chance(forbidden) ? null : random.integer(0, 20_000) / 1e4)),
        ),
      },
    },
    [],
    settings,
  );
}

/**
 * The least cost of bringing the vehicles to the places, by trying all assignments; Infinity if there is none. Places
 * without demand take only their own.
 */
function cheapestAssignment(problem: Problem, wanted: ArrayLike<number>): number {
  const n = problem.locationIds.length;
  const takes = (j: number, i: number) => problem.demand[j] > 0 || i === j;
  const expand = (counts: ArrayLike<number>) =>
    Array.from(counts).flatMap((count, j) => new Array<number>(count).fill(j));
  const vehicles = expand(problem.supply);
  const places = expand(wanted);
  const best = (v: number, left: number[]): number => {
    if (v === vehicles.length) return 0;
    let least = Number.POSITIVE_INFINITY;
    for (const [at, j] of left.entries()) {
      const cost = problem.network.costUnits[vehicles[v] * n + j];
      if (cost !== Number.POSITIVE_INFINITY && takes(j, vehicles[v]))
        least = Math.min(least, cost + best(v + 1, left.toSpliced(at, 1)));
    }
    return least;
  };
  return best(0, places);
}

/** The cheapest flow from all vehicles to the places; undefined: they cannot all go there. */
function flowTo(problem: Problem, wanted: Int32Array, units: Float64Array): SolvedFlow | undefined {
  const required = wanted.reduce((sum, count) => sum + count, 0);
  const { locationIds, supply } = problem;
  const cost = { kind: 'dense', units } as const;
  const outcome = solveFlow({ n: locationIds.length, supply, demand: wanted, required, cost });
  return outcome.kind === 'solved' ? outcome : undefined;
}

/** The cost of the present moves. */
function totalOf(transport: ClassTransport, { network, locationIds }: Problem): number {
  let total = 0;
  transport.forEachMove((i, j, count) => {
    total += count * network.costUnits[i * locationIds.length + j];
  });
  return total;
}

describe('the moves of one class', () => {
  test('are the cheapest after every shift and after undoing it, and each shift costs what it says', () => {
    let shifts = 0;
    let impossible = 0;
    for (const seed of seeds(1, 200)) {
      const random = createRandom(seed);
      const problem = smallProblem(random);
      const n = problem.locationIds.length;
      const costs = allowedCosts(problem);
      const start = flowTo(problem, problem.supply, costs)!;
      const transport = createClassTransport(problem, 0, costs, start);
      let before = 0;
      for (let step = 0; step < 8; step++) {
        const from = random.integer(0, n - 1);
        const to = random.integer(0, n - 1);
        if (from === to) continue;
        const wanted = Array.from({ length: n }, (_, j) => transport.present(j));
        const told = transport.reach(from, n);
        const made = transport.shift(from, to);
        const cost = made?.cost ?? null;
        const at = told.sinks.indexOf(to);
        expect(at < 0 ? null : told.costs[at], `seed ${seed}`).toBe(cost);
        wanted[from]--;
        wanted[to]++;
        if (made === null) {
          impossible++;
          if (wanted[from] >= 0)
            expect(cheapestAssignment(problem, wanted), `seed ${seed}`).toBe(Number.POSITIVE_INFINITY);
          continue;
        }
        const total = totalOf(transport, problem);
        expect(total, `seed ${seed}`).toBe(cheapestAssignment(problem, wanted));
        expect(total - before, `seed ${seed}`).toBe(cost);
        if (random.chance(0.3)) {
          made.undo();
          expect(totalOf(transport, problem), `seed ${seed}`).toBe(before);
          expect(transport.present(from), `seed ${seed}`).toBe(wanted[from] + 1);
          expect(transport.present(to), `seed ${seed}`).toBe(wanted[to] - 1);
        } else before = total;
        shifts++;
      }
    }
    expect(Math.min(shifts, impossible)).toBeGreaterThan(enough(100));
  });
});

function classesProblem(seed: number, locations: number): Problem {
  const random = createRandom(seed);
  const { request, locations: points } = cityInstance(seed, {
    locations,
    perLocation: random.integer(2, 6),
    fractional: true,
    capacities: random.pick([
      [1, 2],
      [1, 2, 4],
      [0.7, 1.9, 3.1],
      [1, 2, 3, 5],
    ]),
    load: random.pick([0.6, 0.9]),
  });
  request.constraints = { min_service_level: random.pick([0.8, 0.95]) };
  if (random.chance(0.3)) request.constraints.max_distance = random.integer(15, 30);
  return buildProblem(request, points, settings);
}

/**
 * How many cheaper plans the local search gives, from a solved one. Each plan keeps every constraint, and none is
 * dearer than the one before: the first may be the same again.
 * @param from a stricter problem, whose plan the search begins with
 */
async function countImprovements(problem: Problem, seed: number, from = problem): Promise<number> {
  expect(canImprove(problem)).toBe(true);
  const outcome = await solveProblem(from, 0.5, { deadlineMs: performance.now() + 10_000 });
  if (outcome.kind !== 'solved') return 0;
  let cost = outcome.solution.costUnits;
  let count = 0;
  const consider = (moves: Moves) => {
    const evaluation = evaluateMoves(problem, moves);
    expect(evaluation.broken, `seed ${seed}`).toEqual([]);
    expect(evaluation.costUnits, `seed ${seed}`).toBeLessThanOrEqual(cost);
    if (evaluation.costUnits < cost) count++;
    cost = evaluation.costUnits;
    return false;
  };
  improve(problem, outcome.solution.moves, 10_000, () => false, consider);
  return count;
}

describe('the local search', () => {
  test('gives only plans that keep every constraint, none dearer than the one before', {
    tags: 'slow',
  }, async () => {
    let improved = 0;
    for (const seed of seeds(1, 20)) {
      const problem = classesProblem(seed, 25);
      // A plan that serves more than required.
      const limits = { ...problem.limits, minServiceLevel: (1 + problem.limits.minServiceLevel) / 2 };
      improved += await countImprovements(problem, seed, { ...problem, limits });
    }
    expect(improved).toBeGreaterThan(enough(10));
  });

  test('keeps what locations of higher priority levels are served', { tags: 'slow' }, async () => {
    let improved = 0;
    for (const seed of seeds(1, 20)) {
      const plain = classesProblem(seed, 25);
      const priorities = Uint8Array.from(plain.demand, (_, j) => (j % 4 === 1 ? 9 : j % 4 === 2 ? 5 : 0));
      const leveled = { ...plain, priorities };
      // All of the highest level, and nearly all of the next: the search meets both kinds of floors.
      const floors = [9, 5].map((level) => ({
        level,
        served: (level === 9 ? 1 : 0.97) * demandFrom(leveled, level),
      }));
      const problem = withFloors(leveled, floors);
      improved += await countImprovements(problem, seed);
    }
    expect(improved).toBeGreaterThan(enough(5));
  });

  test('keeps the bounds on vehicles per location, also where docks are full', { tags: 'slow' }, async () => {
    let improved = 0;
    for (const seed of seeds(1, 20)) {
      const plain = classesProblem(seed, 25);
      const n = plain.locationIds.length;
      const vehicles = plain.supply.reduce((sum, count) => sum + count, 0);
      // Room for a vehicle or two beside those that the mean location has; two have to stay everywhere.
      const maxVehiclesPerLocation = Math.ceil(vehicles / n) + 1 + (seed % 2);
      const limits = { ...plain.limits, minVehiclesPerLocation: 2, maxVehiclesPerLocation };
      const problem = { ...plain, limits };
      improved += await countImprovements(problem, seed);
    }
    expect(improved).toBeGreaterThan(enough(5));
  });

  test('stops where it is told to', () => {
    const problem = classesProblem(1, 25);
    let plans = 0;
    improve(
      problem,
      NO_MOVES,
      10_000,
      () => true,
      () => {
        plans++;
        return false;
      },
    );
    expect(plans).toBe(0);
  });
});

describe('branching among what a plan within the gap can use', () => {
  test('proves bounds that no optimum is below, whatever gap is asked for', { tags: 'slow' }, async () => {
    const wrong: unknown[] = [];
    let compared = 0;
    for (const seed of seeds(1, 50)) {
      const problem = classesProblem(seed, 6);
      const solve = (gap: number) => solveProblem(problem, gap, { deadlineMs: performance.now() + 20_000 });
      const exact = await solve(0);
      if (exact.kind !== 'solved' || !exact.solution.proved) continue;
      for (const gap of [0.001, 0.005, 0.03]) {
        const found = await solve(gap);
        if (found.kind !== 'solved') {
          wrong.push({ seed, gap, kind: found.kind });
          continue;
        }
        const { costUnits, boundUnits, proved } = found.solution;
        const optimum = exact.solution.costUnits;
        if (!proved || boundUnits > optimum || costUnits < optimum) {
          wrong.push({ seed, gap, costUnits, boundUnits, optimum });
        }
        compared++;
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(enough(100));
  });
});

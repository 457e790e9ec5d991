import { beforeAll, describe, expect, test } from 'vitest';
import {
  figuresOf,
  learnFromLagrangian,
  learnFromLagrangianRepairs,
} from '../../../../src/core/optimize/insights/bounded-insights.ts';
import { effortOf } from '../../../../src/core/optimize/insights/effort.ts';
import type { Figures } from '../../../../src/core/optimize/insights/figures.ts';
import { explainPureFlow } from '../../../../src/core/optimize/insights/flow-insights.ts';
import { createParametricFlow } from '../../../../src/core/optimize/insights/parametric-flow.ts';
import { learnFromRepairs } from '../../../../src/core/optimize/insights/repairs.ts';
import { askAll } from '../../../../src/core/optimize/insights/sensitivity.ts';
import { tightenEach, tightenOptimum } from '../../../../src/core/optimize/insights/tighten.ts';
import { canReachMost, reachMost } from '../../../../src/core/optimize/problem/distances/reachable.ts';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Problem, Solution } from '../../../../src/core/optimize/problem/model.ts';
import { NO_PAIR_LIMITS } from '../../../../src/core/optimize/problem/pairs.ts';
import { withNetwork } from '../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, isFullDepth, seeds } from '../../../helpers/depth.ts';
import { newCaches } from '../cached.ts';
import { createRandom } from '../instances.ts';
import { startSolverThread } from '../solver-thread.ts';
import { explainByResolving } from './solved-figures.ts';

const control = () => ({ deadlineMs: performance.now() + 300_000 });

type Kind = { capacities: number[]; fractional: boolean };

/** Up to 6 locations; costs take few different values, so there are many optima and degenerate bases. */
function randomProblem(seed: number, { capacities, fractional }: Kind): Problem {
  const random = createRandom(seed);
  const n = random.integer(2, 6);
  const classes = capacities.length;
  const largest = random.pick([2, 4, 50]);
  const costUnits = Float64Array.from({ length: n * n }, (_, a) =>
    a % (n + 1) === 0 ? 0 : random.chance(0.1) ? Number.POSITIVE_INFINITY : random.integer(0, largest) * 1000,
  );
  const distanceKm = random.chance(0.5)
    ? Float64Array.from({ length: n * n }, (_, a) => (a % (n + 1) === 0 ? 0 : random.integer(0, 60) / 10))
    : null;
  const depots = random.integer(1, n);
  const supply = new Int32Array(classes * n);
  const location: number[] = [];
  const capacityClass: number[] = [];
  for (let v = random.integer(1, 4 * n); v > 0; v--) {
    const k = random.integer(0, classes - 1);
    const i = random.integer(0, depots - 1);
    supply[k * n + i]++;
    location.push(i);
    capacityClass.push(k);
  }
  const [smallest] = capacities;
  // Every fifth has bounds by location, from random numbers of their own.
  const own = createRandom(seed + 1e6);
  const least = Float64Array.from({ length: n }, () => own.integer(0, 1));
  const most = Float64Array.from({ length: n }, () =>
    own.chance(0.3) ? Number.POSITIVE_INFINITY : own.integer(2, 6),
  );
  const isByLocation = seed % 5 === 0;
  const demand = Float64Array.from({ length: n }, () =>
    fractional ? random.integer(0, 300) / 100 : smallest * random.integer(0, 4),
  );
  return {
    locationIds: Int32Array.from({ length: n }, (_, i) => 10 * (i + 1)),
    capacities: Float64Array.from(capacities),
    supply,
    demand,
    network: { costUnits, distanceKm },
    greatCircle: null,
    caches: newCaches(),
    limits: {
      maxDistanceKm: random.integer(1, 6),
      minServiceLevel: random.pick([0, 0.4, 0.55, 0.755, 0.9, 1]),
      maxCostUnits: random.chance(0.2) ? random.integer(0, 200_000) : Number.POSITIVE_INFINITY,
      minVehiclesPerLocation: random.chance(0.2) ? 1 : 0,
      maxVehiclesPerLocation: random.chance(0.2) ? random.integer(2, 6) : Number.POSITIVE_INFINITY,
      totalFleetSize: random.chance(0.2) ? random.integer(1, 10) : Number.POSITIVE_INFINITY,
      ...NO_PAIR_LIMITS,
      ...(isByLocation && {
        minVehiclesPerLocation: Math.max(...least),
        maxVehiclesPerLocation: Math.min(...most),
      }),
    },
    ...(isByLocation && { bounds: { least, most } }),
    fleet: {
      request: Int32Array.from(location.keys()),
      location: Int32Array.from(location),
      capacityClass: Int32Array.from(capacityClass),
    },
    capacityPerVehicle: smallest,
    servedPerUnit: 1,
  };
}

/** Those of `count` random problems that have a plan, each with a plan within the gap. */
async function* solvedProblems(firstSeed: number, count: number, kind: Kind, gap: number) {
  for (const seed of seeds(firstSeed, firstSeed + count - 1)) {
    const problem = randomProblem(seed, kind);
    const outcome = await solveProblem(problem, gap, control());
    if (outcome.kind === 'solved') yield { seed, problem, solution: outcome.solution };
  }
}

function insightsBySolving(problem: Problem, solution: Solution, load: number): Promise<Figures | null> {
  return explainByResolving(problem, solution, load, control());
}

/** The next destination may differ if several are equally good. */
const withoutNext = ({ locations, moves, binding }: Figures) => ({
  locations,
  binding,
  moves: moves.map(({ next_best_location: _, ...move }) => move),
});

beforeAll(startSolverThread);

describe('insights of a network', () => {
  test.each([
    [1, 41_000, 600],
    [2.5, 43_000, 150],
  ])(
    'are exactly what solving again gives, capacity %d, degenerate or not',
    { tags: 'slow' },
    async (capacity, firstSeed, count) => {
      const seen = {
        fewerUnreachable: 0,
        moves: 0,
        forbiddenAtCost: 0,
        binding: new Set<string>(),
        demandSaves: 0,
      };
      const kind = { capacities: [capacity], fractional: false };
      for await (const { seed, problem, solution } of solvedProblems(firstSeed, count, kind, 0)) {
        // Few arcs count as nearby, so searches have to go beyond them.
        const found = await explainPureFlow(problem, solution, control(), seed % 2 === 0 ? 1 : undefined);
        const solved = await insightsBySolving(problem, solution, capacity);
        expect(withoutNext(found), `seed ${seed}`).toEqual(withoutNext(solved!));
        expect(found.complete && found.exact).toBe(true);
        for (const { forbidding_costs, next_best_location, target_location } of found.moves) {
          seen.moves++;
          if (forbidding_costs !== null && forbidding_costs > 0) seen.forbiddenAtCost++;
          expect(next_best_location === null, `seed ${seed}`).toBe(forbidding_costs === null);
          expect(next_best_location).not.toBe(target_location);
        }
        for (const { one_fewer_costs, more_demand_costs } of found.locations) {
          if (one_fewer_costs === null) seen.fewerUnreachable++;
          if (more_demand_costs !== null && more_demand_costs < 0) seen.demandSaves++;
        }
        for (const { constraint } of found.binding) seen.binding.add(constraint);
      }
      expect(Math.min(seen.fewerUnreachable, seen.moves, seen.forbiddenAtCost)).toBeGreaterThan(enough(20));
      // The fleet size never binds alone: if all vehicles serve alike, more of them do not make a plan cheaper.
      if (count >= 600 && isFullDepth) expect(seen.binding.size).toBe(4);
    },
  );

  test('are those of the cheapest plans also where the plan at hand is not one', async () => {
    let dearer = 0;
    const kind = { capacities: [1], fractional: false };
    for await (const { seed, problem, solution } of solvedProblems(45_000, 150, kind, 0)) {
      if (!canReachMost(problem)) continue;
      const { moves } = reachMost(problem, () => false)!;
      const { costUnits, broken } = evaluateMoves(problem, moves);
      if (broken.length > 0 || costUnits > problem.limits.maxCostUnits) continue;
      if (costUnits > solution.costUnits) dearer++;
      const found = await explainPureFlow(problem, { ...solution, moves, costUnits }, control());
      const solved = await insightsBySolving(problem, solution, 1);
      expect(found.locations, `seed ${seed}`).toEqual(solved!.locations);
      expect(found.binding, `seed ${seed}`).toEqual(solved!.binding);
    }
    expect(dearer).toBeGreaterThan(enough(15));
  });

  test('name a next destination that is one of the cheapest plans without the move', {
    tags: 'slow',
  }, async () => {
    let checked = 0;
    const kind = { capacities: [1], fractional: false };
    for await (const { seed, problem, solution } of solvedProblems(47_000, 375, kind, 0)) {
      const n = problem.locationIds.length;
      for (const move of (await explainPureFlow(problem, solution, control())).moves) {
        if (move.next_best_location === null) continue;
        // Without the move, and with that location as the only new target of the source, the cost is the same.
        const source = problem.locationIds.indexOf(move.source_location);
        const target = problem.locationIds.indexOf(move.target_location);
        const next = problem.locationIds.indexOf(move.next_best_location);
        expect(
          source === next || problem.network.costUnits[source * n + next] < Number.POSITIVE_INFINITY,
          `seed ${seed}`,
        ).toBe(true);
        expect(next).not.toBe(target);
        if (move.vehicles > 1) continue;
        const costUnits = problem.network.costUnits.slice();
        const used = new Set([next, source]);
        for (let m = 0; m < solution.moves.count.length; m++) {
          if (solution.moves.source[m] === source) used.add(solution.moves.target[m]);
        }
        used.delete(target);
        for (let j = 0; j < n; j++) if (!used.has(j)) costUnits[source * n + j] = Number.POSITIVE_INFINITY;
        const outcome = await solveProblem(
          withNetwork(problem, { ...problem.network, costUnits }),
          0,
          control(),
        );
        if (outcome.kind !== 'solved') throw new Error(`seed ${seed}: ${outcome.kind}`);
        expect(outcome.solution.costUnits, `seed ${seed}`).toBe(
          solution.costUnits + Math.round(move.forbidding_costs! * 1e4),
        );
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(enough(40));
  });
});

/** A figure, and the true value. */
type Compared = {
  value: number | null;
  truth: number | null;
  error: number | null;
  what: string;
  isKnown: boolean;
};

function* compareAll(found: Figures, truth: Figures): Generator<Compared> {
  for (const [i, insight] of found.locations.entries()) {
    for (const key of ['one_more_saves', 'one_fewer_costs', 'more_demand_costs'] as const) {
      const { error_at_most: error, location_id, not_known } = insight;
      const isKnown = !not_known.includes(key);
      yield {
        value: insight[key],
        truth: truth.locations[i][key],
        error,
        what: `${key} ${location_id}`,
        isKnown,
      };
    }
  }
  for (const [m, { forbidding_costs: value, error_at_most: error }] of found.moves.entries()) {
    yield {
      value,
      truth: truth.moves[m].forbidding_costs,
      error,
      what: `move ${m}`,
      isKnown: error !== null,
    };
  }
  for (const { constraint: what, saves: value, error_at_most: error } of found.binding) {
    const saves = truth.binding.find((other) => other.constraint === what)?.saves ?? 0;
    yield { value, truth: saves, error, what, isKnown: error !== null };
  }
}

describe('insights of a problem that is no network', () => {
  const kinds: [name: string, kind: Kind, firstSeed: number, count: number][] = [
    ['one class, fractional demand', { capacities: [1], fractional: true }, 51_000, 450],
    ['two classes', { capacities: [1, 2], fractional: true }, 53_000, 225],
    ['three classes', { capacities: [1, 2, 4], fractional: true }, 55_000, 225],
  ];

  test('are off by no more than they say, and larger than that, before anything is solved again', {
    tags: 'slow',
  }, async () => {
    const [, kind, firstSeed, count] = kinds[0];
    const seen = { known: 0, unknown: 0, exact: 0 };
    for await (const { seed, problem, solution } of solvedProblems(firstSeed, count, kind, 0.3)) {
      const [load] = kind.capacities;
      const questions = askAll(problem, solution, load);
      const effort = effortOf(control(), 1);
      const flow = createParametricFlow(problem, solution, effort);
      learnFromLagrangian(flow, questions);
      learnFromRepairs(problem, solution, load, questions, effort);
      learnFromLagrangianRepairs(flow, questions);
      const solved = (await insightsBySolving(problem, solution, load))!;
      const found = figuresOf(problem, solution, questions);
      for (const { value, truth, error, what, isKnown } of compareAll(found, solved)) {
        if (!isKnown || error === null) {
          seen.unknown++;
          expect(value, what).toBeNull();
          continue;
        }
        seen.known++;
        if (error === 0) seen.exact++;
        const hint = `seed ${seed} ${what} ${value} ${truth} ± ${error}`;
        if (value === null || truth === null) expect(value, hint).toBe(truth);
        else {
          expect(Math.abs(value - truth), hint).toBeLessThanOrEqual(error + 1e-9);
          if (error > 0) expect(Math.abs(value), hint).toBeGreaterThan(error);
        }
      }
    }
    expect(seen.known).toBeGreaterThan(enough(1000));
    expect(seen.exact).toBeGreaterThan(enough(100));
    expect(seen.known).toBeGreaterThan(enough(2 * seen.unknown));
  });

  test.each(kinds)(
    'are exact where there is time, whatever plan they are of: %s',
    { tags: 'slow' },
    async (_, { capacities, fractional }, firstSeed, count) => {
      let figures = 0;
      const kind = { capacities, fractional };
      for await (const { seed, problem, solution } of solvedProblems(firstSeed, count / 5, kind, 0.3)) {
        const questions = askAll(problem, solution, capacities[0]);
        await tightenOptimum(problem, solution, questions, control());
        await tightenEach(problem, questions, control());
        const found = figuresOf(problem, solution, questions);
        const solved = (await insightsBySolving(problem, solution, capacities[0]))!;
        expect([found.complete, found.exact], `seed ${seed}`).toEqual([true, true]);
        expect(withoutNext(found), `seed ${seed}`).toEqual(withoutNext(solved));
        figures += 3 * found.locations.length + found.moves.length;
        for (const { forbidding_costs, next_best_location, target_location } of found.moves) {
          expect(next_best_location === null, `seed ${seed}`).toBe(forbidding_costs === null);
          expect(next_best_location).not.toBe(target_location);
        }
      }
      expect(figures).toBeGreaterThan(enough(300));
    },
  );
});

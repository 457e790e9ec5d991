import { describe, expect, test } from 'vitest';
import {
  chooseParts,
  hasParts,
  partOf,
  SEARCHED_SIZE,
} from '../../../../../src/core/optimize/column-generation/heuristics/parts.ts';
import { evaluateMoves } from '../../../../../src/core/optimize/problem/evaluate.ts';
import type { Moves, Problem } from '../../../../../src/core/optimize/problem/model.ts';
import { movesOn, NO_MOVES } from '../../../../../src/core/optimize/problem/moves.ts';
import { withLimits } from '../../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../../cached.ts';
import { cityInstance, createRandom, SETTINGS } from '../../instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };

function cityProblem(seed: number, locations: number, minServiceLevel: number): Problem {
  const { request, locations: points } = cityInstance(seed, {
    locations,
    perLocation: 4,
    fractional: true,
    capacities: [1, 2, 4],
  });
  request.constraints = { min_service_level: minServiceLevel };
  return buildProblem(request, points, settings);
}

async function planFor(problem: Problem, gap: number): Promise<{ moves: Moves; costUnits: number }> {
  const outcome = await solveProblem(problem, gap, { deadlineMs: performance.now() + 10_000 });
  if (outcome.kind !== 'solved') throw new Error(outcome.kind);
  return outcome.solution;
}

const objectiveOf = (problem: Problem, moves: Moves) => evaluateMoves(problem, moves).objectiveUnits;

/** Some of the locations, in order. */
function someOf(seed: number, n: number): Int32Array {
  const random = createRandom(seed);
  return Int32Array.from({ length: n }, (_, j) => j).filter(() => random.chance(0.5));
}

/** With a cost of unmet demand for every second seed, so that serving more may be worth its moves. */
function withUnmetCost(problem: Problem, seed: number): Problem {
  if (seed % 2 === 0) return problem;
  return { ...problem, unmetCost: Float64Array.from(problem.demand, (_, j) => (j % 3) / 2) };
}

describe('a part of a city', () => {
  test('has a plan wherever the whole has one, and what it saves the whole saves', {
    tags: 'slow',
  }, async () => {
    let cheaper = 0;
    let fromOutside = 0;
    for (const seed of seeds(1, 20)) {
      const problem = withUnmetCost(cityProblem(seed, 20, 0.85), seed);
      const { moves: plan } = await planFor(withLimits(problem, { minServiceLevel: 0.95 }), 0.1);
      const inner = someOf(seed, 20);
      const servesOutside = seed % 3 > 0;
      const part = partOf(problem, plan, inner, servesOutside);
      expect(evaluateMoves(part.problem, part.moves).broken, `seed ${seed}`).toEqual([]);
      expect(objectiveOf(problem, part.planWith(part.moves))).toBeCloseTo(objectiveOf(problem, plan), 3);

      const { moves } = await planFor(part.problem, 0.001);
      const whole = part.planWith(moves);
      expect(evaluateMoves(problem, whole).broken, `seed ${seed}`).toEqual([]);
      const saved = objectiveOf(part.problem, part.moves) - objectiveOf(part.problem, moves);
      const savedByWhole = objectiveOf(problem, plan) - objectiveOf(problem, whole);
      // Vehicles that stay outside may serve there, which the part then does not know.
      if (servesOutside) expect(savedByWhole).toBeCloseTo(saved, 3);
      else expect(savedByWhole).toBeGreaterThan(saved - 1e-3);
      if (saved > 0) cheaper++;
      if (part.problem.locationIds.length > inner.length) fromOutside++;
    }
    expect(cheaper).toBeGreaterThan(enough(10));
    expect(fromOutside).toBeGreaterThan(enough(10));
  });

  test('lets a vehicle from outside go elsewhere in the part, or stay at home', () => {
    const problem = cityProblem(3, 12, 0.5);
    const n = 12;
    const source = [0, 1, 2, 3].find((i) => problem.supply[i] > 1)!;
    const plan: Moves = {
      capacityClass: Int32Array.of(0),
      source: Int32Array.of(source),
      target: Int32Array.of(8),
      count: Int32Array.of(2),
    };
    const part = partOf(problem, plan, Int32Array.of(7, 8));
    expect([...part.problem.locationIds]).toEqual([source, 7, 8].map((j) => problem.locationIds[j]));
    expect([...part.problem.supply.subarray(0, 3)]).toEqual([2, problem.supply[7], problem.supply[8]]);
    const elsewhere = movesOn([0], { capacityClass: [0], source: [0], target: [1] }, () => 1);
    const whole = part.planWith(elsewhere);
    expect([...whole.source, ...whole.target, ...whole.count]).toEqual([source, 7, 1]);
    expect(evaluateMoves(problem, whole).costUnits).toBe(problem.network.costUnits[source * n + 7]);
  });

  test('may leave unmet what the whole plan serves beyond its level, and no more', () => {
    const problem = cityProblem(3, 12, 0.5);
    const nothing = movesOn([], { capacityClass: [], source: [], target: [] }, () => 0);
    const { served } = evaluateMoves(problem, nothing);
    const total = problem.demand.reduce((a, b) => a + b, 0);
    const part = partOf(problem, nothing, Int32Array.of(2, 5, 7, 8));
    const servedThere = evaluateMoves(part.problem, nothing).served;
    const ofPart = part.problem.demand.reduce((a, b) => a + b, 0);
    expect(served).toBeGreaterThan(0.5 * total);
    const required = Math.max(0, servedThere - (served - 0.5 * total));
    expect(part.problem.limits.minServiceLevel * ofPart).toBeCloseTo(required, 9);
  });

  test('holds every location at least once in a round, and not all of them at once', () => {
    const problem = cityProblem(5, 1100, 0.95);
    const parts = [...chooseParts(problem, () => NO_MOVES, createRandom(1).next, SEARCHED_SIZE)].map(
      ({ locations }) => locations,
    );
    expect(hasParts(problem)).toBe(true);
    expect(new Set(parts.flatMap((part) => [...part])).size).toBe(1100);
    for (const part of parts) {
      expect(part.length).toBeLessThan(300);
      expect([...part]).toEqual([...part].sort((a, b) => a - b));
    }
  });
});

test('parts cover a city even if all of it is in one place', () => {
  const problem = cityProblem(5, 1000, 0.95);
  const costUnits = new Float64Array(1000 ** 2);
  const parts = [
    ...chooseParts(
      { ...problem, network: { ...problem.network, costUnits } },
      () => NO_MOVES,
      createRandom(2).next,
      SEARCHED_SIZE,
    ),
  ];
  expect(new Set(parts.flatMap(({ locations }) => [...locations])).size).toBe(1000);
  expect(parts.length).toBeLessThan(10);
});

test('a search of a large city by parts reports plans none dearer than before, and keeps every constraint', {
  tags: 'slow',
}, async () => {
  const problem = cityProblem(7, 1000, 0.95);
  const reported: number[] = [];
  const outcome = await solveProblem(problem, 0.001, {
    deadlineMs: performance.now() + 12_000,
    onProgress: ({ incumbentUnits }) => {
      if (incumbentUnits !== null) reported.push(incumbentUnits);
    },
  });
  if (outcome.kind !== 'solved') throw new Error(outcome.kind);
  const { moves, costUnits, boundUnits } = outcome.solution;
  expect(evaluateMoves(problem, moves)).toMatchObject({ broken: [], costUnits });
  expect(reported).toEqual(reported.toSorted((a, b) => b - a));
  expect(costUnits).toBeLessThanOrEqual(reported.at(-1) ?? Number.POSITIVE_INFINITY);
  expect(costUnits).toBeGreaterThanOrEqual(boundUnits);
});

import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { solveDirect } from '../../../../src/core/optimize/direct.ts';
import { createIncumbent } from '../../../../src/core/optimize/incumbent.ts';
import type { Problem, SolveOutcome } from '../../../../src/core/optimize/model.ts';
import { buildProblem } from '../../../../src/core/optimize/problem.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';

const INSTANCES = 300;
const LIMIT_MS = 20_000;
const settings = { ...SETTINGS, maxRebalancingCost: null };

/** 5–30 locations; great-circle or given costs that keep no triangle inequality; dense, sparse or in parts without a way between. */
function mediumProblem(seed: number): Problem {
  const random = createRandom(seed);
  const capacities = random.pick([[1], [1], [2.5], [1, 2], [1, 2, 4], [0.7, 1.9, 3.1], [1, 2, 3, 5]]);
  const { request, locations } = cityInstance(seed, {
    locations: random.integer(5, capacities.length > 1 ? 14 : 30),
    perLocation: random.integer(1, 8),
    fractional: random.chance(0.85),
    capacities,
    load: random.pick([0.5, 0.8, 0.95, 1.1]),
  });
  const constraints: NonNullable<OptimizeRequest['constraints']> = {
    min_service_level: random.pick([0.5, 0.8, 0.9, 0.95]),
  };
  if (random.chance(0.3)) constraints.max_distance = random.integer(3, 25);
  const fleet = request.fleet_state.vehicles.length;
  if (random.chance(0.2)) constraints.total_fleet_size = Math.floor(fleet * (0.5 + random.next() / 2));
  if (random.chance(0.15)) constraints.min_vehicles_per_location = 1;
  if (random.chance(0.15)) {
    constraints.max_vehicles_per_location = Math.ceil((fleet / locations.length) * (1.2 + random.next()));
  }
  request.constraints = constraints;
  if (random.chance(0.5)) {
    const location_ids = locations.map(({ id }) => id);
    const parts = random.integer(1, 3);
    const forbidden = random.pick([0, 0, 0.5]);
    const costs = location_ids.map((i) =>
      location_ids.map((j) =>
        i % parts !== j % parts || random.chance(forbidden) ? null : random.integer(0, 300_000) / 1e4,
      ),
    );
    request.network = { location_ids, costs };
  }
  return buildProblem(request, locations, settings);
}

async function solveAllMoves(problem: Problem, gap: number): Promise<SolveOutcome> {
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const incumbent = createIncumbent(problem, gap, control);
  const ended = await solveDirect(problem, incumbent, control);
  return ended === 'infeasible' ? { kind: 'infeasible', boundUnits: null } : incumbent.finish(ended);
}

describe('the search over few moves', () => {
  test(`agrees with the formulation of all moves within the proved gaps on ${INSTANCES} random problems`, async () => {
    const wrong: unknown[] = [];
    const seen = { solved: 0, infeasible: 0, exact: 0 };
    for (let seed = 1; seed <= INSTANCES; seed++) {
      const problem = mediumProblem(seed);
      const gap = problem.capacities.length === 1 && seed % 2 ? 0 : 0.002;
      const found = await solveProblem(problem, gap, { deadlineMs: performance.now() + LIMIT_MS });
      const expected = await solveAllMoves(problem, gap);
      if (found.kind !== expected.kind) wrong.push({ seed, found, expected: expected.kind });
      else if (found.kind === 'infeasible') seen.infeasible++;
      else if (found.kind === 'solved' && expected.kind === 'solved') {
        const a = found.solution;
        const b = expected.solution;
        seen.solved++;
        if (gap === 0 && a.proved && b.proved && a.costUnits === b.costUnits) seen.exact++;
        const agrees = a.boundUnits <= b.costUnits && b.boundUnits <= a.costUnits;
        if (!agrees || !a.proved) wrong.push({ seed, gap, found: a, expected: b });
      }
    }
    expect(wrong).toEqual([]);
    expect(Math.min(seen.infeasible, seen.exact)).toBeGreaterThan(INSTANCES / 20);
    expect(seen.solved).toBeGreaterThan(INSTANCES / 2);
  }, 300_000);
});

/**
 * Rules about pairs of locations against every plan, and against HiGHS on a formulation of the tests' own.
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { ConstraintName } from '../../../../src/core/optimize/problem/constraints.ts';
import type { Problem, SolveOutcome } from '../../../../src/core/optimize/problem/model.ts';
import { withoutPairRules } from '../../../../src/core/optimize/problem/pairs.ts';
import { refinePlan } from '../../../../src/core/optimize/refine/refine.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem, optimizeCached as optimize } from '../cached.ts';
import { changed, NO_CONSTRAINT, relaxed } from '../changed-requests.ts';
import { cheapestByTryingAll } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { type Instance, randomInstance, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { withPairRules } from '../pair-rules.ts';
import { tinyInstance } from '../tiny-instances.ts';

const MEDIUM = 90;
const INFEASIBLE = 450;
const EXPLAINED = 150;
const LIMIT_MS = 20_000;

/** Solved with few pairs that have columns at first, however small the problem is. */
async function solveByPricing(problem: Problem, gap: number): Promise<SolveOutcome | 'too large'> {
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const before = await solveProblem(withoutPairRules(problem), gap, control);
  if (before.kind !== 'solved') return before;
  return await refinePlan(problem, before.solution, gap, control, solveProblem, 0);
}

type Refine = NonNullable<NonNullable<OptimizeRequest['options']>['refine']>;
const PAIR_LIMITS: Record<string, { off: number; step: number }> = {
  min_vehicles_per_move: { off: 1, step: 1 },
  max_pairs: { off: 1e3, step: -1 },
  max_moves_from: { off: 1e3, step: -1 },
};
const isPairLimit = (name: string): name is keyof Refine => name in PAIR_LIMITS;

function withValue(request: OptimizeRequest, name: ConstraintName, value: number | null): OptimizeRequest {
  if (!isPairLimit(name)) return changed(request, name, value);
  return {
    ...request,
    options: { ...request.options, refine: { ...request.options?.refine, [name]: value! } },
  };
}

describe('rules about pairs of locations', () => {
  test('agree with HiGHS on a formulation of its own within the proved gaps on random problems, whether all pairs have columns or few', async () => {
    const wrong: unknown[] = [];
    const seen = { solved: 0, infeasible: 0, undecided: 0 };
    const settings = { ...SETTINGS, maxRebalancingCost: null };
    for (const seed of seeds(1, MEDIUM)) {
      const { request: plain, locations } = mediumRequest(seed);
      const rules = { vehicles: 4, pairs: locations.length, from: 3, cost: 15 };
      const request = withPairRules(plain, seed, rules);
      const gap = seed % 2 === 0 ? 0 : 0.01;
      const expected = solveByHighs(request, locations, settings, { gap, seconds: 5 });
      if (expected.kind === 'unknown') {
        seen.undecided++;
        continue;
      }
      seen[expected.kind]++;
      const problem = buildProblem(request, locations, settings);
      const found =
        seed % 3 === 0
          ? await solveByPricing(problem, gap)
          : await solveProblem(problem, gap, { deadlineMs: performance.now() + LIMIT_MS });
      if (found !== 'too large' && found.kind === 'solved' && expected.kind === 'solved') {
        const noise = 0.5 + 1e-9 * expected.costUnits;
        const { proved, boundUnits, objectiveUnits } = found.solution;
        const agrees =
          boundUnits <= expected.costUnits + noise && expected.boundUnits <= objectiveUnits + noise;
        if (!proved || !agrees) wrong.push({ seed, found, expected });
      } else if (found === 'too large' || found.kind !== expected.kind) wrong.push({ seed, found, expected });
    }
    expect(wrong).toEqual([]);
    expect(seen.undecided).toBeLessThan(MEDIUM / 20);
    expect(Math.min(seen.solved, seen.infeasible)).toBeGreaterThan(enough(MEDIUM / 5));
  });

  test('are explained where they allow no plan: every value named suffices, and those that are no map are the nearest, on random requests', async () => {
    const wrong: unknown[] = [];
    const seen = new Map<string, number>();
    const STEPS: Partial<Record<string, number>> = {
      min_service_level: 2e-6,
      max_distance: -0.1,
      max_rebalancing_cost: -1e-4,
      min_vehicles_per_location: 1,
      max_vehicles_per_location: -1,
      total_fleet_size: -1,
    };
    const isPossible = (request: OptimizeRequest, locations: Instance['locations']) =>
      cheapestByTryingAll(request, locations) !== null;
    for (const seed of seeds(1, INFEASIBLE)) {
      const { request: plain, locations } = randomInstance(30_000 + seed);
      const request = withPairRules(plain, seed, { vehicles: 4, pairs: 1, from: 1, cost: 20 });
      if (isPossible(request, locations)) continue;
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      if (outcome.status !== 'infeasible') {
        wrong.push({ seed, outcome });
        continue;
      }
      for (const conflict of outcome.conflicts) {
        const { constraint, relaxation, value, proved } = conflict;
        if (constraint === 'network' || constraint === 'supply') continue;
        const kind = `${constraint} ${relaxation === null ? 'alone' : 'helps'}`;
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        // Bounds that differ by location: with rules about pairs, the changes suffice, but may not be the smallest.
        if (conflict.changes) {
          if (!isPossible(relaxed(request, conflict), locations)) wrong.push({ seed, conflict });
          continue;
        }
        if (!proved) wrong.push({ seed, conflict, reason: 'not proved' });
        const off = PAIR_LIMITS[constraint]?.off ?? NO_CONSTRAINT[constraint]!;
        if (
          isPossible(withValue(request, constraint, relaxation ?? off), locations) ===
          (relaxation === null)
        )
          wrong.push({ seed, conflict });
        if (relaxation === null) continue;
        const step = PAIR_LIMITS[constraint]?.step ?? STEPS[constraint]!;
        const tighter = Math.round((relaxation + step) * 1e7) / 1e7;
        const isBetween = step < 0 ? tighter > value! : tighter < value!;
        if (isBetween && isPossible(withValue(request, constraint, tighter), locations))
          wrong.push({ seed, conflict, tighter });
      }
      for (const name of Object.keys(request.options?.refine ?? {}) as ConstraintName[]) {
        const isNamed = outcome.conflicts.some(({ constraint }) => constraint === name);
        const helps =
          name in PAIR_LIMITS && isPossible(withValue(request, name, PAIR_LIMITS[name].off), locations);
        if (!isNamed && helps) wrong.push({ seed, name, reason: 'would help and is not named' });
      }
    }
    expect(wrong).toEqual([]);
    for (const name of Object.keys(PAIR_LIMITS))
      expect(seen.get(`${name} helps`) ?? 0, name).toBeGreaterThan(enough(3));
  });

  test('have explanations whose exact figures agree with trying every plan without a move, on random requests', async () => {
    const wrong: unknown[] = [];
    let known = 0;
    for (const seed of seeds(1, EXPLAINED)) {
      const { request: plain, locations } = tinyInstance(seed);
      const { network } = plain;
      if (!network) continue;
      const constraints = { ...plain.constraints, max_rebalancing_cost: null };
      const rules = { vehicles: 2, pairs: 4, from: 2, cost: 20 };
      const request = withPairRules({ ...plain, constraints }, seed, rules);
      const options = { ...request.options, explain: true };
      const cheapest = cheapestByTryingAll(request, locations);
      if (!cheapest) continue;
      const outcome = await optimize({ request: { ...request, options }, locations, settings: SETTINGS });
      if (outcome.status !== 'optimal') throw new Error(`seed ${seed}: ${outcome.status}`);
      for (const move of outcome.result.insights!.moves) {
        if (move.error_at_most !== 0) continue;
        known++;
        const [i, j] = [move.source_location, move.target_location].map((id) =>
          network.location_ids.indexOf(id),
        );
        const costs = network.costs.map((row, from) => (from === i ? row.with(j, null) : row));
        const without = cheapestByTryingAll({ ...request, network: { ...network, costs } }, locations);
        const added = without && (without.costUnits - cheapest.costUnits) / 1e4;
        const isRight =
          added === null ? move.forbidding_costs === null : Math.abs(move.forbidding_costs! - added) < 1e-6;
        if (!isRight) wrong.push({ seed, move, added });
      }
    }
    expect(wrong).toEqual([]);
    expect(known).toBeGreaterThan(enough(10));
  });
});

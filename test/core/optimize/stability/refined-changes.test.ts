/**
 * Rules about pairs of locations beside a change cost, against every plan, and against HiGHS on a formulation of the
 * tests' own.
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { Problem, SolveOutcome } from '../../../../src/core/optimize/problem/model.ts';
import { withoutPairRules } from '../../../../src/core/optimize/problem/pairs.ts';
import { refinePlan } from '../../../../src/core/optimize/refine/refine.ts';
import { solveChanges } from '../../../../src/core/optimize/stability/solve-changes.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem, optimizeCached as optimize } from '../cached.ts';
import { cheapestByTryingAll, mostServedByTryingAll, readFacts } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { withPairRules } from '../pair-rules.ts';
import { tinyInstance } from '../tiny-instances.ts';
import { withPrevious } from './previous-plans.ts';

const TINY = 1000;
const MEDIUM = 60;
const LIMIT_MS = 20_000;

/** Solved with few pairs that have columns at first, however small the problem is. */
async function solveByPricing(problem: Problem, gap: number): Promise<SolveOutcome | 'too large'> {
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const before = await solveChanges(withoutPairRules(problem), gap, control);
  if (before.kind !== 'solved') return before;
  return await refinePlan(problem, before.solution, gap, control, solveChanges, 0);
}

describe('rules about pairs of locations beside a change cost', () => {
  test('a pair may carry vehicles that only keep to the previous plan, and the pair that saves most is used', async () => {
    const vehicles = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, location: 1 }));
    // Three vehicles should go to 2, where that costs nearly as much as a change, and two to 3, where it is cheap.
    const previous = new Map(vehicles.map(({ id }, at) => [id, at < 3 ? 2 : 3]));
    const request: OptimizeRequest = {
      demand_forecast: { 1: [0], 2: [0], 3: [0] },
      fleet_state: { vehicles },
      network: {
        location_ids: [1, 2, 3],
        costs: [
          [0, 4, 0.1],
          [4, 0, 4],
          [0.1, 4, 0],
        ],
      },
      options: { previous_plan_id: 'plan_before', change_cost: 5, refine: { max_pairs: 1 } },
    };
    const outcome = await optimize({ request, locations: [], settings: SETTINGS, previous });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    const { allocation_plan, stability, refinement } = outcome.result;
    expect(allocation_plan.map(({ target_location }) => target_location)).toEqual([1, 1, 1, 3, 3]);
    expect(stability).toMatchObject({ changed_vehicles: 3, change_cost: 15, cost_without: 0 });
    expect(refinement).toMatchObject({ pairs: 1, pairs_without: 2, cost_without: 12.2 });
  });

  test('concern pairs of locations, whatever the targets of their vehicles: no plan of random requests costs less', async () => {
    const wrong: unknown[] = [];
    const seen = {
      infeasible: 0,
      'dearer by changes': 0,
      'other plan by changes': 0,
      'several targets on a pair': 0,
      classes: 0,
      unmet: 0,
      bounds: 0,
      ceiling: 0,
      short: 0,
      pinned: 0,
    };
    for (const seed of seeds(1, TINY)) {
      const { request: plain, locations, costs } = tinyInstance(seed);
      const { ids } = readFacts(plain, locations);
      const unmet = seed % 6 === 5;
      const constraints = {
        ...plain.constraints,
        ...(unmet && { unmet_demand_cost: seed % 30 }),
        ...(seed % 5 === 0 && { shortage: 'serve_most' as const }),
      };
      const rules = { vehicles: 3, pairs: 4, from: 2, cost: 20 };
      const ruled = withPairRules({ ...plain, constraints }, seed, rules);
      const dearest = costs.includes('large') ? 1e8 : 30;
      const { request, previous } = withPrevious(ruled, ids, seed, dearest);
      const expected =
        cheapestByTryingAll(request, locations, SETTINGS, null, previous) ??
        (seed % 5 === 0 ? mostServedByTryingAll(request, locations, previous) : null);
      if (!expected) {
        seen.infeasible++;
        const problem = buildProblem(request, locations, SETTINGS, previous);
        const { kind } = await solveChanges(problem, 0, { deadlineMs: performance.now() + LIMIT_MS });
        if (kind !== 'infeasible') wrong.push({ seed, kind });
        continue;
      }
      const outcome = await optimize({ request, locations, settings: SETTINGS, previous });
      if (outcome.status !== 'optimal') {
        wrong.push({ seed, outcome });
        continue;
      }
      const { stability, refinement, kpis, shortfall, total_cost, allocation_plan } = outcome.result;
      const { objective } = outcome.certificate;
      if (seed % 5 > 0) {
        // The search alone, which does not know the previous plan as one that keeps every constraint.
        const problem = buildProblem(request, locations, SETTINGS, previous);
        const control = { deadlineMs: performance.now() + LIMIT_MS };
        const solved =
          seed % 2 === 0 ? await solveByPricing(problem, 0) : await solveChanges(problem, 0, control);
        const units =
          solved !== 'too large' && solved.kind === 'solved' ? solved.solution.objectiveUnits : null;
        if (units === null || Math.abs(units - expected.costUnits) > 1.5 + 1e-9 * expected.costUnits)
          wrong.push({ seed, units, expected });
      }
      // Costs of unmet demand are rounded up, so two plans that differ by less than a unit are equally good.
      const difference = Math.abs(objective * 1e4 - expected.costUnits);
      const sum =
        total_cost + stability!.change_cost + (refinement?.pair_cost ?? 0) + (kpis.unmet_demand_cost ?? 0);
      const isSum = Math.abs(sum - objective) <= 1e-4 + 1e-9 * objective;
      if (difference > (unmet ? 1.5 : 0.1) + 1e-9 * expected.costUnits || !isSum || (!unmet && !stability))
        wrong.push({ seed, objective, expected, sum });
      if (stability!.change_cost > 0) seen['dearer by changes']++;
      if (stability!.cost_without !== total_cost) seen['other plan by changes']++;
      const targetsOn = new Map<string, Set<number | undefined>>();
      for (const { vehicle_id, source_location, target_location } of allocation_plan) {
        if (source_location === target_location) continue;
        const pair = `${source_location} ${target_location}`;
        targetsOn.set(pair, (targetsOn.get(pair) ?? new Set()).add(previous.get(vehicle_id)));
      }
      if (targetsOn.values().some(({ size }) => size > 1)) seen['several targets on a pair']++;
      if (new Set(request.fleet_state.vehicles.map((v) => v.capacity)).size > 1) seen.classes++;
      if (unmet) seen.unmet++;
      if (request.constraints?.max_vehicles_per_location !== undefined) seen.bounds++;
      if (request.constraints?.max_rebalancing_cost !== null) seen.ceiling++;
      if (request.fleet_state.vehicles.some(({ pinned }) => pinned)) seen.pinned++;
      if (shortfall) seen.short++;
    }
    expect(wrong).toEqual([]);
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(TINY / 100));
  });

  test('agree with HiGHS on a formulation of its own within the proved gaps on random problems, whether all pairs have columns or few', async () => {
    const wrong: unknown[] = [];
    const seen = { solved: 0, infeasible: 0, undecided: 0, changed: 0 };
    const settings = { ...SETTINGS, maxRebalancingCost: null };
    for (const seed of seeds(1, MEDIUM)) {
      const { request: plain, locations } = mediumRequest(seed);
      const { ids } = readFacts(plain, locations);
      const rules = { vehicles: 4, pairs: locations.length, from: 3, cost: 15 };
      const { request, previous } = withPrevious(withPairRules(plain, seed, rules), ids, seed, 15);
      const gap = 0.01;
      const expected = solveByHighs(request, locations, settings, { gap, seconds: 5 }, previous);
      if (expected.kind === 'unknown') {
        seen.undecided++;
        continue;
      }
      seen[expected.kind]++;
      const problem = buildProblem(request, locations, settings, previous);
      const control = { deadlineMs: performance.now() + LIMIT_MS };
      const found =
        seed % 2 === 0 ? await solveByPricing(problem, gap) : await solveChanges(problem, gap, control);
      if (found !== 'too large' && found.kind === 'solved' && expected.kind === 'solved') {
        const noise = 0.5 + 1e-9 * expected.costUnits;
        const { proved, boundUnits, objectiveUnits, costUnits } = found.solution;
        const agrees =
          boundUnits <= expected.costUnits + noise && expected.boundUnits <= objectiveUnits + noise;
        if (!proved || !agrees) wrong.push({ seed, found, expected });
        if (objectiveUnits > costUnits) seen.changed++;
      } else if (found === 'too large' || found.kind !== expected.kind) wrong.push({ seed, found, expected });
    }
    expect(wrong).toEqual([]);
    expect(seen.undecided).toBeLessThan(MEDIUM / 10);
    expect(Math.min(seen.solved, seen.infeasible, seen.changed)).toBeGreaterThan(enough(MEDIUM / 8));
  });
});

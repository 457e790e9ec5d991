import { describe, expect, it } from 'vitest';
import { boundWithRules } from '../../../../src/core/optimize/horizon/ruled-bound.ts';
import { measureRuled } from '../../../../src/core/optimize/horizon/ruled-figures.ts';
import { solveWithRules } from '../../../../src/core/optimize/horizon/solve-with-rules.ts';
import { enough, isFullDepth, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { createRandom } from '../instances.ts';
import { formulateRuled } from './ruled-formulation.ts';
import { tinyRuled, tinyRulesOf } from './ruled-instances.ts';

const control = { deadlineMs: 1e12 };

describe('horizon plans with several capacities, bounds, priorities, ceilings, a previous plan, a fleet size', () => {
  it('serve as much of each level and of all demand, for as little, as all moves in one programme', {
    tags: ['slow'],
  }, async () => {
    const counts = { solved: 0, unserved: 0, infeasible: 0, whole: 0 };
    for (const seed of seeds(1, 512)) {
      const problem = tinyRuled(seed, tinyRulesOf(seed));
      const where = `seed ${seed} ${JSON.stringify(tinyRulesOf(seed))}`;
      const found = await solveWithRules(problem, control, threadCache);
      const expected = formulateRuled(problem);
      if (!expected) {
        expect(found, where).toEqual({ kind: 'infeasible', isProved: true });
        counts.infeasible++;
        continue;
      }
      if (found.kind === 'infeasible') {
        // Fractional vehicles keep the bounds, and whole ones do not.
        expect([found.isProved, formulateRuled(problem, true)], where).toEqual([false, null]);
        counts.whole++;
        continue;
      }
      if (found.kind !== 'solved' && found.kind !== 'unserved') throw new Error(`${where}: ${found.kind}`);
      counts[found.kind]++;
      const { plan } = found;
      const { base } = problem;
      const total = base.demand.reduce((a, b) => a + b, 0);
      const noise = 1e-6 * (1 + total);
      const all = expected.served.at(-1)!;
      if (Math.abs(all - base.required) > noise)
        expect(found.kind === 'solved', where).toBe(expected.isReached);
      // A plan whose whole moves serve higher levels less well than fractional ones may serve more in all.
      const isMostAbove = (l: number) =>
        plan.levels.slice(0, l).every((higher) => higher.served > higher.most - noise);
      // What branch and cut proves is the most of plans with whole first moves.
      const least = plan.isBranched ? formulateRuled(problem, true)! : expected;
      const isMostOf = (most: number, wish: number) => {
        expect(most, where).toBeLessThan(expected.served[wish]! + noise);
        expect(most, where).toBeGreaterThan(least.served[wish]! - noise);
      };
      if (!expected.isReached && isMostAbove(plan.levels.length))
        isMostOf(plan.mostServed, expected.served.length - 1);
      for (const [l, { most, served }] of plan.levels.entries()) {
        if (!isMostAbove(l)) break;
        isMostOf(most, l);
        expect(served, where).toBeLessThan(most + noise);
      }
      const units = 1e-4 * (1 + Math.abs(expected.objectiveUnits) + 100 * total);
      expect(Math.abs(plan.fractionalUnits! - expected.objectiveUnits), where).toBeLessThan(units);
      // The bound is one of plans that serve as much as the plan of whole first moves.
      if (!plan.isBoundBranched) expect(plan.boundUnits, where).toBeLessThan(expected.objectiveUnits + units);
      const isMost = plan.levels.every(({ served, most }) => served > most - noise);
      if (isMost && plan.figures.totalServed > Math.min(base.required, all) - noise)
        expect(plan.boundUnits, where).toBeGreaterThan(
          Math.min(expected.objectiveUnits, least.objectiveUnits) - units,
        );
      // As many serve as can: with trip flows, fewer may, so that docks have room.
      if (!base.flows) expect(measureRuled(problem, plan.moves), where).not.toBeTypeOf('string');
      for (let m = 0; plan.moves.step[m] === 0; m++) expect(plan.moves.vehicles[m] % 1, where).toBe(0);
    }
    expect(Math.min(counts.solved, counts.unserved, counts.infeasible)).toBeGreaterThan(enough(40));
  });

  it('have a first step that costs little more than the best whole one, and serves as much', {
    tags: ['slow'],
  }, async () => {
    let own = 0;
    let best = 0;
    let compared = 0;
    for (const seed of seeds(1, 96)) {
      const { levels: _, ...rules } = tinyRulesOf(seed);
      const problem = tinyRuled(seed, rules);
      problem.base.required = 0;
      const found = await solveWithRules(problem, control, threadCache);
      const whole = formulateRuled(problem, true);
      if (!('plan' in found) || !whole) continue;
      const { figures, boundUnits } = found.plan;
      expect(figures.objectiveUnits, `seed ${seed}`).toBeGreaterThan(whole.objectiveUnits - 1);
      own += figures.objectiveUnits - boundUnits;
      best += whole.objectiveUnits - boundUnits;
      compared++;
    }
    expect(compared).toBeGreaterThan(enough(50));
    if (isFullDepth) expect(own).toBeLessThan(6 * best);
  });

  it('know a bound from any prices', async () => {
    let compared = 0;
    for (const seed of seeds(1, 400)) {
      const random = createRandom(seed);
      const problem = tinyRuled(seed, tinyRulesOf(seed));
      problem.base.required = 0;
      const found = await solveWithRules(problem, control, threadCache);
      if (found.kind !== 'solved') continue;
      const { n, steps } = problem.base;
      const some = (size: number, most: number) =>
        Float64Array.from({ length: size }, () => (random.chance(0.5) ? 0 : most * random.next()));
      const bound = boundWithRules(
        problem,
        { cost: 1, served: new Float64Array(n), beyond: Number.POSITIVE_INFINITY },
        { required: 0, floors: new Float64Array(10) },
        {
          values: some(problem.capacities.length * n * steps, 5),
          groups: new Float64Array(problem.previous?.groups.length ?? 0),
          least: some(n * steps, 3),
          most: some(n * steps, 3),
          ceiling: some(steps, 2),
          fleet: some(steps, 2),
          floors: new Float64Array(10),
          required: 0,
        },
      );
      expect(bound * 1e4, `seed ${seed}`).toBeLessThanOrEqual(found.plan.figures.objectiveUnits + 0.1);
      compared++;
    }
    expect(compared).toBeGreaterThan(enough(150));
  });

  it('exist when time is up, and keep what they cost below the ceiling', async () => {
    let stopped = 0;
    for (const seed of seeds(1, 200)) {
      const problem = tinyRuled(seed, { ...tinyRulesOf(seed), bounds: false });
      const expected = formulateRuled(problem)!;
      const found = await solveWithRules(problem, { deadlineMs: 0 }, threadCache);
      if (found.kind !== 'stopped') throw new Error(`seed ${seed}: ${found.kind}`);
      const { boundUnits, figures } = found.plan;
      expect(boundUnits).toBeLessThanOrEqual(figures.objectiveUnits);
      expect(boundUnits).toBeGreaterThan(Number.NEGATIVE_INFINITY);
      expect(figures.movingUnits).toBe(0);
      if (expected.isReached) stopped++;
    }
    expect(stopped).toBeGreaterThan(enough(50));
  });
});

import { describe, expect, it } from 'vitest';
import { measureHorizon } from '../../../../src/core/optimize/horizon/horizon-figures.ts';
import { solveNetwork } from '../../../../src/core/optimize/horizon/solve-network.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { everyOutcome } from './every-plan.ts';
import { tinyHorizon } from './horizon-instances.ts';

/** Of units: costs of parts of a load are rounded in the search. */
const NOISE = 0.01;

describe('horizon plans without trip flows', { tags: ['slow'] }, () => {
  it.each([
    { what: 'certain', isUncertain: false, count: 6000 },
    { what: 'in parts that come with a chance', isUncertain: true, count: 2000 },
  ])('agree with trying every plan, where demand is $what', ({ isUncertain, count }) => {
    const kinds = { solved: 0, unserved: 0, infeasible: 0, stopped: 0 };
    let inexact = 0;
    for (const seed of seeds(1, count)) {
      const problem = tinyHorizon(seed, false, isUncertain);
      const outcomes = everyOutcome(problem);
      const found = solveNetwork(problem);
      kinds[found.kind]++;
      const where = `seed ${seed}`;
      const noise = 1e-9 * problem.demand.reduce((sum, value) => sum + value, 0);
      const most = outcomes.at(-1)?.served;
      if (most === undefined) {
        expect(found.kind, where).toBe('infeasible');
        continue;
      }
      const enough = outcomes.filter(({ served }) => served >= problem.required - noise);
      const required = enough.length > 0 ? problem.required : most;
      expect(found.kind, where).toBe(enough.length > 0 ? 'solved' : 'unserved');
      if (found.kind !== 'solved' && found.kind !== 'unserved') continue;
      const { moves, figures, boundUnits, mostServed } = found.plan;
      expect(measureHorizon(problem, moves), where).toEqual(figures);
      const optimum = Math.min(
        ...outcomes.filter(({ served }) => served >= required - noise).map(({ cost }) => cost),
      );
      expect(figures.totalServed, where).toBeGreaterThanOrEqual(required - 2 * noise);
      expect(boundUnits, where).toBeLessThanOrEqual(optimum + NOISE);
      expect(figures.objectiveUnits, where).toBeGreaterThanOrEqual(optimum - NOISE);
      expect(mostServed, where).toBeGreaterThanOrEqual(most - noise);
      if (problem.required === 0 || found.kind === 'unserved')
        expect(figures.objectiveUnits - boundUnits, where).toBeLessThanOrEqual(1);
      if (figures.objectiveUnits > optimum + 1) inexact++;
    }
    expect(kinds.stopped).toBe(0);
    expect(Math.min(kinds.solved, kinds.unserved, kinds.infeasible)).toBeGreaterThan(enough(count / 20));
    // A service level is one of whole cycles of vehicles; a plan may serve up to a cycle too much.
    expect(inexact).toBeLessThanOrEqual(2);
  });
});

import { describe, expect, it } from 'vitest';
import { planHorizon } from '../../../../src/core/optimize/horizon/plan-horizon.ts';
import { roundInPairs } from '../../../../src/core/optimize/horizon/round-moves.ts';
import { solveNetwork } from '../../../../src/core/optimize/horizon/solve-network.ts';
import { shareTrips } from '../../../../src/core/optimize/horizon/trip-shares.ts';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';
import { boundFromValues } from '../../../../src/core/optimize/horizon/value-bound.ts';
import { enough, isFullDepth, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { createRandom } from '../instances.ts';
import { randomHorizon, tinyHorizon } from './horizon-instances.ts';

const control = { deadlineMs: 1e9 };

function mediumHorizon(seed: number, hasFlows: boolean): HorizonProblem {
  const shape = { n: 12, steps: 8, vehicles: 60, isFractional: seed % 2 === 0, hasFlows };
  return randomHorizon(createRandom(seed), shape);
}

describe('a plan that looks ahead', () => {
  for (const hasFlows of [false, true]) {
    const kind = hasFlows ? 'with trip flows' : 'without trip flows';

    it(`is the same in every run, ${kind}`, async () => {
      for (const seed of seeds(1, 5)) {
        const problem = mediumHorizon(seed, hasFlows);
        const first = await planHorizon(problem, 0, control, threadCache);
        expect(await planHorizon(problem, 0, control, threadCache)).toEqual(first);
      }
    });

    it(`ends at once with the stop flag, ${kind}`, async () => {
      const stopFlag = Int32Array.of(1);
      const ended = await planHorizon(mediumHorizon(1, hasFlows), 0, { ...control, stopFlag }, threadCache);
      expect(ended).toEqual({ kind: 'cancelled' });
    });

    it(`is cancelled by a stop flag that is set during the search, ${kind}`, async () => {
      const stopFlag = Int32Array.of(0);
      const onLook = () => {
        stopFlag[0] = 1;
      };
      const running = { ...control, stopFlag, onLook };
      const ended = await planHorizon(mediumHorizon(1, hasFlows), 0, running, threadCache);
      expect(ended).toEqual({ kind: 'cancelled' });
    });

    it(`exists when time is up, with a bound that holds, ${kind}`, async () => {
      let isPast = false;
      for (const seed of seeds(1, 20)) {
        const { least: _, most: __, ...problem } = mediumHorizon(seed, hasFlows);
        const late = await planHorizon(problem, 0, { deadlineMs: 0 }, threadCache);
        const full = await planHorizon(problem, 0, control, threadCache);
        if (late.kind !== 'solved' || full.kind !== 'solved') throw new Error(late.kind);
        if (full.solution.isShort || late.solution.isShort) continue;
        isPast ||= late.solution.objectiveUnits > full.solution.objectiveUnits;
        const { boundUnits, values } = late.solution;
        expect(boundUnits).toBeLessThanOrEqual(full.solution.objectiveUnits);
        expect(boundUnits).toBeGreaterThan(Number.NEGATIVE_INFINITY);
        expect(values).toHaveLength((problem.steps + 1) * problem.n);
      }
      if (isFullDepth) expect(isPast).toBe(true);
    });

    it(`has an outlook that adds up to its figures, ${kind}`, async () => {
      let solved = 0;
      for (const seed of seeds(1, 20)) {
        const problem = mediumHorizon(seed, hasFlows);
        const planned = await planHorizon(problem, 0, control, threadCache);
        if (planned.kind !== 'solved') continue;
        solved++;
        const { outlook, figures, moves } = planned.solution;
        const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);
        expect(sum(outlook.map(({ served }) => sum(served)))).toBeCloseTo(figures.totalServed, 6);
        expect(outlook[0].moves.map(({ vehicles }) => vehicles)).toEqual([...moves.count]);
        for (const { served, demand } of outlook)
          for (const [j, amount] of served.entries()) expect(amount).toBeLessThanOrEqual(demand[j]);
      }
      expect(solved).toBeGreaterThan(enough(10));
    });
  }

  it('knows a bound from any values of vehicles', () => {
    let solved = 0;
    for (const seed of seeds(1, 300)) {
      const problem = tinyHorizon(seed);
      const random = createRandom(seed);
      const found = solveNetwork(problem);
      if (found.kind !== 'solved') continue;
      solved++;
      const values = found.plan.values.map((value) => value + random.integer(-5000, 5000));
      const bound = boundFromValues(problem, values, found.plan.multiplier * random.next() * 2);
      expect(bound).toBeLessThanOrEqual(found.plan.figures.objectiveUnits + 1);
    }
    expect(solved).toBeGreaterThan(enough(200));
  });
});

describe('trips', () => {
  it('follow the largest shares up to 98 %, and the rest in proportion', () => {
    const { starts, targets, shares } = shareTrips(3, [90, 9, 1, 0, 0, 0, 1, 1, 2]);
    expect([...starts]).toEqual([0, 2, 3, 6]);
    expect([...targets]).toEqual([0, 1, 1, 0, 1, 2]);
    expect([...shares]).toEqual([90 / 99, 9 / 99, 1, 0.25, 0.25, 0.5]);
  });
});

describe('vehicles rounded in pairs', () => {
  it('are rounded up or down, and so are the sums of rows and columns', () => {
    for (const seed of seeds(1, 500)) {
      const random = createRandom(seed);
      const size = random.integer(1, 40);
      const any = () => Array.from({ length: size }, () => random.integer(0, 6));
      const [rows, columns] = [any(), any()];
      const amounts = Float64Array.from({ length: size }, () =>
        random.chance(0.3) ? random.integer(0, 4) : 5 * random.next(),
      );
      const rounded = roundInPairs(rows, columns, amounts);
      const isNear = (before: number, after: number) =>
        after === Math.round(after) && Math.abs(after - before) < 1 - 1e-9;
      for (const [a, amount] of amounts.entries())
        expect(isNear(amount, rounded[a]), `seed ${seed}`).toBe(true);
      for (const keys of [rows, columns]) {
        for (const key of new Set(keys)) {
          const sum = (values: Float64Array) =>
            values.reduce((all, value, a) => (keys[a] === key ? all + value : all), 0);
          expect(isNear(sum(amounts), sum(rounded)), `seed ${seed}`).toBe(true);
        }
      }
    }
  });
});

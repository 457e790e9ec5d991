import { describe, expect, it } from 'vitest';
import {
  expectedDemand,
  partsFromOutcomes,
  wholePieces,
  withoutServed,
} from '../../../../src/core/optimize/horizon/demand-parts.ts';
import { planHorizon } from '../../../../src/core/optimize/horizon/plan-horizon.ts';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';
import { seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { createRandom } from '../instances.ts';
import { randomHorizon, tinyHorizon } from './horizon-instances.ts';

const control = { deadlineMs: 1e9 };

async function planned(problem: HorizonProblem) {
  const found = await planHorizon(problem, 0, control, threadCache);
  if (found.kind !== 'solved') return found;
  const { iterations, columns, ...solution } = found.solution;
  return solution;
}

describe('demand in parts', () => {
  it('expects the mean of equally likely outcomes, and serves the mean of what each of them leaves', () => {
    for (const seed of seeds(1, 300)) {
      const random = createRandom(seed);
      const count = random.integer(1, 5);
      const load = random.pick([1, 2, 0.7]);
      const drawn = Array.from({ length: count }, () => random.integer(0, 12) * random.pick([1, 0.5]));
      const outcomes = drawn.sort((a, b) => a - b).map((demand) => Float64Array.of(demand));
      const parts = partsFromOutcomes(outcomes);
      const mean = (of: (demand: number) => number) =>
        drawn.reduce((sum, demand) => sum + of(demand), 0) / count;
      expect(expectedDemand(parts)[0]).toBeCloseTo(
        mean((demand) => demand),
        12,
      );
      const pinned = random.integer(0, 6);
      expect(expectedDemand(withoutServed(parts, [pinned]))[0]).toBeCloseTo(
        mean((demand) => Math.max(0, demand - pinned)),
        12,
      );
      const pieces = wholePieces(parts, 0, load);
      for (let vehicles = 0; vehicles <= 20; vehicles++) {
        const served = pieces.reduce((sum, piece, i) => {
          const from = i === 0 ? 0 : pieces[i - 1].upTo;
          return sum + piece.served * Math.max(0, Math.min(vehicles, piece.upTo) - from);
        }, 0);
        expect(served).toBeCloseTo(
          mean((demand) => Math.min(demand, vehicles * load)),
          9,
        );
      }
      for (const [i, { served }] of pieces.entries())
        expect(served).toBeLessThanOrEqual((pieces[i - 1]?.served ?? load) + 1e-9);
    }
  });

  it('is planned as any other, to the last digit, if it is one part that is certain', async () => {
    for (const seed of seeds(1, 60)) {
      const problem = tinyHorizon(seed, seed % 2 === 0);
      const parts = { chances: Float64Array.of(1), sizes: problem.demand };
      expect(await planned({ ...problem, parts }), `seed ${seed}`).toEqual(await planned(problem));
    }
  });

  it('is planned the same in two parts that always come together', async () => {
    for (const seed of seeds(1, 20)) {
      const shape = { n: 6, steps: 3, vehicles: 30, isFractional: true, hasFlows: seed % 2 === 0 };
      const problem = { ...randomHorizon(createRandom(seed), shape), required: 0 };
      const half = problem.demand.map((demand) => demand / 2);
      const sizes = new Float64Array([...half, ...half]);
      const [one, two] = [
        await planned(problem),
        await planned({ ...problem, parts: { chances: Float64Array.of(1, 1), sizes } }),
      ];
      if (!('objectiveUnits' in one && 'objectiveUnits' in two)) expect(two).toEqual(one);
      else expect(Math.abs(two.boundUnits - one.boundUnits), `seed ${seed}`).toBeLessThanOrEqual(1);
    }
  });

  it('sends a vehicle to where it is likely to serve, and leaves one where the mean is higher but rare', async () => {
    // 3 vehicles at location 0. Location 1 wants 2 for sure; location 2 wants 9 every third time, 3 on average.
    const outcomes = [0, 0, 9].map((rare) => Float64Array.of(0, 0, 0, 0, 2, rare));
    const parts = partsFromOutcomes(outcomes);
    const problem: HorizonProblem = {
      ...{ n: 3, steps: 2, capacity: 1, required: 0, parts, demand: expectedDemand(parts) },
      supply: Int32Array.of(3, 0, 0, 0, 0, 0),
      pairs: {
        starts: Int32Array.of(0, 2, 2, 2),
        targets: Int32Array.of(1, 2),
        units: Float64Array.of(50, 40),
        delay: Uint8Array.of(1, 1),
      },
      unmetUnits: new Float64Array(6).fill(100),
    };
    const movesOf = async (one: HorizonProblem) => {
      const found = await planHorizon(one, 0, control, threadCache);
      if (found.kind !== 'solved') throw new Error(found.kind);
      const { target, count } = found.solution.moves;
      return [...target].map((j, m) => [j, count[m]]);
    };
    // Without chances all go where moving is cheaper; with them the third part of a trip is not worth a move.
    expect(await movesOf({ ...problem, parts: undefined })).toEqual([[2, 3]]);
    expect(await movesOf(problem)).toEqual([[1, 2]]);
    const ends = { starts: Int32Array.of(0, 1, 2, 3), targets: Int32Array.of(0, 1, 2) };
    const flows = new Array(2).fill({ ...ends, shares: Float64Array.of(1, 1, 1) });
    expect(await movesOf({ ...problem, flows })).toEqual([[1, 2]]);
  });
});

import { describe, expect, it } from 'vitest';
import { withFewerPlaces } from '../../../../src/core/optimize/horizon/coarse-problem.ts';
import { seamAt, seamsOf } from '../../../../src/core/optimize/horizon/seams.ts';
import { solveWithFlows } from '../../../../src/core/optimize/horizon/solve-with-flows.ts';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';
import { casesOfDay, enough, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { createRandom } from '../instances.ts';
import { expectAgreement } from './expect-agreement.ts';
import { randomHorizon } from './horizon-instances.ts';

const sumOf = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0);

/** 104 places on a line, from each of which its four neighbours are reached, and the last of which is an island. */
function longLine(seed: number, level: number, steps = 7): HorizonProblem {
  const random = createRandom(seed);
  const n = 104;
  const shape = {
    n,
    steps,
    vehicles: 260,
    isFractional: true,
    hasFlows: true,
    isUncertain: seed % 2 === 0,
  };
  const problem = randomHorizon(random, shape);
  const starts = new Int32Array(n + 1);
  const targets: number[] = [];
  for (let i = 0; i < n; i++) {
    for (const j of [i - 2, i - 1, i + 1, i + 2]) if (i < n - 1 && j >= 0 && j < n - 1) targets.push(j);
    starts[i + 1] = targets.length;
  }
  const units = Float64Array.from(targets, () => random.integer(1000, 20_000));
  const pairs = {
    starts,
    targets: Int32Array.from(targets),
    units,
    delay: new Uint8Array(units.length).fill(1),
  };
  const { end: _, ...rest } = problem;
  return { ...rest, pairs, required: level * sumOf(problem.demand) };
}

describe('a problem of fewer places', () => {
  it('has all vehicles, demand and trips of the problem itself', () => {
    for (const seed of seeds(1, 20)) {
      const problem = longLine(seed, 0.5);
      const { coarse } = withFewerPlaces(problem, 26);
      expect(coarse.n).toBeGreaterThanOrEqual(26);
      expect(coarse.n).toBeLessThan(104);
      expect(sumOf(coarse.supply)).toBe(sumOf(problem.supply));
      expect(sumOf(coarse.demand)).toBeCloseTo(sumOf(problem.demand), 6);
      const { parts, flows = [], pairs } = coarse;
      if (parts) expect(sumOf(parts.sizes)).toBeCloseTo(sumOf(problem.parts?.sizes ?? []), 6);
      expect(flows).toHaveLength(7);
      for (const { starts, shares } of flows)
        for (let c = 0; c < coarse.n; c++)
          expect(sumOf(shares.subarray(starts[c], starts[c + 1]))).toBeCloseTo(1, 9);
      expect(pairs.starts).toHaveLength(coarse.n + 1);
      expect(Math.min(...pairs.delay)).toBe(1);
    }
  });

  it('starts searches for service levels that end where all moves as one programme do', {
    tags: ['slow'],
  }, async () => {
    const kinds = { solved: 0, unserved: 0 };
    for (const [seed, level] of casesOfDay([
      [1, 0.4],
      [2, 0.5],
      [3, 0.6],
      [4, 1],
      [5, 1],
    ])) {
      const problem = longLine(seed, level);
      const where = `seed ${seed}, level ${level}`;
      const found = await solveWithFlows(problem, { deadlineMs: 1e9 }, threadCache);
      kinds[expectAgreement(problem, found, where)]++;
    }
    expect(Math.min(kinds.solved, kinds.unserved)).toBeGreaterThan(enough(0));
  });

  it('says what ranges leave at their ends, and plans end where all moves as one programme do', {
    tags: ['slow'],
  }, async () => {
    for (const seed of seeds(1, 4)) {
      const problem = { ...longLine(seed, 0, 8), unmetUnits: new Float64Array(8 * 104).fill(5000 * seed) };
      const found = await solveWithFlows(problem, { deadlineMs: 1e9 }, threadCache);
      expect(expectAgreement(problem, found, `seed ${seed}`)).toBe('solved');
    }
  });

  it('shares its vehicles among the places that it stands for', () => {
    const problem = longLine(3, 0.5);
    const fewer = withFewerPlaces(problem, 26);
    const { coarse, clusterOf, radius } = fewer;
    const values = Float64Array.from({ length: 8 * coarse.n }, (_, u) => 1000 * (u % 40));
    const vehicles = Float64Array.from({ length: 8 * coarse.n }, (_, u) => u % 11);
    const seams = seamsOf(problem, fewer, values, vehicles);
    for (const [step, c] of [
      [1, 0],
      [3, 7],
      [6, coarse.n - 1],
    ]) {
      const { units, beyond = [], most = [] } = seamAt(seams, 104, step);
      const at = step * coarse.n + c;
      const members = [...clusterOf.keys()].filter((j) => clusterOf[j] === c);
      const wanted = coarse.demand[at] > 0 ? vehicles[at] : 0;
      expect(sumOf(members.map((j) => most[j]))).toBeCloseTo(wanted, 9);
      for (const j of members) {
        expect(units[j]).toBeGreaterThan(values[at]);
        expect(units[j] - beyond[j]).toBeGreaterThan(0);
        expect(units[j] - beyond[j]).toBeLessThanOrEqual(radius);
        expect(beyond[j]).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

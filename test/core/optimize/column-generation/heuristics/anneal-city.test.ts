import { describe, expect, test } from 'vitest';
import { createEveningProblem, createMixedProblem } from '../../../../../bench/mixed-instances.ts';
import { createBaseModel } from '../../../../../src/core/optimize/column-generation/build-base-model.ts';
import { relaxByFlow } from '../../../../../src/core/optimize/column-generation/flow-relaxation.ts';
import {
  type AnnealingRun,
  annealCity,
} from '../../../../../src/core/optimize/column-generation/heuristics/anneal-city.ts';
import { improve } from '../../../../../src/core/optimize/column-generation/heuristics/improve.ts';
import { planByNumbers } from '../../../../../src/core/optimize/column-generation/heuristics/round-numbers.ts';
import { cheapestMovesTo } from '../../../../../src/core/optimize/column-generation/heuristics/transports.ts';
import { priceOfMultipliers } from '../../../../../src/core/optimize/column-generation/master.ts';
import { evaluateMoves } from '../../../../../src/core/optimize/problem/evaluate.ts';
import type { Moves, Problem } from '../../../../../src/core/optimize/problem/model.ts';
import { OutOfTime, type Stopping } from '../../../../../src/core/optimize/run/stopping.ts';
import { seeds } from '../../../../helpers/depth.ts';
import { startCpuClock } from '../../compute.ts';

const CAPACITIES = [1, 2, 4];
const RUN: AnnealingRun = { proposals: 2000, firstLoss: 0.1, lastLoss: 0.01 };
const LONG_TIME = { deadlineMs: performance.now() + 300_000 };
const CITIES: { name: string; problem: (seed: number) => Problem }[] = [
  { name: 'an evening', problem: (seed) => createEveningProblem(seed, 80, CAPACITIES) },
  {
    name: 'a random city',
    problem: (seed) => createMixedProblem(seed, { n: 80, perLocation: 10, capacities: CAPACITIES }),
  },
  {
    name: 'a random city whose unmet demand has costs',
    problem: (seed) => {
      const plain = createMixedProblem(seed, { n: 80, perLocation: 10, capacities: CAPACITIES });
      return { ...plain, unmetCost: Float64Array.from(plain.demand, (_, j) => (j % 4) * 3) };
    },
  },
];

/** The rounded plan of the flow, from which a search of a large city starts, and its price of service. */
function startOf(problem: Problem): { start: Moves; price: number } {
  const base = createBaseModel(problem);
  const flow = relaxByFlow(problem, base, LONG_TIME)!;
  const atSource = Float64Array.from(base.sourceRow, (row) => flow.rowDual[row]);
  const price = priceOfMultipliers(base, flow.rowDual);
  return { start: planByNumbers(problem, flow.values, atSource, price, LONG_TIME)!, price };
}

/** The cheapest moves for the numbers of vehicles that annealing ends with. */
function movesAfter(problem: Problem, start: Moves, price: number, run: AnnealingRun, stopping: Stopping) {
  const presence = annealCity(problem, start, price, run, stopping);
  return presence && cheapestMovesTo(problem, presence, LONG_TIME);
}

describe('simulated annealing of a city', () => {
  test.for(CITIES)(
    'breaks nothing in $name, and saves cost once the local search serves what is still unmet',
    { tags: 'slow' },
    ({ problem: create }) => {
      for (const seed of seeds(1, 3)) {
        const problem = create(seed);
        const { start, price } = startOf(problem);
        const before = evaluateMoves(problem, start).objectiveUnits;
        const moves = movesAfter(problem, start, price, RUN, LONG_TIME);
        const { broken, objectiveUnits } = evaluateMoves(problem, moves!);
        expect(
          broken.filter((rule) => rule !== 'min_service_level'),
          `seed ${seed}`,
        ).toEqual([]);
        expect(objectiveUnits, `seed ${seed}`).toBeLessThan(before);
        let improved: Moves | null = null;
        improve(
          problem,
          moves!,
          price,
          () => false,
          (better) => {
            improved = better;
            return false;
          },
        );
        const after = evaluateMoves(problem, improved!);
        expect(after.broken, `seed ${seed}`).toEqual([]);
        expect(after.objectiveUnits, `seed ${seed}`).toBeLessThan(before);
      }
    },
  );

  test('takes the same path each time', () => {
    const problem = CITIES[0].problem(1);
    const { start, price } = startOf(problem);
    const runs = [1, 2].map(() => annealCity(problem, start, price, RUN, LONG_TIME));
    expect(runs[0]).not.toBeNull();
    expect(runs[1]).toEqual(runs[0]);
  });

  test('cools by the clock where time is short', () => {
    const problem = CITIES[0].problem(2);
    const { start, price } = startOf(problem);
    const cpuMs = startCpuClock();
    const deadlineMs = performance.now() + 300;
    const run = { ...RUN, proposals: 1e9 };
    const moves = movesAfter(problem, start, price, run, { deadlineMs });
    expect(cpuMs()).toBeLessThan(5000);
    expect(evaluateMoves(problem, moves!).costUnits).toBeLessThan(evaluateMoves(problem, start).costUnits);
  });

  test('ends when it is cancelled', () => {
    const problem = CITIES[0].problem(3);
    const stopFlag = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    const { start, price } = startOf(problem);
    expect(() => annealCity(problem, start, price, RUN, { ...LONG_TIME, stopFlag })).toThrow(OutOfTime);
  });
});

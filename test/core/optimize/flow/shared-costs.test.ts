/** @module-tag slow */
import { describe, expect, test } from 'vitest';
import { certify } from '../../../../src/core/optimize/flow/certify.ts';
import type { SharedCosts } from '../../../../src/core/optimize/flow/shared-costs.ts';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import type { FlowProblem } from '../../../../src/core/optimize/flow/types.ts';
import type { SparseCosts } from '../../../../src/core/optimize/problem/distances/move-costs.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { createRandom } from '../instances.ts';

type SharedProblem = FlowProblem & { cost: SharedCosts };

/** Sources of several classes at each location, whose arcs cost multiples of its moves. */
function randomShared(seed: number): SharedProblem {
  const random = createRandom(seed);
  const size = random.integer(2, 6);
  const classes = random.integer(1, 3);
  const n = classes * size;
  const supply = Int32Array.from({ length: n }, () => (random.chance(0.3) ? 0 : random.integer(0, 9)));
  const demand = Int32Array.from({ length: n }, (_, t) => (t < size ? random.integer(0, 9) : 0));
  const density = random.pick([1, 0.7]);
  const largest = random.pick([0, 3, 1000]);
  const units = Float64Array.from({ length: size * size }, () =>
    random.chance(density) ? random.integer(0, largest) : Number.POSITIVE_INFINITY,
  );
  const factors = Array.from({ length: classes }, () => random.pick([1, 2, 1.7, 0.6]));
  const total = (values: Int32Array) => values.reduce((sum, value) => sum + value, 0);
  return {
    n,
    supply,
    demand,
    required: Math.floor(random.pick([0.5, 0.9, 1]) * Math.min(total(supply), total(demand))),
    cost: {
      kind: 'shared',
      moves: random.chance(0.5) ? { kind: 'dense', units } : listed(size, (i, j) => units[i * size + j]),
      size,
      row: Int32Array.from({ length: n }, (_, s) => s % size),
      column: Int32Array.from({ length: n }, (_, t) => (t < size ? t : -1)),
      listed: listed(n, () => Number.POSITIVE_INFINITY),
      factor: Float64Array.from({ length: n }, (_, s) => factors[Math.floor(s / size)]),
    },
  };
}

function listed(n: number, costOf: (i: number, j: number) => number): SparseCosts {
  const starts = new Int32Array(n + 1);
  const targets: number[] = [];
  const units: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (costOf(i, j) === Number.POSITIVE_INFINITY) continue;
      targets.push(j);
      units.push(costOf(i, j));
    }
    starts[i + 1] = targets.length;
  }
  return { kind: 'sparse', starts, targets: Int32Array.from(targets), units: Float64Array.from(units) };
}

/** The same arcs, each listed at its cost. */
function asList({ cost, ...amounts }: SharedProblem): FlowProblem {
  const { moves, size, factor } = cost;
  const moveCost = (i: number, j: number) => {
    if (moves.kind === 'dense') return moves.units[i * size + j];
    for (let a = moves.starts[i]; a < moves.starts[i + 1]; a++)
      if (moves.targets[a] === j) return moves.units[a];
    return Number.POSITIVE_INFINITY;
  };
  const arcCost = (s: number, t: number) => {
    if (t >= size || s === t) return Number.POSITIVE_INFINITY;
    return s % size === t ? 0 : Math.floor(moveCost(s % size, t) * factor![s]);
  };
  return { ...amounts, cost: listed(amounts.n, arcCost) };
}

test('arcs at multiples of the costs of moves give the flow of the same arcs in a list', () => {
  let solved = 0;
  for (const seed of seeds(1, 400)) {
    const shared = randomShared(seed);
    const one = solveFlow(shared, { nettingIsSafe: false });
    const other = solveFlow(asList(shared), { nettingIsSafe: false });
    expect(one.kind, `seed ${seed}`).toBe(other.kind);
    if (one.kind === 'infeasible' && other.kind === 'infeasible') expect(one.served).toBe(other.served);
    if (one.kind !== 'solved' || other.kind !== 'solved') continue;
    expect(one.cost, `seed ${seed}`).toBe(other.cost);
    expect(certify(asList(shared), one.flow, one.duals).ok, `seed ${seed}`).toBe(true);
    solved++;
  }
  expect(solved).toBeGreaterThan(enough(200));
});

test('the certificate refuses prices that hold only without the factors', () => {
  let refused = 0;
  for (const seed of seeds(1, 400)) {
    const shared = randomShared(seed);
    const { factor: _factor, ...plain } = shared.cost;
    const without = solveFlow({ ...shared, cost: plain }, { nettingIsSafe: false });
    if (without.kind !== 'solved') continue;
    const isSame = certify(asList(shared), without.flow, without.duals).ok;
    expect(certify(shared, without.flow, without.duals).ok, `seed ${seed}`).toBe(isSame);
    if (!isSame) refused++;
  }
  expect(refused).toBeGreaterThan(enough(50));
});

/** Vehicles of three classes in the west, demand in the east. */
function crossTown(seed: number, { sources, sinks }: { sources: number; sinks: number }): SharedProblem {
  const random = createRandom(seed);
  const size = sources + sinks;
  const n = 3 * size;
  const points = Array.from({ length: size }, (_, i) => [
    random.integer(0, 1000) + (i < sources ? 0 : 1000),
    random.integer(0, 1000),
  ]);
  const units = Float64Array.from({ length: size * size }, (_, a) => {
    const [from, to] = [points[Math.floor(a / size)], points[a % size]];
    return Math.ceil(100 * Math.hypot(from[0] - to[0], from[1] - to[1]));
  });
  const supply = Int32Array.from({ length: n }, (_, s) =>
    s % size < sources ? (1 + Math.floor(s / size)) * random.integer(0, 3) : 0,
  );
  const demand = new Int32Array(n);
  const capacity = supply.reduce((sum, count) => sum + count, 0);
  for (let left = Math.floor(0.9 * capacity); left > 0; left--) demand[random.integer(sources, size - 1)]++;
  return {
    n,
    supply,
    demand,
    required: Math.floor(0.8 * capacity),
    cost: {
      kind: 'shared',
      moves: { kind: 'dense', units },
      size,
      row: Int32Array.from({ length: n }, (_, s) => s % size),
      column: Int32Array.from({ length: n }, (_, t) => (t < size ? t : -1)),
      listed: listed(n, () => Number.POSITIVE_INFINITY),
      factor: Float64Array.from({ length: n }, (_, s) => 3 / (1 + Math.floor(s / size))),
    },
  };
}

describe('the clock of a search', () => {
  const problem = crossTown(1, { sources: 120, sinks: 80 });
  const rows = problem.supply.filter((count) => count > 0).length;

  /** @param stopAt number of the look that finds the flag set; absent: none */
  function search(stopAt?: number, required = problem.required) {
    let looks = 0;
    let atStart: number | null = null;
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const onLook = () => {
      if (looks++ === stopAt) Atomics.store(stopFlag, 0, 1);
    };
    // The first report comes when there is a tree.
    const onProgress = () => {
      atStart ??= looks;
    };
    const control = { stopFlag, onLook, onProgress, nettingIsSafe: false, needsOptimum: true };
    const outcome = solveFlow({ ...problem, required }, control);
    return { outcome, looks, atStart };
  }

  test('is read in every pass over all arcs, and in the proof', () => {
    const { outcome, looks, atStart } = search();
    if (outcome.kind !== 'solved') throw new Error(outcome.kind);
    const { pivots, pricingRounds } = outcome.counts;
    expect(pricingRounds).toBeGreaterThan(1);
    const inPasses = pricingRounds * Math.floor(rows / 64) + Math.floor(problem.n / 256);
    expect(looks - atStart!).toBe(inPasses + pricingRounds - 1 + Math.floor(pivots / 256));
    // The nearest arcs serve so little by themselves.
    expect(search(undefined, 20).atStart).toBe(Math.floor(rows / 64) + 1);
  });

  test('ends it at any of these moments', () => {
    const { looks } = search();
    for (let look = 0; look < looks; look += 3) {
      const { outcome, looks: until } = search(look);
      expect(outcome.kind, `look ${look}`).toBe('stopped');
      expect(until, `look ${look}`).toBeLessThanOrEqual(look + 2);
    }
  });

  test('leaves a plan when time was up before the start, unless only the optimum is of use', () => {
    const late = { deadlineMs: performance.now() - 1, nettingIsSafe: false };
    for (const problemOf of [(p: SharedProblem): FlowProblem => p, asList]) {
      const [plan, none] = [false, true].map((needsOptimum) =>
        solveFlow(problemOf(problem), { ...late, needsOptimum }),
      );
      if (plan.kind !== 'stopped') throw new Error(plan.kind);
      expect(plan.plan).not.toBeNull();
      expect(none).toMatchObject({ kind: 'stopped', plan: null, counts: { pivots: 0 } });
    }
  });
});

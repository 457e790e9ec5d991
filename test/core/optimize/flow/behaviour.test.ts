import { describe, expect, test } from 'vitest';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import type { Flow, FlowProblem } from '../../../../src/core/optimize/flow/types.ts';
import { greatCircleCosts } from '../../../../src/core/optimize/problem/distances/great-circle-costs.ts';
import type { SolveProgress } from '../../../../src/core/optimize/run/control.ts';
import { seeds } from '../../../helpers/depth.ts';
import { createRandom } from '../instances.ts';
import { type DenseProblem, metricProblem, randomProblem } from './flow-instances.ts';

/** A city of 400 locations, where moves are worth some thousand pivots. */
function city(seed = 1, n = 400): FlowProblem {
  const random = createRandom(seed);
  const points = Array.from({ length: n }, () => ({
    latitude: 40.5 + 0.4 * random.next(),
    longitude: -74.2 + 0.5 * random.next(),
  }));
  const supply = Int32Array.from({ length: n }, () => random.integer(0, 100));
  const demand = Int32Array.from({ length: n }, () => random.integer(0, 100));
  const total = Math.min(
    supply.reduce((a, b) => a + b, 0),
    demand.reduce((a, b) => a + b, 0),
  );
  return { n, supply, demand, required: Math.floor(0.97 * total), cost: greatCircleCosts(points, 1) };
}

test('the same problem gives the same answer, to the last vehicle and price', () => {
  for (const seed of seeds(0, 299)) {
    const problem = randomProblem(seed, { locations: 12, vehicles: 9, demand: 9 });
    expect(solveFlow(structuredClone(problem))).toEqual(solveFlow(problem));
  }
  expect(solveFlow(city())).toEqual(solveFlow(city()));
});

test('the order of the locations does not change the cost', () => {
  for (const seed of seeds(0, 499)) {
    const problem = randomProblem(seed, { locations: 12, vehicles: 9, demand: 9 });
    const shuffled = shuffle(problem, seed);
    const [a, b] = [solveFlow(problem), solveFlow(shuffled)];
    expect(b.kind, `seed ${seed}`).toBe(a.kind);
    if (a.kind === 'solved' && b.kind === 'solved') expect(b.cost, `seed ${seed}`).toBe(a.cost);
    if (a.kind === 'infeasible' && b.kind === 'infeasible') expect(b.served, `seed ${seed}`).toBe(a.served);
  }
});

function shuffle({ n, supply, demand, required, cost }: DenseProblem, seed: number): DenseProblem {
  const random = createRandom(seed + 1);
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = random.integer(0, i);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return {
    n,
    supply: Int32Array.from(order, (i) => supply[i]),
    demand: Int32Array.from(order, (i) => demand[i]),
    required,
    cost: {
      kind: 'dense',
      units: Float64Array.from(
        { length: n * n },
        (_, a) => cost.units[order[Math.floor(a / n)] * n + order[a % n]],
      ),
    },
  };
}

test('a search that is stopped at any moment leaves a plan that serves what is required, or none', () => {
  const problem = city();
  let outcomes = '';
  for (let stopAt = 0; ; stopAt++) {
    let looks = 0;
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const onLook = () => {
      if (looks++ === stopAt) Atomics.store(stopFlag, 0, 1);
    };
    const outcome = solveFlow(problem, { stopFlag, onLook });
    if (looks <= stopAt) {
      expect(outcome.kind).toBe('solved');
      break;
    }
    if (outcome.kind !== 'stopped') throw new Error(`${outcome.kind} after look ${stopAt}`);
    outcomes += outcome.plan ? 'p' : '-';
    if (outcome.plan) expect(served(problem, outcome.plan.flow)).toBeGreaterThanOrEqual(problem.required);
  }
  // Never a plan and later none.
  expect(outcomes).toMatch(/^-*p+$/);
});

function served({ n, supply, demand }: FlowProblem, { from, to, units }: Flow): number {
  const [here, left] = [Int32Array.from(supply), Int32Array.from(supply)];
  for (let a = 0; a < from.length; a++) {
    expect(units[a]).toBeGreaterThan(0);
    left[from[a]] -= units[a];
    here[from[a]] -= units[a];
    here[to[a]] += units[a];
  }
  expect(Math.min(...left)).toBeGreaterThanOrEqual(0);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Math.min(demand[i], here[i]);
  return sum;
}

describe('netting', () => {
  test('keeps the optimum of metric costs without pricing anything but surplus and deficit', () => {
    for (const seed of seeds(0, 999)) {
      const problem = metricProblem(seed, { locations: 15, vehicles: 9, demand: 9 });
      const [netted, plain] = [solveFlow(problem), solveFlow(problem, { nettingIsSafe: false })];
      expect(netted.kind).toBe(plain.kind);
      if (netted.kind !== 'solved' || plain.kind !== 'solved') continue;
      expect(['still', 'netted'], `seed ${seed}`).toContain(netted.counts.method);
      expect(netted.cost, `seed ${seed}`).toBe(plain.cost);
    }
  });

  test('is not trusted where the triangle inequality fails', () => {
    // 0 → 2 costs 100, but 0 → 1 and 1 → 2 cost 1 each: the vehicle at 1 should go to 2 and be replaced from 0.
    const problem: FlowProblem = {
      n: 3,
      supply: Int32Array.of(1, 1, 0),
      demand: Int32Array.of(0, 1, 1),
      required: 2,
      cost: { kind: 'dense', units: Float64Array.of(0, 1, 100, 1, 0, 1, 100, 1, 0) },
    };
    expect(solveFlow(problem)).toMatchObject({
      kind: 'solved',
      cost: 2,
      counts: { method: 'netted_then_all' },
    });
  });

  test('is not trusted where a move that it needs is forbidden', () => {
    const inf = Number.POSITIVE_INFINITY;
    const problem: FlowProblem = {
      n: 3,
      supply: Int32Array.of(1, 1, 0),
      demand: Int32Array.of(0, 1, 1),
      required: 2,
      cost: { kind: 'dense', units: Float64Array.of(0, 1, inf, inf, 0, 1, inf, inf, 0) },
    };
    // Both passes are over all arcs: a pass without those through location 1 would find nothing.
    expect(solveFlow(problem)).toMatchObject({ kind: 'solved', cost: 2, counts: { pricingRounds: 2 } });
    expect(solveFlow({ ...problem, required: 3 })).toMatchObject({ kind: 'infeasible', served: 2 });
  });
});

describe('small and empty problems', () => {
  const one = (supply: number, demand: number, required: number): FlowProblem => ({
    n: 1,
    supply: Int32Array.of(supply),
    demand: Int32Array.of(demand),
    required,
    cost: { kind: 'dense', units: Float64Array.of(0) },
  });

  test('one location serves itself or is infeasible', () => {
    expect(solveFlow(one(3, 2, 2))).toMatchObject({ kind: 'solved', cost: 0, counts: { method: 'still' } });
    expect(solveFlow(one(1, 2, 2))).toMatchObject({ kind: 'infeasible', served: 1 });
    expect(solveFlow(one(2, 0, 0))).toMatchObject({ kind: 'solved', cost: 0 });
    expect(solveFlow(one(0, 0, 0), { nettingIsSafe: false })).toMatchObject({ kind: 'solved', cost: 0 });
    expect(solveFlow(one(2, 0, 1))).toMatchObject({ kind: 'infeasible', served: 0 });
  });

  test('no location at all needs nothing', () => {
    const none = new Int32Array(0);
    const cost = { kind: 'dense', units: new Float64Array(0) } as const;
    expect(solveFlow({ n: 0, supply: none, demand: none, required: 0, cost })).toMatchObject({
      kind: 'solved',
    });
  });

  test('what is on the diagonal is not read', () => {
    const problem = metricProblem(7);
    const units = problem.cost.units.slice();
    for (let i = 0; i < problem.n; i++) units[i * (problem.n + 1)] = [Number.POSITIVE_INFINITY, -1, 5][i % 3];
    expect(solveFlow({ ...problem, cost: { kind: 'dense', units } })).toEqual(solveFlow(problem));
  });

  test('a negative cost forbids the move like an infinite one', () => {
    for (const seed of seeds(0, 199)) {
      const problem = randomProblem(seed);
      const units = problem.cost.units.map((c) => (c === Number.POSITIVE_INFINITY ? -1 : c));
      expect(solveFlow({ ...problem, cost: { kind: 'dense', units } })).toEqual(solveFlow(problem));
    }
  });

  test('costs too large for exact sums are refused where they would have to be added up', () => {
    const inf = Number.POSITIVE_INFINITY;
    const problem: FlowProblem = {
      n: 3,
      supply: Int32Array.of(1, 1, 0),
      demand: Int32Array.of(0, 1, 1),
      required: 2,
      cost: { kind: 'dense', units: Float64Array.of(0, 1e15, inf, inf, 0, 1, inf, inf, 0) },
    };
    expect(() => solveFlow(problem)).toThrow(/too large for exact sums/);
  });
});

describe('a search', () => {
  test('stops on the flag, with the plan at hand', () => {
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const outcome = solveFlow(city(), {
      stopFlag,
      nettingIsSafe: false,
      onProgress: () => Atomics.store(stopFlag, 0, 1),
    });
    if (outcome.kind !== 'stopped') throw new Error(outcome.kind);
    const full = solveFlow(city());
    expect(full.kind === 'solved' && outcome.plan!.cost >= full.cost).toBe(true);
  });

  test('stops at the deadline', () => {
    expect(solveFlow(city(), { deadlineMs: performance.now() - 1, nettingIsSafe: false }).kind).toBe(
      'stopped',
    );
  });

  test('reports pivots that never fall and, at the end, the optimum', () => {
    const reports: SolveProgress[] = [];
    const outcome = solveFlow(city(), { nettingIsSafe: false, onProgress: (p) => reports.push(p) });
    if (outcome.kind !== 'solved') throw new Error(outcome.kind);
    expect(reports[0].iterations).toBe(0);
    expect(reports.at(-1)).toMatchObject({ iterations: outcome.counts.pivots, incumbentUnits: outcome.cost });
    for (let r = 1; r < reports.length; r++) {
      expect(reports[r].iterations).toBeGreaterThanOrEqual(reports[r - 1].iterations!);
      expect(reports[r].incumbentUnits).toBeLessThanOrEqual(reports[r - 1].incumbentUnits!);
    }
  });
});

import { expect, test } from 'vitest';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import type { FlowProblem } from '../../../../src/core/optimize/flow/types.ts';
import type { SparseCosts } from '../../../../src/core/optimize/problem/distances/move-costs.ts';
import { seeds } from '../../../helpers/depth.ts';
import { createRandom, type Random } from '../instances.ts';
import type { DenseProblem } from './flow-instances.ts';

type Kind = {
  name: string;
  /** Whole cost units per step of the grid. */
  unit: number;
  /** Sides of the town in steps: 1 puts all locations in one place. */
  width?: number;
  /** Share of the moves that are allowed. */
  density?: number;
  sources?: number;
  sinks?: number;
};

const KINDS: Kind[] = [
  { name: 'distances', unit: 10_000 },
  { name: 'ties', unit: 1, width: 12 },
  { name: 'all costs equal', unit: 1, width: 1 },
  { name: 'costs of 0', unit: 0 },
  { name: 'costs beyond 32 bits', unit: 1e10 },
  { name: 'gaps', unit: 100, density: 0.6 },
  { name: 'one depot', unit: 100, sources: 1, sinks: 420 },
  { name: 'all demand in one place', unit: 100, sources: 420, sinks: 1 },
  { name: 'few depots', unit: 100, sources: 5, sinks: 400 },
];

/** Vehicles in the west, demand in the east. */
function crossTown(
  seed: number,
  { unit, width = 1000, density = 1, sources = 220, sinks = 200 }: Kind,
): DenseProblem {
  const random = createRandom(seed);
  const n = sources + sinks;
  const points = Array.from({ length: n }, (_, i) => [
    random.integer(0, width) + (i < sources ? 0 : width),
    random.integer(0, width),
  ]);
  const units = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const steps = Math.ceil(Math.hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]));
      units[i * n + j] = i === j || random.chance(density) ? unit * steps : Number.POSITIVE_INFINITY;
    }
  }
  const total = 2 * Math.max(sources, sinks);
  const supply = spread(random, total, n, 0, sources);
  const demand = spread(random, random.integer(total / 2, total), n, sources, n);
  const required = Math.ceil(random.pick([0.5, 0.95, 1]) * demand.reduce((a, b) => a + b, 0));
  return { n, supply, demand, required, cost: { kind: 'dense', units } };
}

function spread(random: Random, total: number, n: number, first: number, end: number): Int32Array {
  const amounts = new Int32Array(n).fill(1, first, end);
  for (let left = total - (end - first); left > 0; left--) amounts[random.integer(first, end - 1)]++;
  return amounts;
}

/** The same moves as a list, which no guide reads; those that serve nobody are left out. */
function listed({ n, cost, ...amounts }: DenseProblem): FlowProblem {
  const starts = new Int32Array(n + 1);
  const targets: number[] = [];
  const units: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const unit = cost.units[i * n + j];
      if (amounts.supply[i] === 0 || amounts.demand[j] === 0 || unit === Number.POSITIVE_INFINITY) continue;
      targets.push(j);
      units.push(unit);
    }
    starts[i + 1] = targets.length;
  }
  const sparse: SparseCosts = {
    kind: 'sparse',
    starts,
    targets: Int32Array.from(targets),
    units: Float64Array.from(units),
  };
  return { n, ...amounts, cost: sparse };
}

for (const kind of KINDS) {
  test(`the search that starts from a coarse problem ends at the same optimum: ${kind.name}`, () => {
    for (const seed of seeds(0, 5)) {
      const problem = crossTown(seed, kind);
      const [guided, plain] = [solveFlow(problem), solveFlow(listed(problem))];
      expect(guided.kind, `seed ${seed}`).toBe(plain.kind);
      if (guided.kind === 'solved' && plain.kind === 'solved')
        expect(guided.cost, `seed ${seed}`).toBe(plain.cost);
      if (guided.kind === 'infeasible' && plain.kind === 'infeasible') {
        expect(guided.served, `seed ${seed}`).toBe(plain.served);
      }
    }
  });
}

test('where vehicles cross the town, a coarse problem saves pivots and passes over all moves', () => {
  for (const seed of seeds(0, 1)) {
    const problem = crossTown(seed, { name: '', unit: 10_000, sources: 500, sinks: 400 });
    const [guided, plain] = [solveFlow(problem).counts, solveFlow(listed(problem)).counts];
    expect(guided.pivots, `seed ${seed}`).toBeLessThan(plain.pivots);
    expect(guided.pricingRounds, `seed ${seed}`).toBeLessThan(plain.pricingRounds);
  }
});

test('a stop flag ends the search of the coarse problem, too', () => {
  const problem = crossTown(1, { name: '', unit: 10_000, sources: 500, sinks: 400 });
  const stopFlag = Int32Array.of(1);
  for (const control of [{ stopFlag }, { deadlineMs: 0 }]) {
    const stopped = solveFlow(problem, control);
    expect(stopped.kind).toBe('stopped');
    expect(3 * stopped.counts.pivots).toBeLessThan(solveFlow(problem).counts.pivots);
  }
});

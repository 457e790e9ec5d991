/**
 * Times the pure flow solver on city-like instances and checks that all methods agree on the cost.
 *
 *   node bench/optimizer.ts [--sizes 20,100,263,500,1000,2000] [--repeats 9] [--seeds 3] [--direct-up-to 263]
 *
 * Methods take turns within each repeat, so that a busy machine hits all of them alike; times are medians over repeats
 * and seeds, with the 10th and 90th percentile. Certificates are included; matrices are built outside, and timed by
 * themselves, except where the name says otherwise.
 */
import { parseArgs } from 'node:util';
import { UNITS_PER_COST } from '../src/core/optimize/costs.ts';
import { greatCircleCosts } from '../src/core/optimize/flow/great-circle-costs.ts';
import { solveGreatCircleFlow } from '../src/core/optimize/flow/great-circle-flow.ts';
import { createFlowModel } from '../src/core/optimize/flow/highs-basis.ts';
import { nearCosts } from '../src/core/optimize/flow/near-costs.ts';
import { solveFlow } from '../src/core/optimize/flow/solve-flow.ts';
import type { FlowOutcome, FlowProblem } from '../src/core/optimize/flow/types.ts';
import { greatCircleNetwork } from '../src/core/optimize/network.ts';
import { confirmBasis, solveDirectly } from './direct-highs.ts';
import { type BenchInstance, cityInstance } from './instances.ts';

const COST_PER_KM = 1;
const LIMIT_KM = 5;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '20,100,263,500,1000,2000' },
    repeats: { type: 'string', default: '9' },
    seeds: { type: 'string', default: '3' },
    'direct-up-to': { type: 'string', default: '263' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const repeats = Number(values.repeats);
const seeds = Number(values.seeds);
const directUpTo = Number(values['direct-up-to']);

/** @returns what the method found, for the check of agreement; undefined where it finds nothing */
type Method = { name: string; run: () => string | undefined };

function describe(outcome: FlowOutcome): string {
  if (outcome.kind === 'solved') return `cost ${outcome.cost}`;
  return outcome.kind === 'infeasible' ? `at most ${outcome.served} served` : outcome.kind;
}

/** Methods whose results are compared have the same first word. */
function methodsFor(instance: BenchInstance): Method[] {
  const { n, points, supply, demand, required } = instance;
  const amounts = { n, supply, demand, required };
  const cost = greatCircleCosts(points, COST_PER_KM);
  const near = nearCosts(points, COST_PER_KM, LIMIT_KM);
  const located = points.map((point, id) => ({ id, ...point }));
  const methods: Method[] = [
    { name: 'dense: netted, then certified', run: () => describe(solveFlow({ ...amounts, cost })) },
    {
      name: 'dense: all arcs',
      run: () => describe(solveFlow({ ...amounts, cost }, { nettingIsSafe: false })),
    },
    {
      name: 'dense: points to plan, no matrix',
      run: () =>
        describe(solveGreatCircleFlow({ ...amounts, points, costPerKm: COST_PER_KM, maxDistanceKm: 1e9 })),
    },
    {
      name: 'dense: the same, HiGHS confirming',
      run: () => confirmed({ ...amounts, cost }, instance),
    },
    { name: '5km: netted first', run: () => describe(solveFlow({ ...amounts, cost: near })) },
    {
      name: '5km: all arcs',
      run: () => describe(solveFlow({ ...amounts, cost: near }, { nettingIsSafe: false })),
    },
    { name: 'matrix: existing network', run: () => void greatCircleNetwork(located, COST_PER_KM) },
    { name: 'matrix: chords', run: () => void greatCircleCosts(points, COST_PER_KM) },
    { name: 'matrix: within 5 km', run: () => void nearCosts(points, COST_PER_KM, LIMIT_KM) },
  ];
  if (n <= directUpTo) {
    methods.push({
      name: 'dense: HiGHS, direct, all arcs',
      run: () => `cost ${solveDirectly({ ...amounts, cost }).costUnits}`,
    });
  }
  return methods;
}

/** HiGHS proves the tree on all moves that cost less than the price of service; no other can matter. */
function confirmed(problem: FlowProblem, { points }: BenchInstance): string {
  const outcome = solveGreatCircleFlow({ ...problem, points, costPerKm: COST_PER_KM, maxDistanceKm: 1e9 });
  if (outcome.kind !== 'solved') return describe(outcome);
  const near = nearCosts(points, COST_PER_KM, outcome.duals.service / UNITS_PER_COST / COST_PER_KM);
  const from = new Int32Array(near.targets.length);
  for (let i = 0; i < problem.n; i++) {
    from.fill(i, near.starts[i], near.starts[i + 1]);
  }
  const model = createFlowModel(problem, outcome.basis, { from, to: near.targets }, (i, j) =>
    costOf(problem, i, j),
  );
  const { costUnits, iterations } = confirmBasis(model);
  if (iterations > 0) console.log(`  HiGHS needed ${iterations} iterations`);
  return `cost ${costUnits}`;
}

function costOf({ n, cost }: FlowProblem, i: number, j: number): number {
  return cost.kind === 'dense' ? cost.units[i * n + j] : Number.NaN;
}

function quantile(sorted: number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

const digits = (ms: number) => (ms < 1 ? ms.toFixed(3) : ms < 100 ? ms.toFixed(1) : ms.toFixed(0));

let disagreements = 0;
for (const n of sizes) {
  const times = new Map<string, number[]>();
  const instances = Array.from({ length: seeds }, (_, seed) => methodsFor(cityInstance(seed, n)));
  // The first rounds compile; small instances need more of them.
  const warmUp = n <= 100 ? 50 : n <= 500 ? 5 : 1;
  for (let r = -warmUp; r < repeats; r++) {
    for (const methods of instances) {
      const found = new Map<string, string>();
      for (const { name, run } of methods) {
        const isSlow = name.includes('direct') && n > 100;
        if (isSlow && r !== 0) continue;
        const startedMs = performance.now();
        const result = run();
        const ms = performance.now() - startedMs;
        if (r >= 0) times.set(name, [...(times.get(name) ?? []), ms]);
        if (result === undefined) continue;
        const group = name.split(':')[0];
        if ((found.get(group) ?? result) !== result) {
          disagreements++;
          console.log(`  ${n} locations, ${name}: ${result}, but ${found.get(group)} before`);
        }
        found.set(group, result);
      }
    }
  }
  console.log(`${n} locations, ms`);
  for (const [name, list] of times) {
    const sorted = list.sort((a, b) => a - b);
    const [low, median, high] = [0.1, 0.5, 0.9].map((q) => digits(quantile(sorted, q)));
    console.log(`  ${name.padEnd(36)} ${median.padStart(8)}   ${low} – ${high}`);
  }
}
if (disagreements > 0) process.exitCode = 1;

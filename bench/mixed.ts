/**
 * Problems that are no pure network, solved by the search over few moves (`solveProblem`) and by the formulation of all moves
 * (`solveDirect`) in turns in one process: median and spread of total milliseconds, proved gaps.
 *
 *   node bench/mixed.ts [everyday | classes | fine | large] [repeats]
 *
 * everyday: one class, fractional demand, gap 1 %. classes: capacities 1, 2, 4, gap 1 %. fine: the same, gap 0.3 %. large: what does not
 * fit the formulation of all moves, which is left out there and where it takes minutes. City-like instances, demand 90 % of capacity, 95 % of it required.
 */
import { solveDirect } from '../src/core/optimize/direct.ts';
import { createIncumbent } from '../src/core/optimize/incumbent.ts';
import type { Problem, SolveOutcome } from '../src/core/optimize/model.ts';
import { greatCircleNetwork } from '../src/core/optimize/network.ts';
import { solveProblem } from '../src/core/optimize/solve.ts';
import { createRandom, SERVICE_LEVEL } from './instances.ts';

type Case = { n: number; perLocation: number; capacities: number[]; gap: number; withDirect: boolean };

const LIMIT_MS = 30_000;
const CLASSES = [1, 2, 4];
const GROUPS: Record<string, Case[]> = {
  everyday: [73, 263, 1000].map((n) => ({
    n,
    perLocation: 20,
    capacities: [1],
    gap: 0.01,
    withDirect: n < 1000,
  })),
  classes: [
    { n: 30, perLocation: 10, capacities: CLASSES, gap: 0.01, withDirect: true },
    ...[10, 20, 30].map((perLocation) => ({
      n: 263,
      perLocation,
      capacities: CLASSES,
      gap: 0.01,
      withDirect: false,
    })),
  ],
  fine: [10, 20, 30].map((perLocation) => ({
    n: 263,
    perLocation,
    capacities: CLASSES,
    gap: 0.003,
    withDirect: false,
  })),
  large: [
    { n: 2000, perLocation: 20, capacities: [1], gap: 0.01, withDirect: false },
    { n: 1000, perLocation: 10, capacities: CLASSES, gap: 0.01, withDirect: false },
  ],
};
const SEEDS = [1, 2, 3];

function createProblem(seed: number, { n, perLocation, capacities }: Case): Problem {
  const random = createRandom(seed);
  const points = Array.from({ length: n }, (_, id) => ({
    id,
    latitude: 40.5 + 0.4 * random(),
    longitude: -74.25 + 0.5 * random(),
  }));
  const supply = new Int32Array(capacities.length * n);
  let capacity = 0;
  let vehicles = 0;
  for (let i = 0; i < n; i++) {
    for (let v = Math.floor(random() * (2 * perLocation + 1)); v > 0; v--) {
      const k = Math.floor(random() * capacities.length);
      supply[k * n + i]++;
      capacity += capacities[k];
      vehicles++;
    }
  }
  const weights = Float64Array.from({ length: n }, () => random());
  const total = weights.reduce((a, b) => a + b, 0);
  return {
    locationIds: Int32Array.from({ length: n }, (_, i) => i),
    capacities: Float64Array.from(capacities),
    supply,
    demand: weights.map((w) => Math.round((w / total) * capacity * 90) / 100),
    ...greatCircleNetwork(points, 1),
    limits: {
      maxDistanceKm: 100,
      minServiceLevel: SERVICE_LEVEL,
      maxCostUnits: Number.POSITIVE_INFINITY,
      minVehiclesPerLocation: 0,
      maxVehiclesPerLocation: Number.POSITIVE_INFINITY,
      totalFleetSize: Number.POSITIVE_INFINITY,
    },
    fleet: {
      request: new Int32Array(vehicles),
      location: new Int32Array(vehicles),
      capacityClass: new Int32Array(vehicles),
    },
    capacityPerVehicle: 1,
  };
}

type Solver = (problem: Problem, gap: number) => Promise<SolveOutcome>;

const bySearch: Solver = (problem, gap) =>
  solveProblem(problem, gap, { deadlineMs: performance.now() + LIMIT_MS });

const byAllMoves: Solver = async (problem, gap) => {
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const incumbent = createIncumbent(problem, gap, control);
  const ended = await solveDirect(problem, incumbent, control);
  return ended === 'infeasible' ? { kind: 'infeasible', boundUnits: null } : incumbent.finish(ended);
};

const [group = 'everyday', repeats = '5'] = process.argv.slice(2);
for (const size of GROUPS[group]) {
  const solvers: [string, Solver][] = [['search', bySearch]];
  if (size.withDirect) solvers.push(['all moves', byAllMoves]);
  const problems = SEEDS.map((seed) => createProblem(seed, size));
  const times = new Map(solvers.map(([name]) => [name, [] as number[]]));
  const gaps = new Map(solvers.map(([name]) => [name, [] as number[]]));
  for (let repeat = -1; repeat < Number(repeats); repeat++) {
    for (const problem of problems) {
      for (const [name, solve] of solvers) {
        const startedMs = performance.now();
        const outcome = await solve(problem, size.gap);
        // The first round warms up.
        if (repeat < 0) continue;
        times.get(name)!.push(performance.now() - startedMs);
        gaps.get(name)!.push(outcome.kind === 'solved' ? outcome.solution.gap : Number.NaN);
      }
    }
  }
  for (const [name] of solvers) {
    const sorted = times.get(name)!.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))].toFixed(1);
    const worst = Math.max(...gaps.get(name)!);
    console.log(
      `${size.n} × ${size.capacities.length}, ${size.perLocation} per location, gap ${size.gap}: ${name.padEnd(9)} ` +
        `median ${at(0.5)} ms (${at(0)} – ${at(1)}), worst proved gap ${(100 * worst).toFixed(3)} %`,
    );
  }
}

/**
 * Small cities where vehicles must fit demand like pieces of a puzzle: some 14 locations, some 35 vehicles of
 * fractional capacities, demand as large as the capacity of the fleet, and a service level just below the highest that
 * it reaches. How far the plan is above the best one known, which the longest run or any other finds, and the proved
 * gap.
 *
 *   npm run bench:tight -- [--only docks] [--cities 8] [--seconds 1,5] [--best 20] [--json FILE]
 *
 * only: kinds whose names hold this; seconds: time limits, the gap asked for is 0; best: that of the longest run.
 */
import { findMostServed } from '../src/core/optimize/infeasible/most-served.ts';
import { withFloors } from '../src/core/optimize/problem/floors.ts';
import type { Problem, Solution } from '../src/core/optimize/problem/model.ts';
import { serviceLevelOf } from '../src/core/optimize/problem/service-level.ts';
import { withLimits } from '../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../src/core/optimize/solve.ts';
import { percentile, readArguments, reportTable } from './cli.ts';
import { createMixedProblem, type MixedShape } from './mixed-instances.ts';

const { only, cities, seconds, best, json } = readArguments({
  only: '',
  cities: 8,
  seconds: [1, 5],
  best: 20,
});

/** `tightness`: the service level, as a share of the most that is known to be within reach. */
type Kind = MixedShape & { tightness: number; rule?: (problem: Problem) => Problem };

const FOUR: MixedShape = { n: 14, perLocation: 2.4, capacities: [1.37, 2.61, 3.9, 5.23] };
const KINDS: Record<string, Kind> = {
  'four capacities': { ...FOUR, tightness: 0.999 },
  'four capacities, a lower level': { ...FOUR, tightness: 0.99 },
  'three capacities': { n: 16, perLocation: 2.5, capacities: [1.13, 2.47, 4.81], tightness: 0.999 },
  'four capacities, far apart': { n: 12, perLocation: 3, capacities: [0.7, 1.9, 3.3, 7.1], tightness: 0.999 },
  'four capacities, docks': { ...FOUR, tightness: 0.999, rule: withDocks },
  'four capacities, critical demand': { ...FOUR, tightness: 0.999, rule: withCriticalDemand },
};
/** For the most demand: more time seldom finds more. */
const MOST_SECONDS = 5;
/** Docks at a location beyond those for its demand by vehicles of usual size. */
const FREE_DOCKS = 1;
/** Every so many locations one is critical; the share of their demand that has to be served. */
const CRITICAL_EVERY = 3;
const CRITICAL_SHARE = 0.98;

function withDocks(problem: Problem): Problem {
  const { capacities, demand } = problem;
  const usual = capacities.reduce((sum, capacity) => sum + capacity, 0) / capacities.length;
  const bounds = {
    least: new Float64Array(demand.length),
    most: demand.map((needed) => Math.ceil(needed / usual) + FREE_DOCKS),
  };
  return withLimits({ ...problem, bounds }, { maxVehiclesPerLocation: 0 });
}

function withCriticalDemand(problem: Problem): Problem {
  const isCritical = (j: number) => j % CRITICAL_EVERY === 0;
  const critical = problem.demand.reduce((sum, needed, j) => (isCritical(j) ? sum + needed : sum), 0);
  const priorities = Uint8Array.from(problem.demand, (_, j) => (isCritical(j) ? 1 : 0));
  return withFloors({ ...problem, priorities }, [{ level: 1, served: CRITICAL_SHARE * critical }]);
}

/** The city with its level; null if no plan was found that keeps its rules. */
async function tightCity({ tightness, rule, ...shape }: Kind, seed: number): Promise<Problem | null> {
  const drawn = createMixedProblem(seed, shape);
  const full = { ...drawn, demand: drawn.demand.map((demand) => demand / 0.9) };
  const problem = rule ? rule(full) : full;
  const { plan } = await findMostServed(problem, { deadlineMs: performance.now() + 1000 * MOST_SECONDS });
  return plan && withLimits(problem, { minServiceLevel: tightness * serviceLevelOf(problem, plan.served) });
}

async function solve(problem: Problem, limit: number): Promise<Solution | null> {
  const outcome = await solveProblem(problem, 0, { deadlineMs: performance.now() + 1000 * limit });
  return outcome.kind === 'solved' ? outcome.solution : null;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const spreadOf = (shares: number[]) =>
  `${percent(percentile(shares, 0.5))} (${percent(percentile(shares, 1))})`;

const limits = [...new Set([...seconds, best])];
const rows: string[][] = [];
for (const [name, kind] of Object.entries(KINDS)) {
  if (!name.includes(only)) continue;
  /** By city: what each limit gives. */
  const found: (Solution | null)[][] = [];
  for (let seed = 1; seed <= cities; seed++) {
    const city = await tightCity(kind, seed);
    if (!city) continue;
    const solutions: (Solution | null)[] = [];
    for (const limit of limits) solutions.push(await solve(city, limit));
    found.push(solutions);
  }
  for (const [at, limit] of limits.entries()) {
    const planned = found.filter((solutions) => solutions[at]);
    const above = planned.map((solutions) => {
      const costs = solutions.flatMap((solution) => solution?.objectiveUnits ?? []);
      return solutions[at]!.objectiveUnits / Math.min(...costs) - 1;
    });
    const gaps = planned.map((solutions) => solutions[at]!.gap);
    const proved = planned.filter((solutions) => solutions[at]!.proved).length;
    rows.push([
      name,
      `${limit} s`,
      `${planned.length} of ${found.length}`,
      planned.length > 0 ? spreadOf(above) : '–',
      planned.length > 0 ? spreadOf(gaps) : '–',
      `${proved}`,
    ]);
    console.error(rows.at(-1)!.join('  '));
  }
}
const columns = [
  'problem',
  'time limit',
  'with a plan',
  'above the best known',
  'proved gap',
  'proved optimal',
];
reportTable({ columns, rows }, json);

/**
 * `npm run bench:mixed -- [--group everyday|classes|fine|large] [--repeats 5]`: problems that are not a pure network,
 * in turns in one process: median and spread of total milliseconds, and of their ratio to what the service does;
 * worst proved gap.
 *
 * everyday: one class, fractional demand, gap 1 %: the service's method (the network simplex with a Lagrangian
 * multiplier), the search by column generation alone, and the formulation of all moves up to 263 locations. classes:
 * capacities 1, 2, 4, gap 1 %; fine: the same, gap 0.3 %; large: 1,000 locations of them. City-like instances, demand
 * 90 % of capacity, 95 % of it required, or 99 % of what can be served within 5 km if that is less. Building matrices
 * is not timed.
 */

import { createBaseModel } from '../src/core/optimize/column-generation/build-base-model.ts';
import { search } from '../src/core/optimize/column-generation/search.ts';
import { solveDirect } from '../src/core/optimize/direct/direct.ts';
import { withSolverModel } from '../src/core/optimize/highs/highs.ts';
import { reachMost } from '../src/core/optimize/problem/distances/reachable.ts';
import { evaluateMoves } from '../src/core/optimize/problem/evaluate.ts';
import { createIncumbent } from '../src/core/optimize/problem/incumbent.ts';
import type { Problem, SolveOutcome } from '../src/core/optimize/problem/model.ts';
import { totalDemand } from '../src/core/optimize/problem/service-level.ts';
import { withLimits } from '../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../src/core/optimize/solve.ts';
import { threadCache } from '../test/core/optimize/cached.ts';
import { figure, percent, readArguments, reportTable, spread, whole } from './cli.ts';
import { SERVICE_LEVEL } from './instances.ts';
import { createMixedProblem, type MixedShape } from './mixed-instances.ts';

/** `limitKm`: limit on the length of moves; absent: no limit. */
type Case = MixedShape & { gap: number; limitKm?: number };

const LIMIT_MS = 30_000;
const CLASSES = [1, 2, 4];
/** Up to this number of locations, one model of all moves takes a few seconds. */
const MAX_DIRECT = 263;
const GROUPS: Record<string, Case[]> = {
  everyday: [20, 263, 1000, 2000].flatMap((n) =>
    [{}, { limitKm: 5 }].map((limit) => ({ n, perLocation: 20, capacities: [1], gap: 0.01, ...limit })),
  ),
  classes: [
    { n: 30, perLocation: 10, capacities: CLASSES, gap: 0.01 },
    ...[10, 20, 30].map((perLocation) => ({ n: 263, perLocation, capacities: CLASSES, gap: 0.01 })),
  ],
  fine: [10, 20, 30].map((perLocation) => ({ n: 263, perLocation, capacities: CLASSES, gap: 0.003 })),
  large: [{ n: 1000, perLocation: 10, capacities: CLASSES, gap: 0.01 }],
};
const SEEDS = [1, 2, 3];

type Solver = (problem: Problem, gap: number) => Promise<SolveOutcome>;

const asTheService: Solver = (problem, gap) =>
  solveProblem(problem, gap, { deadlineMs: performance.now() + LIMIT_MS });

const byColumns: Solver = async (problem, gap) => {
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const incumbent = createIncumbent(problem, gap, control);
  const base = createBaseModel(problem);
  const ended = await withSolverModel(threadCache, base.model, base.tolerance, control, (model) =>
    search(problem, base, model, incumbent),
  );
  if (ended === 'infeasible') return { kind: 'infeasible', boundUnits: null };
  return incumbent.finish(ended === 'unproved' ? 'failed' : ended);
};

const byAllMoves: Solver = async (problem, gap) => {
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const incumbent = createIncumbent(problem, gap, control);
  const ended = await solveDirect(problem, incumbent, control);
  return ended === 'infeasible' ? { kind: 'infeasible', boundUnits: null } : incumbent.finish(ended);
};

const SERVICE = 'what the service does';
const ALL_MOVES = 'HiGHS alone, all moves in one model';

function solversFor({ n, capacities }: Case): [string, Solver][] {
  const solvers: [string, Solver][] = [[SERVICE, asTheService]];
  if (capacities.length === 1) solvers.push(['column generation', byColumns]);
  if (capacities.length === 1 ? n <= MAX_DIRECT : n <= 30) solvers.push([ALL_MOVES, byAllMoves]);
  return solvers;
}

function problemOf(seed: number, shape: Case): Problem {
  const problem = createMixedProblem(seed, shape);
  if (shape.limitKm === undefined) return problem;
  const limited = withLimits(problem, { maxDistanceKm: shape.limitKm });
  const { served } = evaluateMoves(limited, reachMost(limited, () => false)!.moves);
  const reachable = (0.99 * served) / totalDemand(problem.demand);
  return withLimits(limited, { minServiceLevel: Math.min(SERVICE_LEVEL, reachable) });
}

/** The case in words: capacities, vehicles and gap where they are not those of every day. */
function nameOf({ n, perLocation, capacities, gap, limitKm }: Case): string {
  const several =
    capacities.length > 1 ? [`${perLocation} vehicles at each, ${capacities.length} capacities`] : [];
  const limit = limitKm === undefined ? [] : [`${limitKm} km`];
  const exact = gap === 0.01 ? [] : [`gap ${percent(gap)}`];
  return [`${whole(n)} locations`, ...several, ...limit, ...exact].join(', ');
}

const { group, repeats, json } = readArguments({ group: 'everyday', repeats: 5 });
const rows: string[][] = [];
for (const size of GROUPS[group]) {
  const solvers = solversFor(size);
  const problems = SEEDS.map((seed) => problemOf(seed, size));
  const times = new Map(solvers.map(([name]) => [name, [] as number[]]));
  const gaps = new Map(solvers.map(([name]) => [name, [] as number[]]));
  const iterations = new Map(solvers.map(([name]) => [name, [] as number[]]));
  // The first rounds compile; small instances need more of them.
  const warmUp = size.capacities.length > 1 ? 1 : size.n <= 263 ? 20 : 4;
  for (let repeat = -warmUp; repeat < repeats; repeat++) {
    for (const problem of problems) {
      for (const [name, solve] of solvers) {
        // It takes long, and its memory evicts the caches of the others.
        if (name === ALL_MOVES && (repeat < -1 || (size.n > 30 && (repeat < 0 || repeat > 2)))) continue;
        const startedMs = performance.now();
        const outcome = await solve(problem, size.gap);
        if (repeat < 0) continue;
        times.get(name)!.push(performance.now() - startedMs);
        const solution = outcome.kind === 'solved' ? outcome.solution : null;
        gaps.get(name)!.push(solution?.gap ?? Number.NaN);
        iterations.get(name)!.push(solution?.figures.iterations ?? Number.NaN);
      }
    }
  }
  for (const [name] of solvers) {
    const own = times.get(name)!;
    // All moves are solved in the first rounds alone where that takes long.
    const ratios = own.map((ms, at) => ms / times.get(SERVICE)![at]);
    rows.push([
      `${nameOf(size)}: ${name}`,
      figure(own),
      name === SERVICE ? '–' : `× ${spread(ratios)}`,
      percent(Math.max(...gaps.get(name)!)),
      whole(Math.max(...iterations.get(name)!)),
    ]);
    console.error(rows.at(-1)?.join('  '));
  }
}
reportTable({ columns: ['problem and method', 'ms', 'ratio', 'worst gap', 'most iterations'], rows }, json);

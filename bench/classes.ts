/**
 * Three capacity classes (1, 2, 4) at 263 locations: the time until a gap of 1 % and of 0.3 % is proved, and the proved
 * gap after 2 s and at the limit.
 *
 *   node bench/classes.ts [--seeds 10] [--sizes 10,13.5,20,30] [--limit 10] [--direct]
 *
 * sizes: vehicles per location. Each seed is solved to 1 % and to 0.3 % within the limit (s); an unproved one counts
 * with the limit. Times are wall and CPU milliseconds; on a busy machine CPU time is more reliable. --direct: seed 1 is
 * also solved by the formulation of all moves, stopped after 2 s and at the limit.
 */
import { parseArgs } from 'node:util';
import { solveDirect } from '../src/core/optimize/direct/direct.ts';
import { createIncumbent } from '../src/core/optimize/problem/incumbent.ts';
import type { Problem, SolveOutcome } from '../src/core/optimize/problem/model.ts';
import { solveProblem } from '../src/core/optimize/solve.ts';
import { spread } from './cli.ts';
import { createMixedProblem } from './mixed-instances.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    sizes: { type: 'string', default: '10,13.5,20,30' },
    limit: { type: 'string', default: '10' },
    direct: { type: 'boolean', default: false },
  },
});
const CAPACITIES = [1, 2, 4];
const LIMIT_MS = Number(values.limit) * 1000;

type Run = { ms: number; cpuMs: number; gap: number };

async function timed(solve: () => Promise<SolveOutcome>): Promise<Run> {
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  const outcome = await solve();
  const { user, system } = process.cpuUsage(startedCpu);
  return {
    ms: performance.now() - startedMs,
    cpuMs: (user + system) / 1000,
    gap: outcome.kind === 'solved' ? outcome.solution.gap : Number.POSITIVE_INFINITY,
  };
}

const bySearch = (problem: Problem, gap: number, limitMs: number) =>
  timed(() => solveProblem(problem, gap, { deadlineMs: performance.now() + limitMs }));

const byAllMoves = (problem: Problem, gap: number, limitMs: number) =>
  timed(async () => {
    const control = { deadlineMs: performance.now() + limitMs };
    const incumbent = createIncumbent(problem, gap, control);
    const ended = await solveDirect(problem, incumbent, control);
    return ended === 'infeasible' ? { kind: 'infeasible', boundUnits: null } : incumbent.finish(ended);
  });

const range = (numbers: number[], decimals: number) =>
  spread(numbers, (value) => value.toFixed(decimals), [0, 1]);
const percent = (gap: number) => 100 * gap;

await bySearch(createMixedProblem(99, { n: 60, perLocation: 10, capacities: CAPACITIES }), 0.003, LIMIT_MS);
for (const perLocation of values.sizes.split(',').map(Number)) {
  const runs = { one: [] as Run[], fine: [] as Run[], twoSeconds: [] as Run[] };
  for (let seed = 1; seed <= Number(values.seeds); seed++) {
    const problem = createMixedProblem(seed, { n: 263, perLocation, capacities: CAPACITIES });
    runs.one.push(await bySearch(problem, 0.01, LIMIT_MS));
    const fine = await bySearch(problem, 0.003, LIMIT_MS);
    runs.fine.push(fine);
    runs.twoSeconds.push(fine.ms <= 2000 ? fine : await bySearch(problem, 0.003, 2000));
  }
  console.log(
    `263 × 3, ${perLocation} per location, median (least – most) of ${values.seeds} seeds\n` +
      `  1 % proved after   ms ${range(
        runs.one.map((r) => r.ms),
        0,
      )}, processor ${range(
        runs.one.map((r) => r.cpuMs),
        0,
      )}\n` +
      `  0.3 % proved after ms ${range(
        runs.fine.map((r) => r.ms),
        0,
      )}, processor ${range(
        runs.fine.map((r) => r.cpuMs),
        0,
      )}; not within the limit: ${runs.fine.filter((r) => r.gap > 0.003).length}\n` +
      `  gap % after 2 s    ${range(
        runs.twoSeconds.map((r) => percent(r.gap)),
        3,
      )}, at the limit ${range(
        runs.fine.map((r) => percent(r.gap)),
        3,
      )}`,
  );
  if (!values.direct) continue;
  const problem = createMixedProblem(1, { n: 263, perLocation, capacities: CAPACITIES });
  for (const limitMs of [2000, LIMIT_MS]) {
    const { ms, gap } = await byAllMoves(problem, 0.003, limitMs);
    console.log(
      `  all moves, seed 1, stopped after ${limitMs} ms: ended after ${ms.toFixed(0)}, gap % ${percent(gap).toFixed(3)}`,
    );
  }
}

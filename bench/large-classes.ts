/**
 * `npm run bench:large-classes -- [--seeds 3] [--seconds 60] [--gap 0.005] [--sizes 263,5000]`: large cities with
 * three capacity classes (1, 2, 4), ten vehicles per location: the gap proved within the time, and the time until the
 * requested gap is proved.
 *
 * Two families: a random city, and the evening's, whose vehicles cross the town (its seeds have 10, 30 or 100 vehicles
 * per location). A search ends as soon as the requested gap is proved. Building matrices is not timed. Median (least –
 * most) of the seeds; processor time of all threads.
 */
import type { Problem } from '../src/core/optimize/problem/model.ts';
import { solveProblem } from '../src/core/optimize/solve.ts';
import { readArguments, reportTable, spread, whole } from './cli.ts';
import { createEveningProblem, createMixedProblem } from './mixed-instances.ts';

const { seeds, seconds, gap, sizes, json } = readArguments({
  seeds: 3,
  seconds: 60,
  gap: 0.005,
  sizes: [263, 5000],
});
const CAPACITIES = [1, 2, 4];
const FAMILIES: Record<string, (seed: number, n: number) => Problem> = {
  'random city': (seed, n) => createMixedProblem(seed, { n, perLocation: 10, capacities: CAPACITIES }),
  evening: (seed, n) => createEveningProblem(seed, n, CAPACITIES),
};

const range = (numbers: number[], format: (number: number) => string) => spread(numbers, format, [0, 1]);
const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
const tenths = (number: number) => number.toFixed(1);

async function solveWithin(problem: Problem) {
  void problem.network.costUnits;
  void problem.network.distanceKm;
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  const outcome = await solveProblem(problem, gap, { deadlineMs: startedMs + 1000 * seconds });
  const { user, system } = process.cpuUsage(startedCpu);
  return {
    s: (performance.now() - startedMs) / 1000,
    cpuS: (user + system) / 1e6,
    gap: outcome.kind === 'solved' ? outcome.solution.gap : 1,
  };
}

await solveProblem(FAMILIES.evening(99, 60), gap, { deadlineMs: performance.now() + 2000 });
const rows: string[][] = [];
for (const n of sizes) {
  for (const [name, create] of Object.entries(FAMILIES)) {
    const runs = [];
    for (let seed = 1; seed <= seeds; seed++) runs.push(await solveWithin(create(seed, n)));
    rows.push([
      `${name}, ${whole(n)} locations`,
      range(
        runs.map((run) => run.gap),
        percent,
      ),
      `${runs.filter((run) => run.gap <= gap).length} of ${seeds}`,
      range(
        runs.map((run) => run.s),
        tenths,
      ),
      range(
        runs.map((run) => run.cpuS),
        tenths,
      ),
    ]);
    console.error(rows.at(-1)?.join('  '));
  }
}
const columns = ['problem', 'proved gap', `${percent(gap)} proved in ${seconds} s`, 's', 'of the processor'];
reportTable({ columns, rows }, json);

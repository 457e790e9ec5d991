/**
 * `npm run bench:explain -- [--seeds 3] [--only TEXT]`: the time that `options.explain` adds to a request, and how
 * exact the insights are. Reports medians of wall and CPU time over the seeds' cities, after a warm-up request; the
 * share of figures that are given (their error is smaller than the figure); and the errors of those. The figures of a
 * location count once.
 */
import { optimizeCached as optimize } from '../test/core/optimize/cached.ts';
import { percentile, readArguments, reportTable, whole } from './cli.ts';
import { BENCH_SETTINGS, cityRequest, type RequestShape } from './requests.ts';

const { seeds, only, json } = readArguments({ seeds: 3, only: '' });

const shape = (
  locations: number,
  vehicles: number,
  classes: number,
  isFractional: boolean,
): RequestShape => ({
  locations,
  vehicles,
  classes,
  isFractional,
});

const SHAPES: Record<string, RequestShape> = {
  '20 locations, whole demand': shape(20, 200, 1, false),
  '20 locations, fractional demand': shape(20, 200, 1, true),
  '20 locations, 3 capacities': shape(20, 200, 3, true),
  '73 locations, 3 capacities': shape(73, 800, 3, true),
  '263 locations, whole demand': shape(263, 8000, 1, false),
  '263 locations, fractional demand': shape(263, 8000, 1, true),
  '263 locations, 3 capacities': shape(263, 8000, 3, true),
  '1,000 locations, whole demand': shape(1000, 50_000, 1, false),
  '1,000 locations, fractional demand': shape(1000, 50_000, 1, true),
};

/** CPU time of the process with all its threads, ms. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const percent = (share: number) => `${Math.round(100 * share)} %`;

const rows: string[][] = [];
for (const [name, size] of Object.entries(SHAPES)) {
  if (!name.includes(only)) continue;
  const times = { plain: [] as number[], explained: [] as number[] };
  const cpuTimes = { plain: [] as number[], explained: [] as number[] };
  const costs: number[] = [];
  const errors: number[] = [];
  const figures: number[] = [];
  let wanted = 0;
  let known = 0;
  for (let seed = 0; seed <= seeds; seed++) {
    const { request, locations } = cityRequest(Math.max(1, seed), size);
    for (const which of seed === 0 ? (['plain'] as const) : (['plain', 'explained'] as const)) {
      const startedMs = performance.now();
      const startedCpuMs = cpuMs();
      const outcome = await optimize({
        request: { ...request, options: { explain: which === 'explained' } },
        locations,
        settings: BENCH_SETTINGS,
      });
      if (outcome.status !== 'optimal') throw new Error(outcome.status);
      if (seed === 0) continue;
      times[which].push(performance.now() - startedMs);
      cpuTimes[which].push(cpuMs() - startedCpuMs);
      const { insights } = outcome.result;
      if (!insights) continue;
      costs.push(outcome.result.total_cost);
      for (const { error_at_most } of [...insights.locations, ...insights.moves]) {
        if (error_at_most !== null) errors.push(error_at_most);
      }
      wanted += 3 * insights.locations.length + insights.moves.length;
      known += insights.locations.reduce((sum, { not_known }) => sum + 3 - not_known.length, 0);
      known += insights.moves.filter(({ error_at_most }) => error_at_most !== null).length;
      const told = [
        ...insights.locations.flatMap((l) => [l.one_more_saves, l.one_fewer_costs, l.more_demand_costs]),
        ...insights.moves.map((move) => move.forbidding_costs),
      ];
      for (const figure of told) if (figure !== null && figure !== 0) figures.push(Math.abs(figure));
    }
  }
  const exact = errors.filter((error) => error === 0).length / errors.length;
  const timeOf = (which: 'plain' | 'explained') =>
    `${whole(percentile(times[which], 0.5))} (${whole(percentile(cpuTimes[which], 0.5))})`;
  rows.push([
    name,
    timeOf('plain'),
    timeOf('explained'),
    percent(known / wanted),
    percent(exact),
    `${percentile(errors, 0.5).toFixed(2)} (${percentile(errors, 0.9).toFixed(2)})`,
    percentile(figures, 0.5).toFixed(2),
    whole(percentile(costs, 0.5)),
  ]);
  console.error(rows.at(-1)?.join('  '));
}
const columns = ['request', 'without', 'with', 'given', 'exact', 'error', 'figure', 'cost'];
reportTable({ columns, rows }, json);

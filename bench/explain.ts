/**
 * `npm run bench:explain -- [--repeats 3] [--only TEXT]`: what `options.explain` adds to the time of a request, and how
 * exact the insights are then. Medians of wall and CPU time; with and without take turns.
 */
import { parseArgs } from 'node:util';
import { optimize } from '../src/core/optimize/optimize.ts';
import { cityRequest, type RequestShape, SETTINGS } from './requests.ts';

const { values } = parseArgs({
  options: { repeats: { type: 'string', default: '3' }, only: { type: 'string', default: '' } },
});

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
  '263 locations, whole demand': shape(263, 8000, 1, false),
  '263 locations, fractional demand': shape(263, 8000, 1, true),
  '263 locations, 3 capacities': shape(263, 8000, 3, true),
  '1,000 locations, whole demand': shape(1000, 50_000, 1, false),
  '1,000 locations, fractional demand': shape(1000, 50_000, 1, true),
};

/** CPU time of the process, all its threads, ms. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)];
const ascending = (list: readonly number[]) => [...list].sort((a, b) => a - b);

for (const [name, size] of Object.entries(SHAPES)) {
  if (!name.includes(values.only)) continue;
  const { request, locations } = cityRequest(1, size);
  const times = { plain: [] as number[], explained: [] as number[] };
  const cpuTimes = { plain: [] as number[], explained: [] as number[] };
  let quality = '';
  for (let r = -1; r < Number(values.repeats); r++) {
    for (const [which, explain] of [
      ['plain', false],
      ['explained', true],
    ] as const) {
      const startedMs = performance.now();
      const startedCpuMs = cpuMs();
      const outcome = await optimize({
        request: { ...request, options: { explain } },
        locations,
        settings: SETTINGS,
      });
      if (r >= 0) {
        times[which].push(performance.now() - startedMs);
        cpuTimes[which].push(cpuMs() - startedCpuMs);
      }
      if (outcome.status !== 'optimal') throw new Error(outcome.status);
      const { insights } = outcome.result;
      if (!insights) continue;
      const errors = [...insights.locations, ...insights.moves].map(
        ({ error_at_most }) => error_at_most ?? Number.POSITIVE_INFINITY,
      );
      const exact = errors.filter((error) => error === 0).length / errors.length;
      quality =
        `exact ${Math.round(100 * exact)} %, median error ${median(ascending(errors))}, ` +
        `complete ${insights.complete}, cost ${outcome.result.total_cost}`;
    }
  }
  const told = (['plain', 'explained'] as const).map((which) => {
    const [wall, cpu] = [times, cpuTimes].map((of) => median(ascending(of[which])).toFixed(0));
    return `${wall} ms (CPU ${cpu})`;
  });
  console.log(`${name.padEnd(36)} ${told.join(' → ')}   ${quality}`);
}

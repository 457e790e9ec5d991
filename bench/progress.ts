/**
 * `npm run bench:progress -- [--seconds 60] [--only TEXT]`: the cost of reporting progress ten times a second, as a
 * worker's thread does.
 *
 * A solve is a fixed amount of work: a request that ends by itself. The bench checks that it takes the same steps to
 * the same cost with and without progress. Solves run in groups of three, one with progress and two without, in
 * rotating order, for the given seconds per request. The figure is the ratio of CPU time (all threads) to the mean of
 * the two without progress; other work on the machine affects CPU time less than wall time. Reports the median, the
 * 10th – 90th percentile in brackets, and the 95 % confidence interval of the median (order statistics). The ratio of
 * the two without progress shows the noise of the measurement.
 */
import { setImmediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import type { OptimizeInput } from '../src/core/optimize/optimize.ts';
import { optimizeCached as optimize } from '../test/core/optimize/cached.ts';
import { percentile, ratio, readArguments, reportTable, whole } from './cli.ts';
import { BENCH_SETTINGS, cityRequest, type RequestShape } from './requests.ts';

const { seconds, only, json } = readArguments({ seconds: 60, only: '' });
const INTERVAL_MS = 100;
/** The first solves compile. */
const WARM_UP = 6;
const MIN_ROUNDS = 6;

type Case = { shape: RequestShape; gap: number };

const CASES: Record<string, Case> = {
  '2,000 locations, 40,000 vehicles': {
    shape: { locations: 2000, vehicles: 40_000, classes: 1, isFractional: false },
    gap: 0.01,
  },
  '1,000 locations, 50,000 vehicles, fractional demand': {
    shape: { locations: 1000, vehicles: 50_000, classes: 1, isFractional: true },
    gap: 0.01,
  },
  '263 locations, 8,000 vehicles of 3 capacities': {
    shape: { locations: 263, vehicles: 8000, classes: 3, isFractional: true },
    gap: 0.01,
  },
  '263 locations, 2,600 vehicles of 3 capacities, gap 0.6 %': {
    shape: { locations: 263, vehicles: 2600, classes: 3, isFractional: true },
    gap: 0.006,
  },
};

const { port1, port2 } = new MessageChannel();
let reports = 0;
port2.on('message', () => {}).unref();

type Run = { cpuMs: number; steps: string };

async function run(input: OptimizeInput, isReported: boolean): Promise<Run> {
  const hooks = {
    onProgress: (report: object) => {
      reports++;
      port1.postMessage(report);
    },
    progressIntervalMs: INTERVAL_MS,
  };
  const before = process.cpuUsage();
  const outcome = await optimize(input, isReported ? hooks : {});
  const { user, system } = process.cpuUsage(before);
  if (outcome.status !== 'optimal') throw new Error(outcome.status);
  // Posted messages are received before the next solve.
  await setImmediate();
  const { objective, iterations, nodes } = outcome.certificate;
  return {
    cpuMs: (user + system) / 1000,
    steps: `cost ${objective}, ${iterations} iterations, ${nodes} nodes`,
  };
}

/** The 95 % confidence interval of the median, by order statistics. */
function medianWithin(ratios: readonly number[]): string {
  const half = 0.98 / Math.sqrt(ratios.length);
  const at = (share: number) => percentile(ratios, share).toFixed(3);
  return `${at(0.5 - half)} – ${at(0.5 + half)}`;
}

const rows: string[][] = [];
for (const [name, { shape, gap }] of Object.entries(CASES)) {
  if (!name.includes(only)) continue;
  const { request, locations } = cityRequest(1, shape);
  const input = {
    request: { ...request, options: { optimality_gap: gap } },
    locations,
    settings: BENCH_SETTINGS,
  };
  for (let i = 0; i < WARM_UP; i++) await run(input, i % 2 === 0);
  const { steps } = await run(input, false);
  reports = 0;
  const ratios: number[] = [];
  const noise: number[] = [];
  const cpuMs: number[] = [];
  const endMs = performance.now() + seconds * 1000;
  for (let round = 0; round < MIN_ROUNDS || performance.now() < endMs; round++) {
    // The order rotates: the first solve finds other garbage than the last.
    const order = [0, 1, 2].map((at) => (at + round) % 3);
    const used = [0, 0, 0];
    for (const which of order) {
      const ran = await run(input, which === 2);
      if (ran.steps !== steps) throw new Error(`${ran.steps}, not ${steps}`);
      used[which] = ran.cpuMs;
    }
    const [plain, again, reported] = used;
    ratios.push(reported / ((plain + again) / 2));
    noise.push(again / plain);
    cpuMs.push(plain);
  }
  console.error(`${name}: ${steps}; ${reports} reports`);
  rows.push([
    name,
    whole(percentile(cpuMs, 0.5)),
    whole(cpuMs.length),
    ratio(ratios),
    medianWithin(ratios),
    medianWithin(noise),
  ]);
}
port1.close();
const columns = ['request', 'processor ms', 'rounds', 'with progress', 'its median', 'without, twice'];
reportTable({ columns, rows }, json);

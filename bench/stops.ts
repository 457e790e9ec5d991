/**
 * `npm run bench:stops -- [--only NAME] [--stops 200]`: how long a solve takes to end after it was cancelled, and by how much it
 * overruns its time limit, at random moments of hard problems. Median, 99th percentile and longest of each kind, in milliseconds.
 * A solve runs in a thread as it does in the service; moments are spread evenly over its first `spanMs`.
 * Time in which the thread was ready to run but had no processor (Linux tells) is not counted: it is the machine's.
 */
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import { checkRequest } from '../src/core/optimize/check.ts';
import { solveDirect } from '../src/core/optimize/direct.ts';
import { loadSolver } from '../src/core/optimize/highs.ts';
import { createIncumbent } from '../src/core/optimize/incumbent.ts';
import { optimize } from '../src/core/optimize/optimize.ts';
import { buildProblem } from '../src/core/optimize/problem.ts';
import { createRandom } from './instances.ts';
import { cityRequest, SETTINGS } from './requests.ts';

type Kind = {
  locations: number;
  vehicles: number;
  classes: number;
  isFractional: boolean;
  gap: number;
  spanMs: number;
  explain?: boolean;
  constraints?: NonNullable<OptimizeRequest['constraints']>;
  /** What runs instead of the whole core: the formulation of all moves alone, or a loop that does nothing but read clock and flag. */
  instead?: 'all moves' | 'nothing';
};

const KINDS: Record<string, Kind> = {
  'nothing: what the machine adds': { ...city(12, 120, 3), gap: 0, spanMs: 300, instead: 'nothing' },
  '263 locations, 3 classes': { ...city(263, 2600, 3), gap: 0.001, spanMs: 1000 },
  '1,000 locations, 3 classes': { ...city(1000, 10_000, 3), gap: 0.001, spanMs: 2000 },
  '1,000 locations, fractional': { ...city(1000, 20_000, 1), gap: 0, spanMs: 800 },
  '2,000 locations, fractional': { ...city(2000, 40_000, 1), gap: 0, spanMs: 1200 },
  '2,000 locations, pure flow': { ...city(2000, 100_000, 1), isFractional: false, gap: 0, spanMs: 200 },
  '30 locations, 3 classes': { ...city(30, 300, 3), gap: 0, spanMs: 600 },
  '12 locations, 3 classes': { ...city(12, 120, 3), gap: 0, spanMs: 300 },
  '100 locations, 3 classes, all moves': {
    ...city(100, 1000, 3),
    gap: 0.001,
    spanMs: 800,
    instead: 'all moves',
  },
  '263 locations, 3 classes, all moves': {
    ...city(263, 2600, 3),
    gap: 0.001,
    spanMs: 1500,
    instead: 'all moves',
  },
  '1,000 locations, all moves': { ...city(1000, 20_000, 1), gap: 0, spanMs: 1500, instead: 'all moves' },
  '263 locations, fractional, explained': { ...city(263, 2600, 1), gap: 0.01, spanMs: 800, explain: true },
  '263 locations, 3 classes, explained': { ...city(263, 8000, 3), gap: 0.01, spanMs: 1200, explain: true },
  '263 locations, 3 classes, infeasible': {
    ...city(263, 2600, 3),
    gap: 0.01,
    spanMs: 1200,
    constraints: { total_fleet_size: 1200 },
  },
  '73 locations, 3 classes, infeasible': {
    ...city(73, 600, 3),
    gap: 0.01,
    spanMs: 1200,
    constraints: { min_service_level: 1, max_vehicles_per_location: 9, max_distance: 6 },
  },
};

function city(locations: number, vehicles: number, classes: number) {
  return { locations, vehicles, classes, isFractional: true };
}

type Task = { stopFlag: Int32Array; limitMs: number };
type Ended = { status: string; endedMs: number };

/** Longest that a limit may be: a solve that is stopped has no other. */
const NO_LIMIT_MS = 60_000;

if (isMainThread) await main();
else await serve(KINDS[workerData]);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, stops: { type: 'string', default: '200' } },
  });
  const stops = Number(values.stops);
  const only = values.only ?? '';
  const names = only in KINDS ? [only] : Object.keys(KINDS).filter((name) => name.includes(only));
  for (const name of names) {
    const kind = KINDS[name];
    const thread = new Worker(new URL(import.meta.url), { workerData: name });
    const [schedule] = (await once(thread, 'message')) as [string];
    /** Solves, and measures how long it went on after `atMs`: negative where it had ended before. */
    const solve = async (atMs: number, isStop: boolean) => {
      const stopFlag = new Int32Array(new SharedArrayBuffer(4));
      const startedMs = performance.now();
      let dueMs = startedMs + atMs;
      let waitedMs = 0;
      const timer = setTimeout(() => {
        waitedMs = waitedFor(schedule);
        if (!isStop) return;
        dueMs = performance.now();
        Atomics.store(stopFlag, 0, 1);
      }, atMs);
      thread.postMessage({ stopFlag, limitMs: isStop ? NO_LIMIT_MS : atMs } satisfies Task);
      const [{ status, endedMs }] = (await once(thread, 'message')) as [Ended];
      clearTimeout(timer);
      const overrunMs = endedMs - performance.timeOrigin - dueMs;
      const machineMs = waitedMs > 0 ? Math.max(0, waitedFor(schedule) - waitedMs) : 0;
      return { status, overrunMs: overrunMs > 0 ? Math.max(0, overrunMs - machineMs) : overrunMs };
    };
    const random = createRandom(1);
    const afterStop: number[] = [];
    const afterLimit: number[] = [];
    const statuses: Record<string, number> = {};
    // The first of each warms up.
    for (let s = -1; s < stops; s++) {
      const atMs = 1 + ((s + random()) / stops) * kind.spanMs;
      const stopped = await solve(s < 0 ? kind.spanMs : atMs, true);
      const limited = await solve(s < 0 ? kind.spanMs : atMs, false);
      if (s < 0) continue;
      if (stopped.status === 'cancelled') afterStop.push(Math.max(0, stopped.overrunMs));
      if (limited.overrunMs > 0) afterLimit.push(limited.overrunMs);
      statuses[limited.status] = (statuses[limited.status] ?? 0) + 1;
    }
    await thread.terminate();
    console.log(
      `${name.padEnd(38)} stopped ${describe(afterStop)}   time limit ${describe(afterLimit)}   ${JSON.stringify(statuses)}`,
    );
  }
}

function describe(ms: number[]): string {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (q: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0).toFixed(0);
  return `${at(0.5).padStart(3)} ${at(0.99).padStart(4)} ${at(1).padStart(4)} (${ms.length})`;
}

/** Milliseconds that a thread has waited for a processor so far. */
function waitedFor(schedule: string): number {
  return Number(readFileSync(schedule, 'utf8').split(' ')[1]) / 1e6;
}

async function serve(kind: Kind): Promise<void> {
  await loadSolver();
  const { request, locations } = cityRequest(1, kind);
  request.constraints = kind.constraints;
  const faults = checkRequest(request, new Set(locations.map(({ id }) => id)));
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  parentPort!.on('message', async ({ stopFlag, limitMs }: Task) => {
    const startedMs = performance.now();
    let status: string;
    if (kind.instead === 'nothing') {
      while (Atomics.load(stopFlag, 0) === 0 && performance.now() < startedMs + limitMs);
      status = Atomics.load(stopFlag, 0) === 0 ? 'timeout' : 'cancelled';
    } else if (kind.instead === 'all moves') {
      const problem = buildProblem(request, locations, SETTINGS);
      const control = { deadlineMs: startedMs + limitMs, stopFlag };
      const incumbent = createIncumbent(problem, kind.gap, control);
      const ended = await solveDirect(problem, incumbent, control);
      status = ended === 'infeasible' ? ended : incumbent.finish(ended).kind;
    } else {
      const options = {
        optimality_gap: kind.gap,
        time_limit_seconds: limitMs / 1000,
        explain: kind.explain ?? false,
      };
      const outcome = await optimize(
        { request: { ...request, options }, locations, settings: SETTINGS },
        { stopFlag, onProgress: () => {} },
      );
      status = outcome.status;
    }
    parentPort!.postMessage({ status, endedMs: performance.timeOrigin + performance.now() } satisfies Ended);
  });
  parentPort!.postMessage(`/proc/${readlinkSync('/proc/thread-self')}/schedstat`);
}

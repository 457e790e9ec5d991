/**
 * `npm run bench:stops -- [--only NAME] [--stops 200]`: the time from a cancellation to the end of a solve, and the
 * overrun of its time limit, at random moments of hard problems. Reports median and maximum of each kind, in
 * milliseconds. A solve runs in a thread, as in the service; moments are spread evenly over its first `spanMs`. Time in
 * which the thread was ready to run but had no processor (known on Linux) is not counted: that is due to the machine.
 */
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { percentile, readArguments, reportTable, whole } from './cli.ts';
import { createUniform } from './instances.ts';
import { type Kind, prepare, STOP_KINDS } from './stop-kinds.ts';

type Task = { stopFlag: Int32Array; limitMs: number };
type Ended = { status: string; endedMs: number };

/** Upper limit for time limits; a cancelled solve has only this one. */
const NO_LIMIT_MS = 60_000;

if (isMainThread) await main();
else await serve(STOP_KINDS[workerData]);

async function main(): Promise<void> {
  const { only, stops, json } = readArguments({ only: '', stops: 200 });
  const rows: string[][] = [];
  const names = only in STOP_KINDS ? [only] : Object.keys(STOP_KINDS).filter((name) => name.includes(only));
  for (const name of names) {
    const kind = STOP_KINDS[name];
    const thread = new Worker(new URL(import.meta.url), { workerData: name });
    const [schedule] = (await once(thread, 'message')) as [string];
    /** Solves, and measures how long the solve continued after `atMs`: negative if it had ended before. */
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
    const random = createUniform(1);
    const afterStop: number[] = [];
    const afterLimit: number[] = [];
    const statuses: Record<string, number> = {};
    // The first solve of each kind is a warm-up.
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
    rows.push([name, describe(afterStop), describe(afterLimit)]);
    console.error(`${rows.at(-1)?.join('  ')}  ${JSON.stringify(statuses)}`);
  }
  reportTable({ columns: ['problem', 'after a stop', 'past the limit'], rows }, json);
}

function describe(ms: number[]): string {
  return ms.length === 0 ? '–' : `${whole(percentile(ms, 0.5))}, ${whole(percentile(ms, 1))}`;
}

/** Milliseconds that a thread has spent waiting for a processor. */
function waitedFor(schedule: string): number {
  return Number(readFileSync(schedule, 'utf8').split(' ')[1]) / 1e6;
}

async function serve(kind: Kind): Promise<void> {
  const solve = await prepare(kind);
  parentPort!.on('message', async ({ stopFlag, limitMs }: Task) => {
    const status = await solve(stopFlag, limitMs);
    parentPort!.postMessage({ status, endedMs: performance.timeOrigin + performance.now() } satisfies Ended);
  });
  parentPort!.postMessage(`/proc/${readlinkSync('/proc/thread-self')}/schedstat`);
}

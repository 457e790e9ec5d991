import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Memory, Window } from './probe.ts';
import { isWorker } from './service-processes.ts';

const LOOP_EVERY_MS = 10;
const HEALTH_EVERY_MS = 50;
const MEMORY_EVERY_MS = 200;

const { baseUrl, pids } = workerData as { baseUrl: string; pids: number[] };
const times = { loop: [] as number[], health: [] as number[] };
const memory = new Map<number, Memory>();

sampleMemory();
probe('loop', '/', LOOP_EVERY_MS);
probe('health', '/health', HEALTH_EVERY_MS);
setInterval(sampleMemory, MEMORY_EVERY_MS);
parentPort!.on('message', (question: 'look' | 'memory') => {
  if (question === 'memory') return parentPort!.postMessage([...memory.values()]);
  const window: Window = { loop: summary(times.loop), health: summary(times.health) };
  times.loop = [];
  times.health = [];
  parentPort!.postMessage(window);
});
parentPort!.postMessage('ready');

/** Sends one question after the other on one connection. */
async function probe(kind: 'loop' | 'health', path: string, everyMs: number): Promise<never> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(baseUrl);
  for (;;) {
    const startedAt = performance.now();
    await new Promise<void>((resolve) => {
      http
        .get({ agent, host: hostname, port, path }, (response) => response.resume().on('close', resolve))
        .on('error', () => resolve());
    });
    times[kind].push(performance.now() - startedAt);
    await delay(everyMs);
  }
}

function summary(values: number[]): Window['loop'] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, median: at(0.5), p99: at(0.99), longest: sorted.at(-1) ?? 0 };
}

function sampleMemory(): void {
  for (const pid of pids) {
    const now = residentMib(pid);
    if (now === undefined) continue;
    const known = memory.get(pid) ?? { pid, name: isWorker(pid) ? 'worker' : 'API', rest: now, peak: 0, now };
    memory.set(pid, { ...known, now, peak: Math.max(known.peak, now) });
  }
}

function residentMib(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
  } catch {
    return undefined;
  }
}

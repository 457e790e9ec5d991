/**
 * `npm run bench:load-large -- [--calls 10] [--backends redis,postgres] [--locations 1000] [--vehicles 100000]`: one
 * large synchronous call beside its own solve, in turns, with the phases of its job, the processor time of each
 * process, and the peak memory of API and worker. At the end one more call, after the service has rested.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { optimizeCached as optimize } from '../../test/core/optimize/cached.ts';
import { figure, percentile, ratio, readArguments, reportTable, whole } from '../cli.ts';
import { BENCH_SETTINGS, cityRequest } from '../requests.ts';
import { endAll, endAllOnFault, spawnWorker } from './processes.ts';
import { databaseMs, processorMs } from './processor-time.ts';
import { BACKENDS, startLoadService } from './service.ts';

const { calls, backends, locations, vehicles, json } = readArguments({
  calls: 10,
  backends: 'redis,postgres',
  locations: 1000,
  vehicles: 100_000,
});

const shape = { locations, vehicles, classes: 1, isFractional: false };
const { request: city, locations: places } = cityRequest(0, shape);
/** The service's own ceiling is for smaller fleets. */
const problem = { ...city, constraints: { max_rebalancing_cost: 1e6 } };
const body = JSON.stringify(problem);

/** Longer than idle threads keep what they used. */
const REST_MS = 15_000;

type Job = {
  data: { created_at: string; finished_at: string; phases: { phase: string; ms: number | null }[] };
};

/** @returns its time until all of the answer is here, when it began (ms since 1970), and the path of its job */
async function send(api: string): Promise<{ ms: number; began: number; bytes: number; job: string }> {
  const began = Date.now();
  const startedMs = performance.now();
  const call = request(`${api}/api/v1/optimize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const answer = await text(response);
  const ms = performance.now() - startedMs;
  const job = /"job_id":"([^"]+)"/.exec(answer)?.[1];
  if (response.statusCode !== 200 || !job) throw new Error(answer.slice(0, 500));
  return { ms, began, bytes: answer.length, job: `${api}/api/v1/jobs/${job}` };
}

/** The most memory that a process has had, in MB. */
function peakOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

const rows = new Map<string, string[]>();
const note = (row: string, cell: string) => rows.set(row, [...(rows.get(row) ?? []), cell]);

async function measure(backend: string): Promise<void> {
  try {
    const { api, apiPid, env, postgres } = await startLoadService(backend, places);
    const worker = await spawnWorker(env);
    const processors: [string, () => number][] = [
      ['API', () => processorMs(apiPid)],
      ['worker', () => processorMs(worker)],
      ['PostgreSQL', () => databaseMs(postgres.folder)],
    ];
    let before: number[] = [];
    const times = { call: [] as number[], solve: [] as number[] };
    const phases = new Map<string, number[]>();
    let [bytes, first] = [0, 0];
    for (let c = -2; c < calls; c++) {
      if (c === 0) before = processors.map(([, read]) => read());
      const startedMs = performance.now();
      await optimize({ request: problem, locations: places, settings: BENCH_SETTINGS });
      const solve = performance.now() - startedMs;
      const called = await send(api);
      if (c === -2) first = called.ms;
      if (c < 0) continue;
      bytes = called.bytes;
      times.solve.push(solve);
      times.call.push(called.ms);
      const { data } = (await (await fetch(called.job)).json()) as Job;
      const add = (phase: string, ms: number) => phases.set(phase, [...(phases.get(phase) ?? []), ms]);
      add('until the job is stored', Date.parse(data.created_at) - called.began);
      for (const { phase, ms } of data.phases) add(`of the job: ${phase}`, ms ?? 0);
      add('from its end to the last byte', called.began + called.ms - Date.parse(data.finished_at));
    }
    const used = processors.map(([, read], i) => (read() - before[i]) / calls);
    note('call', figure(times.call));
    note('the first call of a process', whole(first));
    await delay(REST_MS);
    note('a call after a rest', whole((await send(api)).ms));
    note('the solve alone', figure(times.solve));
    note('call / solve', ratio(times.call.map((ms, c) => ms / times.solve[c])));
    for (const [phase, list] of phases) note(phase, figure(list));
    for (const [i, [name]] of processors.entries())
      note(`processor time of ${name}, mean of a call`, whole(used[i]));
    note('request and answer, MB', `${(body.length / 1e6).toFixed(1)} and ${(bytes / 1e6).toFixed(1)}`);
    note('most memory of the API, MB', whole(peakOf(apiPid)));
    note('most memory of the worker, MB', whole(peakOf(worker)));
    console.error(backend, percentile(times.call, 0.5).toFixed(0));
  } finally {
    await endAll();
  }
}

endAllOnFault();

const measured = backends.split(',');
for (const backend of measured) await measure(backend);
reportTable(
  {
    columns: ['', ...measured.map((name) => BACKENDS[name])],
    rows: [...rows].map(([name, row]) => [name, ...row]),
  },
  json,
);
process.exit();

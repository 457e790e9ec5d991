/**
 * `npm run bench:load -- [--calls 300] [--callers 8] [--backends redis,postgres]`: the cost of a whole synchronous call
 * for small problems (20 locations, 200 vehicles), with one and two workers, on both backends. It uses real processes,
 * a throwaway PostgreSQL with its usual durability, and Redis without persistence.
 *
 * With one caller, calls and bare BullMQ round trips take turns. Reports medians, 95th percentiles, and their ratio
 * without the solve (the same problems are solved in this process, also in turns). For comparison it also measures the
 * job's record alone (`record.ts`) and the minimal service with the same guarantees (`least.ts`). With many callers at
 * once it reports jobs per second. The steps come from the job records of one caller's calls: `phases` of GET
 * /api/v1/jobs/{job_id}.
 */

import type { OptimizeRequest } from '../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../src/core/optimize/problem/model.ts';
import { optimizeCached as optimize } from '../../test/core/optimize/cached.ts';
import { figure, percentile, ratio, readArguments, reportTable, whole } from '../cli.ts';
import { BENCH_SETTINGS, cityRequest } from '../requests.ts';
import { openBare } from './bare.ts';
import { sendTimed } from './client.ts';
import { startLeast } from './least.ts';
import { endAll, endAllOnFault, endLater, spawnWorker, startBareWorker } from './processes.ts';
import { openRecord } from './record.ts';
import { BACKENDS, startLoadService } from './service.ts';

const { calls, callers, backends, json } = readArguments({
  calls: 300,
  callers: 8,
  backends: 'redis,postgres',
});

const SHAPE = { locations: 20, vehicles: 200, classes: 1, isFractional: false };
/** The same locations for all problems, so they are stored once; another fleet and demand each time. */
const places: LocationPoint[] = cityRequest(0, SHAPE).locations;
const problems: OptimizeRequest[] = Array.from({ length: 50 }, (_, seed) => cityRequest(seed, SHAPE).request);
const bodies = problems.map((problem) => JSON.stringify(problem));

const withP95 = (list: number[]) => `${figure(list)}, ${percentile(list, 0.95).toFixed(1)}`;

/** Backend and number of workers, the columns of the tables; cells by row, in the order of the columns. */
const ways: string[] = [];
const measured = new Map<string, string[]>();
const stepTimes = new Map<string, string[]>();
const rowsOf = (cells: Map<string, string[]>) => [...cells].map(([name, row]) => [name, ...row]);
function note(cells: Map<string, string[]>, row: string, ...texts: string[]): void {
  cells.set(row, [...(cells.get(row) ?? []), ...texts]);
  console.error(`${ways.at(-1)}: ${row}: ${texts.join(', ')}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

type Steps = Map<string, number[]>;

/** Adds the time of each step, from the job's record and the caller's clock. */
function addSteps(steps: Steps, job: { phases: { phase: string; ms: number | null }[] }): void {
  for (const { phase, ms } of job.phases) {
    if (ms !== null) steps.set(phase, [...(steps.get(phase) ?? []), ms]);
  }
}

type Baselines = {
  bare: Awaited<ReturnType<typeof openBare>>;
  record: Awaited<ReturnType<typeof openRecord>>;
  /** address of the minimal service */
  least: string;
};

async function oneCaller(api: string, { bare, record, least }: Baselines): Promise<void> {
  const times = {
    call: [] as number[],
    bare: [] as number[],
    solve: [] as number[],
    record: [] as number[],
    least: [] as number[],
  };
  const jobs: string[] = [];
  for (let c = -30; c < calls; c++) {
    const p = (c + 50) % problems.length;
    const { answer, ms: call } = await sendTimed(`${api}/api/v1/optimize`, 'POST', bodies[p]);
    const roundTrip = await timed(bare.roundTrip);
    const startedMs = performance.now();
    const outcome = await optimize({ request: problems[p], locations: places, settings: BENCH_SETTINGS });
    const solve = performance.now() - startedMs;
    if (outcome.status !== 'optimal' && outcome.status !== 'feasible') throw new Error(outcome.status);
    const kept = await timed(() => record.keep(problems[p], bodies[p], outcome.result));
    const { ms: leastCall } = await sendTimed(least, 'POST', bodies[p]);
    if (c < 0) continue;
    times.call.push(call);
    times.bare.push(roundTrip);
    times.solve.push(solve);
    times.record.push(kept);
    times.least.push(leastCall);
    jobs.push(answer.metadata.job_id);
  }
  const withoutSolve = (to: (c: number) => number) =>
    ratio(times.call.map((call, c) => (call - times.solve[c]) / to(c)));
  note(measured, 'call', withP95(times.call));
  note(measured, 'bare BullMQ round trip', withP95(times.bare));
  note(measured, 'the solve alone', withP95(times.solve));
  note(measured, 'its record alone', withP95(times.record));
  note(measured, 'the least service', withP95(times.least));
  note(
    measured,
    '(call − solve) / bare',
    withoutSolve((c) => times.bare[c]),
  );
  note(measured, 'the least service / bare', ratio(times.least.map((ms, c) => ms / times.bare[c])));
  note(
    measured,
    '(call − solve) / the least service',
    withoutSolve((c) => times.least[c]),
  );
  note(
    measured,
    '(call − solve) / (bare + record)',
    withoutSolve((c) => times.bare[c] + times.record[c]),
  );
  const steps: Steps = new Map();
  for (const jobId of jobs)
    addSteps(steps, (await sendTimed(`${api}/api/v1/jobs/${jobId}`, 'GET')).answer.data);
  const total = mean(times.call);
  const tellStep = (name: string, ms: number) =>
    note(stepTimes, name, ms.toFixed(2), `${((100 * ms) / total).toFixed(0)} %`);
  for (const [name, phases] of Object.entries(STEPS)) {
    tellStep(name, sum(phases.map((phase) => mean(steps.get(phase) ?? []))));
  }
  tellStep(AROUND, total - sum([...steps.values()].map(mean)));
}

/** The phases of a job's record, by step of the table. */
const STEPS = {
  'queued: stored and on disk, enqueued, token taken, claimed': ['queued'],
  'started: handed to the thread': ['started'],
  'build, solve, verify': ['build', 'solve', 'verify'],
  'store: back from the thread, answer, plan and its vehicles': ['store'],
};
const AROUND = 'around the job: HTTP and checks; the end on disk and announced, answer read and sent';

const sum = (list: number[]) => list.reduce((total, ms) => total + ms, 0);

function mean(list: number[]): number {
  return list.length > 0 ? sum(list) / list.length : 0;
}

async function manyCallers(api: string): Promise<void> {
  const times: number[] = [];
  let next = 0;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < 2 * calls) {
        times.push((await sendTimed(`${api}/api/v1/optimize`, 'POST', bodies[next++ % bodies.length])).ms);
      }
    }),
  );
  const perSecond = (1000 * times.length) / (performance.now() - startedMs);
  note(measured, `${callers} callers: jobs per second`, whole(perSecond));
  note(measured, `${callers} callers: call`, withP95(times));
}

async function measure(backend: string): Promise<void> {
  try {
    const { api, env, postgres, redis } = await startLoadService(backend, places);
    await startBareWorker(redis ?? postgres.url);
    const bare = await openBare(redis ?? postgres.url);
    endLater(bare.close);
    const record = await openRecord(postgres.adminUrl, places);
    endLater(record.close);
    const outcome = await optimize({ request: problems[0], locations: places, settings: BENCH_SETTINGS });
    const answer = JSON.stringify({ status: 'success', data: 'result' in outcome ? outcome.result : null });
    const least = await startLeast({ databaseUrl: postgres.url, redisUrl: redis, answer });
    for (const workers of [1, 2]) {
      await spawnWorker(env);
      ways.push(`${BACKENDS[backend]}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`);
      await oneCaller(api, { bare, record, least });
      await manyCallers(api);
    }
  } finally {
    await endAll();
  }
}

endAllOnFault();

for (const backend of backends.split(',')) await measure(backend);
reportTable({ columns: ['', ...ways], rows: rowsOf(measured) }, json, 'calls');
const stepColumns = ways.flatMap((way) => [`${way}, ms`, 'share']);
reportTable({ columns: ['step', ...stepColumns], rows: rowsOf(stepTimes) }, json, 'steps');
process.exit();

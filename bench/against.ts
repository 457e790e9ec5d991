/**
 * `npm run bench:against -- DIR [--kind optimize] [--pairs 400] [--block 25] [--callers 8] [--backends redis,postgres]
 * [--locations 20] [--vehicles 200] [--classes 1] [--fractional]`: what a call costs in this version and in the one in
 * the folder DIR (with its `node_modules`), with all that is off by default off. Real processes, one worker and one
 * PostgreSQL with its usual durability for each version, both all the time. Calls of one caller take turns, and the
 * version that begins does, too. Then so many callers at once (0: none) send blocks of calls to one version and to the
 * other, for the jobs per second. Everyday sizes beside the default: 73 locations with 5,000 vehicles, 263 with 20,000,
 * and 1,000 with 100,000, with one class and three, demand fractional.
 *
 * `--kind decision`, `horizon` and `replay` call with the New York sample instead: `POST /decisions {}`, a plan of 73
 * zones that looks six hours ahead, and the last week replayed (`--pairs 3 --block 1 --callers 0`).
 *
 * Processor time is read per block of calls, so that both versions share each busy moment. Ratios are this version's
 * over the other's: median of the blocks (10th – 90th percentile). With DIR `.` they show what chance adds.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { figure, percentile, ratio, readArguments, reportTable } from './cli.ts';
import { sendTimed } from './load/client.ts';
import { endAll, endAllOnFault, ROOT, spawnWorker } from './load/processes.ts';
import { databaseMs, processorMs } from './load/processor-time.ts';
import { BACKENDS, startLoadService } from './load/service.ts';
import { cityRequest } from './requests.ts';

const { kind, pairs, block, callers, backends, locations, vehicles, classes, fractional, operands, json } =
  readArguments(
    {
      kind: 'optimize',
      pairs: 400,
      block: 25,
      callers: 8,
      backends: 'redis,postgres',
      locations: 20,
      vehicles: 200,
      classes: 1,
      fractional: false,
    },
    { takesOperands: true },
  );
const [other] = operands;
if (other === undefined) throw new Error('name the folder of the other version');

const SHAPE = { locations, vehicles, classes, isFractional: fractional };
/** The last days of the sample, and an hour of it for a call. */
const WEEK = { from: '2017-04-27', to: '2017-05-04' };
const startAt = (nth: number) => `${WEEK.from}T${String(nth % 18).padStart(2, '0')}:00:00-04:00`;

/** Paths and bodies of the calls, by kind. */
const KINDS: Record<string, { path: string; bodyOf: (nth: number) => object }> = {
  optimize: { path: 'optimize', bodyOf: (nth) => cityRequest(nth, SHAPE).request },
  decision: { path: 'decisions', bodyOf: () => ({}) },
  horizon: {
    path: 'decisions',
    bodyOf: (nth) => ({ mode: 'horizon', start_at: startAt(nth), horizon_hours: 6 }),
  },
  replay: {
    path: 'replays',
    bodyOf: () => ({
      ...WEEK,
      fleet: { size: 8000 },
      trips_per_vehicle_hour: 2,
      unmet_demand_cost: 6,
      policies: [{ mode: 'static' }, { mode: 'horizon' }],
    }),
  },
};
if (!KINDS[kind]) throw new Error(`--kind is one of ${Object.keys(KINDS).join(', ')}`);
const isSample = kind !== 'optimize';
const places = isSample ? [] : cityRequest(0, SHAPE).locations;
const bodies = Array.from({ length: Math.min(50, pairs) }, (_, nth) =>
  JSON.stringify(KINDS[kind].bodyOf(nth)),
);
const PATIENT = { prefer: 'wait=600' };
/** Calls before the first that counts: code is compiled. */
const WARM = Math.min(200, pairs);

type Version = { api: string; read: Record<string, () => number> };

async function open(backend: string, root: string): Promise<Version> {
  const { api, apiPid, env, postgres, redisPid } = await startLoadService(backend, places, {}, root);
  if (isSample) {
    const command = path.join(root, 'src/commands/import/main.ts');
    execFileSync(process.execPath, [command, '--sample'], {
      env: { ...process.env, ...env },
      stdio: 'ignore',
    });
  }
  const worker = await spawnWorker(env, root);
  const read = {
    'processor time of API, ms': () => processorMs(apiPid),
    'processor time of worker, ms': () => processorMs(worker),
    'processor time of PostgreSQL, ms': () => databaseMs(postgres.folder),
    ...(redisPid && { 'processor time of Redis, ms': () => processorMs(redisPid) }),
  };
  const all = Object.values(read);
  return {
    api,
    read: { ...read, 'processor time of all, ms': () => all.reduce((sum, one) => sum + one(), 0) },
  };
}

const call = async ({ api }: Version, nth: number) =>
  (await sendTimed(`${api}/api/v1/${KINDS[kind].path}`, 'POST', bodies[nth % bodies.length], PATIENT)).ms;

/** Jobs per second while so many callers each send their next call once they have the answer of the one before. */
async function perSecond(version: Version, calls: number): Promise<number> {
  let next = 0;
  const startedMs = performance.now();
  const caller = async () => {
    while (next < calls) await call(version, next++);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (1000 * calls) / (performance.now() - startedMs);
}

const CALL = 'call, ms: median of a block';
const MANY = `${callers} callers: jobs per second`;

type Row = [name: string, ...cells: string[]];

async function measure(backend: string): Promise<Row[]> {
  try {
    const versions = [await open(backend, ROOT), await open(backend, path.resolve(other))];
    for (let n = 0; n < WARM; n++) for (const version of versions) await call(version, n);
    const names = Object.keys(versions[0].read);
    /** per figure and version, a value per block and call */
    const found = new Map<string, [number[], number[]]>(
      [...names, CALL, ...(callers > 0 ? [MANY] : [])].map((name) => [name, [[], []]]),
    );
    for (let from = 0; from < pairs; from += block) {
      const before = versions.map(({ read }) => names.map((name) => read[name]()));
      const times: [number[], number[]] = [[], []];
      for (let n = from; n < from + block; n++) {
        for (const v of n % 2 === 0 ? [0, 1] : [1, 0]) times[v].push(await call(versions[v], n));
      }
      for (const [v, { read }] of versions.entries()) {
        for (const [i, name] of names.entries()) {
          found.get(name)?.[v].push((read[name]() - before[v][i]) / block);
        }
        found.get(CALL)?.[v].push(percentile(times[v], 0.5));
      }
    }
    for (let n = 0; callers > 0 && n < pairs / block; n++) {
      for (const v of n % 2 === 0 ? [0, 1] : [1, 0]) {
        found.get(MANY)?.[v].push(await perSecond(versions[v], block * 4));
      }
    }
    return [...found].map(([name, [here, there]]) => [
      `${BACKENDS[backend]}: ${name}`,
      figure(here),
      figure(there),
      ratio(here.map((value, i) => value / there[i])),
    ]);
  } finally {
    await endAll();
  }
}

endAllOnFault();
const rows: Row[] = [];
for (const backend of backends.split(',')) rows.push(...(await measure(backend)));
reportTable({ columns: ['per call', 'this version', 'the other version', 'ratio'], rows }, json);
process.exit();

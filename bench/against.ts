/**
 * `npm run bench:against -- DIR [--pairs 400] [--block 25] [--backends redis,postgres]`: what a call costs in this
 * version and in the one in the folder DIR (with its `node_modules`), with all that is off by default off. Small
 * problems (20 locations, 200 vehicles), one caller; real processes, one worker and one PostgreSQL with its usual
 * durability for each version, both all the time. Calls take turns, and the version that begins does, too.
 *
 * Processor time is read per block of calls, so that both versions share each busy moment. Ratios are this version's
 * over the other's: median of the blocks (10th – 90th percentile). With DIR `.` they show what chance adds.
 */
import path from 'node:path';
import { figure, percentile, ratio, readArguments, reportTable } from './cli.ts';
import { endAll, endAllOnFault, ROOT, spawnWorker } from './load/processes.ts';
import { databaseMs, processorMs } from './load/processor-time.ts';
import { BACKENDS, startLoadService } from './load/service.ts';
import { cityRequest } from './requests.ts';

const { pairs, block, backends, operands, json } = readArguments(
  { pairs: 400, block: 25, backends: 'redis,postgres' },
  { takesOperands: true },
);
const [other] = operands;
if (other === undefined) throw new Error('name the folder of the other version');

const SHAPE = { locations: 20, vehicles: 200, classes: 1, isFractional: false };
const places = cityRequest(0, SHAPE).locations;
const bodies = Array.from({ length: 50 }, (_, seed) => JSON.stringify(cityRequest(seed, SHAPE).request));
/** Calls before the first that counts: code is compiled. */
const WARM = 200;

type Version = { api: string; read: Record<string, () => number> };

async function open(backend: string, root: string): Promise<Version> {
  const { api, apiPid, env, postgres } = await startLoadService(backend, places, {}, root);
  const worker = await spawnWorker(env, root);
  const read = {
    'processor time of API, ms': () => processorMs(apiPid),
    'processor time of worker, ms': () => processorMs(worker),
    'processor time of API and worker, ms': () => processorMs(apiPid) + processorMs(worker),
    'processor time of PostgreSQL, ms': () => databaseMs(postgres.folder),
  };
  return { api, read };
}

async function call({ api }: Version, nth: number): Promise<number> {
  const startedMs = performance.now();
  const answer = await fetch(`${api}/api/v1/optimize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: bodies[nth % bodies.length],
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  return performance.now() - startedMs;
}

type Row = [name: string, ...cells: string[]];

async function measure(backend: string): Promise<Row[]> {
  try {
    const versions = [await open(backend, ROOT), await open(backend, path.resolve(other))];
    for (let n = 0; n < WARM; n++) for (const version of versions) await call(version, n);
    const names = Object.keys(versions[0].read);
    /** per figure and version, a value per block and call */
    const found = new Map<string, [number[], number[]]>(
      [...names, 'call, ms: median of a block'].map((name) => [name, [[], []]]),
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
        found.get('call, ms: median of a block')?.[v].push(percentile(times[v], 0.5));
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

/**
 * `npm run bench:heaps -- [--calls 8000] [--readings 8] [--backends redis,postgres]`: whether API and worker keep
 * anything of calls that are over. Eight callers send the quick calls of the soak's mix, and at every reading all calls
 * are answered, the inspector collects the garbage of both processes, and what their JavaScript still holds is told.
 * Jobs are deleted after half a minute.
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { WebSocket } from 'ws';
import { freePort } from '../src/commands/start/embedded-postgres.ts';
import { readArguments, reportTable, whole } from './cli.ts';
import { MIX_PLACES, mixedCalls, storeMixDemand } from './load/mix.ts';
import { endAll, endAllOnFault, endLater, spawnWorker } from './load/processes.ts';
import { BACKENDS, startLoadService } from './load/service.ts';

const { calls, readings, backends, json } = readArguments({
  ...{ calls: 8000, readings: 8 },
  backends: 'redis,postgres',
});
const CALLERS = 8;
const RETENTION_DAYS = String(1 / (2 * 24 * 60));

/** Not those that keep a worker busy for a second. */
const isQuick = ({ path, body }: { path: string; body: string }) =>
  !/replays|backtest/.test(path) && !(path.endsWith('/optimize') && body.includes('"capacity":2'));
const quickCalls = mixedCalls().filter(isQuick);

/** An inspected process: its address goes into `NODE_OPTIONS` of what is started meanwhile. */
async function inspected<T>(
  start: () => Promise<T>,
): Promise<{ started: T; heapMiB: () => Promise<number> }> {
  const port = await freePort();
  process.env.NODE_OPTIONS = `--inspect=127.0.0.1:${port}`;
  const started = await start().finally(() => {
    delete process.env.NODE_OPTIONS;
  });
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [{ webSocketDebuggerUrl }] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  endLater(async () => socket.terminate());
  const waiting = new Map<number, (result: { usedSize: number }) => void>();
  socket.on('message', (text) => {
    const { id, result } = JSON.parse(String(text));
    waiting.get(id)?.(result);
  });
  let id = 0;
  const ask = (method: string) =>
    new Promise<{ usedSize: number }>((resolve) => {
      waiting.set(++id, resolve);
      socket.send(JSON.stringify({ id, method }));
    });
  const heapMiB = async () => {
    // What finalizers let go of is garbage only after the first time.
    for (let i = 0; i < 2; i++) await ask('HeapProfiler.collectGarbage');
    return (await ask('Runtime.getHeapUsage')).usedSize / 1048576;
  };
  return { started, heapMiB };
}

const residentMiB = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

type Row = [name: string, cell: string];

async function measure(backend: string): Promise<Row[]> {
  try {
    const settings = {
      ...{ RETENTION_JOB_DAYS: RETENTION_DAYS, RETENTION_PLAN_DAYS: RETENTION_DAYS },
      ...{ RETENTION_INPUT_DAYS: RETENTION_DAYS, SWEEP_INTERVAL_SECONDS: '5' },
    };
    const { started: service, ...api } = await inspected(() =>
      startLoadService(backend, MIX_PLACES, settings),
    );
    const { started: workerPid, ...worker } = await inspected(() => spawnWorker(service.env));
    const client = new pg.Client({ connectionString: service.postgres.url });
    await client.connect();
    await storeMixDemand(client);
    await client.end();
    let sent = 0;
    const callUntil = async (last: number) => {
      while (sent < last) {
        const { path, body } = quickCalls[sent++ % quickCalls.length];
        const headers = { 'content-type': 'application/json', prefer: 'wait=60' };
        const answer = await fetch(`${service.api}${path}`, { method: 'POST', headers, body });
        const text = await answer.text();
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
      }
    };
    const rows: Row[] = [];
    for (let i = 1; i <= readings; i++) {
      const last = Math.round((i * calls) / readings);
      await Promise.all(Array.from({ length: CALLERS }, () => callUntil(last)));
      const heaps = [await api.heapMiB(), await worker.heapMiB()].map((mib) => mib.toFixed(2));
      const resident = [service.apiPid, workerPid].map((pid) => whole(residentMiB(pid)));
      rows.push([whole(last), `${heaps.join(', ')}; ${resident.join(', ')}`]);
    }
    return rows;
  } finally {
    await endAll();
  }
}

endAllOnFault();
const names = backends.split(',');
const cells = new Map<string, string[]>();
for (const backend of names) {
  for (const [name, cell] of await measure(backend)) cells.set(name, [...(cells.get(name) ?? []), cell]);
}
const columns = [
  'calls so far: heap of API, worker; memory of API, worker, MiB',
  ...names.map((name) => BACKENDS[name]),
];
reportTable({ columns, rows: [...cells].map(([name, row]) => [name, ...row]) }, json);
process.exit();

/**
 * `npm run bench:loop -- [--part faults|largest|all] [--locations 5000] [--weeks 13] [--vehicles 500000] [--only
 * name]`: how long one caller can block the event loop of the API for all others. API and worker are separate processes
 * on a separate PostgreSQL. `faults`: every kind of wrong or hostile body for every operation that takes JSON.
 * `largest`: the largest allowed request of every operation, with `/health` requests meanwhile; a minute later, the
 * memory of the processes.
 *
 * A turn of the loop is measured inside the API, in wall time and in CPU time of its thread. Other work on the machine
 * does not affect CPU time.
 */
import http from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { openProbe } from '../../test/fuzz/probe.ts';
import { readArguments, reportTable, whole } from '../cli.ts';
import { withDatabase } from '../database.ts';
import { endAll, endLater } from '../load/processes.ts';
import { faultyBodies, ITEM_KINDS, LOOP_OPERATIONS } from './bodies.ts';
import { largestRequests, storeCity } from './requests.ts';
import { type Service, startService, type Turns } from './service.ts';

const { part, locations, weeks, vehicles, backtest, only, json } = readArguments({
  part: 'all',
  locations: 5000,
  weeks: 13,
  vehicles: 500_000,
  backtest: 500,
  only: '',
});
const REST_MS = 60_000;
const TURN_COLUMNS = ['longest turn, ms', 'of the processor'];
const HEALTH_COLUMN = '`/health`, ms (99th percentile of)';

await withDatabase(async ({ pool }) => {
  try {
    await storeCity(pool, locations, weeks);
    const service = await startService({ DATABASE_URL: pool.options.connectionString! });
    if (part !== 'largest') await measureFaults(service);
    if (part !== 'faults') await measureLargest(service);
  } finally {
    await endAll();
  }
});

type Reply = { status: number; ms: number; bytes: number; text: string };

function send(
  url: string,
  request: { method: string; path: string; headers?: Record<string, string> },
  body?: Buffer,
): Promise<Reply> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const { method, headers = {} } = request;
    const length = body && { 'content-length': String(body.length) };
    const sent = http.request(
      `${url}${request.path}`,
      { method, headers: { ...headers, ...length } },
      (response) => {
        const status = response.statusCode!;
        let bytes = 0;
        const ends: [first: string, last: string] = ['', ''];
        response.on('data', (chunk: Buffer) => {
          if (bytes === 0) ends[0] = String(chunk.subarray(0, 4096));
          else ends[1] = String(chunk.subarray(-4096));
          bytes += chunk.length;
        });
        response.on('end', () => {
          resolve({ status, ms: performance.now() - began, bytes, text: ends.join('') });
        });
      },
    );
    // An answer that arrives before the body is sent completely closes the connection.
    sent.on('error', (error) => reject(error));
    sent.end(body);
  });
}

async function measureFaults({ url, turns }: Service): Promise<void> {
  const worst = new Map<string, Turns & { of: string; statuses: Set<number | string>; ms: number }>();
  let count = 0;
  for (const [operationName, operation] of Object.entries(LOOP_OPERATIONS)) {
    for (const [kindName, kind] of Object.entries(ITEM_KINDS)) {
      if (!`${operationName} ${kindName}`.includes(only)) continue;
      for (const [size, { bytes, headers }] of Object.entries(faultyBodies(kind, operation))) {
        await turns();
        const began = performance.now();
        const status = await send(url, { ...operation, headers }, bytes).then(
          (reply) => reply.status,
          (error) => error.code,
        );
        const turn = await turns();
        const ms = performance.now() - began;
        count++;
        const entry = worst.get(kindName) ?? { clock: 0, processor: 0, of: '', statuses: new Set(), ms: 0 };
        worst.set(kindName, entry);
        entry.statuses.add(status);
        entry.ms = Math.max(entry.ms, ms);
        if (turn.clock > entry.clock) Object.assign(entry, turn, { of: `${operationName}, ${size}` });
        if (only) console.error(operationName, kindName, size, status, turn, Math.round(ms));
      }
    }
  }
  console.error(`${count} requests to ${Object.keys(LOOP_OPERATIONS).length} operations`);
  const rows = [...worst].map(([kind, { clock, processor, of, statuses, ms }]) => [
    ...[kind, whole(clock), whole(processor), of, (ms / 1000).toFixed(1), [...statuses].join(', ')],
  ]);
  reportTable({ columns: ['body', ...TURN_COLUMNS, 'in', 'answered in, s', 'status'], rows }, json, 'faults');
}

async function measureLargest({ url, pids, turns }: Service): Promise<void> {
  const probe = await openProbe(url, pids);
  endLater(() => probe.close());
  // All lazy modules are now loaded, so what remains later is retained memory.
  await send(url, { method: 'GET', path: '/openapi.json' });
  await setTimeout(2000);
  const rest = await probe.memory();
  const rows: string[][] = [];
  for (const request of largestRequests({ locations, vehicles, backtestLocations: backtest })) {
    if (!request.name.includes(only)) continue;
    const body = request.body && Buffer.from(request.body());
    const headers = { ...(body && { 'content-type': 'application/json' }), ...request.headers };
    await probe.look();
    await turns();
    const { status, ms, bytes, text } = await send(url, { ...request, path: request.path, headers }, body);
    const [turn, { health }] = [await turns(), await probe.look()];
    if (status >= 400) console.error(text.slice(0, 1000));
    request.then?.(text);
    const mb = (size = 0) => (size / 1e6).toFixed(1);
    rows.push([
      ...[request.name, mb(body?.length), mb(bytes), (ms / 1000).toFixed(1), whole(turn.clock)],
      ...[whole(turn.processor), `${whole(health.p99)} (${health.count})`, String(status)],
    ]);
    console.error(rows.at(-1)?.join('  '));
  }
  const columns = ['request', 'in, MB', 'out, MB', 's', ...TURN_COLUMNS, HEALTH_COLUMN, 'status'];
  reportTable({ columns, rows }, json, 'largest');
  await setTimeout(REST_MS);
  const memory = (await probe.memory()).map(({ pid, name, peak, now }) => {
    const own = rest.find((one) => one.pid === pid)!.now;
    return [name, whole(own), whole(peak), `${whole(now)} (× ${(now / own).toFixed(2)})`];
  });
  reportTable({ columns: ['process', 'at rest', 'peak', 'a minute after'], rows: memory }, json, 'memory');
}

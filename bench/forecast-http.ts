/**
 * `npm run bench:forecast-http -- [--repeats 15]`: POST /api/v1/forecast over HTTP, end to end, on the New York sample
 * (73 locations) in a throwaway PostgreSQL. The API runs in a separate thread. Cold requests use a new start date or a
 * new set of locations; cached ones repeat one. The baseline takes turns with them: GET /api/v1/data/locations, one
 * query and 73 rows.
 */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { importSample } from '../src/commands/import/sample.ts';
import { startEmbeddedPostgres } from '../src/commands/start/embedded-postgres.ts';
import { loadConfig } from '../src/config.ts';
import { openDatabase } from '../src/db/client.ts';
import { migrateDatabase } from '../src/db/migrate.ts';
import { startApi } from '../src/main.ts';
import { createLogger } from '../src/process/logger.ts';
import { figure, ratio, readArguments, reportTable } from './cli.ts';

if (isMainThread) await main();
else {
  const config = loadConfig({ DATABASE_URL: workerData, PORT: '0', LOG_LEVEL: 'silent' });
  const api = await startApi(config, createLogger('api', config));
  parentPort!.postMessage(api.url);
  await once(parentPort!, 'message');
  await api.close();
  parentPort!.close();
}

async function main() {
  const server = await startEmbeddedPostgres(path.join(tmpdir(), `fleet-bench-${process.pid}`), {
    fsync: 'off',
  });
  try {
    await migrateDatabase(server.url);
    const { pool, close } = openDatabase(server.url, { poolSize: 1, onError: () => {} });
    await importSample(pool);
    const { rows } = await pool.query<{ id: number }>('select id from locations order by id');
    await close();
    const api = new Worker(new URL(import.meta.url), { workerData: server.url });
    const [url] = await once(api, 'message');
    await measure(
      url,
      rows.map(({ id }) => id),
    );
    api.postMessage('stop');
    await once(api, 'exit');
  } finally {
    await server.stop();
    await rm(server.folder, { recursive: true, force: true });
  }
}

async function measure(url: string, ids: number[]) {
  const { repeats, json } = readArguments({ repeats: 15 });
  const times = new Map<string, number[]>();
  const timed = async (name: string, r: number, send: () => Promise<Response>) => {
    const began = performance.now();
    const response = await send();
    const text = await response.text();
    const ms = performance.now() - began;
    if (!response.ok) throw new Error(text.slice(0, 500));
    if (r >= 0) times.set(name, [...(times.get(name) ?? []), ms]);
  };
  const forecast = (location_ids: number[], features: object) =>
    fetch(`${url}/api/v1/forecast`, {
      method: 'POST',
      body: JSON.stringify({ location_ids, horizon_hours: 168, features }),
      headers: { 'content-type': 'application/json' },
    });
  for (let r = -2; r < repeats; r++) {
    const start_date = new Date(Date.UTC(2017, 2, 20 + r)).toISOString().slice(0, 10);
    const hourly = { start_date, step_hours: 1 };
    const bounded = { ...hourly, include_intervals: true };
    await timed('GET /api/v1/data/locations (baseline)', r, () => fetch(`${url}/api/v1/data/locations`));
    await timed('73 locations × 168 h, cold', r, () => forecast(ids, hourly));
    await timed('the same, cached', r, () => forecast(ids, hourly));
    await timed('30 of these locations, cold', r, () => forecast(ids.slice(20, 50), hourly));
    await timed('73 locations × 168 h with intervals, cold', r, () => forecast(ids, bounded));
    await timed('the same with intervals, cached', r, () => forecast(ids, bounded));
  }
  const [baseline] = times.values();
  const rows = [...times].map(([name, all]) => [
    name,
    figure(all),
    all === baseline ? '× 1' : ratio(all.map((ms, i) => ms / baseline[i])),
  ]);
  reportTable({ columns: ['request', 'ms', 'by the baseline'], rows }, json);
}

import type { Config } from '../../src/config.ts';
import { startApi } from '../../src/main.ts';
import { createLogger } from '../../src/process/logger.ts';
import { startWorker } from '../../workers/main.ts';
import { atEnd } from './at-end.ts';
import { createSampleDatabase, createTestDatabase, openTestDatabase, testConfig } from './services.ts';

export { type Answer, send } from './send.ts';

/** Four locations on a line, about 11 km apart, named 1 to 4. */
export const TEST_LOCATIONS = [1, 2, 3, 4].map((id) => ({
  id,
  name: `Place ${id}`,
  latitude: 40 + id / 10,
  longitude: -74,
}));

/**
 * A whole service on a database of its own: API and worker parts in this process, real PostgreSQL, real Redis if a URL
 * is given, real sockets. Everything is closed at the end of the file.
 */
export async function startTestService(options: {
  redisUrl?: string | undefined;
  apis?: number;
  workers?: number;
  overrides?: Partial<Config>;
  /** With the sample instead of the test locations. */
  sample?: boolean;
}) {
  const { redisUrl, apis = 1, workers = 1, overrides = {}, sample = false } = options;
  const databaseUrl = await (sample ? createSampleDatabase() : createTestDatabase());
  const { db, pool } = openTestDatabase(databaseUrl);
  const config = testConfig({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }, overrides);
  for (const { id, name, latitude, longitude } of sample ? [] : TEST_LOCATIONS) {
    await pool.query('insert into locations (id, name, latitude, longitude) values ($1, $2, $3, $4)', [
      id,
      name,
      latitude,
      longitude,
    ]);
  }
  const running = new Set<{ close(): Promise<void> }>();
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    running.add(part);
    return part;
  };
  const startOneApi = async (own: Partial<Config> = {}) =>
    keep(await startApi({ ...config, ...own }, createLogger('api', config)));
  const startOneWorker = async (own: Partial<Config> = {}) =>
    keep(await startWorker({ ...config, ...own }, createLogger('worker', config)));
  const urls: string[] = [];
  for (let i = 0; i < apis; i++) urls.push((await startOneApi()).url);
  for (let i = 0; i < workers; i++) await startOneWorker();
  // Registered after the clean-up of the database, so it runs first.
  atEnd(async () => {
    for (const part of [...running].reverse()) await part.close();
  });
  return {
    url: urls[0],
    urls,
    config,
    db,
    pool,
    startApi: startOneApi,
    startWorker: startOneWorker,
    async close(part: { close(): Promise<void> }) {
      running.delete(part);
      await part.close();
    },
  };
}

/** A request over the test locations: vehicles at location 1, demand at location 2. */
export function simpleRequest(vehicles = 3, demand = 2) {
  return {
    demand_forecast: { '1': [0], '2': [demand] },
    fleet_state: {
      vehicles: Array.from({ length: vehicles }, (_, i) => ({ id: `V${i + 1}`, location: 1, capacity: 1 })),
    },
    constraints: {},
  };
}

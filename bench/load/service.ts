import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/commands/start/embedded-postgres.ts';
import type { LocationPoint } from '../../src/core/optimize/problem/model.ts';
import { endLater, ROOT, spawnApi, startRedis } from './processes.ts';

/** What tables call the backends of the queue. */
export const BACKENDS: Record<string, string> = { redis: 'Redis', postgres: 'PostgreSQL' };

/** Services of this bench, which number their folders. */
let started = 0;

/**
 * Starts PostgreSQL, Redis for that backend, and an API process with these locations (if any); workers are started
 * with `env`.
 * `endAll` ends them.
 * @param backend `redis` or `postgres`
 * @param root folder of the version
 */
export async function startLoadService(
  backend: string,
  places: readonly LocationPoint[],
  settings: Record<string, string> = {},
  root = ROOT,
) {
  const folder = path.join(tmpdir(), `fleet-load-${process.pid}-${++started}`);
  const starting = startEmbeddedPostgres(folder);
  endLater(async () => {
    const { stop, folder } = await starting;
    await stop();
    await rm(folder, { recursive: true, force: true });
  });
  const postgres = await starting;
  const { redis, redisPid } = backend === 'redis' ? await startRedis() : {};
  const { migrateDatabase } = await import(path.join(root, 'src/db/migrate.ts'));
  await migrateDatabase(postgres.url);
  const env = { ...settings, DATABASE_URL: postgres.url, ...(redis && { REDIS_URL: redis }) };
  const { api, apiPid } = await spawnApi(env, root);
  if (places.length === 0) return { api, apiPid, env, postgres, redis, redisPid };
  const locations = places.map((place) => ({ ...place, name: `Place ${place.id}` }));
  const stored = await fetch(`${api}/api/v1/data/locations`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ locations }),
  });
  if (!stored.ok) throw new Error(await stored.text());
  return { api, apiPid, env, postgres, redis, redisPid };
}

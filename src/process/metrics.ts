import type { Registry } from 'prom-client';

/** Seconds; from a cached answer to the longest solve. */
export const DURATION_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800,
];

/** Metrics of the process itself, for Prometheus. */
export type Metrics = {
  client: typeof import('prom-client');
  registry: Registry;
  /** Counts each use of a cache. */
  countCache(cache: string, isHit: boolean): void;
};

type Pool = { totalCount: number; idleCount: number; waitingCount: number };

/**
 * Loads the library and opens a registry of the process's own, with figures of Node, of the database pool and of
 * caches. Nothing of it is loaded unless it is called.
 */
export async function openMetrics(pool: Pool): Promise<Metrics> {
  const { default: client } = await import('prom-client');
  const registry = new client.Registry();
  const registers = [registry];
  client.collectDefaultMetrics({ register: registry });
  new client.Gauge({
    name: 'fleet_database_connections',
    help: "Connections of this process's pool to PostgreSQL",
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    },
  });
  new client.Gauge({
    name: 'fleet_database_waiting',
    help: "Queries that wait for a connection of this process's pool",
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
  const caches = new client.Counter({
    name: 'fleet_cache_requests_total',
    help: 'Looks into a cache of this process: forecasts per call, stored travel per location',
    labelNames: ['cache', 'result'],
    registers,
  });
  return {
    client,
    registry,
    countCache: (cache, isHit) => caches.inc({ cache, result: isHit ? 'hit' : 'miss' }),
  };
}

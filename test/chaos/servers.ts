import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from '../../src/start/embedded-postgres.ts';
import { startRedisServer, stopProcess } from '../helpers/global-setup.ts';
import { openProxy, type Wire } from './proxy.ts';

/** A server that can be killed and started again, behind a proxy that can be cut. */
export type Server = {
  /** what the service is given: goes through the proxy */
  readonly url: string;
  readonly proxy: Wire;
  /** SIGKILL for Redis, an immediate stop for PostgreSQL: no goodbye, nothing is written any more. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** PostgreSQL, with a connection of the runner's own that does not go through the proxy. */
export type PostgresServer = Server & {
  /** application_name of the runner's own connections */
  readonly name: string;
  /** @throws where the server is away */
  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>;
};

const RUNNER = 'chaos runner';

/** A crash of the process loses nothing that the kernel has: `fsync` may be off, `synchronous_commit` may not. */
const POSTGRES_SETTINGS = { fsync: 'off', max_connections: '200' };

export async function openPostgresServer(folder: string): Promise<PostgresServer> {
  let server: EmbeddedPostgres = await startEmbeddedPostgres(folder, POSTGRES_SETTINGS);
  let pool = openPool(server.url);
  await migrateDatabase(server.url);
  const proxy = await openProxy(Number(new URL(server.url).port));
  const url = new URL(server.url);
  url.port = String(proxy.port);
  return {
    url: url.href,
    proxy,
    name: RUNNER,
    async query<R extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
      return (await pool.query<R>(text, values)).rows;
    },
    async kill() {
      const pidFile = path.join(server.folder, 'data/postmaster.pid');
      const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
      // What `pg_ctl stop -m immediate` sends, and the file it waits for.
      process.kill(pid, 'SIGQUIT');
      while (existsSync(pidFile)) await delay(10);
      await proxy.refuse();
      await pool.end();
    },
    async start() {
      server = await startEmbeddedPostgres(folder, POSTGRES_SETTINGS);
      pool = openPool(server.url);
      proxy.target = Number(new URL(server.url).port);
      await proxy.accept();
    },
    async close() {
      await pool.end();
      await proxy.close();
      await server.stop();
    },
  };
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: RUNNER,
    max: 4,
    connectionTimeoutMillis: 10_000,
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Redis that keeps nothing: whenever it starts, it is empty. */
export async function openRedisServer(folder: string): Promise<Server> {
  const start = async (): Promise<[ChildProcess, number]> => {
    const port = await freePort();
    const process = await startRedisServer(port, folder);
    if (process.exitCode !== null) return start(); // another process was quicker to take the port
    return [process, port];
  };
  let [server, port] = await start();
  const proxy = await openProxy(port);
  return {
    url: `redis://127.0.0.1:${proxy.port}`,
    proxy,
    async kill() {
      await stopProcess(server, 'SIGKILL');
      await proxy.refuse();
    },
    async start() {
      [server, port] = await start();
      proxy.target = port;
      await proxy.accept();
    },
    async close() {
      await proxy.close();
      await stopProcess(server);
    },
  };
}

import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  freePort,
  startEmbeddedPostgres,
} from '../../src/commands/start/embedded-postgres.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { startRedisServer, stopProcess } from '../helpers/global-setup.ts';
import { openProxy, type Wire } from './proxy.ts';

/** A server that can be killed and restarted, behind a proxy that can be cut. */
type Server = {
  /** the address given to the service, through the proxy */
  readonly url: string;
  readonly proxy: Wire;
  /** SIGKILL: connections are not closed, and nothing more is written. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** PostgreSQL, with a connection for the runner that does not go through the proxy. */
export type PostgresServer = Server & {
  /** application_name of the runner's own connections */
  readonly name: string;
  /** @throws if the server is away */
  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>;
  /** SIGQUIT, like `pg_ctl stop -m immediate`. */
  stopAtOnce(): Promise<void>;
  /**
   * SIGKILL for one or all processes that serve connections of the service. The server notices, ends every other
   * connection and recovers in place. @returns the number of killed processes
   */
  killBackends(pick: number, which: 'one' | 'all'): Promise<number>;
};

export type RedisServer = Server & {
  /** Starts again, empty. */
  startEmpty(): Promise<void>;
  /** FLUSHALL while all clients are connected. */
  flush(): Promise<void>;
};

const RUNNER = 'chaos runner';
const POSTGRES_SETTINGS = { max_connections: '200' };
const POLL_MS = 10;
/** Processes that outlive their postmaster notice it; no other server can start before that. */
const ORPHAN_LIMIT_MS = 5000;

export async function openPostgresServer(folder: string): Promise<PostgresServer> {
  let server: EmbeddedPostgres = await startEmbeddedPostgres(folder, POSTGRES_SETTINGS);
  let pool = openPool(server.url);
  await migrateDatabase(server.url);
  const proxy = await openProxy(Number(new URL(server.url).port));
  const url = new URL(server.url);
  url.port = String(proxy.port);
  const pidFile = () => path.join(server.folder, 'data/postmaster.pid');
  const readPid = async () => Number((await readFile(pidFile(), 'utf8')).split('\n')[0]);
  const query = async <R extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await pool.query<R>(text, values)).rows;
  const away = async () => {
    await proxy.refuse();
    await pool.end();
  };
  return {
    url: url.href,
    proxy,
    name: RUNNER,
    query,
    async stopAtOnce() {
      process.kill(await readPid(), 'SIGQUIT');
      // The file that `pg_ctl` waits for.
      while (existsSync(pidFile())) await delay(POLL_MS);
      await away();
    },
    async kill() {
      const postmaster = await readPid();
      const children = childrenOf(postmaster);
      process.kill(postmaster, 'SIGKILL');
      const until = performance.now() + ORPHAN_LIMIT_MS;
      while (children.some(isRunning)) {
        if (performance.now() > until)
          for (const pid of children.filter(isRunning)) process.kill(pid, 'SIGKILL');
        await delay(POLL_MS);
      }
      while (existsSync(`/proc/${postmaster}`)) await delay(POLL_MS);
      await away();
    },
    async killBackends(pick, which) {
      const rows = await query<{ pid: number }>(
        `select pid from pg_stat_activity where backend_type = 'client backend' and application_name <> $1
         order by backend_start, pid`,
        [RUNNER],
      );
      const victims = which === 'all' ? rows : rows.slice(Math.floor(pick * rows.length)).slice(0, 1);
      for (const { pid } of victims.filter((victim) => isRunning(victim.pid))) process.kill(pid, 'SIGKILL');
      return victims.length;
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

/** Processes started by a process (Linux). */
function childrenOf(parent: number): number[] {
  const text = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

/** Whether a process runs; zombies that nobody has waited for do not count. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
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

/** Redis with its append-only file, as recommended for production. */
export async function openRedisServer(folder: string): Promise<RedisServer> {
  const data = path.join(folder, 'redis');
  await mkdir(data);
  const start = async (): Promise<[ChildProcess, number]> => {
    const port = await freePort();
    const process = await startRedisServer(port, data, { appendOnly: true });
    if (process.exitCode !== null) return start(); // another process was quicker to take the port
    return [process, port];
  };
  let [server, port] = await start();
  const proxy = await openProxy(port);
  const redis: RedisServer = {
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
    async startEmpty() {
      await rm(data, { recursive: true });
      await mkdir(data);
      await redis.start();
    },
    async flush() {
      const client = new Redis(port, { lazyConnect: true, retryStrategy: null });
      client.on('error', () => {}); // the call reports it
      await client.connect();
      await client.flushall();
      client.disconnect();
    },
    async close() {
      await proxy.close();
      await stopProcess(server);
    },
  };
  return redis;
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { freePort, startEmbeddedPostgres } from '../../src/commands/start/embedded-postgres.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { newTemporaryFolder, removeFolder } from './folders.ts';

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface ProvidedContext {
    /** administration URL of this run's PostgreSQL server */
    postgresUrl: string;
    /** migrated, empty database that test files copy */
    templateDatabase: string;
    /** Redis of this run; empty if none was found: tests on Redis are then skipped */
    redisUrl: string;
  }
}

type Server = { url: string; stop(): Promise<unknown> };

/**
 * One PostgreSQL and one Redis for the run. Each is searched for in this order: URL in the environment
 * (TEST_DATABASE_URL, TEST_REDIS_URL), a local server, a container.
 */
export default async function setup(project: TestProject) {
  const folder = await newTemporaryFolder('test');
  const postgres = await findPostgres(folder);
  const redis = await findRedis(folder);
  const template = `fleet_template_${process.pid}`;
  await query(postgres.url, `create database ${template}`);
  const templateUrl = new URL(postgres.url);
  templateUrl.pathname = `/${template}`;
  await migrateDatabase(templateUrl.href);

  project.provide('postgresUrl', postgres.url);
  project.provide('templateDatabase', template);
  project.provide('redisUrl', redis?.url ?? '');
  if (!redis) {
    console.warn(
      '\n  ############################################################################\n' +
        '  #  No Redis: every test of the Redis half is SKIPPED.                      #\n' +
        '  #  Install redis-server or valkey-server, or set TEST_REDIS_URL.           #\n' +
        '  ############################################################################\n',
    );
  }
  return async () => {
    for (const name of [template, `${template}_sample`, `${template}_draft`]) {
      await query(postgres.url, `drop database if exists ${name} with (force)`);
    }
    await redis?.stop();
    await postgres.stop();
    await removeFolder(folder);
  };
}

async function findPostgres(folder: string): Promise<Server> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  try {
    // Tests need no protection against a power cut.
    const { adminUrl, stop } = await startEmbeddedPostgres(path.join(folder, 'postgres'), {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
    });
    return { url: adminUrl, stop };
  } catch (error) {
    if (!dockerAnswers()) throw error;
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
    const container = await new PostgreSqlContainer('postgres:18-alpine').start();
    return { url: container.getConnectionUri(), stop: () => container.stop() };
  }
}

async function findRedis(folder: string): Promise<Server | undefined> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { url: given, stop: async () => {} };
  if (redisCommand()) {
    const port = await freePort();
    const server = await startRedisServer(port, folder);
    return { url: `redis://127.0.0.1:${port}`, stop: () => stopProcess(server) };
  }
  if (!dockerAnswers()) return undefined;
  const { RedisContainer } = await import('@testcontainers/redis');
  const container = await new RedisContainer('redis:8-alpine').start();
  return { url: container.getConnectionUrl(), stop: () => container.stop() };
}

/** Starts a Redis on a port of the loopback interface and waits until it accepts connections. */
export async function startRedisServer(
  port: number,
  folder: string,
  { appendOnly = false } = {},
): Promise<ChildProcess> {
  const server = spawn(
    redisCommand() ?? 'redis-server',
    [
      ...['--port', String(port), '--bind', '127.0.0.1', '--save', ''],
      ...['--appendonly', appendOnly ? 'yes' : 'no', '--dir', folder],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for await (const line of server.stdout) {
    if (String(line).includes('eady to accept connections')) break;
  }
  server.stdout.resume();
  return server;
}

/** The installed Redis, or undefined. */
export function redisCommand(): string | undefined {
  return ['redis-server', 'valkey-server'].find(isInstalled);
}

/** Ends a child process and waits for its exit. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function dockerAnswers(): boolean {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore', timeout: 5000 });
    return true;
  } catch {
    return false;
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

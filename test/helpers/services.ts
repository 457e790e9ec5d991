import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { describe, inject } from 'vitest';
import { type Config, loadConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/client.ts';
import { atEnd } from './at-end.ts';

/** A migrated, empty database for this test file, dropped at its end. */
export const createTestDatabase = (): Promise<string> =>
  createDatabase(`template ${inject('templateDatabase')}`);

/** A database without any table, dropped at the end of the test file. */
export const createEmptyTestDatabase = (): Promise<string> => createDatabase('');

async function createDatabase(options: string): Promise<string> {
  const name = `fleet_test_${randomBytes(6).toString('hex')}`;
  const server = inject('postgresUrl');
  const admin = async (text: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  await admin(`create database ${name} ${options}`);
  atEnd(() => admin(`drop database if exists ${name} with (force)`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** A pool on a test database that is closed at the end of the file. */
export function openTestDatabase(url: string) {
  const database = openDatabase(url, { poolSize: 5, onError: () => {} });
  atEnd(() => database.close());
  return database;
}

/** Settings for a test: defaults, the given URLs, a separate namespace, and the overrides. */
export function testConfig(
  urls: { DATABASE_URL: string; REDIS_URL?: string | undefined },
  overrides: Partial<Config> = {},
): Config {
  return {
    ...loadConfig({}),
    QUEUE_PREFIX: `t${randomBytes(6).toString('hex')}`,
    LOG_LEVEL: (process.env.TEST_LOG_LEVEL as Config['LOG_LEVEL']) ?? 'silent',
    PORT: 0,
    ...urls,
    ...overrides,
  };
}

/**
 * Runs a suite on both queue backends: one of what `src/queue` does in two ways, or of the life of workers. All others
 * run on PostgreSQL, which is always there. The Redis half is skipped if no Redis was found.
 */
export function describeOnBothBackends(name: string, suite: (redisUrl: string | undefined) => void): void {
  describe(`${name} (PostgreSQL backend)`, () => suite(undefined));
  const redisUrl = inject('redisUrl');
  describe.skipIf(redisUrl === '')(`${name} (Redis backend)`, () => suite(redisUrl));
}

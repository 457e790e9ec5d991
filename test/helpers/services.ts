import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { describe, inject } from 'vitest';
import { importSample } from '../../src/commands/import/sample.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/client.ts';
import { atEnd } from './at-end.ts';

/** A migrated, empty database for this test file, dropped at its end. */
export const createTestDatabase = (): Promise<string> =>
  createDatabase(`template ${inject('templateDatabase')}`);

/** A database without any table, dropped at the end of the test file. */
export const createEmptyTestDatabase = (): Promise<string> => createDatabase('');

/** A database with the sample for this test file, dropped at its end: a copy of the one that the first file imports. */
export async function createSampleDatabase(): Promise<string> {
  const template = inject('templateDatabase');
  const sample = `${template}_sample`;
  const draft = `${template}_draft`;
  await asAdmin(async (client) => {
    // The other files wait until it is there.
    await client.query('select pg_advisory_lock(1)');
    const { rowCount } = await client.query('select from pg_database where datname = $1', [sample]);
    if (rowCount) return;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft} template ${template}`);
    const { pool, close } = openDatabase(urlOf(draft), { poolSize: 1, onError: () => {} });
    await importSample(pool)
      .then(() => pool.query('vacuum analyze'))
      .finally(close);
    await client.query(`alter database ${draft} rename to ${sample}`);
  });
  return createDatabase(`template ${sample}`);
}

async function createDatabase(options: string): Promise<string> {
  const name = `fleet_test_${randomBytes(6).toString('hex')}`;
  await asAdmin((client) => client.query(`create database ${name} ${options}`));
  atEnd(() => asAdmin((client) => client.query(`drop database if exists ${name} with (force)`)));
  return urlOf(name);
}

function urlOf(database: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  return url.href;
}

async function asAdmin(use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await use(client).finally(() => client.end());
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

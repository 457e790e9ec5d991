import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { BEFORE_FIRST_RELEASE, migrateDatabase } from '../../src/db/migrate.ts';
import { startApi } from '../../src/main.ts';
import { createLogger } from '../../src/process/logger.ts';
import { startWorker } from '../../workers/main.ts';
import { send } from '../helpers/send.ts';
import { createTestDatabase, openTestDatabase, testConfig } from '../helpers/services.ts';

const SCRIPT = fileURLToPath(new URL('../../src/commands/migrate.ts', import.meta.url));
const MESSAGE =
  /the database is newer than this version: 1 of its \d+ migrations is unknown here, and this version cannot run/;

async function createNewerDatabase() {
  const url = await createTestDatabase();
  const { pool } = openTestDatabase(url);
  await pool.query(
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 99999999999999)",
  );
  return { url, pool };
}

describe('a database to which a newer version has only added', () => {
  test('is served by a new API and a new worker of this version, and nothing is migrated', async () => {
    const { url } = await createNewerDatabase();
    await migrateDatabase(url);
    const config = testConfig({ DATABASE_URL: url });
    const api = await startApi(config, createLogger('api', config));
    expect((await send(`${api.url}/readyz`)).status).toBe(200);
    await api.close();
    await (await startWorker(config, createLogger('worker', config))).close();
  });

  test('is refused while a migration of this version is missing from it', async () => {
    const { url, pool } = await createNewerDatabase();
    await pool.query(`delete from drizzle.__drizzle_migrations where created_at = (
      select max(created_at) from drizzle.__drizzle_migrations where hash <> 'newer')`);
    await expect(migrateDatabase(url)).rejects.toThrow(MESSAGE);
  });
});

describe('a database from which a newer version has taken what this one uses', () => {
  let url: string;
  beforeAll(async () => {
    const newer = await createNewerDatabase();
    url = newer.url;
    await newer.pool.query('insert into schema_needs values (99999999999998)');
  });

  test('is refused by npm run migrate in one line, with exit code 1', async () => {
    const run = promisify(execFile)(process.execPath, [SCRIPT], { env: { DATABASE_URL: url } });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${MESSAGE.source}.*\n$`)),
    });
    await expect(migrateDatabase(url)).rejects.toThrow(MESSAGE);
  });

  test('is served by no API and no worker', async () => {
    const config = testConfig({ DATABASE_URL: url });
    const logger = createLogger('api', config);
    await expect(startApi(config, logger)).rejects.toThrow(MESSAGE);
    await expect(startWorker(config, logger)).rejects.toThrow(MESSAGE);
  });
});

describe('a database from before the first release', () => {
  let url: string;
  beforeAll(async () => {
    const older = await createNewerDatabase();
    url = older.url;
    await older.pool.query('update drizzle.__drizzle_migrations set created_at = 1795724327322');
  });

  test('is refused by npm run migrate in one line that says what to do, and stays as it is', async () => {
    const run = promisify(execFile)(process.execPath, [SCRIPT], { env: { DATABASE_URL: url } });
    const stderr = `${BEFORE_FIRST_RELEASE}\n`;
    await expect(run).rejects.toMatchObject({ code: 1, stdout: '', stderr });
    const { rows } = await openTestDatabase(url).pool.query('select from drizzle.__drizzle_migrations');
    expect(rows.length).toBeGreaterThan(1);
  });

  test('is served by no API and no worker', async () => {
    const config = testConfig({ DATABASE_URL: url });
    const logger = createLogger('api', config);
    await expect(startApi(config, logger)).rejects.toThrow(BEFORE_FIRST_RELEASE);
    await expect(startWorker(config, logger)).rejects.toThrow(BEFORE_FIRST_RELEASE);
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { startApi } from '../../src/main.ts';
import { createLogger } from '../../src/process/logger.ts';
import { startWorker } from '../../workers/main.ts';
import { createTestDatabase, openTestDatabase, testConfig } from '../helpers/services.ts';

const SCRIPT = fileURLToPath(new URL('../../src/commands/migrate.ts', import.meta.url));
const MESSAGE =
  /the database is newer than this version: 1 of its \d+ migrations is unknown here; run the version/;

describe('a database that a newer version has migrated', () => {
  let url: string;
  beforeAll(async () => {
    url = await createTestDatabase();
    const { pool } = openTestDatabase(url);
    await pool.query(
      "insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 99999999999999)",
    );
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

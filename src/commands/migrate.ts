import { ConfigError, loadConfig } from '../config.ts';
import { isDatabaseUnavailable } from '../db/client.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { describeStartError, openStartWait } from '../process/lifecycle.ts';

// `npm run migrate`: brings the database at DATABASE_URL to the newest schema. It waits for PostgreSQL to be reachable.
try {
  const config = loadConfig();
  const { DATABASE_URL } = config;
  if (!DATABASE_URL)
    throw new ConfigError(['DATABASE_URL is not set; set it (`npm start` migrates its own database)']);
  const { signal } = new AbortController();
  const withDatabase = openStartWait('PostgreSQL', isDatabaseUnavailable, config, console.error, signal);
  await withDatabase(() => migrateDatabase(DATABASE_URL));
  console.log('the database schema is up to date');
} catch (error) {
  for (const line of describeStartError(error)) console.error(line);
  process.exitCode = 1;
}

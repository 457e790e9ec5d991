import { ConfigError, loadConfig } from './config.ts';
import { migrateDatabase } from './db/migrate.ts';
import { describeStartError } from './lifecycle.ts';

// `npm run migrate`: brings the database at DATABASE_URL to the newest schema.
try {
  const { DATABASE_URL } = loadConfig();
  if (!DATABASE_URL)
    throw new ConfigError(['DATABASE_URL is not set; `npm start` migrates its own database itself']);
  await migrateDatabase(DATABASE_URL);
  console.log('the database has the newest schema');
} catch (error) {
  for (const line of describeStartError(error)) console.error(line);
  process.exitCode = 1;
}

import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Key of the advisory lock: "FLEE" in ASCII. Drizzle's migrator takes no lock. */
const LOCK_KEY = 0x464c4545;

/**
 * Brings the database to the newest schema. Many processes may call it at once: they wait for an advisory lock, and all
 * but the first find nothing to do.
 * @throws Error if the database is newer than this code, since no migration can be undone
 */
export async function migrateDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query('SET client_min_messages = warning');
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    await compareMigrations(client);
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER });
  } finally {
    await client.end(); // releases the lock
  }
}

/**
 * Prevents a process from using a database whose schema is older or newer than its code.
 * @throws Error saying what to do
 */
export async function assertMigrated(pool: pg.Pool): Promise<void> {
  const { applied, wanted } = await compareMigrations(pool);
  if (applied < wanted) {
    throw new Error(`the database has ${applied} of ${wanted} migrations; run \`npm run migrate\` first`);
  }
}

/**
 * How many migrations the database has, and how many this code has.
 * @throws Error if the database has one that this code does not know
 */
async function compareMigrations(
  database: pg.Pool | pg.Client,
): Promise<{ applied: number; wanted: number }> {
  const files = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
  const known = new Set(files.map(({ folderMillis }) => String(folderMillis)));
  const { rows } = await database
    .query<{ at: string }>('select created_at::text as at from drizzle.__drizzle_migrations')
    .catch((error) => {
      if (error.code === '42P01' || error.code === '3F000') return { rows: [] }; // no such table or schema
      throw error;
    });
  const unknown = rows.filter(({ at }) => !known.has(at)).length;
  if (unknown > 0) {
    throw new Error(
      `the database is newer than this version: ${unknown} of its ${rows.length} migrations ` +
        `${unknown === 1 ? 'is' : 'are'} unknown here; ` +
        'run the version that migrated it, or a newer one',
    );
  }
  return { applied: rows.length, wanted: files.length };
}

import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Key of the advisory lock: "FLEE" in ASCII. Drizzle's migrator takes none of its own. */
const LOCK_KEY = 0x464c4545;

/**
 * Brings the database to the newest schema. Safe to call from many processes at once: they queue up on an
 * advisory lock, and whoever comes later finds nothing to do.
 */
export async function migrateDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query('SET client_min_messages = warning');
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER });
  } finally {
    await client.end(); // releases the lock
  }
}

/**
 * Makes sure that a process does not serve a database whose schema is older than its code.
 * @throws Error saying what to do
 */
export async function assertMigrated(pool: pg.Pool): Promise<void> {
  const wanted = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
  const applied = await pool
    .query<{ n: number }>('select count(*)::int as n from drizzle.__drizzle_migrations')
    .then(({ rows }) => rows[0].n)
    .catch((error) => {
      if (error.code === '42P01' || error.code === '3F000') return 0; // no such table or schema
      throw error;
    });
  if (applied < wanted.length) {
    throw new Error(
      `the database has ${applied} of ${wanted.length} migrations; run \`npm run migrate\` first`,
    );
  }
}

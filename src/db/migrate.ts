import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { assertSessions } from './service/pooler.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Key of the advisory lock: "FLEE" in ASCII. Drizzle's migrator takes no lock. */
const LOCK_KEY = 0x464c4545;

/**
 * How long a migration waits for a lock, ms: less than PostgreSQL's `deadlock_timeout` (1 s), so that in a conflict it
 * is always the migration that gives way, and never longer than callers behind it can wait.
 */
const LOCK_WAIT_MS = 500;
/** A pause between attempts, in which those who waited behind the migration go on. */
const PAUSE_MS = 500;
/** How long it is tried, ms: longer than any statement of the service takes. */
const TRY_FOR_MS = 300_000;

/**
 * Brings the database to the newest schema. Many processes may call it at once: they wait for an advisory lock, and all
 * but the first find nothing to do. The service may run meanwhile: a migration that gets no lock is undone, gives way,
 * and is tried again. A newer database that this version can live with stays as it is.
 * @throws Error if the database is newer than this version can live with, since no migration can be undone; if it is
 * older than the first release; or if other sessions hold locks for minutes
 */
export async function migrateDatabase(url: string): Promise<void> {
  await assertSessions(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query('SET client_min_messages = warning');
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    const { isNewer } = await compareMigrations(client);
    if (isNewer) return;
    await client.query(`SET lock_timeout = ${LOCK_WAIT_MS}`);
    await givingWay(() => migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER }));
  } finally {
    await client.end(); // releases the lock
  }
}

async function givingWay(attempt: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + TRY_FOR_MS;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (!isLockFault(error)) throw error;
      if (performance.now() > until) {
        throw new Error(
          `another session has held a lock for ${TRY_FOR_MS / 60_000} minutes; nothing was migrated; ` +
            'end the oldest transaction of pg_stat_activity, then migrate again',
        );
      }
      await setTimeout(PAUSE_MS);
    }
  }
}

/** A lock was not free in time, or two sessions waited for each other. Drizzle wraps what PostgreSQL says. */
function isLockFault(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code === '55P03' || code === '40P01' || (cause !== undefined && isLockFault(cause));
}

/**
 * Prevents a process from using a database whose schema is older than its code, or newer than it can live with.
 * @throws Error saying what to do
 */
export async function assertMigrated(pool: pg.Pool): Promise<void> {
  const { applied, wanted } = await compareMigrations(pool);
  if (applied < wanted) {
    throw new Error(`the database has ${applied} of ${wanted} migrations; run \`npm run migrate\` first`);
  }
}

/** Why data of the time before the first release is left as it is. */
export const BEFORE_FIRST_RELEASE =
  'the stored data was made before version 0.1.0, and no later version can read it; move the data folder ' +
  '(DATA_DIR, by default .data) away or use another database, then import your data again';

/**
 * How many of this code's migrations the database has, how many there are, and whether it also has newer ones.
 * @throws Error if it has a newer one that this code cannot live with, or if it is older than the first release
 */
async function compareMigrations(
  database: pg.Pool | pg.Client,
): Promise<{ applied: number; wanted: number; isNewer: boolean }> {
  const files = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
  const known = new Set(files.map(({ folderMillis }) => String(folderMillis)));
  const read = async (column: string, table: string) => {
    const { rows } = await database
      .query<{ at: string }>(`select ${column}::text as at from ${table}`)
      .catch((error) => {
        if (error.code === '42P01' || error.code === '3F000') return { rows: [] }; // no such table or schema
        throw error;
      });
    return rows.map(({ at }) => at);
  };
  const stored = await read('created_at', 'drizzle.__drizzle_migrations');
  if (stored.some((at) => Number(at) < files[0].folderMillis)) throw new Error(BEFORE_FIRST_RELEASE);
  const unknown = stored.filter((at) => !known.has(at)).length;
  const applied = stored.length - unknown;
  // Newer versions add, and take away what only versions before them used; then they say what one has to know.
  const needed = unknown > 0 ? await read('migration', 'schema_needs') : [];
  if (unknown > 0 && (applied < files.length || needed.some((at) => !known.has(at)))) {
    throw new Error(
      `the database is newer than this version: ${unknown} of its ${stored.length} migrations ` +
        `${unknown === 1 ? 'is' : 'are'} unknown here, and this version cannot run on it; ` +
        'run the version that migrated it, or a newer one',
    );
  }
  return { applied, wanted: files.length, isNewer: unknown > 0 };
}

import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import pg from 'pg';
import { assertSessions } from './service/pooler.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** The notes of migrations, in the schema and form of Drizzle. Other roles cannot name the table, so not lock it. */
const NOTES = 'drizzle.__drizzle_migrations';
const MAKE_NOTES = `create schema if not exists drizzle;
  create table if not exists ${NOTES} (id serial primary key, hash text not null, created_at bigint)`;

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
 * Brings the database to the newest schema. Many processes may call it at once: they wait for each other, and all but
 * the first find nothing to do. The service may run meanwhile: a migration that gets no lock is undone, gives way, and
 * is tried again. A newer database that this version can live with stays as it is.
 * @throws Error if the database is newer than this version can live with, since no migration can be undone; if it is
 * older than the first release; or if other sessions hold locks for minutes
 */
export async function migrateDatabase(url: string): Promise<void> {
  await assertSessions(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query('set client_min_messages = warning');
    // Fails if another process makes the same at this moment: then it is there.
    await client.query(MAKE_NOTES).catch(() => client.query(MAKE_NOTES));
    await givingWay(() => migrateAlone(client));
  } finally {
    await client.end();
  }
}

/** One attempt, while no other process makes one: all of it or nothing. */
async function migrateAlone(client: pg.Client): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`lock table ${NOTES} in share row exclusive mode`);
    const { isNewer, missing } = await compareMigrations(client);
    await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
    for (const { sql, hash, folderMillis } of isNewer ? [] : missing) {
      for (const statement of sql) await client.query(statement);
      await client.query(`insert into ${NOTES} (hash, created_at) values ($1, $2)`, [hash, folderMillis]);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {}); // a lost connection; the error says so
    throw error;
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

/** A lock was not free in time, or two sessions waited for each other. */
function isLockFault(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '55P03' || code === '40P01';
}

/**
 * Prevents a process from using a database whose schema is older than its code, or newer than it can live with.
 * @throws Error saying what to do
 */
export async function assertMigrated(pool: pg.Pool): Promise<void> {
  const { wanted, missing } = await compareMigrations(pool);
  if (missing.length > 0) {
    const applied = wanted - missing.length;
    throw new Error(`the database has ${applied} of ${wanted} migrations; run \`npm run migrate\` first`);
  }
}

/** Why data of the time before the first release is left as it is. */
export const BEFORE_FIRST_RELEASE =
  'the stored data was made before version 0.1.0, and no later version can read it; move the data folder ' +
  '(DATA_DIR, by default .data) away or use another database, then import your data again';

/**
 * Which of this code's migrations the database lacks, how many there are, and whether it also has newer ones.
 * @throws Error if it has a newer one that this code cannot live with, or if it is older than the first release
 */
async function compareMigrations(
  database: pg.Pool | pg.Client,
): Promise<{ missing: MigrationMeta[]; wanted: number; isNewer: boolean }> {
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
  const stored = await read('created_at', NOTES);
  if (stored.some((at) => Number(at) < files[0].folderMillis)) throw new Error(BEFORE_FIRST_RELEASE);
  const unknown = stored.filter((at) => !known.has(at)).length;
  const missing = files.filter(({ folderMillis }) => !stored.includes(String(folderMillis)));
  // Newer versions add, and take away what only versions before them used; then they say what one has to know.
  const needed = unknown > 0 ? await read('migration', 'schema_needs') : [];
  if (unknown > 0 && (missing.length > 0 || needed.some((at) => !known.has(at)))) {
    throw new Error(
      `the database is newer than this version: ${unknown} of its ${stored.length} migrations ` +
        `${unknown === 1 ? 'is' : 'are'} unknown here, and this version cannot run on it; ` +
        'run the version that migrated it, or a newer one',
    );
  }
  return { missing, wanted: files.length, isNewer: unknown > 0 };
}

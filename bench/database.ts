import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../src/commands/start/embedded-postgres.ts';
import { openDatabase } from '../src/db/client.ts';
import { migrateDatabase } from '../src/db/migrate.ts';

/** Calls `work` with an empty, migrated database in a PostgreSQL of its own, with default settings. */
export async function withDatabase(
  work: (database: ReturnType<typeof openDatabase>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fleet-bench-'));
  const server = await startEmbeddedPostgres(folder);
  try {
    await migrateDatabase(server.url);
    const database = openDatabase(server.url, { poolSize: 4, onError: console.error });
    await work(database).finally(() => database.close());
  } finally {
    await server.stop();
    await Promise.all([folder, server.folder].map((f) => rm(f, { recursive: true, force: true })));
  }
}

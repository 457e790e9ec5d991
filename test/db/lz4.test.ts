import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { claimJob, finishJob } from '../../src/db/jobs/job-claims.ts';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';
import { findSystemPostgres, startSystemPostgres } from '../helpers/system-postgres.ts';

const bin = findSystemPostgres();

/** A PostgreSQL as Linux distributions build it: with lz4. */
async function startWithLz4(): Promise<string> {
  const folder = await newTemporaryFolder('lz4');
  atEnd(() => removeFolder(folder));
  const postgres = await startSystemPostgres(bin as string, folder);
  atEnd(() => postgres.stop());
  await migrateDatabase(postgres.url);
  return postgres.url;
}

/** How the request and the answer of a large job are compressed. */
async function methodsOf(url: string): Promise<{ input: string; result: string }> {
  const { db, pool } = openTestDatabase(url);
  const large = JSON.stringify({ text: 'large '.repeat(10_000) });
  await insertJob(db, newJob({ input: large }));
  const job = await claimJob(db, 'w');
  const ending = {
    status: 'completed',
    solverStatus: 'optimal',
    answer: { httpStatus: 200, body: large },
  } as const;
  await finishJob(db, job!, ending, { outcome: 'completed', reason: null, phases: [] });
  const { rows } = await pool.query(
    'select pg_column_compression(input) as input, pg_column_compression(result) as result from jobs',
  );
  return rows[0];
}

describe('large values', () => {
  test.skipIf(!bin)('are compressed by lz4 where the server has it', async () => {
    expect(await methodsOf(await startWithLz4())).toEqual({ input: 'lz4', result: 'lz4' });
  });

  test('are compressed by the method of PostgreSQL itself where the server has no lz4', async () => {
    const url = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      "select 'lz4' = any(enumvals) as has from pg_settings where name = 'default_toast_compression'",
    );
    await client.end();
    const method = rows[0].has ? 'lz4' : 'pglz';
    expect(await methodsOf(url)).toEqual({ input: method, result: method });
  });
});

import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { executePrepared, openDatabase } from '../../src/db/client.ts';
import { atEnd } from '../helpers/at-end.ts';
import { createTestDatabase } from '../helpers/services.ts';

// One connection: a statement is prepared per connection.
const { db, close } = openDatabase(await createTestDatabase(), { poolSize: 1, onError: () => {} });
atEnd(close);

test('a prepared statement gets the values of each call, in their order', async () => {
  const run = (a: number, b: string | null) =>
    executePrepared(db, 'two_values', sql`select ${a}::int as a, ${sql.param(b)}::text as b`);
  expect(await run(1, 'x')).toEqual([{ a: 1, b: 'x' }]);
  expect(await run(2, null)).toEqual([{ a: 2, b: null }]);
});

test('two texts under one name are refused, though they take as many values', async () => {
  await executePrepared(db, 'one_name', sql`select ${1}::int as n`);
  await expect(executePrepared(db, 'one_name', sql`select ${2}::int + 1 as n`)).rejects.toThrow('one_name');
});

import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../src/db/migrate.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { refusedSteps } from '../helpers/migration-rules.ts';
import { findVersionBefore, hasFile } from '../helpers/version-before.ts';

beforeAll(() => loadModule());

/** The journal of a folder of migrations, in its order. */
function readJournal(folder: string): { when: number; tag: string }[] {
  return JSON.parse(readFileSync(path.join(folder, 'meta/_journal.json'), 'utf8')).entries;
}

/**
 * What the version before could not live with in a folder of migrations, a line each.
 * @param isKnownBefore whether that version has a migration; null: not known
 */
function refusedIn(folder: string, isKnownBefore: ((tag: string) => boolean) | null): string[] {
  const journal = readJournal(folder);
  const added = journal
    .filter(({ tag }) => !isKnownBefore?.(tag))
    .map(({ tag }) => ({ tag, sql: readFileSync(path.join(folder, `${tag}.sql`), 'utf8') }));
  return refusedSteps(added, new Map(journal.map(({ tag, when }) => [tag, when])), isKnownBefore);
}

describe('the migrations', () => {
  test('only add to what the version before uses; what takes away says after which migration nothing uses it', () => {
    const before = findVersionBefore();
    const isKnownBefore = before ? (tag: string) => hasFile(before, `migrations/${tag}.sql`) : null;
    expect(refusedIn(MIGRATIONS_FOLDER, isKnownBefore)).toEqual([]);
  });

  test('are in the order of their times, no two of which are the same', () => {
    const order = readJournal(MIGRATIONS_FOLDER).map(({ when }) => when);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(new Set(order).size).toBe(order.length);
  });
});

describe('a migration', () => {
  const faults = (sql: string) => refusedSteps([{ tag: '0', sql }], new Map([['0', 0]]), () => false);

  test.each([
    ['ALTER TABLE jobs DROP COLUMN kind', 'DROP of column jobs.kind'],
    ['DROP TABLE vehicles', 'DROP of vehicles'],
    ['DROP VIEW job_history', 'DROP of job_history'],
    ['DROP FUNCTION is_idle(job_priority, text, text)', 'DROP of is_idle(job_priority,text,text)'],
    ['DROP TRIGGER jobs_enter_line ON jobs', 'DROP of jobs.jobs_enter_line'],
    ['ALTER TABLE jobs RENAME COLUMN kind TO sort', 'RENAME of kind to sort'],
    ['ALTER TABLE jobs RENAME TO tasks', 'RENAME of jobs to tasks'],
    ['ALTER TABLE jobs ALTER COLUMN kind TYPE varchar(9)', 'new type of jobs.kind'],
    ['ALTER TABLE jobs ALTER COLUMN facts SET NOT NULL', 'NOT NULL of jobs.facts'],
    ['ALTER TABLE jobs ALTER COLUMN kind DROP DEFAULT', 'DROP DEFAULT of jobs.kind'],
    ['ALTER TABLE jobs DROP CONSTRAINT jobs_kind', 'DROP of constraint jobs_kind'],
    ['ALTER TABLE jobs ADD COLUMN a text NOT NULL', 'new column jobs.a is NOT NULL without a default'],
    ['ALTER TABLE jobs ADD COLUMN a uuid DEFAULT gen_random_uuid()', 'the default of jobs.a is no constant'],
    ['ALTER TABLE jobs ADD COLUMN a int GENERATED ALWAYS AS (attempts) STORED', 'jobs.a is computed'],
    ['ALTER TABLE jobs ADD COLUMN a int REFERENCES b', 'constraint of jobs reads the whole table'],
    ['ALTER TABLE jobs ADD CONSTRAINT c CHECK (attempts > 0)', 'constraint c of jobs reads the whole table'],
    ['ALTER TABLE jobs ADD CONSTRAINT c UNIQUE (caller)', 'constraint c of jobs forbids'],
    ['CREATE INDEX i ON jobs (caller)', 'index i stops all writes to jobs'],
    ['CREATE UNIQUE INDEX i ON workers (slots)', 'unique index i forbids'],
    ['UPDATE plans SET speed_kmh = 21', 'UpdateStmt of plans locks its rows'],
    ['DO $$ BEGIN DELETE FROM jobs; END $$', 'DoStmt is not known to be safe'],
    [
      'CREATE TABLE a (b int REFERENCES jobs)',
      'rows of a keep the version before from deleting rows of jobs',
    ],
    ['TRUNCATE jobs', 'TruncateStmt is not known to be safe'],
  ])('is refused: %s', (sql, fault) => {
    expect(faults(sql)).toEqual([expect.stringContaining(`0: ${fault}`)]);
  });

  test.each([
    'CREATE TABLE a (b int NOT NULL UNIQUE REFERENCES jobs ON DELETE CASCADE); CREATE UNIQUE INDEX i ON a (b); ALTER TABLE a DROP COLUMN b',
    'ALTER TABLE jobs ADD COLUMN a text; ALTER TABLE jobs ADD COLUMN b int DEFAULT 0 NOT NULL',
    'ALTER TABLE jobs ADD COLUMN a timestamptz DEFAULT now(), ADD COLUMN b int DEFAULT -1',
    "ALTER TABLE jobs ADD CONSTRAINT c CHECK (kind <> 'x') NOT VALID",
    "ALTER TABLE jobs DROP CONSTRAINT c; ALTER TABLE jobs ADD CONSTRAINT c CHECK (kind <> 'x') NOT VALID",
    'CREATE INDEX IF NOT EXISTS i ON jobs (caller); CREATE INDEX j ON workers (slots)',
    'CREATE OR REPLACE VIEW job_history AS SELECT 1; COMMENT ON TABLE jobs IS $$x$$',
    'CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$; DROP FUNCTION f(int)',
    'ALTER FUNCTION enter_line() SET enable_seqscan = off',
    "ALTER TYPE job_priority ADD VALUE 'urgent'; INSERT INTO schema_needs VALUES (1)",
    '-- brief: a few hundred rows\nUPDATE vehicles SET capacity = 1',
  ])('may be: %s', (sql) => {
    expect(faults(sql)).toEqual([]);
  });

  test('that breaks the version before is never only brief', () => {
    expect(faults('-- brief: it is small\nDROP TABLE workers')).toHaveLength(1);
  });
});

describe('a change in three releases, in a journal of its own', () => {
  const EXPAND = '0001_expand';
  const WHEN = 1000;
  const files = {
    '0000_tables': 'CREATE TABLE a (old int)',
    [EXPAND]: 'ALTER TABLE a ADD COLUMN new int',
    '0002_contract': `-- contract after ${EXPAND}: new replaced it\nALTER TABLE a DROP COLUMN old;
--> statement-breakpoint
INSERT INTO schema_needs VALUES (${WHEN + 1})`,
  };
  /** @param own files that differ from those above */
  async function newJournal(own: Record<string, string> = {}): Promise<string> {
    const folder = await newTemporaryFolder('journal');
    atEnd(() => removeFolder(folder));
    const tags = Object.keys(files);
    await mkdir(path.join(folder, 'meta'));
    const entries = tags.map((tag, i) => ({ idx: i, when: WHEN + i, tag }));
    await writeFile(path.join(folder, 'meta/_journal.json'), JSON.stringify({ entries }));
    for (const [tag, sql] of Object.entries({ ...files, ...own }))
      await writeFile(path.join(folder, `${tag}.sql`), sql);
    return folder;
  }
  const knows =
    (...known: string[]) =>
    (tag: string) =>
      known.includes(tag);

  test('first adds, and takes away when the release before no longer uses it', async () => {
    const folder = await newJournal();
    expect(refusedIn(folder, knows('0000_tables', EXPAND))).toEqual([]);
    expect(refusedIn(folder, knows('0000_tables', EXPAND, '0002_contract'))).toEqual([]);
  });

  test('is refused if it takes away in the release that adds', async () => {
    expect(refusedIn(await newJournal(), knows('0000_tables'))).toEqual([
      `0002_contract: the version before does not know ${EXPAND} yet: contract one release later`,
    ]);
  });

  test('is refused if it does not say what a version must know, or after what it takes away', async () => {
    const refused = async (sql: string) =>
      refusedIn(await newJournal({ '0002_contract': sql }), knows('0000_tables', EXPAND));
    expect(
      await refused(`-- contract after ${EXPAND}: new replaced it\nALTER TABLE a DROP COLUMN old`),
    ).toEqual([
      `0002_contract: a contract step says what a version must know: INSERT INTO schema_needs VALUES (${WHEN + 1})`,
    ]);
    expect(await refused('-- contract after nothing: x\nDROP TABLE a')).toEqual([
      '0002_contract: "contract after nothing" names no migration',
    ]);
    expect(await refused('ALTER TABLE a DROP COLUMN old')).toEqual([
      '0002_contract: DROP of column a.old, which the version before may use',
    ]);
  });
});

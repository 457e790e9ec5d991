import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../src/db/migrate.ts';
import { refusedSteps } from '../helpers/migration-rules.ts';
import { findVersionBefore, hasFile } from '../helpers/version-before.ts';

/** Migrations up to this one are older than the rules. */
const BEFORE_RULES = 38;

beforeAll(() => loadModule());

const { entries } = JSON.parse(readFileSync(path.join(MIGRATIONS_FOLDER, 'meta/_journal.json'), 'utf8')) as {
  entries: { idx: number; when: number; tag: string }[];
};
const times = new Map(entries.map(({ tag, when }) => [tag, when]));

describe('the migrations', () => {
  test('only add to what the version before uses; what takes away says after which migration nothing uses it', () => {
    const before = findVersionBefore();
    const isKnownBefore = before ? (tag: string) => hasFile(before, `migrations/${tag}.sql`) : null;
    const migrations = entries
      .filter(({ idx, tag }) => idx > BEFORE_RULES && !isKnownBefore?.(tag))
      .map(({ tag }) => ({ tag, sql: readFileSync(path.join(MIGRATIONS_FOLDER, `${tag}.sql`), 'utf8') }));
    expect(refusedSteps(migrations, times, isKnownBefore)).toEqual([]);
  });

  test('are in the order of their times: the migrator leaves out what is older than the newest that it has stored', () => {
    const order = entries.map(({ when }) => when);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(new Set(order).size).toBe(order.length);
  });
});

describe('a migration', () => {
  const faults = (...sql: string[]) =>
    refusedSteps(
      sql.map((text, i) => ({ tag: `${i}`, sql: text })),
      times,
      (tag) => tag === '0033_available_at',
    );

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

  test('takes away what a migration of the release before has made needless, and stores what a version must know', () => {
    const at = times.get('0033_available_at');
    const drop =
      '-- contract after 0033_available_at: departures replaced it\nALTER TABLE jobs DROP COLUMN kind;';
    expect(faults(`${drop}--> statement-breakpoint\nINSERT INTO schema_needs VALUES (${at})`)).toEqual([]);
    expect(faults(drop)).toEqual([
      `0: a contract step says what a version must know: INSERT INTO schema_needs VALUES (${at})`,
    ]);
    const tooSoon = times.get('0038_job_replays');
    expect(
      faults(
        `-- contract after 0038_job_replays: x\nDROP TABLE a; INSERT INTO schema_needs VALUES (${tooSoon})`,
      ),
    ).toEqual(['0: the version before does not know 0038_job_replays yet: contract one release later']);
    expect(faults('-- contract after nothing: x\nDROP TABLE a')).toEqual([
      '0: "contract after nothing" names no migration',
    ]);
    // What breaks the version before is never only brief.
    expect(faults('-- brief: it is small\nDROP TABLE workers')).toHaveLength(1);
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../helpers/services.ts';

const SCRIPT = fileURLToPath(new URL('../../../src/commands/import/main.ts', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../../data/nyc/', import.meta.url));

type Run = { code: number; stdout: string; stderr: string };

describe('npm run import', () => {
  let databaseUrl: string;
  beforeAll(async () => {
    databaseUrl = await createTestDatabase();
  });
  const run = (args: string[], env: Record<string, string> = { DATABASE_URL: databaseUrl }) =>
    new Promise<Run>((resolve) => {
      execFile(process.execPath, [SCRIPT, ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });

  test('imports the files, reports progress on standard error and the result on standard output', async () => {
    const { code, stdout, stderr } = await run(['--locations', `${SAMPLE}locations.csv`]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'locations: 73 created, 0 updated\n' });
    expect(stderr).toBe('reading locations …\nstoring locations …\n');
  });

  test('loads the sample', async () => {
    const { code, stdout } = await run(['--sample']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'locations: 0 created, 73 updated\nfleet: 13587 created, 0 updated\ndemand: 215423 created, 0 updated\ntravel: 5257 created, 0 updated\ntrip_flows: 5257 created, 0 updated\n',
    });
    const { pool } = openTestDatabase(databaseUrl);
    const { rows } = await pool.query('select count(*)::int as n from vehicles');
    expect(rows).toEqual([{ n: 13587 }]);
  });

  test('--help names the columns', async () => {
    const { code, stdout } = await run(['--help'], {});
    expect(code).toBe(0);
    expect(stdout).toContain('vehicle_id,location_id[,status][,capacity]');
  });

  test.each<[string, string[], Record<string, string> | undefined, RegExp]>([
    ['no arguments', [], undefined, /^nothing to import/],
    ['an unknown option', ['--flet', 'x'], undefined, /^Unknown option '--flet'/],
    ['a file without its option', ['x.csv'], undefined, /x\.csv/],
    ['--sample beside files', ['--sample', '--fleet', 'x'], undefined, /^--sample has its own files/],
    ['no DATABASE_URL', ['--sample'], {}, /^DATABASE_URL is not set/],
    [
      'no server',
      ['--sample'],
      { DATABASE_URL: 'postgresql://x@127.0.0.1:1/x' },
      /^cannot connect to 127\.0\.0\.1:1/,
    ],
    [
      'a file that is not there',
      ['--fleet', 'missing.csv'],
      undefined,
      /^missing\.csv: no such file\nnothing was stored$/,
    ],
    [
      'a file of another kind',
      ['--fleet', `${SAMPLE}locations.csv`],
      undefined,
      /locations\.csv:1: columns vehicle_id, location_id missing/,
    ],
  ])('%s is answered with a clear line, no stack, and exit code 1', async (_what, args, env, message) => {
    const { code, stdout, stderr } = await run(args, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd()).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type BenchTable, toMarkdown } from '../../bench/cli.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'bench-commands-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Benches at their smallest, and a row that each has. */
const BENCHES: [command: string, row: string][] = [
  ['optimizer.ts --sizes 20 --seeds 1 --repeats 1 --direct-up-to 0', 'network simplex, certified'],
  ['requests-bench.ts --only 200 --repeats 1', '20 locations, 200 vehicles'],
  ['m4.ts --made-up 2', 'this service'],
];

test.each(BENCHES)('%s prints its table and keeps it with its command', (command, row) => {
  const file = path.join(folder, 'table.json');
  const [script = '', ...args] = command.split(' ');
  const bench = path.join(import.meta.dirname, '../../bench', script);
  const { status, stdout, stderr } = spawnSync(process.execPath, [bench, ...args, '--json', file], {
    encoding: 'utf8',
    env: { ...process.env, npm_lifecycle_event: 'bench:x' },
  });
  expect(status, stderr).toBe(0);
  const table: BenchTable = JSON.parse(readFileSync(file, 'utf8'));
  expect(stdout).toContain(toMarkdown(table));
  expect(table.command).toBe(['npm run bench:x --', ...args].join(' '));
  expect(table.rows.map(([name]) => name)).toContain(row);
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { digits, percentile, spread } from '../../bench/cli.ts';
import { readTables, withTables } from '../../bench/tables.ts';

const table = { command: 'npm run bench:x', columns: ['case', 'ms'], rows: [['one', '1.2']] };
const page = 'Text.\n\n<!-- table x -->\n\n| case | ms |\n| --- | --- |\n| one | 9.9 |\n\nMore text.\n';

test('bench/README.md shows what the benches have written', () => {
  const readme = readFileSync(path.join(import.meta.dirname, '../../bench/README.md'), 'utf8');
  expect(withTables(readme, readTables())).toBe(readme);
});

test('a table is replaced below its mark, and nothing else changes', () => {
  expect(withTables(page, new Map([['x', table]]))).toBe(page.replace('9.9', '1.2'));
});

test('a mark without figures, and figures without a mark, are errors', () => {
  expect(() => withTables(page, new Map())).toThrow('bench/results/x.json is missing');
  expect(() => withTables('Text.\n', new Map([['x', table]]))).toThrow('no mark for x');
});

test('percentiles are numbers of the list, whatever its order, and none of an empty one', () => {
  const numbers = Array.from({ length: 10 }, (_, i) => (7 * i) % 10);
  expect([0, 0.1, 0.5, 0.9, 1].map((share) => percentile(numbers, share))).toEqual([0, 1, 5, 9, 9]);
  expect(percentile([], 0.5)).toBeNaN();
  expect(spread(numbers, String)).toBe('5 (1 – 9)');
  expect([0.0341, 1.23, 28.84, 148.2, 4188.9].map(digits)).toEqual(['0.034', '1.2', '28.8', '148', '4,189']);
});

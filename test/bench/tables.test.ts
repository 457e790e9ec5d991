import { expect, test } from 'vitest';
import { digits, percent, percentile, readArguments, spread } from '../../bench/cli.ts';
import { readDocuments, readTables, withTables } from '../../bench/tables.ts';

const how = {
  command: 'npm run bench:x',
  date: '2026-01-02',
  machine: '2 cores, load 0.1 before and 1.0 after',
};
const table = { ...how, columns: ['case', 'ms'], rows: [['one', '1.2']] };
const caption = `Measured on 2026-01-02 by \`npm run bench:x\`; ${how.machine}.\n`;
const page = 'Text.\n\n<!-- table x -->\n\n| case | ms |\n| --- | --- |\n| one | 9.9 |\n\nMore text.\n';
const place = (text: string, tables: Map<string, typeof table>) =>
  withTables(new Map([['page', text]]), tables).get('page');

test('the documents show what the benches have written', () => {
  const documents = readDocuments();
  const placed = withTables(documents, readTables());
  for (const [document, text] of documents) expect(placed.get(document), document).toBe(text);
});

test('a table is replaced below its mark with how it was measured, and nothing else changes', () => {
  const placed = page.replace('9.9 |\n', `1.2 |\n\n${caption}`);
  expect(place(page, new Map([['x', table]]))).toBe(placed);
  expect(place(placed, new Map([['x', table]]))).toBe(placed);
});

test('a mark without figures, and figures without a mark, are errors', () => {
  expect(() => place(page, new Map())).toThrow('bench/results/x.json is missing');
  expect(() => place('Text.\n', new Map([['x', table]]))).toThrow('no document has a mark for x');
});

test('percentiles are numbers of the list, whatever its order, and none of an empty one', () => {
  const numbers = Array.from({ length: 10 }, (_, i) => (7 * i) % 10);
  expect([0, 0.1, 0.5, 0.9, 1].map((share) => percentile(numbers, share))).toEqual([0, 1, 5, 9, 9]);
  expect(percentile([], 0.5)).toBeNaN();
  expect(spread(numbers, String)).toBe('5 (1 – 9)');
  expect([0, 4e-6, 0.00123, 0.0927].map(percent)).toEqual(['0', '< 0.001 %', '0.12 %', '9.3 %']);
  expect([0.0341, 1.23, 28.84, 148.2, 4188.9].map(digits)).toEqual(['0.034', '1.2', '28.8', '148', '4,189']);
});

test('arguments have the type of their default, and what is unknown or no number is refused', () => {
  const read = (...args: string[]) =>
    readArguments({ repeats: 9, only: '', sizes: [1, 2], each: false }, { args });
  expect(read()).toMatchObject({ repeats: 9, only: '', sizes: [1, 2], each: false });
  expect(read('--repeats', '3', '--only', 'a b', '--sizes', '4,5.5', '--each', '--json', 'f')).toMatchObject({
    ...{ repeats: 3, only: 'a b', sizes: [4, 5.5], each: true, json: 'f' },
  });
  for (const args of [['--repeat', '3'], ['--repeats', 'x'], ['--sizes', '1,'], ['stray']]) {
    expect(() => read(...args), args.join(' ')).toThrow();
  }
});

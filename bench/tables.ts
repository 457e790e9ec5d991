/**
 * `npm run bench:tables`: copies the tables that benches wrote with `--json bench/results/NAME.json` into
 * bench/README.md. It replaces the table below each `<!-- table NAME -->`. A test compares the two.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchTable, toMarkdown } from './cli.ts';

const README = path.join(import.meta.dirname, 'README.md');
const RESULTS = path.join(import.meta.dirname, 'results');

/** The document with every marked table as measured. @throws Error if a mark has no file or a file no mark */
export function withTables(markdown: string, tables: ReadonlyMap<string, BenchTable>): string {
  const placed = new Set<string>();
  const text = markdown.replaceAll(
    /(<!-- table (\S+) -->\n\n)(?:\|.*\n)*/g,
    (_, mark: string, name: string) => {
      const table = tables.get(name);
      if (!table) throw new Error(`bench/results/${name}.json is missing`);
      placed.add(name);
      return `${mark}${toMarkdown(table)}\n`;
    },
  );
  const unplaced = [...tables.keys()].filter((name) => !placed.has(name));
  if (unplaced.length > 0) throw new Error(`bench/README.md has no mark for ${unplaced.join(', ')}`);
  return text;
}

/** The tables that benches have written, by name. */
export function readTables(): Map<string, BenchTable> {
  return new Map(
    globSync('*.json', { cwd: RESULTS }).map((file) => [
      path.basename(file, '.json'),
      JSON.parse(readFileSync(path.join(RESULTS, file), 'utf8')) as BenchTable,
    ]),
  );
}

if (import.meta.main) writeFileSync(README, withTables(readFileSync(README, 'utf8'), readTables()));

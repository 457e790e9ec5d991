/**
 * `npm run bench:tables`: copies the tables that benches wrote with `--json bench/results/NAME.json` into the
 * documents. It replaces the table below each `<!-- table NAME -->` and adds how it was measured. A test compares the
 * two.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchTable, toMarkdown } from './cli.ts';

const ROOT = path.join(import.meta.dirname, '..');
const RESULTS = path.join(import.meta.dirname, 'results');
/** The documents with tables of benches. */
const DOCUMENTS = ['bench/README.md', 'docs/operator/promises.md'];

/**
 * The documents, text by name, with every marked table as measured.
 * @throws Error if a mark has no file or a file no mark
 */
export function withTables(
  documents: ReadonlyMap<string, string>,
  tables: ReadonlyMap<string, BenchTable>,
): Map<string, string> {
  const placed = new Set<string>();
  const place = (_: string, mark: string, name: string): string => {
    const table = tables.get(name);
    if (!table) throw new Error(`bench/results/${name}.json is missing`);
    placed.add(name);
    return `${mark}${toMarkdown(table)}\n\n${captionOf(table)}\n`;
  };
  const texts = [...documents].map(([document, markdown]): [string, string] => [
    document,
    markdown.replaceAll(/(<!-- table (\S+) -->\n\n)(?:\|.*\n)*(?:\nMeasured on .*\n)?/g, place),
  ]);
  const unplaced = [...tables.keys()].filter((name) => !placed.has(name));
  if (unplaced.length > 0) throw new Error(`no document has a mark for ${unplaced.join(', ')}`);
  return new Map(texts);
}

function captionOf({ command, date, machine }: BenchTable): string {
  return `Measured on ${date} by \`${command}\`; ${machine}.`;
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

/** The documents as they are, text by name. */
export function readDocuments(): Map<string, string> {
  return new Map(DOCUMENTS.map((document) => [document, readFileSync(path.join(ROOT, document), 'utf8')]));
}

if (import.meta.main) {
  for (const [document, text] of withTables(readDocuments(), readTables())) {
    writeFileSync(path.join(ROOT, document), text);
  }
}

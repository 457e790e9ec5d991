/** Shared by all benches: percentiles, figures as text, and tables for the terminal and for `npm run bench:tables`. */
import { writeFileSync } from 'node:fs';

/** A table of bench/README.md, as a bench writes it with `--json FILE`. */
export type BenchTable = { command: string; columns: string[]; rows: string[][] };

/** The value at a share of the sorted numbers: 0 is the least, 1 the greatest. NaN for an empty list. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** A figure with its significant digits: 0.034, 1.2, 28.8, 148, 4,189. */
export function digits(value: number): string {
  if (value < 1) return value.toFixed(3);
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US');
}

/** Median (10th – 90th percentile), or other ends. */
export function spread(
  numbers: readonly number[],
  format = digits,
  ends: [number, number] = [0.1, 0.9],
): string {
  const at = (share: number) => format(percentile(numbers, share));
  return `${at(0.5)} (${at(ends[0])} – ${at(ends[1])})`;
}

/** Median (10th – 90th percentile) with one decimal. */
export function figure(numbers: readonly number[]): string {
  return spread(numbers, (value) => value.toFixed(1));
}

/** A table in Markdown, one row per line. */
export function toMarkdown({ columns, rows }: Pick<BenchTable, 'columns' | 'rows'>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Prints a table. If a file is named, also writes it there for `npm run bench:tables`. */
export function reportTable(table: BenchTable, file: string | undefined): void {
  console.log(toMarkdown(table));
  if (file) writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
}

/**
 * Shared by all benches: arguments, percentiles, figures as text, and tables for the terminal and for
 * `npm run bench:tables`.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** A table of a document as a bench writes it with `--json FILE`: what was measured, how, when and where. */
export type BenchTable = {
  command: string;
  /** day, as YYYY-MM-DD */
  date: string;
  /** cores, and what else the machine had to do */
  machine: string;
  columns: string[];
  rows: string[][];
};

type Value = string | number | boolean | number[];
type Widened<V> = V extends number[]
  ? number[]
  : V extends number
    ? number
    : V extends boolean
      ? boolean
      : string;

/** The load before the bench adds its own. */
const loadBefore = loadavg()[0];

/**
 * The arguments of a bench: an option per default and of its type, lists of numbers with commas between them; beside
 * them `--json FILE`, which every bench knows. What is no option is an operand, where a bench takes any.
 * @throws Error where an argument is not known, or is no number where one is due
 */
export function readArguments<T extends Record<string, Value>>(
  defaults: T,
  { takesOperands = false, args = process.argv.slice(2) } = {},
): { [K in keyof T]: Widened<T[K]> } & { json?: string; operands: string[] } {
  const typeOf = (value: Value) => (typeof value === 'boolean' ? ('boolean' as const) : ('string' as const));
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: typeOf(value) }]),
  );
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: takesOperands,
    options: { ...options, json: { type: 'string' } },
  });
  const given = Object.entries(values).map(([name, text]) => {
    const standard: Value | undefined = defaults[name];
    if (typeof standard === 'number') return [name, toNumber(name, String(text))];
    return [
      name,
      Array.isArray(standard)
        ? String(text)
            .split(',')
            .map((one) => toNumber(name, one))
        : text,
    ];
  });
  return { ...defaults, ...Object.fromEntries(given), operands: positionals };
}

function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new Error(`--${name}: ${text} is no number`);
  return value;
}

/** Processor time of this process, ms: other work on the machine does not count. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The value at a share of the sorted numbers: 0 is the least, 1 the greatest. NaN for an empty list. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** A figure with its significant digits: 0.034, 1.2, 28.8, 148, 4,189. */
export function digits(value: number): string {
  if (value < 1) return value.toFixed(3);
  return value < 100 ? value.toFixed(1) : whole(value);
}

/** A whole number with commas: 4,189. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A share in percent, two digits that matter; less than a thousandth of a percent is said to be so. */
export function percent(share: number): string {
  if (share === 0) return '0';
  return share < 1e-5 ? '< 0.001 %' : `${Number((100 * share).toPrecision(2))} %`;
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

/** Median (10th – 90th percentile) of ratios: × 1.54 (1.20 – 1.95). */
export function ratio(numbers: readonly number[]): string {
  return `× ${spread(numbers, (value) => value.toFixed(2))}`;
}

/** A table in Markdown, one row per line. */
export function toMarkdown({ columns, rows }: Pick<BenchTable, 'columns' | 'rows'>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * Prints a table and, where a file is named, keeps it there for `npm run bench:tables`. A bench with several tables
 * names each of them: `x.json` and the part `y` make `x-y.json`.
 */
export function reportTable(table: Pick<BenchTable, 'columns' | 'rows'>, file?: string, part?: string): void {
  console.log(`${toMarkdown(table)}\n`);
  if (!file) return;
  const measured: BenchTable = {
    command: commandOf(process.argv.slice(2)),
    date: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores, load ${loadBefore.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after`,
    ...table,
  };
  const name = part ? file.replace(/(\.json)?$/, `-${part}$1`) : file;
  writeFileSync(name, toJson(measured));
}

/** A table as JSON, one row per line, so that a new measurement shows as the rows that changed. */
function toJson({ rows, ...measured }: BenchTable): string {
  const head = JSON.stringify(measured, null, 2).slice(0, -2);
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`);
  return `${head},\n  "rows": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** How the bench was called, without `--json FILE`. */
function commandOf(args: readonly string[]): string {
  const script = process.env.npm_lifecycle_event;
  const program = script
    ? `npm run ${script}`
    : `node ${path.relative(process.cwd(), process.argv[1] ?? '')}`;
  const at = args.findIndex((arg) => arg === '--json' || arg.startsWith('--json='));
  const kept = at < 0 ? args : args.toSpliced(at, args[at] === '--json' ? 2 : 1);
  const words = kept.map((arg) => (/^[\w.,/=-]+$/.test(arg) ? arg : `'${arg}'`));
  return [program, ...(script && words.length > 0 ? ['--'] : []), ...words].join(' ');
}

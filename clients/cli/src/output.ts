import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { styleText } from 'node:util';
import { InputError } from './exit-codes.ts';

export type Output = {
  readonly isJson: boolean;
  /** With `--json` the answer of the service as it is, else the text. Both end with a newline. */
  answer(envelope: unknown, text: () => string): void;
};

/** Results go to standard output; progress, hints and errors to standard error. */
export function createOutput(isJson: boolean): Output {
  return {
    isJson,
    answer: (envelope, text) => print(isJson ? JSON.stringify(envelope) : text()),
  };
}

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Writes a stream to a file, or to standard output without one. @throws InputError if the file cannot be opened */
export async function writeTo(file: string | undefined, source: Readable): Promise<void> {
  if (file === undefined) return pipeline(source, process.stdout, { end: false });
  await pipeline(source, createWriteStream(file)).catch((error) => {
    throw error.syscall === 'open' ? new InputError(`${file} cannot be written: ${error.message}`) : error;
  });
}

/** Colour on a terminal only; `NO_COLOR` turns it off there, too. */
export function emphasize(format: 'bold' | 'red' | 'green', text: string, stream = process.stdout): string {
  return styleText(format, text, { stream });
}

/** A cell: numbers stand to the right, and null is unknown. */
export type TableCell = string | number | null | undefined;

/** Lines of aligned columns, the same on a terminal and in a pipe but for a bold header. */
export function formatTable(header: string[], rows: TableCell[][]): string {
  const texts = rows.map((row) => row.map(textOf));
  const widths = header.map((name, i) => Math.max(name.length, ...texts.map((row) => row[i].length)));
  const isNumber = header.map((_, i) => rows.some((row) => typeof row[i] === 'number'));
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd();
  return [emphasize('bold', line(header)), ...texts.map(line)].join('\n');
}

/** Pairs of a name and its value, a line each. Those without a value are left out. */
export function formatPairs(pairs: [string, TableCell][]): string {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `  ${name.padEnd(width)}  ${textOf(value)}`).join('\n');
}

function textOf(cell: TableCell): string {
  if (cell === null || cell === undefined) return '–';
  return typeof cell === 'number' ? formatNumber(cell) : cell;
}

/** At most two decimals, with commas between thousands. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** A difference, with its sign; what is written as 0 is neither more nor less. */
export function formatDifference(value: number, format: (value: number) => string = formatNumber): string {
  const size = format(Math.abs(value));
  return size === format(0) ? `±${size}` : `${value > 0 ? '+' : '−'}${size}`;
}

/** The difference of two shares, in percentage points. */
export function formatPoints(difference: number): string {
  return `${formatDifference(100 * difference, (points) => points.toFixed(1))} points`;
}

/** Local time of this machine, to the minute. */
export function formatTime(iso: string | null): string | null {
  if (iso === null) return null;
  const at = new Date(iso);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

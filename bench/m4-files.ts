/**
 * Reads the hourly files of the M4 competition, as published: `Hourly-train.csv` and `Hourly-test.csv` (a header,
 * then the id and one value per column, empty if a series is shorter) and `M4-info.csv`
 * (`M4id,category,Frequency,Horizon,SP,…`).
 */
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';

export type M4Series = {
  id: string;
  /** Seasonal period, hours. */
  period: number;
  history: Float64Array;
  /** The `Horizon` values that followed. */
  actual: Float64Array;
};

/** A fault in a file; its message is all that a user needs. */
export class M4FileError extends Error {}

export async function readM4Hourly(folder: string): Promise<M4Series[]> {
  const info = new Map<string, { period: number; horizon: number }>();
  await readRows(folder, 'M4-info.csv', ([id, , frequency, horizon]) => {
    if (id!.startsWith('H')) info.set(id!, { period: Number(frequency), horizon: Number(horizon) });
  });
  const actuals = new Map<string, Float64Array>();
  await readRows(folder, 'Hourly-test.csv', (row, line) => {
    actuals.set(row[0], readValues(row, `Hourly-test.csv:${line}`));
  });
  const series: M4Series[] = [];
  await readRows(folder, 'Hourly-train.csv', (row, line) => {
    const id = row[0];
    const place = `Hourly-train.csv:${line}`;
    const history = readValues(row, place);
    const known = info.get(id);
    const actual = actuals.get(id);
    if (known === undefined) throw new M4FileError(`${place}: ${id} is not in M4-info.csv`);
    if (actual?.length !== known.horizon) {
      throw new M4FileError(
        `${place}: ${id} has ${actual?.length ?? 0} values in Hourly-test.csv, M4-info.csv says ${known.horizon}`,
      );
    }
    if (history.length <= known.period) {
      throw new M4FileError(`${place}: ${id} has ${history.length} values, fewer than a season and one`);
    }
    series.push({ id, period: known.period, history, actual });
  });
  if (series.length === 0) throw new M4FileError('Hourly-train.csv holds no series');
  return series;
}

async function readRows(
  folder: string,
  name: string,
  onRow: (row: string[], line: number) => void,
): Promise<void> {
  const csv = parse({ from_line: 2, relax_column_count: true, skip_empty_lines: true });
  await pipeline(createReadStream(path.join(folder, name)), csv, async (rows: AsyncIterable<string[]>) => {
    let line = 1;
    for await (const row of rows) onRow(row, ++line);
  });
}

function readValues(row: readonly string[], place: string): Float64Array {
  const last = row.findLastIndex((cell) => cell !== '' && cell !== 'NA');
  return Float64Array.from(row.slice(1, last + 1), (cell, i) => {
    const value = cell === '' ? NaN : Number(cell);
    if (!Number.isFinite(value)) throw new M4FileError(`${place}: value ${i + 1} is "${cell}", not a number`);
    return value;
  });
}

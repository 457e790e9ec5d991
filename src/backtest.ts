/**
 * `npm run backtest -- [csv or csv.gz] [--horizon 168] [--origins 8] [--step 24] [--time-zone America/New_York]
 * [--locations]`: how well the forecasts would have been on stored demand, beside two simple rules.
 *
 * Columns `location_id,hour_utc_iso,<count>` with a header; an absent hour is a missing one.
 * Exit codes: 0 done, 1 the data cannot be used, 2 the command line cannot.
 */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { SingleBar } from 'cli-progress';
import { parse } from 'csv-parse';
import type { Accuracy } from './core/forecast/accuracy.ts';
import { type BacktestReport, type BacktestScore, backtest } from './core/forecast/backtest.ts';
import { zoneClock } from './core/forecast/local-time.ts';
import type { DemandSeries } from './core/forecast/types.ts';

const DEFAULT_FILE = fileURLToPath(new URL('../data/nyc/demand_hourly.csv.gz', import.meta.url));
const LEVELS = [0.8, 0.95];
const MS_PER_HOUR = 3_600_000;
/** Hours a series may span; a misread year would otherwise ask for an array of millions. */
const MAX_SPAN_HOURS = 20 * 8784;

const USAGE = `npm run backtest -- [file.csv | file.csv.gz] [options]

  --horizon <hours>     hours forecast from each origin (168)
  --origins <count>     dates to forecast from (8)
  --step <hours>        hours per value (24)
  --time-zone <name>    IANA zone of the locations (America/New_York)
  --locations           one row per location as well
  --help
`;

/** A mistake of the caller: its message is all they need to see. */
class CommandError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

interface Settings {
  file: string;
  horizonHours: number;
  origins: number;
  stepHours: number;
  timeZone: string;
  showLocations: boolean;
}

function readSettings(args: string[]): Settings | null {
  let parsed: ReturnType<typeof parseCommand>;
  try {
    parsed = parseCommand(args);
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${USAGE}`, 2);
  }
  const { values, positionals } = parsed;
  if (values.help) return null;
  if (positionals.length > 1)
    throw new CommandError(`one file at a time, not ${positionals.length}\n\n${USAGE}`, 2);
  try {
    zoneClock(values['time-zone']);
  } catch {
    throw new CommandError(
      `--time-zone ${values['time-zone']} is no IANA zone; use e.g. America/New_York`,
      2,
    );
  }
  return {
    file: positionals[0] ?? DEFAULT_FILE,
    horizonHours: readCount('--horizon', values.horizon, 8784),
    origins: readCount('--origins', values.origins, 1000),
    stepHours: readCount('--step', values.step, 8784),
    timeZone: values['time-zone'],
    showLocations: values.locations,
  };
}

function parseCommand(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      horizon: { type: 'string', default: '168' },
      origins: { type: 'string', default: '8' },
      step: { type: 'string', default: '24' },
      'time-zone': { type: 'string', default: 'America/New_York' },
      locations: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

function readCount(name: string, text: string, most: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new CommandError(`${name} is ${text}; give a whole number from 1 to ${most}`, 2);
}

async function readDemand(file: string, timeZone: string): Promise<DemandSeries[]> {
  const hours = new Map<number, Map<number, number>>();
  const collect = async (rows: AsyncIterable<string[]>): Promise<void> => {
    let line = 1;
    for await (const [id, stamp, count] of rows) {
      line++;
      const hour = Date.parse(stamp ?? '') / MS_PER_HOUR;
      if (!/^-?\d+$/.test(id ?? '') || !Number.isInteger(hour) || !(Number(count || NaN) >= 0)) {
        throw new CommandError(
          `row ${line} of ${file} is ${[id, stamp, count].join()}; expected location_id,hour_utc_iso,count ` +
            'with a whole hour in UTC and a count ≥ 0',
          1,
        );
      }
      const ofLocation = hours.get(Number(id)) ?? new Map<number, number>();
      hours.set(Number(id), ofLocation);
      ofLocation.set(hour, Number(count));
    }
  };
  const csv = parse({ from_line: 2, skip_empty_lines: true, relax_column_count: true, trim: true });
  const source = createReadStream(file);
  if (file.endsWith('.gz')) await pipeline(source, createGunzip(), csv, collect);
  else await pipeline(source, csv, collect);
  return [...hours].sort(([a], [b]) => a - b).map(([id, byHour]) => toSeries(id, byHour, timeZone));
}

function toSeries(locationId: number, byHour: Map<number, number>, timeZone: string): DemandSeries {
  let startHour = Infinity;
  let endHour = -Infinity;
  for (const hour of byHour.keys()) {
    startHour = Math.min(startHour, hour);
    endHour = Math.max(endHour, hour);
  }
  if (endHour - startHour > MAX_SPAN_HOURS) {
    const [from, to] = [startHour, endHour].map((hour) => new Date(hour * MS_PER_HOUR).toISOString());
    throw new CommandError(
      `location ${locationId} spans ${from} to ${to}, more than 20 years; check its stamps`,
      1,
    );
  }
  const values = new Float64Array(endHour - startHour + 1).fill(NaN);
  for (const [hour, count] of byHour) values[hour - startHour] = count;
  return { locationId, timeZone, startHour, values };
}

const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);
const plain = (value: number | null): string => (value === null ? '–' : value.toFixed(2));

/** Rows as columns: the first to the left, numbers to the right. */
function drawTable(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const draw = (row: string[]): string =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  return [draw(rows[0]!), rule, ...rows.slice(1).map(draw)].join('\n');
}

function reportOf(report: BacktestReport, settings: Settings, seconds: number): string {
  const { overall, locations, startDates } = report;
  const row = (name: string, accuracy: Accuracy, coverage: (number | null)[]): string[] => [
    name,
    percent(accuracy.wape),
    plain(accuracy.mase),
    percent(accuracy.bias),
    ...coverage.map(percent),
  ];
  const none = LEVELS.map(() => null);
  const head = (first: string): string[] => [first, 'WAPE', 'MASE', 'bias', '80 % holds', '95 % holds'];
  const methods = drawTable([
    head('method'),
    row('this service', overall.accuracy.engine, overall.coverage),
    row("last week's value", overall.accuracy.last_week, none),
    row('mean of the last four same weekdays', overall.accuracy.weekday_mean, none),
  ]);
  const perLocation = ({
    locationId,
    accuracy,
    coverage,
  }: BacktestScore & { locationId: number }): string[] => [
    ...row(String(locationId), accuracy.engine, coverage),
    percent(accuracy.last_week.wape),
  ];
  const details = settings.showLocations
    ? `\n\n${drawTable([[...head('location'), 'last week'], ...locations.map(perLocation)])}`
    : '';
  return (
    `${locations.length} locations, ${settings.horizonHours} hours in steps of ${settings.stepHours}, ` +
    `${startDates.length} forecasts from ${startDates.at(-1)} to ${startDates[0]} (${settings.timeZone}), ` +
    `${overall.steps} values compared, ${seconds.toFixed(1)} s\n\n${methods}${details}\n`
  );
}

async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2));
  if (settings === null) {
    process.stdout.write(USAGE);
    return;
  }
  const series = await readDemand(settings.file, settings.timeZone);
  // Not on a TTY the bar stays silent, so that a redirected table is only the table.
  const bar = new SingleBar({ format: 'backtest {bar} {value}/{total} forecasts', clearOnComplete: true });
  const began = performance.now();
  const report = backtest(series, { ...settings, confidenceLevels: LEVELS }, (done, total) => {
    if (done === 1) bar.start(total, 0);
    bar.update(done);
  });
  bar.stop();
  if (report.startDates.length === 0) {
    throw new CommandError(
      `${settings.file} holds too little: a backtest needs four weeks before the first forecast and ` +
        `${settings.horizonHours} hours after it; add history or shorten --horizon`,
      1,
    );
  }
  process.stdout.write(reportOf(report, settings, (performance.now() - began) / 1000));
}

try {
  await main();
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  const isReadFailure = code?.startsWith('E') || code?.startsWith('CSV_') || code?.startsWith('Z_');
  if (!(error instanceof CommandError) && !isReadFailure) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof CommandError ? error.exitCode : 1;
}

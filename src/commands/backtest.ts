/**
 * `npm run backtest -- [csv or csv.gz] [--horizon 48,168] [--step 1,24] [--origins 16]
 * [--time-zone America/New_York] [--holidays US] [--events FILE] [--storms 2017-02-09,…] [--locations]`: the accuracy
 * that forecasts would have had on past demand, next to two simple rules.
 *
 * Columns `location_id,hour_utc_iso,<count>` with a header; an hour without a row is unknown. The file of events is the
 * one of `npm run import -- --events`; forecasts from a date learn from the events before it.
 * Exit codes: 0 done, 1 unusable data, 2 invalid command line.
 */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { SingleBar } from 'cli-progress';
import { parse } from 'csv-parse';
import { HOUR_MS } from '../contracts/time.ts';
import { backtest, type HorizonScore } from '../core/forecast/backtest.ts';
import type { Accuracy } from '../core/forecast/backtest-score.ts';
import { BACKTEST_METHODS, type BacktestMethod } from '../core/forecast/backtest-score.ts';
import { localMidnight, zoneClock } from '../core/forecast/local-time.ts';
import { HOLIDAY_REACH_HOURS } from '../core/forecast/special-days.ts';
import type { DemandEvent, DemandSeries } from '../core/forecast/types.ts';
import { WEEK_KINDS, type WeekKind } from '../core/forecast/week-kinds.ts';
import { type HolidayCalendar, openHolidayCalendar, UnknownRegionError } from '../inputs/holidays.ts';
import { CommandError, eventsOfFile, numberArgument } from './command-line.ts';

/** The New York sample. */
export const DEFAULT_FILE = fileURLToPath(new URL('../../data/nyc/demand_hourly.csv.gz', import.meta.url));
const LEVELS = [0.8, 0.95];
/** Maximum number of hours of a series. A misread year would require an array of millions. */
const MAX_SPAN_HOURS = 20 * 8784;

const USAGE = `npm run backtest -- [file.csv | file.csv.gz] [options]

  --horizon <hours,…>   hours forecast from each origin (48,168)
  --step <hours,…>      hours per value (1,24)
  --origins <count>     dates to forecast from (16)
  --time-zone <name>    IANA zone of the locations (America/New_York)
  --holidays <region>   public holidays of US, DE-BY, … (none)
  --events <file>       stored events, CSV or CSV.gz: event_id[,location_id],from,to,kind[,factor][,name] (none)
  --storms <days>       days whose weeks are reported separately, YYYY-MM-DD,…; forecasts do not use them (none)
  --locations           also print one row per location
  --help
`;

type Settings = {
  file: string;
  horizonsHours: number[];
  stepsHours: number[];
  origins: number;
  timeZone: string;
  holidays: HolidayCalendar | null;
  events: DemandEvent[];
  storms: string[];
  showLocations: boolean;
};

async function readSettings(args: string[]): Promise<Settings | null> {
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
      `--time-zone ${values['time-zone']} is not an IANA time zone; use for example America/New_York`,
      2,
    );
  }
  return {
    file: positionals[0] ?? DEFAULT_FILE,
    horizonsHours: values.horizon.split(',').map((text) => numberArgument('horizon', text, [1, 8784])),
    stepsHours: values.step.split(',').map((text) => numberArgument('step', text, [1, 8784])),
    origins: numberArgument('origins', values.origins, [1, 1000]),
    timeZone: values['time-zone'],
    holidays: values.holidays === undefined ? null : await openHolidayCalendar(values.holidays),
    events: values.events === undefined ? [] : await eventsOfFile(values.events),
    storms: values.storms === '' ? [] : values.storms.split(',').map(readDay),
    showLocations: values.locations,
  };
}

function parseCommand(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      horizon: { type: 'string', default: '48,168' },
      step: { type: 'string', default: '1,24' },
      origins: { type: 'string', default: '16' },
      'time-zone': { type: 'string', default: 'America/New_York' },
      holidays: { type: 'string' },
      events: { type: 'string' },
      storms: { type: 'string', default: '' },
      locations: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

function readDay(text: string): string {
  if (localMidnight(text) !== null) return text;
  throw new CommandError(`--storms is ${text}; give days as YYYY-MM-DD, separated by commas`, 2);
}

/**
 * Reads hourly demand.
 * @returns series by location id
 * @throws Error naming file and row if the demand cannot be used
 */
export async function readDemand(file: string, timeZone: string): Promise<DemandSeries[]> {
  const hours = new Map<number, Map<number, number>>();
  const collect = async (rows: AsyncIterable<string[]>): Promise<void> => {
    let line = 1;
    for await (const [id, stamp, count] of rows) {
      line++;
      const hour = Date.parse(stamp ?? '') / HOUR_MS;
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
    const [from, to] = [startHour, endHour].map((hour) => new Date(hour * HOUR_MS).toISOString());
    throw new CommandError(
      `location ${locationId} spans ${from} to ${to}, more than 20 years; check its timestamps`,
      1,
    );
  }
  const values = new Float64Array(endHour - startHour + 1).fill(NaN);
  for (const [hour, count] of byHour) values[hour - startHour] = count;
  return { locationId, timeZone, startHour, values };
}

const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);
const plain = (value: number | null): string => (value === null ? '–' : value.toFixed(2));

/** Rows as columns: the first `names` columns left-aligned, numbers right-aligned. */
function drawTable(rows: string[][], names: number): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const draw = (row: string[]): string =>
    row.map((cell, i) => (i < names ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  return [draw(rows[0]), rule, ...rows.slice(1).map(draw)].join('\n');
}

const METHOD_NAMES: Record<BacktestMethod, string> = {
  engine: 'this service',
  last_week: "last week's value",
  weekday_mean: 'mean of the last four same weekdays',
};
const MEASURES = ['WAPE', 'MASE', 'bias', ...LEVELS.map((level) => `${100 * level} % holds`)];

const measuresOf = (accuracy: Accuracy, coverage: (number | null)[]): string[] => [
  percent(accuracy.wape),
  plain(accuracy.mase),
  percent(accuracy.bias),
  ...coverage.map(percent),
];

/** One row per method, for one horizon and step. */
function methodRows({ horizonHours, overall }: HorizonScore, stepHours: number): string[][] {
  return BACKTEST_METHODS.map((method) => [
    `${horizonHours} h`,
    `${stepHours} h`,
    METHOD_NAMES[method],
    ...measuresOf(overall.accuracy[method], method === 'engine' ? overall.coverage : LEVELS.map(() => null)),
  ]);
}

const KIND_NAMES: Record<WeekKind, string> = {
  calm: 'calm',
  holiday: 'holiday or event',
  after_shift: 'after a shift of level',
  storm: 'storm',
};

/** One row per kind of week that occurred: this service, and the WAPE of last week's value. */
function weekRows({ horizonHours, weeks }: HorizonScore, stepHours: number): string[][] {
  return WEEK_KINDS.toReversed().flatMap((kind) => {
    const score = weeks[kind];
    if (score === undefined) return [];
    const { steps, accuracy, coverage } = score;
    return [
      [
        ...[`${horizonHours} h`, `${stepHours} h`, KIND_NAMES[kind], String(steps)],
        ...[...measuresOf(accuracy.engine, coverage), percent(accuracy.last_week.wape)],
      ],
    ];
  });
}

/** One row per location: this service, and the WAPE of last week's value. */
function locationTable({ horizonHours, locations }: HorizonScore, stepHours: number): string {
  const rows = locations.map(({ locationId, accuracy, coverage }) => [
    String(locationId),
    ...measuresOf(accuracy.engine, coverage),
    percent(accuracy.last_week.wape),
  ]);
  const table = drawTable([['location', ...MEASURES, 'WAPE last week'], ...rows], 1);
  return `\n${horizonHours} h in steps of ${stepHours} h, this service per location:\n\n${table}\n`;
}

async function main(): Promise<void> {
  const settings = await readSettings(process.argv.slice(2));
  if (settings === null) {
    process.stdout.write(USAGE);
    return;
  }
  const series = await readDemand(settings.file, settings.timeZone);
  const { horizonsHours, stepsHours, origins, timeZone, events, storms } = settings;
  const starts = series.map(({ startHour }) => startHour);
  const ends = series.map(({ startHour, values }) => startHour + values.length);
  const holidays =
    settings.holidays?.between(
      Math.min(...starts) - HOLIDAY_REACH_HOURS,
      Math.max(...ends) + HOLIDAY_REACH_HOURS,
    ) ?? [];
  // Without a terminal there is no bar, so that redirected output holds only the table.
  const bar = new SingleBar({ format: 'backtest {bar} {percentage} %', clearOnComplete: true });
  const began = performance.now();
  bar.start(stepsHours.length, 0);
  const reports = stepsHours.map((stepHours, i) => {
    const options = { horizonsHours, origins, stepHours, confidenceLevels: LEVELS, holidays, events, storms };
    return backtest(series, options, { onProgress: (done, total) => bar.update(i + done / total) })!;
  });
  bar.stop();
  const { startDates } = reports[0];
  if (startDates.length === 0) {
    throw new CommandError(
      `${settings.file} contains too little history: a backtest needs four weeks before the first forecast and ` +
        `${Math.max(...horizonsHours)} hours after it; add history or shorten --horizon`,
      1,
    );
  }
  const measured = reports.flatMap(({ horizons }, i) =>
    horizons.map((score) => ({ score, stepHours: stepsHours[i] })),
  );
  const rows = measured.flatMap(({ score, stepHours }) => methodRows(score, stepHours));
  const byWeek = measured.flatMap(({ score, stepHours }) => weekRows(score, stepHours));
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    `${series.length} locations, ${startDates.length} forecasts from ${startDates.at(-1)} to ${startDates[0]} ` +
      `(${timeZone}), ${holidays.length} public holidays, ${events.length} events, ${seconds.toFixed(1)} s\n\n` +
      `${drawTable([['horizon', 'step', 'method', ...MEASURES], ...rows], 3)}\n\n` +
      'this service by kind of week:\n\n' +
      `${drawTable([['horizon', 'step', 'weeks', 'values', ...MEASURES, 'WAPE last week'], ...byWeek], 3)}\n`,
  );
  if (!settings.showLocations) return;
  for (const { score, stepHours } of measured) process.stdout.write(locationTable(score, stepHours));
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isReadFailure = code?.startsWith('E') || code?.startsWith('CSV_') || code?.startsWith('Z_');
    const isKnown = error instanceof CommandError || error instanceof UnknownRegionError || isReadFailure;
    if (!isKnown) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    if (error instanceof CommandError) process.exitCode = error.exitCode;
    else process.exitCode = error instanceof UnknownRegionError ? 2 : 1;
  }
}

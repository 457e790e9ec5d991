/**
 * `npm run replay -- [--from 2017-04-27] [--days 7] [--fleet 8000] [--price 6] [--policies none,nightly,…]
 * [--confidence 0.95] [--seeds 3] [--svg FILE] [--json FILE]`: what plans would have brought on the past demand of the
 * New York sample.
 *
 * Exit codes: 0 done, 1 the period is not in the sample, 2 invalid command line.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { localMidnight, zoneClock } from '../../core/forecast/local-time.ts';
import { createPastForecasts } from '../../core/replay/forecasts.ts';
import {
  DAY_AHEAD_HOURS,
  type Replayed,
  type ReplayPolicy,
  type ReplayReport,
  replay,
} from '../../core/replay/replay.ts';
import type { ReplayedPast } from '../../core/replay/types.ts';
import { plotServed } from './plot.ts';
import { placeInProportion, readSamplePast, SAMPLE_TIME_ZONE } from './sample-past.ts';

const POLICIES = 'none,nightly,static,horizon-4,horizon-6,horizon-6-upper,horizon-6-observed';
/** Local hour in which the plan of the night is made: that with the least demand of the sample. */
const NIGHT_HOUR = 4;
const GAP = 0.001;
const PLAN_SECONDS = 60;

const USAGE = `npm run replay -- [options]

  --from <day>          first local day, YYYY-MM-DD (2017-04-27)
  --days <count>        days (7)
  --fleet <vehicles>    vehicles, placed in proportion to the mean demand before the period (8000)
  --price <money>       what a trip that is not served costs, where moving a km costs 1 (6)
  --policies <names>    none, nightly, static, horizon-<hours>; with -upper or -observed at the end plans are made for
                        the upper end of the interval, or with the demand known (${POLICIES});
                        -wrap or -salvage after the hours: vehicles are worth something when they have passed
  --confidence <share>  of the demand that the interval holds (0.95)
  --seeds <count>       replays with drawn trip ends beside the one with expected ends (3)
  --svg <file>          draw what was served, hour by hour
  --json <file>         write all figures
  --help
`;

class CommandError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

function parseCommand(args: string[]) {
  return parseArgs({
    args,
    options: {
      from: { type: 'string', default: '2017-04-27' },
      days: { type: 'string', default: '7' },
      fleet: { type: 'string', default: '8000' },
      price: { type: 'string', default: '6' },
      policies: { type: 'string', default: POLICIES },
      confidence: { type: 'string', default: '0.95' },
      seeds: { type: 'string', default: '3' },
      svg: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  }).values;
}

function readNumber(name: string, text: string, least: number, most: number, isWhole = true): number {
  const value = Number(text);
  if (text !== '' && value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'whole number' : 'number';
  throw new CommandError(`--${name} is ${text}; give a ${kind} from ${least} to ${most}`);
}

function readPolicy(name: string): ReplayPolicy {
  const match = /^(?:(none)|(nightly|static|horizon-(\d+)(?:-(wrap|salvage))?)(?:-(upper|observed))?)$/.exec(
    name,
  );
  const horizonHours = Number(match?.[3] ?? 2);
  if (!match || horizonHours < 2 || horizonHours > DAY_AHEAD_HOURS) {
    const known = `none, nightly, static, or horizon-2 to horizon-${DAY_AHEAD_HOURS}, these with -upper or -observed`;
    throw new CommandError(`--policies names ${name}; give ${known}`);
  }
  const mode = match[3] === undefined ? ((match[1] ?? match[2]) as ReplayPolicy['mode']) : 'horizon';
  const end = (match[4] ?? 'nothing') as ReplayPolicy['end'];
  const demand = (match[5] ?? 'mean') as ReplayPolicy['demand'];
  return { name, mode, demand, horizonHours, end, replanEveryHours: 1 };
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** One row per policy. Trips per km are those beyond the first policy in which nobody moves. */
function tableOf({ policies }: ReplayReport): string {
  const still = policies.find(({ policy }) => policy.mode === 'none')?.expected.figures.served;
  const rows = policies.map(({ policy, expected, drawn }) => {
    const { servedShare, moves, km, minutes, served, utilization } = expected.figures;
    const extra = still === undefined || km === 0 ? '–' : ((served - still) / km).toFixed(2);
    return [
      ...[policy.name, percent(servedShare), whole(moves), whole(km), whole(minutes / 60), extra],
      ...[percent(utilization), whole(expected.objective), spreadOf(drawn)],
    ];
  });
  const head = [
    ...['policy', 'served', 'moves', 'km', 'hours of moving', 'extra trips per km', 'utilization'],
    ...['moving and lost trips', 'served, drawn ends'],
  ];
  const lines = [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Mean over the seeds, and the least and the most. */
function spreadOf(drawn: readonly Replayed[]): string {
  if (drawn.length === 0) return '–';
  const shares = drawn.map(({ figures }) => figures.servedShare);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return `${percent(mean)} (${percent(Math.min(...shares))} to ${percent(Math.max(...shares))})`;
}

/** Sums of all locations, hour by hour. */
function byHour(values: Float64Array, hours: number): Float64Array {
  const n = values.length / hours;
  return Float64Array.from({ length: hours }, (_, t) =>
    values.subarray(t * n, (t + 1) * n).reduce((sum, value) => sum + value, 0),
  );
}

function drawing(title: string, past: ReplayedPast, report: ReplayReport, firstDay: string): string {
  const days = Array.from({ length: past.hours / 24 }, (_, d) =>
    new Date(Date.parse(firstDay) + d * 86_400_000).toUTCString().slice(0, 11),
  );
  const shown = ['none', 'nightly', 'horizon'].flatMap((mode) => {
    const one = report.policies.find(({ policy }) => policy.mode === mode && policy.demand === 'mean');
    return one ? [{ name: one.policy.name, served: byHour(one.expected.record.served, past.hours) }] : [];
  });
  return plotServed(title, byHour(past.demand, past.hours), shown, days);
}

/** All figures, and those of every location and hour with expected trip ends. */
function figuresOf(past: ReplayedPast, { policies, bound }: ReplayReport) {
  const n = past.locationIds.length;
  const byLocation = (values: Float64Array) =>
    Array.from(past.locationIds, (id, j) => ({
      location_id: id,
      trips: values.reduce((sum, value, u) => (u % n === j ? sum + value : sum), 0),
    }));
  return {
    bound,
    demand_by_hour: [...byHour(past.demand, past.hours)],
    demand_by_location: byLocation(past.demand),
    policies: policies.map(({ policy, expected, drawn }) => ({
      policy,
      expected: { ...expected.figures, objective: expected.objective },
      served_by_hour: [...byHour(expected.record.served, past.hours)],
      served_by_location: byLocation(expected.record.served),
      drawn: drawn.map(({ ends, figures, objective }) => ({ ends, ...figures, objective })),
    })),
  };
}

async function main(): Promise<void> {
  let values: ReturnType<typeof parseCommand>;
  try {
    values = parseCommand(process.argv.slice(2));
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${USAGE}`);
  }
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const midnight = localMidnight(values.from);
  if (midnight === null) throw new CommandError(`--from is ${values.from}; give a day as YYYY-MM-DD`);
  const clock = zoneClock(SAMPLE_TIME_ZONE);
  const firstHour = midnight - clock(midnight);
  const hours = 24 * readNumber('days', values.days, 1, 366);
  const size = readNumber('fleet', values.fleet, 1, 10_000_000);
  const unmetDemandCost = readNumber('price', values.price, 0, 1e6, false);
  const seeds = Array.from({ length: readNumber('seeds', values.seeds, 0, 1000) }, (_, i) => i + 1);
  const confidenceLevel = readNumber('confidence', values.confidence, 0.5, 0.999, false);
  const policies = values.policies.split(',').map(readPolicy);
  const { past, series } = await readSamplePast(firstHour, hours).catch((error) => {
    throw error instanceof RangeError ? new CommandError(error.message, 1) : error;
  });
  const fleet = placeInProportion(series, firstHour, size);
  const forecasts = createPastForecasts(series, {
    firstHour,
    hoursAhead: DAY_AHEAD_HOURS,
    confidenceLevel,
  });
  // Without a terminal there is no bar, so that redirected output holds only the table.
  const bar = new SingleBar({ format: 'replay {bar} {percentage} %', clearOnComplete: true });
  const began = process.cpuUsage();
  bar.start(1, 0);
  const isNight = (hour: number) => (firstHour + hour + clock(firstHour + hour)) % 24 === NIGHT_HOUR;
  const report = await replay(
    past,
    fleet,
    forecasts,
    { policies, unmetDemandCost, seeds, isNight, timeLimitSeconds: PLAN_SECONDS, gap: GAP, withBound: true },
    { onProgress: (done, total) => bar.update(done / total) },
  );
  bar.stop();
  if (!report) return;
  const { user, system } = process.cpuUsage(began);
  const demand = past.demand.reduce((sum, trips) => sum + trips, 0);
  const title = `${whole(size)} vehicles, ${values.days} days from ${values.from}, ${whole(demand)} trips`;
  const bound =
    report.bound === null
      ? 'No bound was found in time.'
      : `No policy has less than ${whole(report.bound)} for moving and lost trips (proved).`;
  process.stdout.write(
    `${title}; a lost trip costs ${values.price} km.\n\n${tableOf(report)}\n\n${bound}\n` +
      `${((user + system) / 1e6).toFixed(0)} s of processor time.\n`,
  );
  if (values.svg !== undefined) await writeFile(values.svg, drawing(title, past, report, values.from));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figuresOf(past, report))}\n`);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}

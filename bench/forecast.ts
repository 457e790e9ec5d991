/**
 * `npm run bench:forecast -- [--repeats 9] [--only TEXT] [--json FILE]`: forecasts in one thread with 95 % intervals,
 * compared with the seasonal naive method on the same series. Each case runs in a process of its own, so its first call
 * is cold and its memory is its own; then both methods take turns. Reports wall and CPU time; on a busy machine CPU
 * time shows the cost of the thread alone.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DEFAULT_FILE, readDemand } from '../src/commands/backtest.ts';
import { sameHourMean } from '../src/core/forecast/backtest-score.ts';
import { forecastMany } from '../src/core/forecast/forecast.ts';
import { localHistory } from '../src/core/forecast/local-series.ts';
import { zoneClock } from '../src/core/forecast/local-time.ts';
import type { DemandSeries } from '../src/core/forecast/types.ts';
import { percentile, readArguments, reportTable, spread, whole } from './cli.ts';
import { createUniform } from './instances.ts';

const ZONE = 'America/New_York';
const HOURS_PER_WEEK = 168;

type Case = {
  series: () => Promise<DemandSeries[]>;
  horizonHours: number;
  stepHours: number;
};

/** Poisson-like counts with a daily wave and quiet weekends, at levels from 1 to 40 an hour. */
async function madeUp(locations: number, weeks: number): Promise<DemandSeries[]> {
  const random = createUniform(1);
  return Array.from({ length: locations }, (_, locationId) => {
    const level = 1 + (locationId % 40);
    const values = Float64Array.from({ length: weeks * HOURS_PER_WEEK }, (_, hour) => {
      const wave = 1.1 - Math.cos((2 * Math.PI * (hour % 24)) / 24);
      const mean = level * wave * (hour % HOURS_PER_WEEK < 120 ? 1 : 0.6);
      const noise = random() + random() + random() + random() - 2;
      return Math.max(0, Math.round(mean + noise * Math.sqrt(3 * mean)));
    });
    return { locationId, timeZone: ZONE, startHour: 412_008, values };
  });
}

const newYork = () => readDemand(DEFAULT_FILE, ZONE);
const CASES: Record<string, Case> = {
  '73 locations (New York, 13 weeks), 168 h by the hour': {
    series: newYork,
    horizonHours: 168,
    stepHours: 1,
  },
  '73 locations (New York, 13 weeks), 168 h by the day': {
    series: newYork,
    horizonHours: 168,
    stepHours: 24,
  },
  '73 locations (New York, 13 weeks), 8,784 h by the hour': {
    series: newYork,
    horizonHours: 8784,
    stepHours: 1,
  },
  '2,000 locations, 8 weeks, 168 h by the hour': {
    series: () => madeUp(2000, 8),
    horizonHours: 168,
    stepHours: 1,
  },
  '2,000 locations, 8 weeks, 168 h by the day': {
    series: () => madeUp(2000, 8),
    horizonHours: 168,
    stepHours: 24,
  },
};

/** The measurements of one case's process, milliseconds. */
type Measured = {
  coldMs: number;
  coldProcessorMs: number;
  engineMs: number[];
  processorMs: number[];
  naiveMs: number[];
  memoryMb: number;
};

async function measure({ series: load, horizonHours, stepHours }: Case, repeats: number): Promise<Measured> {
  const series = await load();
  const engine = () => forecastMany(series, { horizonHours, stepHours, confidenceLevel: 0.95 });
  const naive = () =>
    series.map((one) => {
      const end = one.startHour + one.values.length;
      return sameHourMean(localHistory(one, end + zoneClock(one.timeZone)(end))!.values, 0, horizonHours, 1);
    });
  const time = (run: () => unknown): number => {
    const began = performance.now();
    run();
    return performance.now() - began;
  };
  const start = process.cpuUsage();
  const coldMs = time(engine);
  const cold = process.cpuUsage(start);
  const measured: Measured = {
    coldMs,
    coldProcessorMs: (cold.user + cold.system) / 1000,
    engineMs: [],
    processorMs: [],
    naiveMs: [],
    memoryMb: 0,
  };
  time(naive);
  for (let r = 0; r < repeats; r++) {
    const before = process.cpuUsage();
    measured.engineMs.push(time(engine));
    const { user, system } = process.cpuUsage(before);
    measured.processorMs.push((user + system) / 1000);
    measured.naiveMs.push(time(naive));
  }
  measured.memoryMb = process.resourceUsage().maxRSS / 1000;
  return measured;
}

const { repeats, only, case: own, json } = readArguments({ repeats: 9, only: '', case: '' });

if (own !== '') {
  console.log(JSON.stringify(await measure(CASES[own], repeats)));
} else {
  const rows: string[][] = [];
  for (const name of Object.keys(CASES)) {
    if (!name.includes(only)) continue;
    const script = fileURLToPath(import.meta.url);
    const child = spawnSync(process.execPath, [script, '--case', name, '--repeats', String(repeats)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { coldMs, coldProcessorMs, engineMs, processorMs, naiveMs, memoryMb } = JSON.parse(
      child.stdout,
    ) as Measured;
    const ratios = engineMs.map((ms, r) => ms / naiveMs[r]);
    console.error(
      `${name}: processor ${whole(coldProcessorMs)} ms cold, ${whole(percentile(processorMs, 0.5))} ms warm`,
    );
    rows.push([name, whole(coldMs), spread(engineMs, whole), spread(ratios, whole), `${whole(memoryMb)} MB`]);
  }
  const columns = ['series and horizon', 'cold', 'warm', '× seasonal naive', 'memory'];
  reportTable({ columns, rows }, json);
}

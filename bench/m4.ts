/**
 * `npm run bench:m4 -- FOLDER`: scores the engine on the hourly series of the M4 competition, compared with Naive2 and
 * the seasonal naive method; FOLDER contains Hourly-train.csv, Hourly-test.csv and M4-info.csv. `npm run bench:m4 --
 * --made-up 414 [--seed 1]`: the same on artificial series of that kind.
 */
import { SingleBar } from 'cli-progress';
import { addBounds, panelFitter } from '../src/core/forecast/panel.ts';
import type { DemandSeries } from '../src/core/forecast/types.ts';
import { readArguments, reportTable } from './cli.ts';
import { M4FileError, type M4Series, readM4Hourly } from './m4-files.ts';
import { m4LikeSeries } from './m4-like.ts';
import {
  averagePoints,
  type IntervalScore,
  naive2,
  overallWeightedAverage,
  type PointScore,
  scoreIntervals,
  scorePoints,
  seasonalNaive,
} from './m4-scores.ts';

export type M4Report = {
  series: number;
  engine: PointScore & { owa: number; msis: number; coverage: number };
  naive2: PointScore;
  seasonalNaive: PointScore & { owa: number };
};

/** The files contain no weekdays that the engine could use; all series end at the same hour. */
const END_HOUR = 168 * 2000;

/** Forecasts all series with 95 % intervals and scores them; `onSeries(done)` after each one. */
export function scoreM4(all: readonly M4Series[], onSeries: (done: number) => void = () => {}): M4Report {
  const panels = new Map<number, M4Series[]>();
  for (const one of all) {
    const horizon = one.actual.length;
    panels.set(horizon, [...(panels.get(horizon) ?? []), one]);
  }
  const points = { engine: [] as PointScore[], naive2: [] as PointScore[], seasonal: [] as PointScore[] };
  const intervals: IntervalScore[] = [];
  let done = 0;
  for (const [horizonHours, panel] of panels) {
    const options = { horizonHours, stepHours: 1 };
    const fitSeries = panelFitter(options);
    const forecasts = panel.map(({ history }, locationId) => {
      const startHour = END_HOUR - history.length;
      const series: DemandSeries = { locationId, timeZone: 'UTC', startHour, values: history };
      const forecast = fitSeries(series, END_HOUR)!;
      onSeries(++done);
      return forecast;
    });
    addBounds(forecasts, options, [0.95]);
    panel.forEach(({ history, actual, period }, i) => {
      const { values, bounds } = forecasts[i];
      const score = (forecast: Float64Array) => scorePoints(forecast, actual, history, period);
      points.engine.push(score(values));
      points.naive2.push(score(naive2(history, period, horizonHours)));
      points.seasonal.push(score(seasonalNaive(history, period, horizonHours)));
      intervals.push(scoreIntervals(bounds[0].lower, bounds[0].upper, actual, history, period));
    });
  }
  const reference = averagePoints(points.naive2);
  const withOwa = (scores: PointScore[]) => {
    const average = averagePoints(scores);
    return { ...average, owa: overallWeightedAverage(average, reference) };
  };
  const steps = all.reduce((sum, { actual }) => sum + actual.length, 0);
  return {
    series: all.length,
    engine: {
      ...withOwa(points.engine),
      msis: intervals.reduce((sum, { msis }) => sum + msis / all.length, 0),
      coverage: intervals.reduce((sum, { inside }) => sum + inside, 0) / steps,
    },
    naive2: reference,
    seasonalNaive: withOwa(points.seasonal),
  };
}

async function main(): Promise<void> {
  const {
    operands,
    seed,
    json,
    'made-up': madeUp,
  } = readArguments({ 'made-up': 0, seed: 1 }, { takesOperands: true });
  const folder = operands[0];
  if (madeUp > 0 === (folder !== undefined)) {
    throw new M4FileError(
      'give the folder of Hourly-train.csv, Hourly-test.csv and M4-info.csv, or --made-up COUNT',
    );
  }
  const all = folder === undefined ? m4LikeSeries(madeUp, seed) : await readM4Hourly(folder);
  const bar = new SingleBar({ format: '{bar} {value}/{total} series', clearOnComplete: true });
  bar.start(all.length, 0);
  const began = performance.now();
  const report = scoreM4(all, (done) => bar.update(done));
  const seconds = (performance.now() - began) / 1000;
  bar.stop();
  const points = (score: PointScore, owa: number) => [
    score.smape.toFixed(2),
    score.mase.toFixed(3),
    owa.toFixed(3),
  ];
  const { engine, seasonalNaive: seasonal } = report;
  const coverage = `${(100 * engine.coverage).toFixed(1)} %`;
  console.error(`${report.series} series, ${seconds.toFixed(1)} s`);
  const rows = [
    ['this service', ...points(engine, engine.owa), engine.msis.toFixed(2), coverage],
    ['seasonal naive', ...points(seasonal, seasonal.owa), '–', '–'],
    ['Naive2', ...points(report.naive2, 1), '–', '–'],
  ];
  reportTable({ columns: ['method', 'sMAPE', 'MASE', 'OWA', 'MSIS', '95 % holds'], rows }, json);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    const isRead = (error as NodeJS.ErrnoException).code?.startsWith('E') === true;
    if (!(error instanceof M4FileError) && !isRead) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

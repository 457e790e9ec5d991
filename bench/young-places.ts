/**
 * `npm run bench:young -- [--hours 23,72,192,336] [--steps 1,24] [--groups 6]`: forecasts of the week ahead for new
 * places among mature ones. All zones of the New York sample in turn, a group at a time, are cut to their newest hours;
 * the others stay whole. Four starts. The width of 95 % intervals is relative to mean demand; widths and the share
 * within the goal are of the zones with at least one trip an hour in that week. `if counts were all` is that share for
 * a reader who knows the mean of each step: the count itself still varies.
 */
import { forecastMany } from '../src/core/forecast/forecast.ts';
import { loadNyc, sum, utcHour } from '../test/core/forecast/samples.ts';
import { percentile, readArguments, reportTable } from './cli.ts';
import { isHeld } from './forecast-week.ts';

const settings = readArguments({ hours: [23, 72, 192, 336], steps: [1, 24], groups: 6 });
const { groups } = settings;
const STARTS = ['2017-03-08', '2017-03-22', '2017-04-05', '2017-04-19'];
const WEEK_HOURS = 168;
/** Widths over mean demand that are asked for: with less than eight days of history, and from then on. */
const GOALS = { young: 4, older: 2 };
const EIGHT_DAYS = 192;

const zones = loadNyc();

/** Share of a Poisson count's distribution on either side of a 95 % interval. */
const TAIL = 0.025;
/** Counts of a greater mean are as good as normal. */
const MAX_COUNTED = 200;
const DEVIATIONS = 1.96;

/** Width of the 95 % interval of a Poisson count of a known mean: no interval can be narrower and hold. */
function countWidth(mean: number): number {
  if (mean > MAX_COUNTED) return 2 * DEVIATIONS * Math.sqrt(mean);
  let count = 0;
  let term = Math.exp(-mean);
  let below = term;
  while (below < TAIL) {
    count++;
    term *= mean / count;
    below += term;
  }
  const lower = count;
  while (below < 1 - TAIL) {
    count++;
    term *= mean / count;
    below += term;
  }
  return count - lower;
}

/** One new place at one start, in sums over the steps of the week ahead. */
type Case = {
  start: number;
  width: number;
  counts: number;
  total: number;
  held: number;
  error: number;
};

/** Places of one group cut to their newest hours; `hours` null leaves them whole. */
function casesOf(hours: number | null, stepHours: number, group: number, start: number): Case[] {
  const isNew = (i: number) => i % groups === group;
  const series = zones.map((zone, i) => {
    const end = start - zone.startHour;
    const from = isNew(i) && hours !== null ? Math.max(0, end - hours) : 0;
    return { ...zone, startHour: zone.startHour + from, values: zone.values.subarray(from, end) };
  });
  const options = { originHour: start, horizonHours: WEEK_HOURS, stepHours, confidenceLevel: 0.95 };
  return forecastMany(series, options).results.flatMap((result, zone) => {
    if (!isNew(zone) || result.status !== 'ok') return [];
    const { values: forecast, lower = [], upper = [] } = result;
    const one = { start, width: 0, counts: 0, total: 0, held: 0, error: 0 };
    forecast.forEach((value, k) => {
      const from = start - zones[zone].startHour + k * stepHours;
      const actual = sum(zones[zone].values.subarray(from, from + stepHours));
      if (isHeld(result, k, actual)) one.held++;
      one.width += upper[k] - lower[k];
      one.counts += countWidth(value);
      one.total += actual;
      one.error += Math.abs(value - actual);
    });
    return [one];
  });
}

const casesWith = (hours: number | null, stepHours: number): Case[] =>
  STARTS.flatMap((date) =>
    Array.from({ length: groups }, (_, group) =>
      casesOf(hours, stepHours, group, utcHour(`${date}T04:00Z`)),
    ).flat(),
  );

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const isBusy = ({ total }: Case) => total >= WEEK_HOURS;
const widthOf = ({ width, total }: Case) => width / total;

function rowOf(hours: number | null, stepHours: number): string[] {
  const cases = casesWith(hours, stepHours);
  const busy = cases.filter(isBusy);
  const goal = hours !== null && hours < EIGHT_DAYS ? GOALS.young : GOALS.older;
  const steps = (list: Case[]) => list.length * (WEEK_HOURS / stepHours);
  const total = (list: Case[], of: (one: Case) => number) => list.reduce((all, one) => all + of(one), 0);
  const widths = busy.map(widthOf);
  return [
    hours === null ? 'whole' : `${hours} h`,
    `${stepHours} h`,
    percent(total(cases, ({ error }) => error) / total(cases, (one) => one.total)),
    percentile(widths, 0.5).toFixed(2),
    percentile(widths, 0.9).toFixed(2),
    `${percent(widths.filter((width) => width <= goal).length / busy.length)} (${goal})`,
    percent(busy.filter(({ counts, total }) => counts / total <= goal).length / busy.length),
    percent(total(cases, ({ held }) => held) / steps(cases)),
    percent(total(busy, ({ held }) => held) / steps(busy)),
    ...STARTS.map((date) => {
      const ofStart = cases.filter(({ start }) => start === utcHour(`${date}T04:00Z`));
      return percent(total(ofStart, ({ held }) => held) / steps(ofStart));
    }),
  ];
}

const columns = [
  'history',
  'step',
  'WAPE',
  'width: median',
  '90th',
  'within the goal',
  'if counts were all',
  '95 % holds',
  'of one trip an hour',
  ...STARTS.map((date) => `from ${date}`),
];
const rows = settings.steps.flatMap((step) => [...settings.hours, null].map((hours) => rowOf(hours, step)));
reportTable({ columns, rows }, settings.json);

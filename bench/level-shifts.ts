/**
 * `npm run bench:levels -- [--factors 1,0.1,0.33,0.7,0.8,1.2,1.3,3,10] [--days 7,10,21]`: forecasts of the week after a
 * lasting change of level, for all zones of the New York sample, from four starts. Every hour of the last k days before
 * the start, and after it, is changed by the factor: counts are thinned or multiplied. Beside them stands the error of
 * a reader who knows the day of the change and the demand before it, but not the factor.
 */
import { loadNyc, normal, seededRandom, sum, utcHour } from '../test/core/forecast/samples.ts';
import { percentile, readArguments, reportTable } from './cli.ts';
import { forecastWeek, isHeld } from './forecast-week.ts';

const {
  factors,
  days: daysSince,
  json,
} = readArguments({ factors: [1, 0.1, 0.33, 0.7, 0.8, 1.2, 1.3, 3, 10], days: [7, 10, 21] });
const STARTS = ['2017-03-22', '2017-03-30', '2017-04-07', '2017-04-19'];
const WEEK_HOURS = 168;
/** Weeks before a change that tell whoever knows its day what was usual. */
const PROFILE_WEEKS = 5;
/** A thinned count above this limit is drawn from the normal distribution. */
const MAX_COUNTED = 100;
/** A total within this share of the truth meets the goal. */
const GOAL = 0.15;

/** A changed count: each trip stays with the probability `factor`, or the count is multiplied. */
function changed(random: () => number, count: number, factor: number): number {
  if (factor > 1) return Math.floor(count * factor) + (random() < (count * factor) % 1 ? 1 : 0);
  if (count > MAX_COUNTED) {
    const deviation = Math.sqrt(count * factor * (1 - factor));
    return Math.max(0, Math.round(count * factor + deviation * normal(random)));
  }
  let left = 0;
  for (let trip = 0; trip < count; trip++) if (random() < factor) left++;
  return left;
}

const zones = loadNyc();

/**
 * Total of the week from hour `start` on, as known to whoever is told that demand changed `days` days before it: the
 * means of five weeks before the change, per day of the week, times the last days over the same days of that profile.
 */
function knowingTheDay(demand: Float64Array, start: number, days: number): number {
  const dayAgo = (ago: number) => sum(demand.subarray(start - 24 * ago, start - 24 * (ago - 1)));
  const profile = new Float64Array(7);
  for (let ago = days + 1; ago <= days + 7 * PROFILE_WEEKS; ago++)
    profile[ago % 7] += dayAgo(ago) / PROFILE_WEEKS;
  let since = 0;
  let usual = 0;
  for (let ago = 1; ago <= days; ago++) {
    since += dayAgo(ago);
    usual += profile[ago % 7];
  }
  return (sum(profile) * since) / usual;
}

function rowOf(factor: number, days: number): string[] {
  const errors = { all: [] as number[], busy: [] as number[], known: [] as number[] };
  const held = { weeks: [] as boolean[], days: [] as boolean[] };
  const sums: number[] = [];
  let seen = 0;
  STARTS.forEach((date, at) => {
    const start = utcHour(`${date}T04:00Z`);
    const series = zones.map((zone, i) => {
      const random = seededRandom(1000 * i + at);
      const from = start - 24 * days - zone.startHour;
      const isSame = (hour: number) => factor === 1 || hour < from;
      const demand = zone.values.map((count, h) => (isSame(h) ? count : changed(random, count, factor)));
      return { ...zone, values: demand };
    });
    const { daily, weekly } = forecastWeek(series, { startDate: date });
    let forecast = 0;
    let actual = 0;
    series.forEach(({ startHour, values }, i) => {
      const hours = values.subarray(start - startHour, start - startHour + WEEK_HOURS);
      const total = sum(hours);
      if (total === 0) return;
      const week = weekly[i];
      forecast += week.values[0];
      actual += total;
      const error = Math.abs(week.values[0] / total - 1);
      errors.all.push(error);
      if (total >= WEEK_HOURS) {
        errors.busy.push(error);
        errors.known.push(Math.abs(knowingTheDay(values, start - startHour, days) / total - 1));
        if (week.notes.levelShift !== null) seen++;
      }
      held.weeks.push(isHeld(week, 0, total));
      for (let d = 0; d < 7; d++) {
        held.days.push(isHeld(daily[i], d, sum(hours.subarray(24 * d, 24 * d + 24))));
      }
    });
    sums.push(forecast / actual - 1);
  });
  const percent = (share: number, decimals = 0) => (100 * share).toFixed(decimals);
  const ends = (list: number[]) => `${percent(percentile(list, 0.5))}, ${percent(percentile(list, 0.9))} %`;
  const beyond = (list: number[]) =>
    `${percent(list.filter((error) => error > GOAL).length / list.length)} %`;
  const shareOf = (list: boolean[]) => percent(list.filter(Boolean).length / list.length, 1);
  return [
    factor === 1 ? 'none' : String(factor),
    factor === 1 ? '–' : String(days),
    ends(errors.all),
    ends(errors.busy),
    beyond(errors.busy),
    factor === 1 ? '–' : ends(errors.known),
    factor === 1 ? '–' : beyond(errors.known),
    `${percent(Math.min(...sums))} to ${percent(Math.max(...sums))} %`,
    `${percent(seen / errors.busy.length)} %`,
    `${shareOf(held.weeks)}, ${shareOf(held.days)} %`,
  ];
}

const rows = factors.flatMap((factor) => (factor === 1 ? [7] : daysSince).map((days) => rowOf(factor, days)));
const columns = [
  'factor',
  'k',
  'all zones: median, 90th',
  'one trip an hour: median, 90th',
  'beyond 15 %',
  'who knows the day: median, 90th',
  'beyond 15 %',
  'sum of zones',
  'of these seen',
  '95 % holds: week, days',
];
reportTable({ columns, rows }, json);

/**
 * `npm run bench:holidays`: the gain from known public holidays on the New York sample. Forecasts single days around
 * the federal holidays of early 2017 from each of the seven midnights up to the day's own. Reports hourly WAPE and, for
 * the total of the day, bias and the share inside the 95 % interval.
 */
import { DEFAULT_FILE, readDemand } from '../src/commands/backtest.ts';
import { accuracyOf, addErrors, type ErrorSums, noErrors } from '../src/core/forecast/backtest-score.ts';
import { forecastMany } from '../src/core/forecast/forecast.ts';
import { localDemand } from '../src/core/forecast/local-series.ts';
import { localDate, localMidnight } from '../src/core/forecast/local-time.ts';
import { HOLIDAY_REACH_HOURS } from '../src/core/forecast/special-days.ts';
import type { ForecastSet, Holiday } from '../src/core/forecast/types.ts';
import { openHolidayCalendar } from '../src/inputs/holidays.ts';
import { readArguments, reportTable } from './cli.ts';

const { json } = readArguments({});
const HOURS_PER_DAY = 24;
/** Ten days of history: with fewer, the intervals are those of a new location. */
const FIRST_START = '2017-01-10';
/** The day, its name, and the fewest and most days between the forecast and it. */
const DAYS: readonly [string, string, from?: number, to?: number][] = [
  ['2017-01-13', 'Friday before Martin Luther King Day'],
  ['2017-01-14', 'Saturday'],
  ['2017-01-15', 'Sunday'],
  ['2017-01-16', 'Martin Luther King Day'],
  ['2017-01-17', 'the day after'],
  ['2017-01-23', 'a week later', 0, 5],
  ['2017-02-17', "Friday before Presidents' Day"],
  ['2017-02-18', 'Saturday'],
  ['2017-02-19', 'Sunday'],
  ['2017-02-20', "Presidents' Day"],
  ['2017-02-21', 'the day after'],
  ['2017-02-27', 'a week later', 0, 5],
  ['2017-03-06', 'two weeks later'],
  ['2017-02-15', 'Susan B. Anthony Day (a holiday of the state)'],
];

const series = await readDemand(DEFAULT_FILE, 'America/New_York');
const first = Math.min(...series.map(({ startHour }) => startHour)) - HOLIDAY_REACH_HOURS;
const last =
  Math.max(...series.map(({ startHour, values }) => startHour + values.length)) + HOLIDAY_REACH_HOURS;

type Score = {
  hours: ErrorSums;
  days: ErrorSums;
  inside: number;
  count: number;
};

/** Forecasts of a week. Each is computed once. */
function forecaster(holidays: Holiday[]) {
  const known = new Map<string, ForecastSet>();
  return (startDate: string, stepHours: number): ForecastSet => {
    const key = `${startDate} ${stepHours}`;
    const options = {
      startDate,
      horizonHours: 7 * HOURS_PER_DAY,
      stepHours,
      confidenceLevel: 0.95,
      holidays,
    };
    const set = known.get(key) ?? forecastMany(series, options);
    known.set(key, set);
    return set;
  };
}

function score(forecasts: ReturnType<typeof forecaster>, date: string, from = 0, to = 6): Score {
  const day = localMidnight(date)!;
  const found: Score = { hours: noErrors(), days: noErrors(), inside: 0, count: 0 };
  for (let lead = from; lead <= to; lead++) {
    const startDate = localDate(day - HOURS_PER_DAY * lead);
    if (startDate < FIRST_START) continue;
    const hourly = forecasts(startDate, 1).results;
    const daily = forecasts(startDate, HOURS_PER_DAY).results;
    series.forEach((one, i) => {
      const [hours, days] = [hourly[i], daily[i]];
      if (hours.status !== 'ok' || days.status !== 'ok') return;
      const actual = localDemand(one, day, HOURS_PER_DAY);
      const total = actual.reduce((sum, demand) => sum + demand, 0);
      const at = HOURS_PER_DAY * lead;
      addErrors(found.hours, hours.values.subarray(at, at + HOURS_PER_DAY), actual, 0);
      addErrors(found.days, days.values.subarray(lead, lead + 1), Float64Array.of(total), 0);
      if (total >= days.lower![lead] && total <= days.upper![lead]) found.inside++;
      found.count++;
    });
  }
  return found;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const calendars = ['US', 'US-NY'].map(async (region) =>
  (await openHolidayCalendar(region)).between(first, last),
);
const [none, federal, state] = [[], ...(await Promise.all(calendars))].map(forecaster);
const rows = DAYS.map(([date, name, from, to]) => {
  const [blind, known, ofState] = [none!, federal!, state!].map((one) => score(one, date, from, to));
  const wapes = [blind!, known!, ofState!].map(({ hours }) => percent(accuracyOf([hours]).wape!));
  const biases = [blind!, known!].map(({ days }) => percent(accuracyOf([days]).bias!));
  const holds = [blind!, known!].map(({ inside, count }) => percent(inside / count));
  return [`${name}, ${date}`, ...wapes, ...biases, ...holds];
});
const columns = ['day', 'WAPE without', 'with', '`US-NY`', 'bias without', 'with', '95 % without', 'with'];
reportTable({ columns, rows }, json);

/**
 * `npm run bench:holidays`: what knowing public holidays gains on the New York sample. Hourly WAPE of single days around
 * the federal holidays of early 2017, forecast from each of the seven midnights up to the day's own.
 */
import { DEFAULT_FILE, readDemand } from '../src/backtest.ts';
import { accuracyOf, addErrors, noErrors } from '../src/core/forecast/accuracy.ts';
import { forecastMany } from '../src/core/forecast/forecast.ts';
import { localDemand } from '../src/core/forecast/local-series.ts';
import { localDate, localMidnight } from '../src/core/forecast/local-time.ts';
import { type Holiday, openHolidayCalendar } from '../src/holidays.ts';

const HOURS_PER_DAY = 24;
/** Day, what it is, and the fewest days from which it is forecast: the day after is another matter once the holiday is known. */
const DAYS: readonly [string, string, from: number, to: number][] = [
  ['2017-01-16', 'Martin Luther King Day', 0, 1],
  ['2017-01-23', 'a week later', 0, 5],
  ['2017-02-20', "Presidents' Day", 0, 6],
  ['2017-02-21', 'the day after, forecast before the holiday', 1, 6],
  ['2017-02-21', 'the day after, forecast after the holiday', 0, 0],
  ['2017-02-27', 'a week later', 0, 5],
  ['2017-03-06', 'two weeks later', 0, 6],
  ['2017-02-15', 'Susan B. Anthony Day (a holiday of the state)', 0, 6],
];

const series = await readDemand(DEFAULT_FILE, 'America/New_York');
const first = Math.min(...series.map(({ startHour }) => startHour));
const last = Math.max(...series.map(({ startHour, values }) => startHour + values.length));

function wape(date: string, from: number, to: number, holidays: Holiday[]): number {
  const day = localMidnight(date)!;
  const sums = noErrors();
  for (let lead = from; lead <= to; lead++) {
    const { results } = forecastMany(series, {
      startDate: localDate(day - HOURS_PER_DAY * lead),
      horizonHours: HOURS_PER_DAY * (lead + 1),
      stepHours: 1,
      confidenceLevel: null,
      holidays,
    });
    results.forEach((result, i) => {
      if (result.status !== 'ok') return;
      addErrors(sums, result.values.subarray(-HOURS_PER_DAY), localDemand(series[i]!, day, HOURS_PER_DAY), 0);
    });
  }
  return accuracyOf([sums]).wape!;
}

const federal = (await openHolidayCalendar('US')).between(first, last);
const state = (await openHolidayCalendar('US-NY')).between(first, last);
console.log(`WAPE, %${' '.repeat(54)}none      US   US-NY`);
for (const [date, name, from, to] of DAYS) {
  const cells = [[], federal, state].map((holidays) =>
    (100 * wape(date, from, to, holidays)).toFixed(1).padStart(8),
  );
  console.log(`${date} ${name}`.padEnd(60) + cells.join(''));
}

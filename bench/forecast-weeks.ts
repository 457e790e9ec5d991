/**
 * `npm run bench:weeks`: plots two weeks of the busiest zone of the New York sample, forecast hour by hour on the eve
 * of their first day, with the 95 % interval and the observed demand. bench/forecast-week-calm.svg is the sample's last
 * whole week. bench/forecast-week-holiday.svg is the week of Presidents' Day, the sample's only holiday with six weeks
 * before it.
 */
import { writeFile } from 'node:fs/promises';
import { DEFAULT_FILE, readDemand } from '../src/commands/backtest.ts';
import { forecastMany } from '../src/core/forecast/forecast.ts';
import { localDemand } from '../src/core/forecast/local-series.ts';
import { localMidnight } from '../src/core/forecast/local-time.ts';
import { HOLIDAY_REACH_HOURS } from '../src/core/forecast/special-days.ts';
import { openHolidayCalendar } from '../src/inputs/holidays.ts';
import { plotWeek } from './week-plot.ts';

const WEEKS = [
  { name: 'calm', startDate: '2017-04-24' },
  // Friday to Thursday, with the long weekend in the middle.
  { name: 'holiday', startDate: '2017-02-17' },
];
const HOURS = 168;

const series = await readDemand(DEFAULT_FILE, 'America/New_York');
const total = ({ values }: { values: Float64Array }) => values.reduce((sum, value) => sum + (value || 0), 0);
const busiest = series.reduce((best, one, i) => (total(one) > total(series[best]) ? i : best), 0);
const one = series[busiest];
const from = one.startHour - HOLIDAY_REACH_HOURS;
const until = one.startHour + one.values.length + HOLIDAY_REACH_HOURS;
const holidays = (await openHolidayCalendar('US')).between(from, until);
const dayName = new Intl.DateTimeFormat('en-GB', {
  ...{ weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' },
});

for (const { name, startDate } of WEEKS) {
  const asked = { startDate, horizonHours: HOURS, stepHours: 1, confidenceLevel: 0.95, holidays };
  const result = forecastMany(series, asked).results[busiest];
  if (result.status !== 'ok') throw new Error(`zone ${one.locationId} has no forecast from ${startDate}`);
  const start = localMidnight(startDate)!;
  const observed = localDemand(one, start, HOURS);
  const days = Array.from({ length: HOURS / 24 }, (_, day) => {
    const date = new Date((start + day * 24) * 3_600_000);
    const holiday = holidays.find((found) => found.date === date.toISOString().slice(0, 10));
    return [dayName.format(date), ...(holiday ? [holiday.name] : [])];
  });
  const { values, lower, upper } = result;
  const held = observed.filter((y, hour) => y >= lower![hour] && y <= upper![hour]).length;
  const error = observed.reduce((sum, y, hour) => sum + Math.abs(y - values[hour]), 0);
  const wape = (100 * error) / observed.reduce((sum, y) => sum + y, 0);
  const title = `Taxi pickups per hour in zone ${one.locationId}, forecast on the eve of ${dayName.format(start * 3_600_000)} 2017`;
  const file = new URL(`./forecast-week-${name}.svg`, import.meta.url);
  await writeFile(file, plotWeek({ title, forecast: values, lower: lower!, upper: upper!, observed, days }));
  console.log(`${name}: WAPE ${wape.toFixed(1)} %, the 95 % interval holds ${held} of ${HOURS} hours`);
}

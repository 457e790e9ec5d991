/**
 * `npm run bench:storms -- [--seeds 12]`: daily forecasts of a week after artificial demand, with and without storm
 * days on which demand collapsed, stored as events or not. Twelve locations, 13 weeks of Poisson counts with a daily
 * wave, a shape of the week, and daily variation that is partly shared with the next day. The forecast week contains no
 * storm.
 */
import { forecastMany } from '../src/core/forecast/forecast.ts';
import type { DemandEvent } from '../src/core/forecast/types.ts';
import { MONDAY, normal, poisson, seededRandom, seriesOf } from '../test/core/forecast/samples.ts';
import { readArguments, reportTable } from './cli.ts';

const { seeds, json } = readArguments({ seeds: 12 });
const PLACES = 12;
const DAYS = 91;
const WEEKDAYS = [1, 1, 1.05, 1.1, 1.2, 1.3, 0.8];

/** `lasting`: share of a day's deviation that the next day keeps. `onDay`: factor of an unusual day. */
type Demand = {
  name: string;
  level: number;
  deviation: number;
  lasting: number;
  /** Whether the storms are stored as events. */
  isStored?: true;
  onDay?: (random: () => number, day: number, storms: readonly number[]) => number;
};

const inStorm: Demand['onDay'] = (_, day, storms) => (storms.includes(day) ? 0.3 : 1);
const DEMANDS: Demand[] = [
  { name: 'no storm, 5 an hour', level: 5, deviation: 0.08, lasting: 0.5 },
  { name: 'no storm, days that vary by 20 %, lasting', level: 10, deviation: 0.2, lasting: 0.8 },
  { name: 'two storm days (0.3), 10 an hour', level: 10, deviation: 0.08, lasting: 0.5, onDay: inStorm },
  {
    name: 'the same, stored as events',
    level: 10,
    deviation: 0.08,
    lasting: 0.5,
    isStored: true,
    onDay: inStorm,
  },
  { name: 'not stored, 0.3 an hour', level: 0.3, deviation: 0.08, lasting: 0.5, onDay: inStorm },
  {
    name: '4 % of days × 2.5, of each place its own',
    level: 5,
    deviation: 0.08,
    lasting: 0.5,
    onDay: (random) => (random() < 0.04 ? 2.5 : 1),
  },
  {
    name: 'a Saturday in two with a tenth',
    level: 5,
    deviation: 0.05,
    lasting: 0.5,
    onDay: (_, day) => (day % 14 === 5 ? 0.1 : 1),
  },
];

/** Hourly counts of a location: the days to learn from and the week to forecast. */
function demandOf(random: () => number, demand: Demand, storms: readonly number[]) {
  const level = demand.level * Math.exp(0.5 * normal(random));
  const history = new Float64Array(24 * DAYS);
  const ahead = new Float64Array(7);
  let state = 0;
  for (let day = 0; day < DAYS + 7; day++) {
    state = demand.lasting * state + Math.sqrt(1 - demand.lasting ** 2) * normal(random);
    const factor = demand.onDay?.(random, day, day < DAYS ? storms : []) ?? 1;
    const mean = level * WEEKDAYS[day % 7] * Math.exp(demand.deviation * state) * factor;
    for (let hour = 0; hour < 24; hour++) {
      const count = poisson(random, mean * (1 + 0.8 * Math.sin(((hour - 8) * Math.PI) / 12)));
      if (day < DAYS) history[24 * day + hour] = count;
      else ahead[day - DAYS] += count;
    }
  }
  return { history, ahead };
}

const stormOn = (day: number): DemandEvent => {
  const fromHour = MONDAY + 24 * day;
  return { locationId: null, kind: 'storm', factor: null, fromHour, untilHour: fromHour + 24 };
};

function rowOf(demand: Demand): string[] {
  const sums = { demand: 0, error: 0, bias: 0, held: 0, days: 0 };
  for (let seed = 1; seed <= seeds; seed++) {
    const random = seededRandom(7919 * seed);
    // One storm in the last two weeks, one before that.
    const storms = [DAYS - 2 - Math.floor(random() * 12), DAYS - 20 - Math.floor(random() * 60)];
    const places = Array.from({ length: PLACES }, () => demandOf(random, demand, storms));
    const series = places.map(({ history }, place) => seriesOf(history, { locationId: place + 1 }));
    const options = {
      originHour: MONDAY + 24 * DAYS,
      horizonHours: 168,
      stepHours: 24,
      confidenceLevel: 0.95,
      events: demand.isStored ? storms.map(stormOn) : [],
    };
    forecastMany(series, options).results.forEach((result, place) => {
      if (result.status !== 'ok') throw new Error(`location ${result.locationId}: ${result.status}`);
      const { values: forecast, lower = [], upper = [] } = result;
      places[place].ahead.forEach((actual, day) => {
        sums.demand += actual;
        sums.error += Math.abs(forecast[day] - actual);
        sums.bias += forecast[day] - actual;
        sums.days++;
        if (lower[day] <= actual && actual <= upper[day]) sums.held++;
      });
    });
  }
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return [
    demand.name,
    percent(sums.error / sums.demand),
    percent(sums.bias / sums.demand),
    percent(sums.held / sums.days),
  ];
}

reportTable({ columns: ['simulated', 'WAPE', 'bias', '95 % holds'], rows: DEMANDS.map(rowOf) }, json);

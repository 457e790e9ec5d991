/** Locations with simulated demand whose law never changes, and the accuracy of forecasts of it. */
import { addBounds, panelFitter } from '../../../src/core/forecast/panel.ts';
import { hoursOf, MONDAY, normal, poisson, seededRandom, seriesOf, sum, weeklyShape } from './samples.ts';

/** With a larger mean a Poisson count is drawn from the normal distribution. */
const MAX_COUNTED = 300;

const count = (random: () => number, mean: number): number =>
  mean > MAX_COUNTED ? Math.round(mean + Math.sqrt(mean) * normal(random)) : poisson(random, mean);

/** Factors with mean 1 whose logarithms are correlated: `kept` is the correlation from one to the next. */
function factors(random: () => number, length: number, kept: number, deviation: number): Float64Array {
  let state = normal(random);
  return Float64Array.from({ length }, () => {
    state = kept * state + Math.sqrt(1 - kept ** 2) * normal(random);
    return Math.exp(deviation * state - 0.5 * deviation ** 2);
  });
}

/** Hourly counts with a daily wave and quiet weekends. */
type Demand = (random: () => number, level: number, weeks: number) => Float64Array;

const withDays =
  (kept: number, deviation: number): Demand =>
  (random, level, weeks) => {
    const days = factors(random, 7 * weeks, kept, deviation);
    return hoursOf(weeks, (hour) => count(random, days[Math.floor(hour / 24)]! * weeklyShape(hour, level)));
  };

const STEADY_DEMAND = {
  poisson: (random, level, weeks) => hoursOf(weeks, (hour) => count(random, weeklyShape(hour, level))),
  overdispersed: (random, level, weeks) =>
    hoursOf(weeks, (hour) => {
      const factor = -Math.log(random() * random() * random() * random()) / 4;
      return count(random, factor * weeklyShape(hour, level));
    }),
  'correlated days': withDays(0.5, 0.15),
  'correlated hours': (random, level, weeks) => {
    const hours = factors(random, 168 * weeks, 0.8, 0.2);
    return hoursOf(weeks, (hour) => count(random, hours[hour]! * weeklyShape(hour, level)));
  },
  'slow drift': withDays(0.97, 0.15),
} satisfies Record<string, Demand>;

export type SteadyDemand = keyof typeof STEADY_DEMAND;

export type Setting = {
  /** Mean demands of an hour; the locations of a call take them in turn. */
  levels: readonly number[];
  /** Weeks stored. */
  weeks: number;
  horizonHours: number;
  stepHours: number;
  confidenceLevels: readonly number[];
  /** Locations of a call, and calls. */
  places: number;
  calls: number;
};

/** Forecasts compared with the demand that followed, per step. */
export function steadyForecasts(seed: number, kind: SteadyDemand, setting: Setting) {
  const { levels, weeks, horizonHours, stepHours, confidenceLevels, places, calls } = setting;
  const steps = { horizonHours, stepHours };
  const random = seededRandom(seed);
  return Array.from({ length: calls }, (_, call) => {
    // The histories end on every day of the week.
    const end = 168 * weeks + 24 * (call % 7);
    const all = Array.from({ length: places }, (_, i) =>
      STEADY_DEMAND[kind](random, levels[i % levels.length]!, weeks + 2),
    );
    const forecastOne = panelFitter(steps);
    const series = all.map((values, locationId) => seriesOf(values.subarray(0, end), { locationId }));
    const start = MONDAY + end;
    const panel = series.map((one) => forecastOne(one, start)!);
    addBounds(panel, steps, confidenceLevels);
    return panel.map(({ values, bounds, backtestWape }, i) => {
      const actual = values.map((_, k) =>
        sum(all[i]!.subarray(end + k * stepHours, end + (k + 1) * stepHours)),
      );
      return { level: levels[i % levels.length]!, values, bounds, backtestWape: backtestWape!, actual };
    });
  }).flat();
}

export type SteadyForecasts = ReturnType<typeof steadyForecasts>;

/** Mean reported error over the mean error that followed, over levels. */
export function reportedOverFollowed(made: SteadyForecasts): number {
  const ratios = [...Map.groupBy(made, ({ level }) => level).values()].map((ofLevel) => {
    const reported = sum(ofLevel.map(({ backtestWape }) => backtestWape)) / ofLevel.length;
    const wrong = sum(
      ofLevel.flatMap(({ values, actual }) => [...values].map((v, k) => Math.abs(v - actual[k]!))),
    );
    return (reported * sum(ofLevel.map(({ actual }) => sum(actual)))) / wrong;
  });
  return sum(ratios) / ratios.length;
}

/** Share of the steps within the bounds of a confidence level, given by its index. */
export function shareHeld(made: SteadyForecasts, level: number): number {
  const held = made.flatMap(({ bounds, actual }) => {
    const { lower, upper } = bounds[level]!;
    return Array.from(actual, (y, k): number => (y >= lower[k]! && y <= upper[k]! ? 1 : 0));
  });
  return sum(held) / held.length;
}

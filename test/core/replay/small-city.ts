/** A simulated city: six locations on a line, with five weeks of history before the 30 hours that are replayed. */
import type { DemandSeries } from '../../../src/core/forecast/types.ts';
import { shareTrips } from '../../../src/core/optimize/horizon/trip-shares.ts';
import { createPastForecasts } from '../../../src/core/replay/forecasts.ts';
import type { ReplayOptions, ReplayPolicy } from '../../../src/core/replay/replay.ts';
import type { ReplayedPast } from '../../../src/core/replay/types.ts';
import { MONDAY, poisson, seededRandom, seriesOf, weeklyShape } from '../forecast/samples.ts';

const LOCATIONS = 6;
const HISTORY_HOURS = 5 * 168;
export const CITY_HOURS = 30;
export const CITY_FLEET = Int32Array.of(9, 9, 9, 9, 9, 9);

export type SmallCity = { past: ReplayedPast; series: DemandSeries[] };

/** @param change of the demand of an hour, counted from the first one replayed */
export function smallCity(change: (demand: number, hour: number) => number = (demand) => demand): SmallCity {
  const random = seededRandom(5);
  const n = LOCATIONS;
  const series = Array.from({ length: n }, (_, j) => {
    const level = 4 + 4 * j;
    // Locations have their busy hours at different times of the day.
    const values = Float64Array.from({ length: HISTORY_HOURS + CITY_HOURS }, (_, hour) =>
      poisson(random, weeklyShape(hour + 4 * j, level)),
    );
    return seriesOf(
      values.map((value, hour) => change(value, hour - HISTORY_HOURS)),
      { locationId: 10 + j },
    );
  });
  const demand = Float64Array.from(
    { length: CITY_HOURS * n },
    (_, u) => series[u % n].values[HISTORY_HOURS + Math.floor(u / n)],
  );
  const pairs = (value: (distance: number) => number) =>
    Float64Array.from({ length: n * n }, (_, u) => value(Math.abs((u % n) - Math.floor(u / n))));
  const trips = Float64Array.from({ length: n * n }, () => 1 + Math.floor(20 * random()));
  const past = {
    locationIds: Int32Array.from(series, ({ locationId }) => locationId),
    hours: CITY_HOURS,
    firstHour: MONDAY + HISTORY_HOURS,
    demand,
    tripsPerHour: 2,
    // The ends of the line are more than an hour apart.
    travel: { km: pairs((d) => 3 * d), minutes: pairs((d) => 14 * d), cost: pairs((d) => 3 * d) },
    ends: [shareTrips(n, trips)],
  };
  return { past, series };
}

export const forecastsOf = ({ past, series }: SmallCity, confidenceLevels = [0.9]) =>
  createPastForecasts(series, { firstHour: past.firstHour, hoursAhead: 24, confidenceLevels });

const policy = (mode: ReplayPolicy['mode'], demand: ReplayPolicy['demand'] = 'mean'): ReplayPolicy => {
  const name = `${mode} ${demand}`;
  const plans = { horizonHours: 4, stepHours: 1, replanEveryHours: 1 };
  return { name, mode, demand, confidenceLevel: 0.9, ...plans };
};

/** No flow of one kind of vehicle keeps these: such plans are made with rules. */
const RULES = {
  priorities: { 10: 2, 12: 1 },
  max_rebalancing_cost: 20,
  max_vehicles_per_location: 16,
  total_fleet_size: 40,
};

export const CITY_OPTIONS: ReplayOptions = {
  policies: [
    policy('none'),
    policy('nightly'),
    policy('static'),
    policy('horizon'),
    policy('horizon', 'upper'),
    policy('horizon', 'observed'),
    policy('horizon', 'spread'),
    { ...policy('horizon'), name: 'horizon with rules', constraints: RULES },
    { ...policy('horizon', 'spread'), name: 'horizon spread with rules', constraints: RULES },
  ],
  unmetDemandCost: 5,
  seeds: [1, 2],
  isNight: (hour) => hour % 24 === 3,
  timeLimitSeconds: 60,
  gap: 0,
  withBound: true,
};

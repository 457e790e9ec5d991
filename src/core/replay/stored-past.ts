/** The past of a replay from stored data. */
import { HOURS_OF_WEEK } from '../../contracts/bounds.ts';
import { weekHourOf } from '../../contracts/time.ts';
import { clockOf } from '../forecast/local-time.ts';
import type { DemandSeries, ZoneClock } from '../forecast/types.ts';
import { stepFlows } from '../optimize/horizon/step-flows.ts';
import { shareTrips } from '../optimize/horizon/trip-shares.ts';
import type { TripFlows } from '../optimize/horizon/types.ts';
import { fromUnits } from '../optimize/problem/costs.ts';
import type { LocationPoint, TravelTable, TripCounts } from '../optimize/problem/model.ts';
import { type MoveRates, minutesIn, travelNetwork } from '../optimize/problem/travel-network.ts';
import { DAY_AHEAD_HOURS } from './replay.ts';
import type { PairTravel, ReplayedPast } from './types.ts';

export type StoredPast = {
  /** n, by ascending location; their observations from before the period on. */
  series: readonly DemandSeries[];
  /** The same locations in the same order. */
  points: readonly LocationPoint[];
  /** UTC hours since the epoch. */
  firstHour: number;
  hours: number;
  tripsPerHour: number;
  rates: MoveRates;
  /** Stored travel; null: great circles. */
  travel: TravelTable | null;
  /** Whether pairs that the travel lacks take the great circle. */
  hasFallback: boolean;
  /** Speed of moves whose minutes are not known. */
  speedKmh: number;
  /** null: vehicles are free where they served. */
  tripCounts: TripCounts | null;
};

/** O(n² + hours n), and O(168 n² log n) with trips by the hour of the week. */
export function replayedPast(stored: StoredPast): { past: ReplayedPast; hoursNotObserved: number } {
  const { series, firstHour, hours, tripsPerHour } = stored;
  const n = series.length;
  const demand = new Float64Array(hours * n);
  let hoursNotObserved = 0;
  for (const [j, { startHour, values }] of series.entries()) {
    for (let t = 0; t < hours; t++) {
      const observed = values[firstHour + t - startHour] ?? Number.NaN;
      if (Number.isNaN(observed)) hoursNotObserved++;
      else demand[t * n + j] = observed;
    }
  }
  const locationIds = Int32Array.from(series, ({ locationId }) => locationId);
  const past = {
    ...{ locationIds, hours, firstHour, demand, tripsPerHour },
    travel: pairTravel(stored, locationIds),
    ends: endsOf(stored, locationIds),
  };
  return { past, hoursNotObserved };
}

/** n × n: the cost of a move in multiples of 1e-4, Infinity where vehicles do not move. O(n²) */
export function moveCosts({
  points,
  rates,
  travel,
  hasFallback,
}: Pick<StoredPast, 'points' | 'rates' | 'travel' | 'hasFallback'>): Float64Array {
  return travelNetwork([...points], rates, travel, hasFallback).costUnits.map(fromUnits);
}

function pairTravel(
  { points, rates, travel, hasFallback, speedKmh }: StoredPast,
  ids: Int32Array,
): PairTravel {
  const n = ids.length;
  const network = travelNetwork([...points], rates, travel, hasFallback);
  const km = network.distanceKm ?? new Float64Array(n * n);
  const known = travel && minutesIn(travel, ids);
  const minutes = Float64Array.from(km, (length, pair) => {
    const [from, to] = [Math.floor(pair / n), pair % n];
    return from === to ? 0 : (known?.(from, to) ?? (60 * length) / speedKmh);
  });
  return { km, minutes, cost: network.costUnits.map(fromUnits) };
}

/** By the hour of the week on the clock of the first location, also for the hours that plans look beyond the end. */
function endsOf({ series, firstHour, hours, tripCounts }: StoredPast, ids: Int32Array): TripFlows[] {
  const n = ids.length;
  if (!tripCounts) return [shareTrips(n, new Float64Array(n * n))];
  const isHourly = tripCounts.hour.some((hour) => hour >= 0);
  const steps = isHourly ? HOURS_OF_WEEK : 1;
  const week = stepFlows(ids, tripCounts, { steps, stepHours: 1, firstHourOfWeek: isHourly ? 0 : null });
  if (!isHourly) return week;
  const clock = clockOf(series[0]);
  return Array.from({ length: hours + DAY_AHEAD_HOURS }, (_, t) => {
    return week[weekHourOf(firstHour + t + clock(firstHour + t))];
  });
}

/** The first UTC hour that is, on a clock, a local hour or a later one. */
export function firstHourAt(clock: ZoneClock, localHour: number): number {
  let hour = localHour - 26;
  while (hour + clock(hour) < localHour) hour++;
  return hour;
}

/** A replay as it was asked for, from stored data: what the job and the command have in common. */
import { DEFAULT_SPEED_KMH } from '../../contracts/bounds.ts';
import {
  DEFAULT_CONFIDENCE_LEVEL,
  DEFAULT_HORIZON_HOURS,
  DEFAULT_NIGHT_HOUR,
  policyName,
  REPLAY_GAP,
  type ReplayRequest,
} from '../../contracts/replays.ts';
import { zoneClock } from '../forecast/local-time.ts';
import type { DemandEvent, DemandSeries, Holiday } from '../forecast/types.ts';
import type { LocationPoint, TravelTable, TripCounts } from '../optimize/problem/model.ts';
import { createPastForecasts, type PastForecasts } from './forecasts.ts';
import { placeInProportion } from './place-fleet.ts';
import { DAY_AHEAD_HOURS, type ReplayOptions, type ReplayPolicy, upperLevels } from './replay.ts';
import { moveCosts, replayedPast } from './stored-past.ts';
import type { ReplayedPast } from './types.ts';

/** Time limit of one plan. */
export const PLAN_SECONDS = 60;

/** The stored data of a replay, as of one moment. */
export type StoredReplay = {
  request: ReplayRequest;
  /** By ascending location. */
  series: DemandSeries[];
  points: LocationPoint[];
  known: { holidays?: Holiday[]; events?: DemandEvent[] };
  /** UTC hours since the epoch. */
  firstHour: number;
  hours: number;
  timeZone: string;
  /** Stored vehicles by location; null: as many as the request says. */
  vehicles: [locationId: number, count: number][] | null;
  costPerKm: number;
};

/** The input of `replay`. */
export type PreparedReplay = {
  past: ReplayedPast;
  fleet: Int32Array;
  forecasts: PastForecasts;
  options: ReplayOptions;
};

/**
 * @param travel stored travel between the locations; null: great circles
 * @param tripCounts where trips end; null: where they began
 */
export function prepareReplay(
  stored: StoredReplay,
  travel: TravelTable | null,
  tripCounts: TripCounts | null,
): PreparedReplay & { hoursNotObserved: number } {
  const { request, series, points, known, firstHour, hours } = stored;
  const { cost = {} } = request;
  const rates = {
    perKm: cost.per_km ?? stored.costPerKm,
    perMinute: cost.per_minute ?? 0,
    perMove: cost.per_move ?? 0,
  };
  const places = { points, travel, hasFallback: typeof request.travel === 'object' };
  const { past, hoursNotObserved } = replayedPast({
    ...{ series, firstHour, hours, tripCounts, rates },
    ...places,
    tripsPerHour: request.trips_per_vehicle_hour,
    speedKmh: request.speed_kmh ?? DEFAULT_SPEED_KMH,
  });
  const policies = request.policies.map((policy): ReplayPolicy => {
    const own = policy.options?.cost;
    if (!own) return policyOf(policy);
    const { per_km = rates.perKm, per_minute = rates.perMinute, per_move = rates.perMove } = own;
    const moveCost = moveCosts({
      ...places,
      rates: { perKm: per_km, perMinute: per_minute, perMove: per_move },
    });
    return { ...policyOf(policy), moveCost };
  });
  const forecasts = createPastForecasts(series, {
    ...{ firstHour, hoursAhead: DAY_AHEAD_HOURS, confidenceLevels: upperLevels(policies) },
    ...known,
  });
  const options = {
    policies,
    unmetDemandCost: request.unmet_demand_cost,
    seeds: request.seeds ?? [],
    isNight: nightOf(stored.timeZone, firstHour, request.night_hour ?? DEFAULT_NIGHT_HOUR),
    timeLimitSeconds: PLAN_SECONDS,
    gap: REPLAY_GAP,
    withBound: request.bound ?? true,
  };
  return { past, fleet: placeFleet(stored), forecasts, options, hoursNotObserved };
}

/** Whether an hour, counted from the first one, is this one of the local day. */
export function nightOf(timeZone: string, firstHour: number, nightHour: number): (hour: number) => boolean {
  const clock = zoneClock(timeZone);
  return (hour) => (firstHour + hour + clock(firstHour + hour)) % 24 === nightHour;
}

/** A policy with its defaults, at the costs of the replay. */
export function policyOf(policy: ReplayRequest['policies'][number]): ReplayPolicy {
  const { mode, demand = 'mean', constraints, options } = policy;
  return {
    ...{ name: policyName(policy), mode, demand },
    confidenceLevel: policy.confidence_level ?? DEFAULT_CONFIDENCE_LEVEL,
    horizonHours: policy.horizon_hours ?? DEFAULT_HORIZON_HOURS,
    stepHours: policy.step_hours ?? 1,
    replanEveryHours: policy.replan_every_hours ?? 1,
    ...(constraints && { constraints }),
    ...(options && { options }),
  };
}

function placeFleet({ request: { fleet }, series, firstHour, vehicles }: StoredReplay): Int32Array {
  if (typeof fleet === 'object') return placeInProportion(series, firstHour, fleet.size);
  const counts = new Map(vehicles);
  return Int32Array.from(series, ({ locationId }) => counts.get(locationId) ?? 0);
}

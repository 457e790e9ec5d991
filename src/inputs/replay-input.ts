/** The stored data of a replay, for the API, which checks it, and for workers. */
import { AppError } from '../answers/errors.ts';
import type { Config } from '../config.ts';
import {
  hourlySteps,
  MAX_REPLAY_DAYS,
  MAX_REPLAY_LOCATIONS,
  MAX_REPLAY_STEPS,
  type ReplayRequest,
} from '../contracts/replays.ts';
import { HOUR_MS } from '../contracts/time.ts';
import { localMidnight, zoneClock } from '../core/forecast/local-time.ts';
import { firstHourAt } from '../core/replay/stored-past.ts';
import type { Queryable } from '../db/client.ts';
import { readNewestHours } from '../db/data/demand.ts';
import { countVehiclesByLocation } from '../db/data/fleet.ts';
import { checkForecastLocations, requestedLocations } from './forecast-input.ts';
import { readPlanZone } from './forecast-start.ts';
import { newestDay } from './newest-day.ts';
import { findPolicyFaults } from './replay-policies.ts';

/** Locations and days of a replay. */
export type ReplayScope = {
  /** ascending */
  locationIds: number[];
  timeZone: string;
  /** UTC hours since the epoch: the first one, and the one after the last. */
  firstHour: number;
  endHour: number;
  /** stored vehicles by location; null: the request says how many there are */
  vehicles: Map<number, number> | null;
  fleetSize: number;
};

/**
 * @throws AppError RESOURCE_NOT_FOUND, VALIDATION_ERROR where the replay is too large or its period is not observed,
 * MODEL_NOT_LOADED without locations, observations or vehicles
 */
export async function replayScope(
  db: Queryable,
  config: Pick<Config, 'FORECASTING_TIME_ZONE'>,
  request: ReplayRequest,
): Promise<ReplayScope> {
  const { fleet = 'stored' } = request;
  const [from, to] = periodOf(request);
  if (request.location_ids) await checkForecastLocations(db, request.location_ids);
  const locationIds = (await requestedLocations(db, request)).toSorted((a, b) => a - b);
  const timeZone = await readPlanZone(db, config, locationIds);
  const clock = zoneClock(timeZone);
  const firstHour = firstHourAt(clock, from);
  const endHour = firstHourAt(clock, to);
  checkReplaySize(request, locationIds.length, endHour - firstHour);
  await checkObserved(db, locationIds, endHour, config.FORECASTING_TIME_ZONE);
  const vehicles = fleet === 'stored' ? await countVehiclesByLocation(db, locationIds) : null;
  if (vehicles?.size === 0) {
    const message =
      'no operational vehicle is stored at these locations; store them (PUT /api/v1/data/fleet), ' +
      'or give a size: {"size": 800}';
    throw new AppError('MODEL_NOT_LOADED', [{ field: 'fleet', message }]);
  }
  const stored = [...(vehicles?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  const fleetSize = fleet === 'stored' ? stored : fleet.size;
  const faults = findPolicyFaults(request, locationIds);
  if (faults.length > 0) throw new AppError('VALIDATION_ERROR', faults);
  return { locationIds, timeZone, firstHour, endHour, vehicles, fleetSize };
}

/** The local hours since the epoch at which the period begins and ends. */
function periodOf(request: ReplayRequest): [from: number, to: number] {
  const [from, to] = (['from', 'to'] as const).map((field) => {
    const midnight = localMidnight(request[field]);
    if (midnight === null) throw fault(field, `${request[field]} is not a day of the calendar`);
    return midnight;
  });
  if (to <= from)
    throw fault('to', `${request.to} is not later than ${request.from}, the first day; choose a later one`);
  const days = (to - from) / 24;
  if (days <= MAX_REPLAY_DAYS) return [from, to];
  throw fault(
    'to',
    `the period has ${days} days, above the maximum ${MAX_REPLAY_DAYS}; choose an earlier day`,
  );
}

/** A bound on the time of a replay, which grows with all of these. */
function checkReplaySize(request: ReplayRequest, locations: number, hours: number): void {
  if (locations > MAX_REPLAY_LOCATIONS) {
    const message =
      `${locations} active locations are stored; a replay has at most ${MAX_REPLAY_LOCATIONS}: name them in ` +
      'location_ids';
    throw fault('location_ids', message);
  }
  const replays = 1 + (request.seeds?.length ?? 0);
  const steps = hourlySteps(request) / replays;
  const work = steps * replays * hours * locations;
  if (work <= MAX_REPLAY_STEPS) return;
  const message =
    `${locations} locations × ${hours} hours × ${replays} replays of each policy × ${steps} steps of all ` +
    `policies are ${work}, above the maximum ${MAX_REPLAY_STEPS}; choose fewer days, policies, seeds or locations, ` +
    'or a smaller horizon_hours';
  throw fault('policies', message);
}

async function checkObserved(
  db: Queryable,
  ids: readonly number[],
  endHour: number,
  timeZone: string,
): Promise<void> {
  const newest = await readNewestHours(db, ids);
  const timeOf = (hour: number) => `${new Date(hour * HOUR_MS).toISOString().slice(0, 13)}:00Z`;
  if (newest.length === 0) {
    const message =
      'these locations have no demand observations; add them with POST /api/v1/data/demand, or name others';
    throw new AppError('MODEL_NOT_LOADED', [{ field: 'location_ids', message }]);
  }
  const last = newestDay(newest, timeZone).hour;
  if (last >= endHour - 1) return;
  const message =
    `the period ends at ${timeOf(endHour)}, but the newest observation is that of ${timeOf(last)}; choose an earlier ` +
    'day, or add observations with POST /api/v1/data/demand';
  throw fault('to', message);
}

function fault(field: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', [{ field, message }]);
}

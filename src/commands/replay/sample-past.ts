/** The New York sample as the past of a replay. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { DEFAULT_NIGHT_HOUR, REPLAY_GAP } from '../../contracts/replays.ts';
import { HOUR_MS } from '../../contracts/time.ts';
import { localMidnight, zoneClock } from '../../core/forecast/local-time.ts';
import { HOLIDAY_REACH_HOURS } from '../../core/forecast/special-days.ts';
import type { DemandSeries, Holiday } from '../../core/forecast/types.ts';
import { shareTrips } from '../../core/optimize/horizon/trip-shares.ts';
import { fromUnits, toUnitsUp } from '../../core/optimize/problem/costs.ts';
import { createPastForecasts } from '../../core/replay/forecasts.ts';
import { placeInProportion } from '../../core/replay/place-fleet.ts';
import { DAY_AHEAD_HOURS, upperLevels } from '../../core/replay/replay.ts';
import { nightOf, PLAN_SECONDS, type PreparedReplay, policyOf } from '../../core/replay/stored-replay.ts';
import type { ReplayedPast } from '../../core/replay/types.ts';
import { openHolidayCalendar, UnknownRegionError } from '../../inputs/holidays.ts';
import { DEFAULT_FILE, readDemand } from '../backtest.ts';
import { CommandError, eventsOfFile } from '../command-line.ts';
import type { ReplayCommand } from './options.ts';

/** The sample has UTC times; its local days are New York's. */
const SAMPLE_TIME_ZONE = 'America/New_York';
const PAIRS_FILE = fileURLToPath(new URL('../../../data/nyc/zone_pairs_2017.csv.gz', import.meta.url));
const KM_PER_MILE = 1.609344;

/**
 * The sample, as a command asks for it.
 * @throws CommandError if the sample does not have all hours, or for events and holidays that cannot be read
 */
export async function readSamplePast({ request, days, ...command }: ReplayCommand): Promise<PreparedReplay> {
  const clock = zoneClock(SAMPLE_TIME_ZONE);
  const midnight = localMidnight(request.from)!;
  const firstHour = midnight - clock(midnight);
  const hours = 24 * days;
  const series = await readDemand(DEFAULT_FILE, SAMPLE_TIME_ZONE);
  const events = command.events === undefined ? [] : await eventsOfFile(command.events);
  const holidays = command.holidays === undefined ? [] : await readHolidays(command.holidays, series);
  const policies = request.policies.map(policyOf);
  const levels = { hoursAhead: DAY_AHEAD_HOURS, confidenceLevels: upperLevels(policies) };
  const tripsPerHour = request.trips_per_vehicle_hour;
  const ids = Int32Array.from(series, ({ locationId }) => locationId);
  const demand = demandOf(series, firstHour, hours);
  const { travel, trips } = await readPairs(ids);
  const ends = [shareTrips(series.length, trips)];
  const size = typeof request.fleet === 'object' ? request.fleet.size : 0;
  return {
    past: { locationIds: ids, hours, firstHour, demand, tripsPerHour, travel, ends },
    fleet: placeInProportion(series, firstHour, size),
    forecasts: createPastForecasts(series, { firstHour, ...levels, holidays, events }),
    options: {
      ...{ policies, unmetDemandCost: request.unmet_demand_cost, seeds: request.seeds ?? [] },
      isNight: nightOf(SAMPLE_TIME_ZONE, firstHour, DEFAULT_NIGHT_HOUR),
      ...{ timeLimitSeconds: PLAN_SECONDS, gap: REPLAY_GAP, withBound: true },
    },
  };
}

function demandOf(series: readonly DemandSeries[], firstHour: number, hours: number): Float64Array {
  const n = series.length;
  const demand = new Float64Array(hours * n);
  for (const [j, { startHour, values }] of series.entries()) {
    for (let t = 0; t < hours; t++) demand[t * n + j] = values[firstHour + t - startHour] ?? Number.NaN;
  }
  if (!demand.some(Number.isNaN)) return demand;
  const [first, last] = [series[0].startHour, series[0].startHour + series[0].values.length - 1];
  const [from, to] = [first, last].map((hour) => new Date(hour * HOUR_MS).toISOString().slice(0, 13));
  const message = `the sample has the hours from ${from}Z to ${to}Z; choose a period within them`;
  throw new CommandError(message, 1);
}

async function readHolidays(region: string, series: readonly DemandSeries[]): Promise<Holiday[]> {
  const starts = series.map(({ startHour }) => startHour);
  const ends = series.map(({ startHour, values }) => startHour + values.length);
  try {
    const calendar = await openHolidayCalendar(region);
    return calendar.between(
      Math.min(...starts) - HOLIDAY_REACH_HOURS,
      Math.max(...ends) + HOLIDAY_REACH_HOURS,
    );
  } catch (error) {
    if (error instanceof UnknownRegionError) throw new CommandError(error.message);
    throw error;
  }
}

/** Cost is distance: a km costs 1. Pairs between which no trip was observed are not travelled. */
async function readPairs(ids: Int32Array): Promise<{ travel: ReplayedPast['travel']; trips: Float64Array }> {
  const n = ids.length;
  const position = new Map([...ids].map((id, i) => [id, i]));
  const travel = {
    km: new Float64Array(n * n),
    minutes: new Float64Array(n * n),
    cost: new Float64Array(n * n).fill(Number.POSITIVE_INFINITY),
  };
  const trips = new Float64Array(n * n);
  const rows: string[][] = parse(gunzipSync(await readFile(PAIRS_FILE)), { from_line: 2 });
  for (const row of rows) {
    const [from, to, count, minutes, miles] = row.map(Number);
    const pair = position.get(from)! * n + position.get(to)!;
    trips[pair] = count;
    if (from === to) continue;
    travel.minutes[pair] = minutes;
    travel.km[pair] = miles * KM_PER_MILE;
    // In the units of the optimizer, so that its bound is one of these costs.
    travel.cost[pair] = fromUnits(toUnitsUp(travel.km[pair]));
  }
  for (let i = 0; i < n; i++) travel.cost[i * n + i] = 0;
  return { travel, trips };
}

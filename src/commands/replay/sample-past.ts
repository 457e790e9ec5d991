/** The New York sample as the past of a replay. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import type { DemandSeries } from '../../core/forecast/types.ts';
import { shareTrips } from '../../core/optimize/horizon/trip-shares.ts';
import { fromUnits, toUnitsUp } from '../../core/optimize/problem/costs.ts';
import type { ReplayedPast } from '../../core/replay/types.ts';
import { DEFAULT_FILE, readDemand } from '../backtest.ts';

/** The sample has UTC times; its local days are New York's. */
export const SAMPLE_TIME_ZONE = 'America/New_York';
const PAIRS_FILE = fileURLToPath(new URL('../../../data/nyc/zone_pairs_2017.csv.gz', import.meta.url));
const KM_PER_MILE = 1.609344;
/** Trips that a cab serves in an hour, as in the sample's fleet. */
const TRIPS_PER_HOUR = 2;

export type SamplePast = { past: ReplayedPast; series: DemandSeries[] };

/**
 * @param firstHour hours since the epoch, UTC
 * @throws RangeError if the sample does not have all these hours
 */
export async function readSamplePast(firstHour: number, hours: number): Promise<SamplePast> {
  const series = await readDemand(DEFAULT_FILE, SAMPLE_TIME_ZONE);
  const n = series.length;
  const demand = new Float64Array(hours * n);
  for (const [j, { startHour, values }] of series.entries()) {
    for (let t = 0; t < hours; t++) demand[t * n + j] = values[firstHour + t - startHour] ?? Number.NaN;
  }
  if (demand.some(Number.isNaN)) {
    const [first, last] = [series[0].startHour, series[0].startHour + series[0].values.length - 1];
    const [from, to] = [first, last].map((hour) => new Date(hour * 3_600_000).toISOString().slice(0, 13));
    throw new RangeError(`the sample has the hours from ${from}Z to ${to}Z; choose a period within them`);
  }
  const ids = Int32Array.from(series, ({ locationId }) => locationId);
  const { travel, trips } = await readPairs(ids);
  const ends = [shareTrips(n, trips)];
  const past = { locationIds: ids, hours, firstHour, demand, tripsPerHour: TRIPS_PER_HOUR, travel, ends };
  return { past, series };
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

/** A fleet of a size in proportion to the mean demand before an hour: the largest remainders get the odd vehicles. */
export function placeInProportion(
  series: readonly DemandSeries[],
  beforeHour: number,
  size: number,
): Int32Array {
  const weights = series.map(({ startHour, values }) => {
    const before = values.subarray(0, Math.max(0, beforeHour - startHour)).filter((value) => value >= 0);
    return before.reduce((sum, value) => sum + value, 0) / Math.max(1, before.length);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const exact = weights.map(
    (weight) => (size * (total > 0 ? weight : 1)) / (total > 0 ? total : weights.length),
  );
  const fleet = Int32Array.from(exact, Math.floor);
  const odd = exact
    .map((value, j) => ({ j, rest: value - fleet[j] }))
    .sort((a, b) => b.rest - a.rest || a.j - b.j);
  const missing = size - fleet.reduce((sum, vehicles) => sum + vehicles, 0);
  for (const { j } of odd.slice(0, missing)) fleet[j]++;
  return fleet;
}

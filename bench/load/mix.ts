import type pg from 'pg';
import { riskExample } from '../../src/http/documents/examples.ts';
import {
  chaosLocations,
  chaosProblems,
  DEMAND_SQL,
  HISTORY_HOURS,
  HISTORY_START,
  TRIPS_SQL,
} from '../../test/chaos/problems.ts';
import { cityRequest } from '../requests.ts';

/** A call of the mix, as it is posted. */
export type MixedCall = { path: string; body: string };

/** The day after the last hour of the stored demand. */
const FORECAST_FROM = '2026-02-09';
/** The locations of the largest problem, of which the smaller ones name the first. */
const SIZES = [20, 40, 60];

/** The stored locations of all calls. */
export const MIX_PLACES = cityRequest(0, {
  locations: 60,
  vehicles: 10,
  classes: 1,
  isFractional: false,
}).locations;

/**
 * A round of mixed calls. Optimizations of three sizes, whole and fractional, a tenth of them of two classes and busy
 * for a second. To each four of them one decision, also one that looks ahead, backtest or replay from stored demand,
 * and one forecast or score of risk.
 */
export function mixedCalls(): MixedCall[] {
  const optimizations = Array.from({ length: 30 }, (_, i): MixedCall => {
    const classes = i % 10 === 9 ? 2 : 1;
    const shape = {
      locations: SIZES[i % 3],
      vehicles: 10 * SIZES[i % 3],
      classes,
      isFractional: i % 2 === 1,
    };
    const { request } = cityRequest(i, shape);
    const body = { ...request, options: { ...request.options, time_limit_seconds: 1 } };
    return { path: '/api/v1/optimize', body: JSON.stringify(body) };
  });
  const fromDemand = chaosProblems(1, chaosLocations(1))
    .filter(({ kind }) => kind !== 'optimize')
    .map(({ path, kind, request }): MixedCall => {
      // A replay of all locations would take most of the time of the mix.
      const places = kind === 'replay' && { location_ids: MIX_PLACES.slice(0, SIZES[0]).map(({ id }) => id) };
      return { path, body: JSON.stringify({ ...request, ...places }) };
    });
  const features = { start_date: FORECAST_FROM };
  const forecast = { location_ids: [1, 2, 3], horizon_hours: 48, features };
  const others: MixedCall[] = [
    { path: '/api/v1/risk/score', body: JSON.stringify(riskExample) },
    { path: '/api/v1/forecast', body: JSON.stringify(forecast) },
  ];
  return fromDemand.flatMap((one, i) => [
    ...Array.from({ length: 4 }, (_, j) => optimizations[(4 * i + j) % optimizations.length]),
    one,
    others[i % others.length],
  ]);
}

/** Stores the hours of demand and the week of trips of all locations that the calls rest on. */
export async function storeMixDemand(client: pg.Client): Promise<void> {
  await client.query(
    `insert into demand_observations (location_id, hour, demand)
     select id, timestamptz '${HISTORY_START}' + h * interval '1 hour', ${DEMAND_SQL}
     from locations, generate_series(0, ${HISTORY_HOURS - 1}) h`,
  );
  await client.query(
    `insert into trip_flows (from_location_id, to_location_id, trips)
     select a.id, b.id, ${TRIPS_SQL} from locations a, locations b`,
  );
}
